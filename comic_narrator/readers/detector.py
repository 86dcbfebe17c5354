"""Balloons found by a model, where the user has fetched one: their boxes and shapes, whatever ground they stand on."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.errors import MissingToolError
from comic_narrator.machine import data_folder
from comic_narrator.model import Box
from comic_narrator.onnx import frugal_session, silence_onnxruntime
from comic_narrator.readers.words import spans

Picture = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float32]

FILE = "balloons.onnx"
FETCH = "Fetch it with `make balloons`, or name another file with --set reader.balloon_model=FILE."
SURE = 0.3
"""Boxes found with a lower score are no balloons."""
SAME = 0.5
"""Two shapes that share so much of the smaller one are the same balloon; balloons that touch share a rim."""
ALIKE = 0.7
"""Boxes are of the same balloon where they share so much of what they cover together."""
WINDOW_ASPECT = 1.6
"""Longer pages are looked at in windows of this shape: a whole strip is too small in the model's square."""
GREY = 114
"""What fills up the model's square, as in its training."""
ANY_SIDE = 1600
"""The square for a model that takes any."""


@dataclass(frozen=True)
class DetectedBalloon:
    """A balloon: its box in page pixels, its shape as a mask of shape (box.h, box.w), and how sure it is (0-1)."""

    box: Box
    mask: Mask
    score: float


def model_path(named: str, environment: Mapping[str, str], home: Path) -> Path | None:
    """The balloon model: the file that is `named`, or, for "auto", the one that was fetched; None where there is none.

    MissingToolError where a named file is missing.
    """
    if named == "none":
        return None
    if named != "auto":
        path = Path(named).expanduser()
        if not path.is_file():
            raise MissingToolError(f"There is no balloon model {named}.", FETCH)
        return path
    fetched = data_folder(environment, home) / FILE
    return fetched if fetched.is_file() else None


class BalloonDetector:
    """A YOLO segmentation model in ONNX, loaded at the first page; thread-safe.

    The model takes a picture (1, 3, side, side) and gives candidates (1, 4 + classes + n, count) and n prototype masks
    (1, n, h, w), as the segmentation models of Ultralytics' YOLO since version 8 do.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._session: Any = None

    @property
    def identity(self) -> str:
        """The digest of the model's file."""
        return f"balloons-{hashlib.sha256(self._path.read_bytes()).hexdigest()[:12]}"

    def check(self) -> None:
        """Raise MissingToolError if the file is no such model."""
        with self._lock:
            self._loaded()

    def find(self, image: Picture) -> tuple[DetectedBalloon, ...]:
        """The balloons of an RGB page of shape (h, w, 3), the surest first."""
        height, width = image.shape[:2]
        found: list[tuple[bool, DetectedBalloon]] = []
        for left, columns in spans(width, WINDOW_ASPECT * height):
            for top, rows in spans(height, WINDOW_ASPECT * width):
                window = image[top : top + rows, left : left + columns]
                for balloon in self._find_in(window):
                    box = balloon.box._replace(x=balloon.box.x + left, y=balloon.box.y + top)
                    cut = _is_cut(balloon.box, window.shape, (left, top), (height, width))
                    found.append((cut, DetectedBalloon(box, balloon.mask, balloon.score)))
        # Whole ones first: what a window's rim cuts is seen whole in the next.
        found.sort(key=lambda one: (one[0], -one[1].score))
        kept: list[DetectedBalloon] = []
        for _, balloon in found:
            _keep(balloon, kept)
        return tuple(sorted(kept, key=lambda balloon: -balloon.score))

    def _find_in(self, window: Picture) -> list[DetectedBalloon]:
        with self._lock:
            session = self._loaded()
            asked = session.get_inputs()[0]
            side = asked.shape[2] if isinstance(asked.shape[2], int) else ANY_SIDE
            tensor, scale = letterbox(window, side)
            candidates, prototypes = session.run(None, {asked.name: tensor})
        return decode(candidates, prototypes, side, scale, (window.shape[0], window.shape[1]))

    def _loaded(self) -> Any:
        if self._session is None:
            silence_onnxruntime()
            from onnxruntime.capi import onnxruntime_pybind11_state as state

            refused = (state.Fail, state.InvalidArgument, state.InvalidGraph, state.InvalidProtobuf, state.NoModel)
            try:
                session = frugal_session(self._path)
            except refused as error:
                raise MissingToolError(f"{self._path} is not a model that can be loaded.", FETCH) from error
            if [len(put.shape) for put in session.get_outputs()] != [3, 4]:
                raise MissingToolError(f"{self._path} is a model, but not one that finds balloons' shapes.", FETCH)
            self._session = session
        return self._session


def letterbox(image: Picture, side: int) -> tuple[Floats, float]:
    """An RGB picture as a tensor (1, 3, side, side) of 0-1, at its upper left, and the scale it has there."""
    scale = side / max(image.shape[:2])
    size = (max(round(image.shape[1] * scale), 1), max(round(image.shape[0] * scale), 1))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    square = np.full((side, side, 3), GREY, np.uint8)
    square[: size[1], : size[0]] = cv2.resize(image, size, interpolation=method)
    return np.ascontiguousarray(square.transpose(2, 0, 1)[None], np.float32) / 255.0, scale


def decode(
    candidates: Floats, prototypes: Floats, side: int, scale: float, size: tuple[int, int]
) -> list[DetectedBalloon]:
    """The balloons in a model's answer, the surest first, in pixels of the picture of `size` (h, w) that it was given.

    A candidate is its box's middle and size, a score a class, and the weights of its prototypes: the weighted sum of
    those, inside the box and above 0, is its shape.
    """
    count = prototypes.shape[1]
    rows = candidates[0].T
    scores = rows[:, 4:-count].max(axis=1)
    likely = np.flatnonzero(scores >= SURE)
    found: list[DetectedBalloon] = []
    for i in likely[np.argsort(-scores[likely], kind="stable")]:
        box = _box(rows[i, :4] / scale, size)
        # A balloon has dozens of candidates: most are told by their box, without a look at their shape.
        if any(box.overlap(one.box) >= ALIKE * box.union(one.box).area for one in found):
            continue
        mask = _shape(rows[i, -count:], prototypes[0], box, side / scale)
        if mask.any():
            _keep(DetectedBalloon(box, mask, float(scores[i])), found)
    return found


def _box(middle_and_size: Floats, size: tuple[int, int]) -> Box:
    x, y, w, h = (float(side) for side in middle_and_size)
    left, top = round(x - w / 2), round(y - h / 2)
    return Box(left, top, max(round(x + w / 2) - left, 1), max(round(y + h / 2) - top, 1)).within(size[1], size[0])


def _shape(weights: Floats, prototypes: Floats, box: Box, pixels: float) -> Mask:
    """The mask of a box; the prototypes span a square of so many `pixels`."""
    across = prototypes.shape[2] / pixels
    # One cell more at each side, so that the shape's edge is interpolated and not cut.
    left, top = max(int(box.x * across) - 1, 0), max(int(box.y * across) - 1, 0)
    right, bottom = int(box.right * across) + 2, int(box.bottom * across) + 2
    coarse = np.tensordot(weights, prototypes[:, top:bottom, left:right], 1).astype(np.float32)
    # Cell centres lie half a cell in; so do pixels'.
    columns = (np.arange(box.x, box.right, dtype=np.float32) + 0.5) * across - 0.5 - left
    rows = (np.arange(box.y, box.bottom, dtype=np.float32) + 0.5) * across - 0.5 - top
    x, y = np.meshgrid(columns.astype(np.float32), rows.astype(np.float32))
    return np.asarray(cv2.remap(coarse, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) > 0, np.bool_)


def _keep(balloon: DetectedBalloon, kept: list[DetectedBalloon]) -> None:
    """Add a balloon to those that are `kept` unless it is one of them."""
    area = balloon.mask.sum()
    if all(_shared(balloon, other) < SAME * min(area, other.mask.sum()) for other in kept):
        kept.append(balloon)


def _shared(a: DetectedBalloon, b: DetectedBalloon) -> int:
    """Pixels that two balloons share."""
    if not a.box.overlap(b.box):
        return 0
    left, top = max(a.box.x, b.box.x), max(a.box.y, b.box.y)
    right, bottom = min(a.box.right, b.box.right), min(a.box.bottom, b.box.bottom)
    parts = [one.mask[top - one.box.y : bottom - one.box.y, left - one.box.x : right - one.box.x] for one in (a, b)]
    return int((parts[0] & parts[1]).sum())


def _is_cut(box: Box, window: Sequence[int], place: tuple[int, int], page: tuple[int, int]) -> bool:
    """Whether a box touches a rim of its window that is not the page's."""
    rim = 3
    left, top = place
    return bool(
        (box.x < rim and left > 0)
        or (box.y < rim and top > 0)
        or (box.right > window[1] - rim and left + window[1] < page[1])
        or (box.bottom > window[0] - rim and top + window[0] < page[0])
    )
