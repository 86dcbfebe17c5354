"""How long a run takes that has nothing to do, and what one edited line makes anew, on a book of 200 pages.

    python -m benchmarks.no_op --pages 200

Quick backends read and speak eight lines a page; pages are noise, so that their files are as large as those of real
scans. Printed are seconds of the whole command beside those of its start-up alone (`comic-narrator settings`), each the
best of three, and seconds of a core, which tell on a machine that others use as well.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.kill_rig import FAKES, OPTIONS, run_command


def draw(folder: Path, pages: int) -> None:
    """Pages of two panels with noise in them, about a megabyte each."""
    folder.mkdir()
    rng = np.random.default_rng(1)
    for i in range(pages):
        page = np.full((1200, 800, 3), 255, np.uint8)
        for top in (20, 610):
            page[top : top + 570, 20:780] = rng.integers(0, 200, (570, 760, 3), np.uint8)
        Image.fromarray(page).save(folder / f"{i + 1}.jpg", quality=95)


def timed(arguments: list[str], cwd: Path) -> tuple[float, float, str]:
    """Seconds, seconds of a core, and stdout of one command."""
    began, used = time.monotonic(), _core_seconds()
    done = subprocess.run(run_command(arguments), cwd=cwd, env=FAKES, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return time.monotonic() - began, _core_seconds() - used, done.stdout


def _core_seconds() -> float:
    times = os.times()
    return times.children_user + times.children_system


def main() -> None:
    """Make the film once, then time runs with nothing to do, and one after an edit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=200)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        draw(folder / "book", asked.pages)
        film = ["book", "-o", "film.mp4", *OPTIONS, "--set", "reader.backend=chatty", "--json"]
        first, *_ = timed(film, folder)
        # What was made a moment ago is read once more: its time stamps prove nothing yet.
        timed(film, folder)
        start, start_core = (
            min(times) for times in zip(*(timed(["settings"], folder)[:2] for _ in range(3)), strict=True)
        )
        again, again_core = (min(times) for times in zip(*(timed(film, folder)[:2] for _ in range(3)), strict=True))
        print(f"{asked.pages} pages: made in {first:.1f} s; start-up {start:.2f} s; nothing to do {again:.2f} s")
        print(f"beyond start-up: {again - start:.2f} s, {again_core - start_core:.2f} s of a core")
        script = folder / "film.mp4.work" / "script.json"
        told = json.loads(script.read_text())
        beat = next(
            beat for beat in told["beats"] if beat["kind"] == "speech" and beat["page"] == f"{asked.pages // 2:04}"
        )
        beat["text"] = "Somebody changed this."
        script.write_text(json.dumps(told, indent=1))
        *_, report = timed(film, folder)
        made = {stage["stage"]: stage["made"] for stage in json.loads(report)["stages"] if stage["made"]}
        print(f"one edited line makes: {made}")


if __name__ == "__main__":
    main()
