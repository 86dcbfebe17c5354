"""The disk that work folders take: how much for what, and what of it can go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from comic_narrator.model import Timing
from comic_narrator.steps.names import TIMING
from comic_narrator.work import JOURNAL, Work


@dataclass(frozen=True)
class Cleaned:
    """What was taken away, as files and bytes, and the bytes that are left."""

    files: int
    freed: int
    left: int


def shares(root: Path) -> dict[str, int]:
    """Bytes below a work folder by what they are for: pages, takes, scenes, sound.wav and so on, the largest first."""
    sizes: Counter[str] = Counter()
    for file in root.rglob("*"):
        if file.is_file():
            sizes[file.relative_to(root).parts[0]] += file.stat().st_size
    return dict(sizes.most_common())


def work_folders(place: Path) -> list[Path]:
    """The work folder at `place`, or those of all films below it, in order."""
    if (place / JOURNAL).is_file():
        return [place]
    return sorted(journal.parent for journal in place.rglob(JOURNAL))


def clean(work: Work, most: int | None) -> Cleaned:
    """Take away the takes and scenes that no film needs any more, and where `most` bytes are named, what they exceed.

    Of the film itself first the sound goes, then scenes, the oldest first: a run makes them again from takes and pages,
    which stay, as does everything changed by hand.
    """
    files = freed = 0
    for name in _unused(work):
        freed += work.remove(name)
        files += 1
    left = sum(shares(work.root).values())
    for name in _again(work):
        if most is not None and left > most:
            gone = work.remove(name)
            files, freed, left = files + 1, freed + gone, left - gone
    return Cleaned(files, freed, left)


def _unused(work: Work) -> Iterator[str]:
    # A cut of a film has a time line and scenes of its own.
    lines = [name for name in work.entries if PurePosixPath(name).name == TIMING and work.path(name).is_file()]
    if not lines:
        # Nothing says yet which takes the film will need.
        return
    needed: set[str] = set()
    for line in lines:
        for scene in work.read(Timing, line).scenes:
            needed |= {clip.file for clip in scene.clips}
            needed.add(str(PurePosixPath(line).with_name("scenes") / f"{scene.page}.mp4"))
    for name in list(work.entries):
        if _kind(name) in ("takes", "scenes") and name not in needed and work.state(name) == "fresh":
            yield name


def _kind(name: str) -> str:
    return PurePosixPath(name).parent.name


def _again(work: Work) -> list[str]:
    scenes = [name for name in work.entries if _kind(name) == "scenes" and work.state(name) == "fresh"]
    sounds = [name for name in work.entries if PurePosixPath(name).suffix == ".wav" and work.state(name) == "fresh"]
    scenes.sort(key=lambda name: work.path(name).stat().st_mtime_ns)
    return [*sounds, *scenes]
