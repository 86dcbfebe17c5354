"""The journal of a work folder: a line a file made, or an item that failed; only ever added to."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from comic_narrator.errors import InTheWayError

JOURNAL = "journal.jsonl"
SCHEMA = "comic_narrator.journal/1"
SYNC_EVERY = 1.0
"""Seconds between two times that the journal is brought to the disk, where files are made quickly."""


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Header(_Line):
    schema_: str = Field(alias="schema")


class Entry(_Line):
    """A file that was made, by which stage, from what, and how long that took.

    An input is the name of a file in the work folder (or FILE#LIST/ID, a part of one) with the digest of what it says,
    or any other word with the digest of a value, as of settings.
    """

    name: str
    digest: str
    inputs: dict[str, str]
    seconds: float
    edited: bool = False
    stage: str = ""


class Begun(Entry):
    """The same of a file that is about to get its name; it holds when a `Done` follows, or the file proves to be it."""

    begun: Literal[True]


class Done(_Line):
    """The file that was begun has its name."""

    name: str
    done: str


class Failure(_Line):
    """A file that could not be made, and why."""

    name: str
    failed: str
    stage: str = ""


class Removed(_Line):
    """A file that was taken away to save space, and is not missed."""

    name: str
    removed: Literal[True]


Line = _Header | Begun | Entry | Done | Failure | Removed
_LINES: TypeAdapter[Line] = TypeAdapter(Line)


class Journal:
    """The journal in the folder `root`: the last entry and the last failure of each name, and how often it was made."""

    def __init__(self, root: Path) -> None:
        self._path = root / JOURNAL
        self.entries: dict[str, Entry] = {}
        self.failures: dict[str, Failure] = {}
        self.times: dict[str, int] = {}
        self.begun: dict[str, Begun] = {}
        self._headed = False
        self._synced = 0.0
        self._folders: set[Path] = set()

    def load(self) -> None:
        """Read what is there; a line torn by a crash is as if it had not been written.

        InTheWayError when a newer version of this program wrote it.
        """
        text = self._path.read_text(encoding="utf-8", errors="replace") if self._path.exists() else ""
        for line in text.splitlines():
            try:
                self._remember(_LINES.validate_json(line))
            except ValidationError:
                continue

    def _remember(self, line: Line) -> None:
        match line:
            case _Header():
                self._check(line.schema_)
            case Failure():
                self.failures[line.name] = line
            case Removed():
                self.entries.pop(line.name, None)
                self.times.pop(line.name, None)
            case Begun():
                self.begun[line.name] = line
            case Done():
                begun = self.begun.pop(line.name, None)
                if begun is not None and begun.digest == line.done:
                    self._stands(begun)
            case Entry():
                self._stands(line)

    def _stands(self, entry: Entry) -> None:
        self.entries[entry.name] = entry
        self.failures.pop(entry.name, None)
        self.begun.pop(entry.name, None)
        if not entry.edited:
            self.times[entry.name] = self.times.get(entry.name, 0) + 1

    def _check(self, schema: str) -> None:
        if schema != SCHEMA:
            raise InTheWayError(
                f"{self._path.parent} was made by another version of comic-narrator: its journal is {schema}, "
                f"this version writes {SCHEMA}.",
                "Update comic-narrator, or give this run a folder of its own with --work.",
            )
        self._headed = True

    def add(self, line: Begun | Entry | Done | Failure | Removed, folder: Path | None = None) -> None:
        """Write one more line; `folder` is where the file that it speaks of was renamed to its name."""
        lines = [json.dumps(line.model_dump(exclude_defaults=True), ensure_ascii=False)]
        # Folders that were made before journals had a header get one.
        if not self._headed:
            lines.insert(0, json.dumps({"schema": SCHEMA}))
        with self._path.open("ab+") as file:
            if file.tell() and not self._ends_whole():
                file.write(b"\n")
            file.write("".join(f"{text}\n" for text in lines).encode())
            file.flush()
            self._headed = True
            if folder:
                self._folders.add(folder)
            # A line that a power cut takes costs its file's making, no more; to sync each would double the time.
            if time.monotonic() - self._synced > SYNC_EVERY:
                self._sync(file.fileno())
        self._remember(line)

    def _sync(self, journal: int) -> None:
        # First the names, then the lines: a file that a line knows and that is gone counts as thrown away by hand.
        for folder in self._folders:
            sync_folder(folder)
        self._folders.clear()
        os.fsync(journal)
        self._synced = time.monotonic()

    def sync(self) -> None:
        """Bring what was written to the disk."""
        if self._folders:
            with self._path.open("ab") as file:
                self._sync(file.fileno())

    def _ends_whole(self) -> bool:
        with self._path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where the system can open folders."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
