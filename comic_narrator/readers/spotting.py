"""Where on a picture rows of lettering stand."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from comic_narrator.onnx import frugal_session, without_denormals
from comic_narrator.readers.cutting import Corners

Picture = NDArray[np.uint8]

STRIDE = 32
"""The model takes pictures whose sides are multiples of this."""

SHADES = ((np.arange(256) / 255 - 0.5) / 0.5).astype(np.float32)
"""What the model takes for each shade, of -1 to 1."""


class Spotter:
    """The text detector (DB, Liao et al. 2020) of PP-OCRv6, its map read as RapidOCR does; thread-safe."""

    def __init__(self, model: Path) -> None:
        from rapidocr.ch_ppocr_det.main import TextDetector
        from rapidocr.ch_ppocr_det.utils import DBPostProcess

        self._lock = threading.Lock()
        self._session = frugal_session(without_denormals(model))
        # The dots of a printed screen are candidates too, and by default use the number up.
        self._rows: Any = DBPostProcess(
            thresh=0.3, box_thresh=0.5, max_candidates=50_000, unclip_ratio=1.6, use_dilation=True
        )
        self._in_order: Any = TextDetector.sorted_boxes

    def spot(self, picture: Picture) -> list[Corners]:
        """The corners of the rows and columns on an RGB picture (h, w, 3), in its pixels, from the top down."""
        height, width = picture.shape[:2]
        size = (max(round(width / STRIDE), 1) * STRIDE, max(round(height / STRIDE), 1) * STRIDE)
        fitting = picture if size == (width, height) else cv2.resize(picture, size)
        data = SHADES[np.ascontiguousarray(fitting[..., ::-1].transpose(2, 0, 1)[None])]
        with self._lock:
            (likely,) = self._session.run(None, {self._session.get_inputs()[0].name: data})
        boxes, _ = self._rows(likely, (height, width))
        return [np.asarray(corners, np.float64) for corners in self._in_order(boxes)]
