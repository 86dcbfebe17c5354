"""A whole run on a card, measured: doctor, up, a book read by a vLLM, a nap, its lines spoken on the CPU, its film;
then a book for which the reader wakes; down.

    python -m benchmarks.card_run --model models/qwen3vl_8b [--vllm 'python3 -m vllm.entrypoints.cli.main serve']
        [--pages 40] [--util 0.2] [--seats 4] [--speech-gib 2.3] [--weights-gib 16.69] [--out out]

It needs a GPU, a vLLM, and torch for a co-tenant that holds memory like a speech server. The model may have dummy
weights: it works as for real pages, and `benchmarks.mouthpiece` tells what the recogniser found in place of what it
says.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from benchmarks.hand_over import Shape, arguments, print_rows, serve, timed, used_mib

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "lighthouse.cbz"


def long_book(pages: int, out: Path) -> Path:
    """The sample's pages over and over, each a picture of its own: its lowest row of pixels is its number."""
    with zipfile.ZipFile(SAMPLE) as sample:
        drawn = [Image.open(io.BytesIO(sample.read(name))).convert("RGB") for name in sorted(sample.namelist())]
    with zipfile.ZipFile(out, "w") as book:
        for number in range(pages):
            page = drawn[number % len(drawn)].copy()
            page.paste((number, number, number), (0, page.height - 1, page.width, page.height))
            data = io.BytesIO()
            page.save(data, "JPEG", quality=95)
            book.writestr(f"{number + 1:03}.jpg", data.getvalue())
    return out


def narrate(*arguments: str | Path, out: Path) -> tuple[int, str]:
    """`comic-narrator` with its exit code and what it said."""
    environment = {**os.environ, "XDG_STATE_HOME": str(out / "state")}
    asked = [sys.executable, "-m", "comic_narrator", *map(str, arguments)]
    done = subprocess.run(asked, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr + done.stdout


@contextmanager
def watched_card() -> Iterator[list[str]]:
    """What the card holds, each time that it changed by a GiB or more: seconds and MiB."""
    told: list[str] = []
    over = threading.Event()

    def look() -> None:
        began, last = time.monotonic(), -1 << 10
        while not over.wait(0.5):
            used = used_mib() or 0
            if abs(used - last) >= 1 << 10:
                told.append(f"{time.monotonic() - began:.0f} s: {used} MiB")
                last = used

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield told
    finally:
        over.set()
        thread.join()


def filmed(book: Path, profile: Path, note: Callable[[str], None], out: Path) -> None:
    """A run of a book: its stages with their seconds, what the card held, what its report says of naps."""
    film = out / f"{book.stem}.mp4"
    with watched_card() as held:
        code, said = narrate(book, "--profile", profile, "-o", film, out=out)
    print(said[-4000:], "\n", "; ".join(held), flush=True)
    if code:
        raise SystemExit(f"the run left with {code}")
    report = json.loads((out / f"{book.stem}.mp4.work" / "report.json").read_text(encoding="utf-8"))
    print(json.dumps({key: report[key] for key in ("gpu", "reading")}, indent=1), flush=True)
    stages = [f"{stage['stage']} {stage['seconds']:.1f} s" for stage in report["stages"]]
    naps = [f"nap {nap['asleep_seconds']} s, {nap['freed_mib']} MiB came back" for nap in report["gpu"]["naps"]]
    note(", ".join([f"{report['film_seconds']:.0f} s of film", *stages, *naps]))


def measure(shape: Shape, pages: int, out: Path) -> list[tuple[str, str, str]]:
    """Everything from the doctor to down, as rows of a table."""
    profile = out / "card-run.toml"
    run = '[reader]\nbackend = "vllm"\nurl = "http://127.0.0.1:8000"\n[voice]\nbackend = "embedded"\n'
    profile.write_text(shape.toml() + run, encoding="utf-8")
    table: list[tuple[str, str, str]] = []

    def consult(what: str, *arguments: str | Path) -> None:
        with timed(table, what) as note:
            code, said = narrate("doctor", *arguments, out=out)
            note(f"exit {code}")
        print(said, flush=True)

    consult("doctor")
    consult("doctor, this profile", "--profile", profile)
    consult("doctor, agent-80g", "--profile", "agent-80g")
    with timed(table, "up: vision, nap, speech"):
        code, _, said = serve("up", "--profile", str(profile), out=out)
        print(said, flush=True)
        if code:
            raise SystemExit(f"up left with {code}")
    consult("doctor, both up", "--profile", profile)
    with timed(table, f"a book of {pages} pages") as note:
        filmed(long_book(pages, out / "long.cbz"), profile, note, out)
    with timed(table, "a book of 2 pages, for which the reader wakes") as note:
        filmed(long_book(2, out / "short.cbz"), profile, note, out)
    print(serve("status", out=out)[2], flush=True)
    with timed(table, "down"):
        print(serve("down", out=out)[2], flush=True)
    return table


def main() -> None:
    """Measure and print a table."""
    parser = arguments(__doc__, "out/card_run")
    parser.add_argument("--seats", type=int, default=4)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    vllm = (sys.executable, "-m", "benchmarks.mouthpiece", *shlex.split(options.vllm))
    shape = Shape(
        options.model, vllm, options.weights_gib, options.speech_gib, options.util, seats=options.seats, images=4
    )
    try:
        table = measure(shape, options.pages, options.out)
    finally:
        serve("down", out=options.out)
    print_rows(table)


if __name__ == "__main__":
    main()
