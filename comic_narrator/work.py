"""The work folder: named files, a journal of what they were made from, and nothing made twice.

A file is made when it is missing or its inputs changed. A file changed by hand is kept and flows downstream; changed by
hand while its inputs changed as well is a conflict. Writes go to a temporary name in the same folder, are synced, then
renamed, so that a file is whole or absent.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from comic_narrator.errors import InTheWayError
from comic_narrator.model import Artefact, ArtefactT, parse_artefact
from comic_narrator.report import StageReport

JOURNAL = "journal.jsonl"
LOG = "log.txt"
LOCK = ".lock"
SYNC_EVERY = 1.0
"""Seconds between two times that the journal is brought to the disk, where files are made quickly."""

Edits = Literal["stop", "keep", "discard"]
State = Literal["missing", "fresh", "stale", "edited", "conflict", "unknown"]
Inputs = Mapping[str, str]


def digest_bytes(data: bytes) -> str:
    """SHA-256 of `data`, hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest_file(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(*values: object) -> str:
    """SHA-256 of values that have a stable text form: artefacts, parts, settings, numbers, strings."""
    texts = [v.model_dump_json(by_alias=True) if isinstance(v, BaseModel) else repr(v) for v in values]
    return digest_bytes("\n".join(texts).encode())


class Entry(BaseModel):
    """One line of the journal: a file that was made, from what, and how long that took."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    digest: str
    inputs: dict[str, str]
    seconds: float
    edited: bool = False


@dataclass
class Tally:
    """How many files a stage made, kept and failed to make, and in how many seconds."""

    made: int = 0
    kept: int = 0
    failed: int = 0
    seconds: float = 0.0


@dataclass
class Work:
    """A work folder at `root`; `edits` says what to do with a hand edit whose inputs changed as well."""

    root: Path
    edits: Edits = "stop"
    tallies: dict[str, Tally] = field(default_factory=dict)
    _entries: dict[str, Entry] = field(default_factory=dict)
    _times: dict[str, int] = field(default_factory=dict)
    _stage: str = ""
    _synced: float = 0.0

    @contextmanager
    def opened(self) -> Iterator[Work]:
        """Hold the folder for this run; InTheWayError when another run holds it."""
        self.root.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self.root / LOCK, timeout=0):
                self._sweep()
                self.load()
                yield self
        except Timeout:
            raise InTheWayError(
                f"Another run is using {self.root}.", "Wait until it ends, or give this one its own folder with --work."
            ) from None

    def _sweep(self) -> None:
        """Remove what a run that was killed left half made."""
        for litter in self.root.rglob(".partial-*"):
            litter.unlink(missing_ok=True)
        for unpacked in self.root.glob("unpacked-*"):
            # This run may have begun to unpack its book before it held the lock.
            if not unpacked.name.startswith(f"unpacked-{os.getpid()}-"):
                shutil.rmtree(unpacked, ignore_errors=True)

    def load(self) -> None:
        """Read the journal; a line torn by a crash is as if it had not been written."""
        journal = self.root / JOURNAL
        for line in journal.read_text(encoding="utf-8").splitlines() if journal.exists() else ():
            try:
                self._remember(Entry.model_validate_json(line))
            except ValidationError:
                continue

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what happens inside under the stage's name."""
        self._stage, began = name, time.monotonic()
        try:
            yield
        finally:
            self._tally.seconds += time.monotonic() - began

    @property
    def _tally(self) -> Tally:
        return self.tallies.setdefault(self._stage, Tally())

    def failed(self) -> None:
        """Count one item that could not be made."""
        self._tally.failed += 1

    def reports(self) -> tuple[StageReport, ...]:
        """What each stage did in this run, in order."""
        return tuple(
            StageReport(stage=name, made=t.made, kept=t.kept, failed=t.failed, seconds=round(t.seconds, 2))
            for name, t in self.tallies.items()
        )

    def path(self, name: str) -> Path:
        """Where the file of that name lies."""
        return self.root / name

    def name_of(self, path: Path) -> str:
        """The journal's name for a file outside the folder, such as the film: it stays true when both are moved."""
        return os.path.relpath(path.resolve(), self.root.resolve())

    def times_made(self, name: str) -> int:
        """How often the journal says that this file was made."""
        return self._times.get(name, 0)

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The journal's last line for each file."""
        return self._entries

    def state(self, name: str, inputs: Inputs | None = None) -> State:
        """How the file stands against its journal line and, when given, against `inputs`."""
        path, entry = self.path(name), self._entries.get(name)
        if not path.is_file():
            return "missing"
        if entry is None:
            return "unknown"
        touched = entry.edited or digest_file(path) != entry.digest
        if inputs is None or dict(inputs) == entry.inputs:
            return "edited" if touched else "fresh"
        return "conflict" if touched else "stale"

    def make(
        self,
        name: str,
        inputs: Inputs,
        build: Callable[[Path], object],
        *,
        product: bool = False,
        digest: str | None = None,
    ) -> str:
        """Have `build` write the file unless it stands as its inputs demand; returns the digest of what lies there.

        A `product` is for the user alone and nothing is made from it: where a file is in its way, it is written over.
        `digest` is that of what `build` writes, where it is known.
        """
        state = self.state(name, inputs)
        if state == "unknown" and self._entries and not product:
            # A crash came between the file and its line: whatever it is, it is not lost.
            self.path(name).replace(self.path(f"{name}.aside"))
        elif state in ("unknown", "conflict"):
            state = "stale" if product else self._settle(name, inputs)
        if state in ("fresh", "edited"):
            self._tally.kept += 1
            return digest_file(self.path(name))
        began = time.monotonic()
        digest = self._write(name, build, digest)
        self._journal(Entry(name=name, digest=digest, inputs=dict(inputs), seconds=round(time.monotonic() - began, 3)))
        self._times[name] = self.times_made(name) + 1
        self._tally.made += 1
        return digest

    def artefact(self, kind: type[ArtefactT], name: str, inputs: Inputs, build: Callable[[], ArtefactT]) -> ArtefactT:
        """Like `make` for a JSON artefact; returns it as it lies there, hand edits included."""
        self.make(name, inputs, lambda path: path.write_text(build().to_json(), encoding="utf-8"))
        return self.read(kind, name)

    def read(self, kind: type[ArtefactT], name: str) -> ArtefactT:
        """The JSON artefact of that name; InputError when it does not fit its schema."""
        path = self.path(name)
        return parse_artefact(kind, path.read_bytes(), path)

    def give(self, name: str, inputs: Inputs, data: bytes) -> None:
        """Put a file that the user gave in the place of what `inputs` would make; it counts as edited by hand.

        InTheWayError where it would write over a hand edit, unless edits are to be kept or discarded.
        """
        self._tally.kept += 1
        state = self.state(name)
        if state != "missing" and self.path(name).read_bytes() == data:
            return
        if state in ("edited", "unknown") and self.edits != "discard":
            if self.edits == "keep":
                return
            raise InTheWayError(
                f"{self.path(name)} was changed by hand, and the file that you gave would take its place.",
                "Run again with --keep-edits to keep it, or with --discard-edits to have yours instead.",
            )
        digest = self._write(name, lambda path: path.write_bytes(data))
        self._journal(Entry(name=name, digest=digest, inputs=dict(inputs), seconds=0.0, edited=True))

    def put(self, name: str, artefact: Artefact) -> None:
        """Write an artefact that every run writes anew, such as its report."""
        self._write(name, lambda path: path.write_text(artefact.to_json(), encoding="utf-8"))

    def _settle(self, name: str, inputs: Inputs) -> State:
        if self.edits == "discard":
            return "stale"
        if self.edits == "keep":
            digest = digest_file(self.path(name))
            self._journal(Entry(name=name, digest=digest, inputs=dict(inputs), seconds=0.0, edited=True))
            return "edited"
        known = name in self._entries
        raise InTheWayError(
            f"{self.path(name)} was changed by hand, and what it is made from changed as well."
            if known
            else f"{self.path(name)} lies in the work folder, but the journal is gone that would know it.",
            "Run again with --keep-edits to keep your file, or with --discard-edits to have it made anew.",
        )

    def _write(self, name: str, build: Callable[[Path], object], digest: str | None = None) -> str:
        target = self.path(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".partial-{target.name}")
        try:
            build(partial)
            with partial.open("rb") as file:
                os.fsync(file.fileno())
            digest = digest or digest_file(partial)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        return digest

    def _journal(self, entry: Entry) -> None:
        with (self.root / JOURNAL).open("a+", encoding="utf-8") as file:
            if file.tell() and not self._ends_whole():
                file.write("\n")
            file.write(json.dumps(entry.model_dump(exclude_defaults=True), ensure_ascii=False) + "\n")
            file.flush()
            # A line that a power cut takes costs its file's making, no more; to sync each would double the time.
            if time.monotonic() - self._synced > SYNC_EVERY:
                os.fsync(file.fileno())
                self._synced = time.monotonic()
        self._entries[entry.name] = entry

    def _ends_whole(self) -> bool:
        with (self.root / JOURNAL).open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def _remember(self, entry: Entry) -> None:
        self._entries[entry.name] = entry
        if not entry.edited:
            self._times[entry.name] = self.times_made(entry.name) + 1
