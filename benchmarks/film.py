"""How long filming takes against coding the same frames alone, plain moviepy, and the Pillow crop + LANCZOS pipe.

Each way is a process of its own that begins with a page on disk and ends with an MP4, 1080p30, x264 veryfast crf 20.
The camera moves in every frame: nearer in the first half, down the page in the second. The processor's time, with that
of ffmpeg, stands beside the wall's, which other work on the machine stretches.

Run: python -m benchmarks.film PAGE [--seconds 10] [--rounds 3] [--ways bare,ours,pillow,moviepy]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image

from comic_narrator import ffmpeg
from comic_narrator.film import Encoding, SceneClip, encode_scene, get_ready
from comic_narrator.film.encode import BT709, codec_arguments, timescale
from comic_narrator.film.frames import shot_at, view_at
from comic_narrator.model import Scene, Shot, View
from comic_narrator.pictures import load_rgb

SIZE, FPS = (1920, 1080), 30
ENCODING = Encoding(20, "veryfast")
NEARER = 0.67
"""The push ends with so much of the page's width in the frame."""


def moving_scene(page: Path, seconds: int) -> Scene:
    """A push over the upper half of a page and a pan down the whole of it."""
    with Image.open(page) as picture:
        width, height = picture.size
    frames, wide, shape = seconds * FPS, width * 0.96, SIZE[0] / SIZE[1]
    near, top = wide * NEARER, height * 0.04
    begin = View(width * 0.02, top, wide, wide / shape)
    push = View((width - near) * 0.6, top + (wide - near) / shape * 0.6, near, near / shape)
    end = begin._replace(y=height * 0.96 - begin.h)
    half = frames // 2
    shots = (
        Shot(first_frame=0, end_frame=half, from_view=begin, to_view=push, ease="smooth"),
        Shot(first_frame=half, end_frame=frames, from_view=begin, to_view=end, ease="smooth"),
    )
    return Scene(page="0001", frames=frames, clips=(), shots=shots)


def views(scene: Scene) -> Iterator[View]:
    """What the camera shows, frame by frame."""
    return (view_at(shot_at(scene, i), i) for i in range(scene.frames))


def arguments(pixels: str, source: str, out: Path) -> list[str]:
    """Arguments of ffmpeg to code raw pictures as the film is coded."""
    raw = ("-f", "rawvideo", "-pix_fmt", pixels, "-s", f"{SIZE[0]}x{SIZE[1]}", "-r", str(FPS), "-i", source)
    rest = ("-g", str(FPS * 4), "-video_track_timescale", str(timescale(FPS)), "-f", "mp4", str(out))
    return [*raw, "-vf", BT709, *codec_arguments(ENCODING), *rest]


def ours(page: Path, seconds: int, out: Path) -> None:
    """The scene as the program films it."""
    get_ready()
    scene = moving_scene(page, seconds)
    encode_scene(SceneClip(load_rgb(page), scene, SIZE, FPS, "blur"), scene.frames, ENCODING, out)


def frames_of(out: Path) -> Path:
    """Where the drawn frames lie."""
    return out.with_name("frames.yuv")


def pillow(page: Path, seconds: int, out: Path) -> None:
    """A crop in whole pixels for each frame, resized with LANCZOS and piped as RGB."""
    with Image.open(page) as opened:
        picture = opened.convert("RGB")

    feed = ffmpeg.Feed(arguments("rgb24", "-", out))
    for view in views(moving_scene(page, seconds)):
        box = (round(view.x), round(view.y), round(view.x + view.w), round(view.y + view.h))
        feed.write(picture.crop(box).resize(SIZE, Image.Resampling.LANCZOS).tobytes())
    feed.close()


def moviepy(page: Path, seconds: int, out: Path) -> None:
    """The page as moviepy's ImageClip, resized and moved by functions of time, composed and written by it."""
    from moviepy import CompositeVideoClip, ImageClip

    path = list(views(moving_scene(page, seconds)))

    def view(t: float) -> View:
        return path[min(round(t * FPS), len(path) - 1)]

    clip = ImageClip(np.asarray(Image.open(page).convert("RGB")), duration=seconds)
    clip = clip.resized(lambda t: SIZE[0] / view(t).w)
    clip = clip.with_position(lambda t: (-view(t).x * SIZE[0] / view(t).w, -view(t).y * SIZE[0] / view(t).w))
    film = CompositeVideoClip([clip], size=SIZE, bg_color=(0, 0, 0))
    film.write_videofile(str(out), fps=FPS, preset="veryfast", ffmpeg_params=["-crf", "20"], audio=False, logger=None)


WAYS: dict[str, Callable[[Path, int, Path], None]] = {"ours": ours, "pillow": pillow, "moviepy": moviepy}
BARE = "bare"


QUIETLY = [(os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
"""What ffmpeg says of its work is not for the table."""


def timed(way: str, page: Path, seconds: int, out: Path) -> tuple[float, float, float]:
    """Wall seconds, processor seconds, and peak memory in MB of the largest process, of one way in a process."""
    command = [sys.executable, "-m", "benchmarks.film", str(page), "--one", way, "--out", str(out)]
    command += ["--seconds", str(seconds)]
    if way == BARE:
        # The frames, drawn beforehand, in ffmpeg itself: nothing of ours is started.
        command = [ffmpeg.executable(), *ffmpeg.QUIET, *arguments("yuv420p", str(frames_of(out)), out)]
    began = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=QUIETLY)
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{way} failed")
    return time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def compare(page: Path, seconds: int, rounds: int, ways: list[str], folder: Path) -> None:
    """All ways in turn, and what each takes against the bare encode, as the median of the rounds' ratios."""
    out = folder / "film.mp4"
    scene = moving_scene(page, seconds)
    clip = SceneClip(load_rgb(page), scene, SIZE, FPS, "blur")
    with frames_of(out).open("wb") as raw:
        for frame in clip.planar_frames(scene.frames):
            raw.write(frame)
    took: dict[str, list[tuple[float, float, float]]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way in ways:
            took[way].append(timed(way, page, seconds, out))
    for way in ways:
        wall, cpu = (
            statistics.median(mine[i] / bare[i] for mine, bare in zip(took[way], took[BARE], strict=True))
            for i in (0, 1)
        )
        seconds_wall, seconds_cpu, memory = (statistics.median(run[i] for run in took[way]) for i in (0, 1, 2))
        print(
            f"{seconds:3d} s {way:8s} wall {seconds_wall:6.1f} s = {wall:5.2f} x bare, "
            f"cpu {seconds_cpu:6.1f} s = {cpu:5.2f} x bare, peak {memory:5.0f} MB",
            flush=True,
        )


def main() -> None:
    """Parse and compare; with --one, be one of the ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", default=",".join((BARE, *WAYS)))
    parser.add_argument("--one", choices=WAYS)
    parser.add_argument("--out", type=Path)
    wanted = parser.parse_args()
    if wanted.one:
        WAYS[wanted.one](wanted.page, wanted.seconds, wanted.out)
        return
    with tempfile.TemporaryDirectory() as folder:
        compare(wanted.page, wanted.seconds, wanted.rounds, wanted.ways.split(","), Path(folder))


if __name__ == "__main__":
    main()
