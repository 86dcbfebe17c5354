"""The work folder: named files, a journal of what they were made from, and nothing made twice.

A file is made when it is missing or its inputs changed. A file changed by hand is kept and flows downstream; changed by
hand while its inputs changed as well is a conflict. Writes go to a temporary name in the same folder, are synced, then
renamed, so that a file is whole or absent.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from comic_narrator.errors import InTheWayError
from comic_narrator.model import Artefact, ArtefactT, parse_artefact
from comic_narrator.report import StageReport
from comic_narrator.work.digests import Digests, digest_bytes, digest_file, digest_json, digest_of
from comic_narrator.work.hold import LOCK, Owner, held
from comic_narrator.work.journal import JOURNAL, Begun, Done, Entry, Failure, Journal, Removed
from comic_narrator.work.standing import Standing, standings

__all__ = [
    "JOURNAL",
    "LOCK",
    "LOG",
    "Edits",
    "Standing",
    "Work",
    "digest_bytes",
    "digest_file",
    "digest_of",
    "standings",
]

LOG = "log.txt"
MADE_FIRST = ("paging.json", "book.json", "script.json")
"""Files that tell that a folder was worked in."""
DIGESTS = ".digests.json"

log = logging.getLogger(__name__)

Edits = Literal["stop", "keep", "discard"]
State = Literal["missing", "fresh", "stale", "edited", "conflict", "unknown"]
Inputs = Mapping[str, str]


@dataclass
class Tally:
    """How many files a stage made, kept and failed to make, and in how many seconds."""

    made: int = 0
    kept: int = 0
    failed: int = 0
    seconds: float = 0.0


@dataclass
class Work:
    """A work folder at `root`; `edits` says what to do with a hand edit whose inputs changed as well.

    With `adopt`, files that no journal line knows are taken for what would be made now.
    """

    root: Path
    edits: Edits = "stop"
    adopt: bool = False
    tallies: dict[str, Tally] = field(default_factory=dict)
    adopted: int = 0
    cut_off: Owner | None = None
    _stage: str = ""

    def __post_init__(self) -> None:
        self.digests = Digests(self.root)
        self._journal = Journal(self.root)

    @contextmanager
    def opened(self) -> Iterator[Work]:
        """Hold the folder for this run; InTheWayError when another run holds it, or its journal is gone."""
        self.root.mkdir(parents=True, exist_ok=True)
        with held(self.root) as self.cut_off:
            self._sweep()
            self.load()
            self._own()
            self._check_journal()
            try:
                yield self
            finally:
                self._journal.sync()
                self.digests.save(self.root / DIGESTS)

    def _sweep(self) -> None:
        """Remove what a run that was killed left half made."""
        for litter in self.root.rglob(".partial-*"):
            litter.unlink(missing_ok=True)
        for unpacked in self.root.glob("unpacked-*"):
            # This run may have begun to unpack its book before it held the lock.
            if not unpacked.name.startswith(f"unpacked-{os.getpid()}-"):
                shutil.rmtree(unpacked, ignore_errors=True)

    def load(self) -> None:
        """Read the journal; InTheWayError when a newer version of the program wrote it."""
        self._journal.load()
        self.digests.load(self.root / DIGESTS)

    def _own(self) -> None:
        """Take what a crash left between its name and its line for what it is: made, and not by hand."""
        for begun in list(self._journal.begun.values()):
            path = self.path(begun.name)
            # Where nothing lay before, whatever lies there now came after, by hand if it is another.
            if path.is_file() and (begun.name not in self.entries or self.digests.whole(path) == begun.digest):
                self._journal.add(Done(name=begun.name, done=begun.digest), path.parent)

    def _check_journal(self) -> None:
        if self.entries or self.adopt or self.edits != "stop":
            return
        lost = next((self.root / name for name in MADE_FIRST if (self.root / name).is_file()), None)
        if lost:
            raise InTheWayError(
                f"The journal of {self.root} is gone: nobody knows what its files were made from.",
                "Run again with --adopt to take them as they are, or with --discard-edits to have them made anew.",
            )

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

    def failed(self, name: str, why: str) -> None:
        """Count a file that could not be made, and remember why until it is."""
        self._tally.failed += 1
        if (known := self.failures.get(name)) is None or known.failed != why:
            self._journal.add(Failure(name=name, failed=why, stage=self._stage))

    @property
    def made(self) -> int:
        """How many files this run has made so far."""
        return sum(tally.made for tally in self.tallies.values())

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
        return self._journal.times.get(name, 0)

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The journal's last line for each file."""
        return self._journal.entries

    @property
    def failures(self) -> Mapping[str, Failure]:
        """Files that could not be made when they were last tried."""
        return self._journal.failures

    def files(self, *names: str) -> dict[str, str]:
        """Inputs that are files of this folder, by name: the digest of what each says."""
        return {name: self.digests.content(self.path(name)) for name in names}

    def parts(self, name: str, place: str) -> dict[str, str]:
        """Inputs that are parts of a JSON file: the items of the list `place` by page, each as NAME#PLACE/PAGE."""
        items = json.loads(self.path(name).read_bytes())[place]
        return {f"{name}#{place}/{item['page']}": digest_json(item) for item in items}

    def state(self, name: str, inputs: Inputs | None = None) -> State:
        """How the file stands against its journal line and, when given, against `inputs`."""
        path, entry = self.path(name), self.entries.get(name)
        if not path.is_file():
            return "missing"
        if entry is None:
            return "unknown"
        touched = entry.edited or self.digests.whole(path) != entry.digest
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
        state, aside = self.state(name, inputs), None
        if state == "unknown" and not product and self.entries and not self.adopt:
            # A crash came between the file and its line: whatever it is, it is not lost.
            aside = self.path(name).replace(self.path(f"{name}.aside"))
        elif state in ("unknown", "conflict"):
            state = "stale" if product else self._settle(name, inputs)
        if state in ("fresh", "edited"):
            self._tally.kept += 1
            return self.digests.whole(self.path(name))
        log.debug("making %s: %s", name, self._why(name, inputs))
        digest = self._write(name, build, digest, inputs)
        self._tally.made += 1
        if aside and digest_file(aside) == digest:
            aside.unlink()
        return digest

    def _why(self, name: str, inputs: Inputs) -> str:
        entry = self.entries.get(name)
        if entry is None or not self.path(name).is_file():
            return "it is missing"
        return ", ".join(key for key in {**entry.inputs, **inputs} if entry.inputs.get(key) != inputs.get(key))

    def _enter(self, name: str, inputs: Inputs, *, edited: bool = False) -> None:
        """Write down that the file stands as it is for these inputs."""
        digest = self.digests.whole(self.path(name))
        self._journal.add(
            Entry(name=name, digest=digest, inputs=dict(inputs), seconds=0.0, edited=edited, stage=self._stage)
        )

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
        self._write(name, lambda path: path.write_bytes(data), inputs=inputs, edited=True)

    def put(self, name: str, artefact: Artefact) -> None:
        """Write an artefact that every run writes anew, such as its report."""
        self._write(name, lambda path: path.write_text(artefact.to_json(), encoding="utf-8"))

    def remove(self, name: str) -> int:
        """Take a file away that can be made again, and say so in the journal; returns its bytes."""
        size = self.path(name).stat().st_size
        # The line first: a file that is gone without one counts as thrown away by hand.
        self._journal.add(Removed(name=name, removed=True))
        self.path(name).unlink()
        return size

    def _settle(self, name: str, inputs: Inputs) -> State:
        known = name in self.entries
        if self.adopt and not known:
            self._enter(name, inputs)
            self.adopted += 1
            return "fresh"
        if self.edits == "discard":
            return "stale"
        if self.edits == "keep":
            self._enter(name, inputs, edited=True)
            return "edited"
        raise InTheWayError(
            f"{self.path(name)} was changed by hand, and what it is made from changed as well: "
            f"{self._why(name, inputs)}."
            if known
            else f"{self.path(name)} lies in the work folder, but the journal is gone that would know it.",
            "Run again with --keep-edits to keep your file, or with --discard-edits to have it made anew"
            + ("." if known else ", or with --adopt to take all files as they are."),
        )

    def _write(
        self,
        name: str,
        build: Callable[[Path], object],
        digest: str | None = None,
        inputs: Inputs | None = None,
        *,
        edited: bool = False,
    ) -> str:
        """Have the file built, bring it to the disk, give it its name; the journal is told where there are inputs."""
        target, began = self.path(name), time.monotonic()
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".partial-{target.name}")
        try:
            build(partial)
            with partial.open("rb") as file:
                os.fsync(file.fileno())
            digest = digest or digest_file(partial)
            if inputs is not None:
                # Before: of a file that a crash left without a line, nobody could say whether a hand changed it.
                seconds = round(time.monotonic() - began, 3)
                self._journal.add(
                    Begun(
                        name=name,
                        digest=digest,
                        inputs=dict(inputs),
                        seconds=seconds,
                        edited=edited,
                        stage=self._stage,
                        begun=True,
                    )
                )
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        if inputs is not None:
            self._journal.add(Done(name=name, done=digest), target.parent)
        return digest
