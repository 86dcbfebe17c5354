"""Rows of lettering on a page, by optical character recognition on the CPU."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.errors import MissingToolError
from comic_narrator.model import Box
from comic_narrator.onnx import silence_onnxruntime

Picture = NDArray[np.uint8]

MODELS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")
LEAST_SIDE = 736
"""Pixels of the shorter side that the detector needs."""
MOST_SIDE = 2200
LEAST_LEGIBLE = 16
GOOD_ROW = 44.0
"""Pixels of row height that tightly set lettering is read well at; rows under SMALL_ROW are enlarged to it."""
SMALL_ROW = 18.0
MOST_ENLARGED = 5.0
TILE_ASPECT = 2.0
OVERLAP = 0.2


@dataclass(frozen=True)
class Row:
    """One row, or one column, of lettering: page pixels; `slant` is degrees clockwise from its own axis."""

    text: str
    confidence: float
    box: Box
    slant: float = 0.0

    @property
    def upright(self) -> bool:
        """Whether it is a column, written from top to bottom."""
        return self.box.h > 1.4 * self.box.w and len(self.text) > 1

    @property
    def size(self) -> int:
        """The lettering's height (of a column: its width), in page pixels."""
        return self.box.w if self.upright else self.box.h


class Words:
    """RapidOCR with the PP-OCRv6 small models out of its own wheel, loaded at the first page; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._engine: Any = None

    @staticmethod
    def version() -> str:
        """The installed version of RapidOCR; MissingToolError if there is none."""
        Words.models()
        return importlib.metadata.version("rapidocr")

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

        Small lettering is enlarged and read again; strips are read in overlapping windows.
        """
        height, width = image.shape[:2]
        short, long = min(height, width), max(height, width)
        if short < LEAST_LEGIBLE:
            return ()
        strip = long > TILE_ASPECT * short
        scale = max(1.0, LEAST_SIDE / short) if strip else np.clip(LEAST_SIDE / short, 1.0, MOST_SIDE / long)
        scale = min(float(scale), MOST_SIDE / short if strip else MOST_SIDE / long, MOST_ENLARGED)
        rows = self._read(image, scale)
        sizes = [row.size for row in rows if row.confidence >= 0.6]
        usual = float(np.median(sizes)) * scale if sizes else GOOD_ROW
        if usual < SMALL_ROW:
            larger = min(scale * GOOD_ROW / usual, MOST_ENLARGED)
            if larger > 1.15 * scale:
                rows = self._read(image, larger)
        return rows

    def _read(self, image: Picture, scale: float) -> tuple[Row, ...]:
        found: list[Row] = []
        for left, top, window in _windows(image, scale):
            place = Box(left, top, image.shape[1], image.shape[0])
            here: list[Row] = []
            for row, cut in self._window(window, scale, place):
                _add(found, here, row, cut)
            found += here
        return tuple(found)

    def _window(self, window: Picture, scale: float, page: Box) -> Iterator[tuple[Row, bool]]:
        """The rows of one window at (page.x, page.y), each with whether the window's rim cuts it."""
        size = (max(round(window.shape[1] * scale), 1), max(round(window.shape[0] * scale), 1))
        method = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
        picture = window if scale == 1 else cv2.resize(window, size, interpolation=method)
        with self._lock:
            answer = self._loaded()(np.ascontiguousarray(picture[..., ::-1]))
        if answer.boxes is None or answer.txts is None:
            return
        for corners, text, confidence in zip(answer.boxes, answer.txts, answer.scores, strict=True):
            points = np.asarray(corners, np.float64) / scale
            low, high = points.min(axis=0), points.max(axis=0)
            box = Box(
                math.floor(low[0]) + page.x,
                math.floor(low[1]) + page.y,
                math.ceil(high[0]) - math.floor(low[0]),
                math.ceil(high[1]) - math.floor(low[1]),
            ).within(page.w, page.h)
            rim = 3 / scale
            cut = bool(
                (low[1] < rim and page.y > 0)
                or (low[0] < rim and page.x > 0)
                or (high[1] > window.shape[0] - rim and page.y + window.shape[0] < page.h)
                or (high[0] > window.shape[1] - rim and page.x + window.shape[1] < page.w)
            )
            yield Row(str(text).strip(), float(confidence), box, _slant(points)), cut

    def _loaded(self) -> Any:
        if self._engine is None:
            detector, recogniser = self.models()
            silence_onnxruntime()
            from rapidocr import RapidOCR

            self._engine = RapidOCR(
                params={
                    "Global.log_level": "critical",
                    "Global.use_cls": False,
                    "Global.text_score": 0.0,
                    "Global.max_side_len": 4 * MOST_SIDE,
                    # Pages are enlarged here, and within bounds: the detector's own bound drowns a sliver of a page.
                    "Det.limit_side_len": 32,
                    # The dots of a printed screen are candidates too, and by default use the number up.
                    "Det.max_candidates": 50_000,
                    "Det.model_path": str(detector),
                    "Rec.model_path": str(recogniser),
                }
            )
        return self._engine


def _windows(image: Picture, scale: float) -> Iterator[tuple[int, int, Picture]]:
    """The page in overlapping windows (left, top, picture) that the detector can take whole."""
    height, width = image.shape[:2]
    most = MOST_SIDE / scale
    for top, rows in spans(height, min(most, max(1.6 * width, LEAST_SIDE / scale))):
        for left, columns in spans(width, min(most, max(1.6 * height, LEAST_SIDE / scale))):
            yield left, top, image[top : top + rows, left : left + columns]


def spans(length: int, most: float) -> list[tuple[int, int]]:
    """`length` pixels as (start, length) of equal windows no longer than `most`, each overlapping the next."""
    if length <= most:
        return [(0, length)]
    count = max(math.ceil((length - OVERLAP * most) / ((1 - OVERLAP) * most)), 2)
    size = math.ceil(most)
    step = (length - size) / (count - 1)
    return [(round(i * step), size) for i in range(count)]


def _add(found: list[Row], here: list[Row], row: Row, cut: bool) -> None:
    """Keep a row of this window in `here` unless another window has `found` it and read it better."""
    same = [other for other in found if _same_place(row, other)]
    if same:
        longest = max(other.box.area for other in same)
        surest = max(other.confidence for other in same)
        if cut or not (row.box.area > 1.15 * longest or row.confidence > surest + 0.05):
            return
        found[:] = [other for other in found if other not in same]
    here.append(row)


def _same_place(a: Row, b: Row) -> bool:
    if a.box.overlap(b.box) < 0.4 * min(a.box.area, b.box.area):
        return False
    (ax, ay), (bx, by) = a.box.center, b.box.center
    # Tightly set rows overlap their neighbours; the same row lies at the same height.
    apart = abs(ax - bx) if a.upright else abs(ay - by)
    return apart < 0.4 * min(a.size, b.size)


def _slant(points: NDArray[np.float64]) -> float:
    """Degrees by which the longer sides of a quadrilateral lean away from the nearer axis."""
    across, down = points[1] - points[0], points[3] - points[0]
    side = across if np.linalg.norm(across) >= np.linalg.norm(down) else down
    angle = math.degrees(math.atan2(side[1], side[0]))
    return (angle + 45) % 90 - 45
