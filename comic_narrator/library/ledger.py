"""What became of each book of a library: a line a run, only ever added to, so that the next run does what is left."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

LEDGER = "library.jsonl"


class Finished(BaseModel):
    """A book's run: its content, what was asked (a digest), its exit code and error, its film, and how long it took.

    A run that stops before the film has its work folder in the film's place.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    book: str
    content: str
    asked: str
    exit: int
    said: str = ""
    film: str
    seconds: float


class Ledger:
    """The ledger in the folder of the films; torn lines are as if they had not been written."""

    def __init__(self, out: Path) -> None:
        self._path = out / LEDGER
        self.last: dict[str, Finished] = {}
        text = self._path.read_text(encoding="utf-8", errors="replace") if self._path.exists() else ""
        self._whole = not text or text.endswith("\n")
        for line in text.splitlines():
            try:
                finished = Finished.model_validate_json(line)
            except ValidationError:
                continue
            self.last[finished.book] = finished

    def add(self, finished: Finished) -> None:
        """Write how a book ended."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(("" if self._whole else "\n") + finished.model_dump_json() + "\n")
        self._whole = True
        self.last[finished.book] = finished

    def made(self, content: str, asked: str) -> Finished | None:
        """The film that was made of that content as it is asked for now, under whatever name."""
        return next(
            (f for f in self.last.values() if (f.content, f.asked, f.exit) == (content, asked, 0)),
            None,
        )
