"""Rows of lettering on a page, by optical character recognition on the CPU."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.errors import MissingToolError
from comic_narrator.model import Box
from comic_narrator.readers.cutting import Corners, cut, grown, sides
from comic_narrator.readers.recogniser import HEIGHT, Letter, Recogniser
from comic_narrator.readers.spotting import Spotter

Picture = NDArray[np.uint8]

METHOD = 2
"""Raise it when a page's rows, or how they are mended and joined, change: the reader's identity holds it."""
MODELS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")
LEAST_LEGIBLE = 16
AREA = 1_600_000.0
"""Pixels that a page is searched at: rows of a dense page are about 20 pixels high then."""
ALMOST = 0.12
"""A page so near to that size is left alone: resampling blurs it for nothing."""
PAGE_ASPECT = 0.7
"""Width by height of a usual page; a wider one holds more columns of panels, and gets more pixels."""
STRIP_ASPECT = 2.0
STRIP_SIDE = 736.0
"""Pixels of the shorter side that a strip is searched at."""
WINDOW = 1600.0
"""Pixels of either side that are searched at once: more takes more than half a gigabyte."""
SMALL_ROW, GOOD_ROW = 14.0, 22.0
"""Pixels of row height under which rows run together for the spotter, and to which they are enlarged then."""
SMALL_PRINT, LARGE_PRINT = 12.0, 37.0
"""The same for rows so small, in page pixels, that scanning has blurred their letters into each other."""
PALE = 100.0
"""Shades of grey, of 255, between ink and paper under which lettering is faint; good scans have 140 and more."""
AROUND = 61
"""Pixels across which faint lettering is set off from its ground: a few rows."""
MOST_ENLARGED = 5.0
SHARPER = 0.7
"""Thin or tightly set rows run together for the spotter unless they are sharpened so far; further, bold ones do."""
OVERLAP = 0.2
ART, DOUBTFUL = 0.4, 0.9
"""A row read more surely than one and less than the other is read again; less sure ones are drawing."""
LOOKS = ((0.2, 0.0), (0.1, -0.18))
"""How rows are cut when they are read again, as shares of their height: with more round the ends; closer, and less of
what stands above and below."""


@dataclass(frozen=True)
class Row:
    """One row, or one column, of lettering: page pixels; `slant` is degrees clockwise from its own axis.

    `letters` are those of `text`, each with what else the recogniser took it for; none if that is not known.
    """

    text: str
    confidence: float
    box: Box
    slant: float = 0.0
    letters: tuple[Letter, ...] = ()

    @property
    def upright(self) -> bool:
        """Whether it is a column, written from top to bottom."""
        return self.box.h > 1.4 * self.box.w and len(self.text) > 1

    @property
    def lettered(self) -> bool:
        """Whether it has letters or digits, and is not punctuation only."""
        return any(c.isalnum() for c in self.text)

    @property
    def size(self) -> int:
        """The lettering's height (of a column: its width), in page pixels."""
        return self.box.w if self.upright else self.box.h


class Words:
    """RapidOCR's PP-OCRv6 small models out of its own wheel, loaded at the first page; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models: tuple[Spotter, Recogniser] | None = None

    @staticmethod
    def version() -> str:
        """The installed version of RapidOCR and that of this reading; MissingToolError if there is none."""
        Words.models()
        return f"{importlib.metadata.version('rapidocr')}.{METHOD}"

    @staticmethod
    def models() -> tuple[Path, ...]:
        """The model files; MissingToolError if RapidOCR or one of them is not installed."""
        spec = importlib.util.find_spec("rapidocr")
        if spec is None or spec.origin is None:
            raise MissingToolError("The reader needs RapidOCR, which is not installed.", "pip install rapidocr==3.10.0")
        folder = Path(spec.origin).parent / "models"
        paths = tuple(folder / name for name in MODELS)
        for path in paths:
            if not path.is_file():
                raise MissingToolError(
                    f"RapidOCR's model {path.name} is missing.", "pip install --force-reinstall rapidocr==3.10.0"
                )
        return paths

    def rows(self, image: Picture) -> tuple[Row, ...]:
        """The rows of lettering on an RGB page of shape (h, w, 3), in no order.

        Rows are searched on a picture of bounded size, in overlapping windows where it is large, and read at the page's
        own size; faint lettering is searched again set off from its ground, and small print enlarged.
        """
        if min(image.shape[:2]) < LEAST_LEGIBLE:
            return ()
        spotter, recogniser = self._loaded()
        scale = first_scale(image.shape[1], image.shape[0])
        found = _spotted(image, scale, spotter)
        if found and _contrast(image, found) < PALE:
            found = _spotted(_set_off(image), scale, spotter)
        usual = float(np.median([min(sides(corners)) for corners in found])) if found else GOOD_ROW
        if usual * scale < SMALL_ROW or usual < SMALL_PRINT:
            larger = min((LARGE_PRINT if usual < SMALL_PRINT else GOOD_ROW) / usual, MOST_ENLARGED)
            found = _spotted(image, larger, spotter) if larger > scale else found
        return tuple(row for corners in found if (row := _read(image, corners, recogniser)) is not None)

    def _loaded(self) -> tuple[Spotter, Recogniser]:
        with self._lock:
            if self._models is None:
                detector, recogniser = self.models()
                self._models = Spotter(detector), Recogniser(recogniser)
            return self._models


def first_scale(width: int, height: int) -> float:
    """By how much a page of so many pixels is enlarged (or made smaller: < 1) to be searched."""
    if max(width, height) > STRIP_ASPECT * min(width, height):
        return min(STRIP_SIDE / min(width, height), MOST_ENLARGED)
    area = AREA * float(np.clip(width / height / PAGE_ASPECT, 1, 2))
    scale = min(math.sqrt(area / (width * height)), MOST_ENLARGED)
    return 1.0 if abs(scale - 1) < ALMOST else scale


def _read(image: Picture, corners: Corners, recogniser: Recogniser) -> Row | None:
    letters = stripped(recogniser.read(cut(image, corners, HEIGHT)))
    if ART < _sure(letters) < DOUBTFUL:
        looks = [grown(corners, *look) for look in LOOKS]
        again = [stripped(recogniser.read(cut(image, look, HEIGHT))) for look in looks if min(sides(look)) >= 1]
        letters = max(letters, *again, key=lambda each: sum(letter.sure - 0.5 for letter in each))
    if not letters:
        return None
    box = _box(corners).within(image.shape[1], image.shape[0])
    return Row("".join(letter.char for letter in letters), _sure(letters), box, _slant(corners), letters)


def _sure(letters: Sequence[Letter]) -> float:
    return sum(letter.sure for letter in letters) / len(letters) if letters else 0.0


def stripped(letters: Sequence[Letter]) -> tuple[Letter, ...]:
    """Letters without the spaces before the first and after the last."""
    inked = [i for i, letter in enumerate(letters) if letter.char.strip()]
    return tuple(letters[inked[0] : inked[-1] + 1]) if inked else ()


def _spotted(image: Picture, scale: float, spotter: Spotter) -> list[Corners]:
    """The rows of a page, searched at `scale`; corners in page pixels."""
    found: list[Corners] = []
    height, width = image.shape[:2]
    for left, top, window in _windows(image, scale):
        size = (max(round(window.shape[1] * scale), 1), max(round(window.shape[0] * scale), 1))
        method = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
        picture = window if scale == 1 else cv2.resize(window, size, interpolation=method)
        soft = cv2.GaussianBlur(picture, (0, 0), max(scale, 1.0))
        picture = cv2.addWeighted(picture, 1 + SHARPER, soft, -SHARPER, 0)
        here: list[Corners] = []
        for corners in spotter.spot(np.asarray(picture, np.uint8)):
            inside = corners * (window.shape[1] / size[0], window.shape[0] / size[1])
            place = Box(left, top, window.shape[1], window.shape[0])
            whole = inside + np.array((left, top))
            _add(found, here, whole, _cut_off(whole, place, Box(0, 0, width, height), 3 / scale))
        found += here
    return found


def _cut_off(corners: Corners, window: Box, page: Box, rim: float) -> bool:
    """Whether a row ends at the rim of a window, where the page goes on."""
    (left, top), (right, bottom) = corners.min(axis=0), corners.max(axis=0)
    across = (left < window.x + rim and window.x > 0) or (right > window.right - rim and window.right < page.right)
    down = (top < window.y + rim and window.y > 0) or (bottom > window.bottom - rim and window.bottom < page.bottom)
    return bool(across or down)


def _contrast(image: Picture, found: Sequence[Corners]) -> float:
    """The usual difference of shades between the ink and the paper of rows (0-255)."""
    shades = []
    for corners in found:
        part = cut(image, corners, HEIGHT)
        shades.append(float(np.subtract(*np.percentile(part.mean(axis=2), (90, 5)))))
    return float(np.median(shades))


def _set_off(image: Picture) -> Picture:
    """A page with twice the difference between each pixel and what is around it."""
    around = cv2.blur(image, (AROUND, AROUND))
    return np.asarray(cv2.addWeighted(image, 2, around, -1, 0), np.uint8)


def _windows(image: Picture, scale: float) -> Iterator[tuple[int, int, Picture]]:
    """The page in overlapping windows (left, top, picture) that the spotter can take whole."""
    height, width = image.shape[:2]
    for top, rows in spans(height, WINDOW / scale):
        for left, columns in spans(width, WINDOW / scale):
            yield left, top, image[top : top + rows, left : left + columns]


def spans(length: int, most: float) -> list[tuple[int, int]]:
    """`length` pixels as (start, length) of equal windows no longer than `most`, each overlapping the next."""
    if length <= most:
        return [(0, length)]
    count = max(math.ceil((length - OVERLAP * most) / ((1 - OVERLAP) * most)), 2)
    size = math.ceil((length + (count - 1) * OVERLAP * most) / count)
    step = (length - size) / (count - 1)
    return [(round(i * step), size) for i in range(count)]


def _add(found: list[Corners], here: list[Corners], corners: Corners, cut_off: bool) -> None:
    """Keep a row of this window in `here` unless another window has `found` it as long."""
    same = [other for other in found if _same_place(corners, other)]
    if same:
        longest = max(float(np.prod(sides(other))) for other in same)
        if cut_off or np.prod(sides(corners)) <= 1.15 * longest:
            return
        found[:] = [other for other in found if not any(other is one for one in same)]
    here.append(corners)


def _box(corners: Corners) -> Box:
    low, high = np.floor(corners.min(axis=0)), np.ceil(corners.max(axis=0))
    return Box(int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))


def _same_place(one: Corners, other: Corners) -> bool:
    a, b = _box(one), _box(other)
    if a.overlap(b) < 0.4 * min(a.area, b.area):
        return False
    (ax, ay), (bx, by) = a.center, b.center
    # Tightly set rows overlap their neighbours; the same row lies at the same height.
    apart = abs(ax - bx) if a.h > 1.4 * a.w else abs(ay - by)
    return apart < 0.4 * min(*sides(one), *sides(other))


def _slant(points: Corners) -> float:
    """Degrees by which the longer sides of a quadrilateral lean away from the nearer axis."""
    across, down = points[1] - points[0], points[3] - points[0]
    side = across if np.linalg.norm(across) >= np.linalg.norm(down) else down
    angle = math.degrees(math.atan2(side[1], side[0]))
    return (angle + 45) % 90 - 45
