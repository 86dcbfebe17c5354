"""What a long film costs and whether it keeps time: memory of 10 against 200 pages, sound against picture at its end.

Run: python -m benchmarks.film_length [PAGE]
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile
from PIL import Image

from comic_narrator import ffmpeg
from comic_narrator.film import (
    About,
    Encoding,
    PlanarWriter,
    SceneClip,
    Take,
    encode_scene,
    first_frame,
    join_scenes,
    time_scene,
)
from comic_narrator.film.planes import Canvas
from comic_narrator.model import SAMPLE_RATE, Beat, Box, PageReading, Panel, Scene, Shot, View
from comic_narrator.pictures import load_rgb

FPS, SCENES = 30, 200
SMALL, LARGE = (160, 90), (1920, 1080)
QUICK = Encoding(20, "ultrafast")
WHITE, BLACK = 235, 16
CLICK = 48
"""Samples that a click lasts."""


def film_pages(page: Path, count: int, folder: Path) -> None:
    """So many pages in a process, one after the other as a film's are: nearer for a few frames, then a slide."""
    for _ in range(count):
        film_page(page, folder)


def film_page(page: Path, folder: Path) -> None:
    """A page of a film, as its step films it: one picture at a time is held."""
    with Image.open(page) as picture:
        width, height = picture.size
    wide, near = (
        View(0, 0, width, width * 9 / 16),
        View(width * 0.1, height * 0.1, width * 0.6, width * 0.6 * 9 / 16),
    )
    shot = Shot(first_frame=0, end_frame=4, from_view=wide, to_view=near, ease="smooth")
    scene = Scene(page="0001", frames=4, clips=(), shots=(shot,), leave="slide")
    after = first_frame(load_rgb(page), shot, LARGE, "blur")
    clip = SceneClip(load_rgb(page), scene, LARGE, FPS, "blur", after=after)
    encode_scene(clip, scene.frames, QUICK, folder / "scene.mp4")


def memory_of(page: Path, count: int) -> float:
    """Peak memory in MB of a process that films so many pages, or of its ffmpeg if that takes more."""
    command = [sys.executable, "-m", "benchmarks.film_length", str(page), "--pages", str(count)]
    _, status, used = os.wait4(os.posix_spawn(sys.executable, command, os.environ), 0)
    if status:
        raise SystemExit("filming failed")
    return used.ru_maxrss / 1024


def scene_of(number: int, seconds: float) -> Scene:
    """A page with one panel in which one line is spoken."""
    name = f"{number:04d}"
    panel = Panel(id=f"{name}.01", bbox=Box(0, 0, 1600, 900))
    reading = PageReading(
        page=name, image="x", width=1600, height=900, direction="ltr", language="en", panels=(panel,), lines=()
    )
    beat = Beat(id=f"{name}.01.1", page=name, panel=panel.id, kind="speech", text="x", voice="x", pause_after=0.23)
    return time_scene(reading, [beat], {beat.id: Take("x", seconds)}, fps=FPS, shape=16 / 9, establishing=0)


def keeps_time(folder: Path) -> Iterator[str]:
    """Joins scenes that begin white over sound with a click at each line, and finds both again in the finished film."""
    rng = np.random.default_rng(8)
    lengths = rng.uniform(0.05, 5.0, SCENES)
    scenes = [scene_of(i, float(length)) for i, length in enumerate(lengths, 1)]
    firsts = [0, *itertools.accumulate(scene.frames for scene in scenes)]
    sound = np.zeros(firsts[-1] * SAMPLE_RATE // FPS, np.float32)
    files, clicks = [], []
    for first, scene in zip(firsts, scenes, strict=False):
        files.append((folder / f"{scene.page}.mp4", scene.frames))
        with PlanarWriter(str(files[-1][0]), SMALL, FPS, QUICK) as writer:
            for frame in range(scene.frames):
                canvas = Canvas(SMALL)
                canvas.memory[:] = 128
                canvas.planes[0][:] = WHITE if frame == 0 else BLACK
                writer.write_frame(canvas.memory.data)
        clicks.append(first / FPS + scene.clips[0].start)
        at = round(clicks[-1] * SAMPLE_RATE)
        sound[at : at + CLICK] = 0.9
    soundfile.write(folder / "sound.wav", np.stack([sound, sound], axis=1), SAMPLE_RATE)
    film = folder / "film.mp4"
    join_scenes(files, folder / "sound.wav", [], About("x", "en"), FPS, film)
    flashes, heard = flashes_of(film), clicks_of(film, clicks)
    starts = np.array(firsts[:-1]) / FPS
    off = np.abs(np.array(flashes) - starts)
    yield f"{SCENES} scenes, {firsts[-1] / FPS:.0f} s: boundaries off by {off.max() * 1000:.2f} ms at most"
    against = (np.array(heard) - np.array(flashes)) - (np.array(clicks) - starts)
    yield f"sound against picture: {against[-1] * 1000:+.2f} ms at the end, {abs(against).max() * 1000:.2f} at most"
    asked = np.cumsum([0.3 + length + 0.23 + 0.3 for length in lengths])
    yield f"the film's end against the seconds asked for: {abs(asked[-1] - firsts[-1] / FPS) * 1000:.1f} ms"


def flashes_of(film: Path) -> list[float]:
    """When each white picture is shown, by the file's own time stamps."""
    told = ffmpeg.run(
        ["-i", str(film), "-map", "0:v:0", "-vf", "showinfo", "-fps_mode", "passthrough", "-f", "null", "-"]
    )
    return [float(t) for t, mean in re.findall(r"pts_time:([\d.]+).* mean:\[(\d+)", told) if int(mean) > 180]


def clicks_of(film: Path, expected: list[float]) -> list[float]:
    """When each click is heard, as the middle of its energy."""
    wav = film.with_suffix(".decoded.wav")
    ffmpeg.run(["-i", str(film), "-map", "0:a:0", "-af", "aresample=async=1:first_pts=0", str(wav)])
    sound = np.abs(soundfile.read(wav, dtype="float64")[0][:, 0])
    found = []
    for at in expected:
        first = max(round((at - 0.02) * SAMPLE_RATE), 0)
        near = sound[first : first + round(0.045 * SAMPLE_RATE)] ** 2
        found.append((first + (near * np.arange(len(near))).sum() / near.sum() - CLICK / 2 + 0.5) / SAMPLE_RATE)
    return found


def main() -> None:
    """Print both; with --pages, be a process that films so many."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path, nargs="?")
    parser.add_argument("--pages", type=int)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if wanted.pages:
            film_pages(wanted.page, wanted.pages, Path(folder))
            return
        if wanted.page:
            # First: the system adds the peak of the process that starts another to what that one takes.
            few, many = memory_of(wanted.page, 10), memory_of(wanted.page, 200)
            print(f"peak memory: 10 pages {few:.0f} MB, 200 pages {many:.0f} MB ({many / few - 1:+.1%})", flush=True)
        for said in keeps_time(Path(folder)):
            print(said)


if __name__ == "__main__":
    main()
