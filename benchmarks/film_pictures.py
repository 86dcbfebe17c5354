"""How true the pictures are: motion against the ideal path, sharpness against LANCZOS, patterns in screentone.

Run: python -m benchmarks.film_pictures [PAGE ...]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from comic_narrator.film import SceneClip
from comic_narrator.film.frames import view_at
from comic_narrator.film.planes import Pixels
from comic_narrator.model import Scene, Shot, View
from comic_narrator.pictures import load_rgb

SIZE, FPS = (1920, 1080), 30
SHAPE = SIZE[0] / SIZE[1]
PAGE = (2481, 3508)
"""A page of A4 at 300 dots an inch."""
SIGMA = 9.0
DOTS = [(700 + 460 * i, 350 + 380 * j) for i in range(3) for j in range(8)]
EVERY = 4
"""Of the frames of a move, each so-many-th is looked at."""

Grey = NDArray[np.float64]


def view(middle: tuple[float, float], width: float) -> View:
    """A view of the frame's shape about a place."""
    height = width / SHAPE
    return View(middle[0] - width / 2, middle[1] - height / 2, width, height)


MOVES: dict[str, tuple[View, View, int]] = {
    "slow push": (view((1240.0, 1400.0), 2380), view((1300.0, 1450.0), 2150), 240),
    "punch-in": (view((1240.0, 1400.0), 2380), view((1500.0, 1600.0), 1587), 45),
    "pan": (view((1240.0, 700.0), 2200), view((1240.0, 2800.0), 2200), 150),
}


def shot_of(move: tuple[View, View, int]) -> Shot:
    """A shot that makes the move."""
    return Shot(first_frame=0, end_frame=move[2], from_view=move[0], to_view=move[1], ease="smooth")


def brightness(page: Pixels, shot: Shot) -> Iterator[tuple[View, Grey]]:
    """Some frames of a shot, as the film has them: what the camera shows, and the brightness, 0 black to 255 white."""
    scene = Scene(page="0001", frames=shot.end_frame, clips=(), shots=(shot,))
    clip = SceneClip(page, scene, SIZE, FPS, "black")
    for index, frame in enumerate(clip.planar_frames(shot.end_frame)):
        if index % EVERY == 0:
            plane = np.frombuffer(frame, np.uint8)[: SIZE[0] * SIZE[1]].reshape(SIZE[1], SIZE[0])
            # As players show it, to whom nothing is darker than black.
            yield view_at(shot, index), np.clip((plane.astype(np.float64) - 16) * 255 / 219, 0, 255)


def dotted_page() -> Pixels:
    """White, with dark dots of Gaussian shape whose middles are known."""
    rows, columns = np.mgrid[0 : PAGE[1], 0 : PAGE[0]].astype(np.float32) + 0.5
    dark = np.zeros(PAGE[::-1], np.float32)
    for x, y in DOTS:
        near = (slice(y - 60, y + 60), slice(x - 60, x + 60))
        dark[near] += np.exp(-((columns[near] - x) ** 2 + (rows[near] - y) ** 2) / (2 * SIGMA**2))
    grey = np.rint(255 - 235 * np.clip(dark, 0, 1)).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def motion_error(move: tuple[View, View, int]) -> float:
    """The furthest that any dot lies from where the camera's path has it, in pixels of the frame."""
    worst = 0.0
    for seen, frame in brightness(dotted_page(), shot_of(move)):
        scale = SIZE[0] / seen.w
        reach = int(5 * SIGMA * scale)
        for x, y in DOTS:
            ideal = (x - seen.x) * scale, (y - seen.y) * scale
            left, top = (round(at) - reach for at in ideal)
            if min(left, top) < 0 or left + 2 * reach > SIZE[0] or top + 2 * reach > SIZE[1]:
                continue
            dark = 255 - frame[top : top + 2 * reach, left : left + 2 * reach]
            rows, columns = np.indices(dark.shape) + 0.5
            found = left + (columns * dark).sum() / dark.sum(), top + (rows * dark).sum() / dark.sum()
            worst = max(worst, abs(found[0] - ideal[0]), abs(found[1] - ideal[1]))
    return worst


def likeness(one: Grey, other: Grey) -> float:
    """SSIM of two pictures, Gaussian window of 1.5 pixels (Wang et al. 2004)."""

    def blurred(picture: Grey) -> Grey:
        return cv2.GaussianBlur(picture, (11, 11), 1.5).astype(np.float64, copy=False)

    mean, mean_other = blurred(one), blurred(other)
    spread = blurred(one * one) - mean**2
    spread_other = blurred(other * other) - mean_other**2
    together = blurred(one * other) - mean * mean_other
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    alike = (2 * mean * mean_other + c1) * (2 * together + c2)
    return float((alike / ((mean**2 + mean_other**2 + c1) * (spread + spread_other + c2))).mean())


def sharpness(page: Pixels, move: tuple[View, View, int]) -> tuple[float, float]:
    """SSIM of brightness against LANCZOS with the same fractional box: the least and the mean of some frames."""
    height, width = page.shape[:2]
    picture = Image.fromarray(page)
    fit = min(width / PAGE[0], height / PAGE[1])
    scaled = tuple(View(*(part * fit for part in seen)) for seen in move[:2])
    found = []
    for seen, frame in brightness(page, shot_of((scaled[0], scaled[1], 12))):
        box = (seen.x, seen.y, seen.x + seen.w, seen.y + seen.h)
        drawn = np.asarray(picture.resize(SIZE, Image.Resampling.LANCZOS, box=box), np.float64)
        found.append(likeness(frame, drawn @ (0.2126, 0.7152, 0.0722)))
    return min(found), sum(found) / len(found)


def tone_page(pitch: float, share: float = 0.3) -> Pixels:
    """An even screentone at 45 degrees: dots of ink that cover `share` of the page, `pitch` pixels apart."""
    fine = 4
    rows, columns = np.mgrid[0 : 1400 * fine, 0 : PAGE[0] * fine].astype(np.float32) / fine
    across, down = (columns + rows) / 2**0.5 % pitch - pitch / 2, (columns - rows) / 2**0.5 % pitch - pitch / 2
    ink = across**2 + down**2 < share * pitch**2 / np.pi
    grey = cv2.resize((~ink).astype(np.uint8) * 255, (PAGE[0], 1400), interpolation=cv2.INTER_AREA)
    return np.repeat(grey[..., None], 3, axis=2)


def moire(pitch: float, width: float) -> tuple[float, float]:
    """How much an even screentone varies where it should not, in grey levels: in the frame, and on the page itself.

    `width` page pixels are seen at first and a little less at last.
    """
    page = tone_page(pitch)
    # What lies beside the page is not looked at.
    begin, end = view((PAGE[0] / 2, 700.0), width), view((PAGE[0] / 2 + 3, 702.0), width * 0.96)
    spread = []
    for seen, frame in brightness(page, shot_of((begin, end, 24))):
        scale = SIZE[0] / seen.w
        across, down = int(1100 * scale), int(600 * scale)
        soft = cv2.GaussianBlur(frame, (0, 0), 3.0)
        middle = soft[540 - down + 20 : 540 + down - 20, 960 - across + 20 : 960 + across - 20]
        spread.append(float(middle.std()))
    own = cv2.GaussianBlur(page[..., 0].astype(np.float64), (0, 0), 3.0 * width / SIZE[0])[60:-60, 60:-60]
    return float(np.mean(spread)), float(own.std())


def main() -> None:
    """Print all figures."""
    for name, move in MOVES.items():
        print(f"motion error, {name}: {motion_error(move):.3f} px at most", flush=True)
    for file in map(Path, sys.argv[1:]):
        for name, move in MOVES.items():
            least, mean = sharpness(load_rgb(file), move)
            print(f"SSIM-Y against LANCZOS, {file.name}, {name}: least {least:.4f}, mean {mean:.4f}", flush=True)
    for pitch in (4.3, 5.0, 6.0):
        for what, width in (("page", PAGE[1] * SHAPE), ("panel", 2400.0)):
            shown, own = moire(pitch, width)
            print(f"moire, {pitch} px, whole {what}: {shown:.2f} grey levels; on the page itself {own:.2f}", flush=True)


if __name__ == "__main__":
    main()
