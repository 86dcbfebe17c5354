"""Kills a run at random moments, again and again, and compares what comes of it with a run that nobody disturbed.

    python -m benchmarks.kill_rig --kills 200

A small book is filmed with quick backends. Each run is killed (SIGKILL to its group) after a random time; when one ends
by itself, the film's frames and sound, every artefact and the journal are compared, and the next book is begun.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from comic_narrator import ffmpeg
from comic_narrator.work import JOURNAL, Work, digest_file
from tests.conftest import draw_page

ROOT = Path(__file__).resolve().parents[1]
FAKES = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "tests" / "fakes"), str(ROOT)))}
"""The environment in which the quick backends of tests/fakes are installed."""
OPTIONS = (
    *("--lang", "en", "--set", "reader.backend=label", "--set", "voice.backend=tone"),
    *("--set", "film.width=160", "--set", "film.height=160", "--set", "film.fps=24"),
    *("--set", "film.preset=ultrafast", "--set", "film.wordless=1"),
)
PAGES = 4
UNLIKE = re.compile(r"report\.json|log\.txt|journal\.jsonl|\..*")
"""Files that tell of a run and not of the book."""


@dataclass
class Toll:
    """What was seen: kills, books that came to their end, files that were made twice, and whatever should not be."""

    kills: int = 0
    books: int = 0
    made_again: int = 0
    wrong: list[str] = field(default_factory=list)


def run_command(arguments: Sequence[str]) -> list[str]:
    """The command line of the program."""
    return [sys.executable, "-m", "comic_narrator", *arguments]


def start(folder: Path) -> subprocess.Popen[bytes]:
    """Begin or go on with the film of the book in `folder`, in a group of its own."""
    return subprocess.Popen(
        run_command(["book", "-o", "film.mp4", *OPTIONS]),
        cwd=folder,
        env=FAKES,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def draw(folder: Path) -> Path:
    """A book of small pages that differ."""
    (folder / "book").mkdir(parents=True)
    for i in range(PAGES):
        draw_page(120, 160, 255 - 5 * i).save(folder / "book" / f"{i + 1}.png")
    return folder


def likeness(folder: Path) -> dict[str, str]:
    """What must be equal: every frame and every sample of the film, and each artefact by its digest."""
    film = folder / "film.mp4"
    alike = {}
    for stream in ("v:0", "a:0"):
        told = folder / "told.md5"
        ffmpeg.run(["-i", str(film), "-map", f"0:{stream}", "-f", "md5", str(told)])
        alike[stream] = told.read_text()
        told.unlink()
    work = folder / "film.mp4.work"
    for path in sorted(work.rglob("*")):
        name = path.relative_to(work).as_posix()
        if path.is_file() and not UNLIKE.fullmatch(name):
            alike[name] = digest_file(path)
    return alike


def journaled(folder: Path) -> dict[str, str]:
    """The files that a killed run had finished, with their digests."""
    work = Work(folder / "film.mp4.work")
    work.load()
    return {name: entry.digest for name, entry in work.entries.items()}


def undisturbed(folder: Path) -> tuple[dict[str, str], float]:
    """The film as it comes without kills, and the seconds that it takes."""
    began = time.monotonic()
    run = start(draw(folder))
    _, errors = run.communicate()
    if run.returncode:
        raise SystemExit(errors.decode())
    return likeness(folder), time.monotonic() - began


def one_book(folder: Path, truth: dict[str, str], seconds: float, left: int, chance: random.Random) -> Toll:
    """Kill the runs over one book until one ends by itself, at most `left` times; compare."""
    toll = Toll()
    draw(folder)
    finished: dict[str, str] = {}
    while True:
        run = start(folder)
        try:
            _, errors = run.communicate(timeout=chance.uniform(0.2, seconds) if toll.kills < left else None)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            toll.kills += 1
            finished |= journaled(folder)
            continue
        break
    toll.books = 1
    if run.returncode:
        toll.wrong.append(f"{folder.name}: exit {run.returncode}: {errors.decode()[-500:]}")
        return toll
    found = likeness(folder)
    toll.wrong += [
        f"{folder.name}: {name} differs" for name in {**truth, **found} if truth.get(name) != found.get(name)
    ]
    now = journaled(folder)
    toll.wrong += [f"{folder.name}: {name} was lost" for name, digest in finished.items() if now.get(name) != digest]
    lines = (folder / "film.mp4.work" / JOURNAL).read_text().splitlines()
    made = Counter(match[1] for line in lines if (match := re.match(r'\{"name": "([^"]*)", "done"', line)))
    toll.made_again = sum(made.values()) - len(made)
    return toll


def rig(kills: int, seed: int, place: Path) -> Toll:
    """Kill runs so many times in all, over as many books as that takes."""
    chance, whole = random.Random(seed), Toll()
    truth, seconds = undisturbed(place / "undisturbed")
    while whole.kills < kills:
        toll = one_book(place / f"book{whole.books}", truth, seconds, kills - whole.kills, chance)
        whole.kills += toll.kills
        whole.books += toll.books
        whole.made_again += toll.made_again
        whole.wrong += toll.wrong
    return whole


def main() -> None:
    """Run the rig and say what it saw; exit 1 if anything was wrong or made twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        toll = rig(asked.kills, asked.seed, Path(place))
    print(f"{toll.kills} kills over {toll.books} books: {toll.made_again} files made twice, {len(toll.wrong)} wrong")
    print(f"{(time.monotonic() - began) / toll.kills:.1f} s a kill")
    for line in toll.wrong:
        print(line)
    sys.exit(bool(toll.wrong or toll.made_again))


if __name__ == "__main__":
    main()
