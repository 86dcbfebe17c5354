"""Where on a picture rows of lettering stand."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comic_narrator.onnx import silence_onnxruntime
from comic_narrator.readers.cutting import Corners

Picture = NDArray[np.uint8]


class Spotter:
    """RapidOCR's text detector (DB, Liao et al. 2020) with a PP-OCRv6 model; thread-safe."""

    def __init__(self, model: Path) -> None:
        silence_onnxruntime()
        from rapidocr import RapidOCR

        self._lock = threading.Lock()
        self._engine: Any = RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_cls": False,
                "Global.use_rec": False,
                "Global.max_side_len": 100_000,
                # Pages are enlarged before, and within bounds: the detector's own bound drowns a sliver of a page.
                "Det.limit_side_len": 32,
                # The dots of a printed screen are candidates too, and by default use the number up.
                "Det.max_candidates": 50_000,
                "Det.model_path": str(model),
            }
        )

    def spot(self, picture: Picture) -> list[Corners]:
        """The corners of the rows and columns on an RGB picture of shape (h, w, 3), in its pixels."""
        with self._lock:
            answer = self._engine(np.ascontiguousarray(picture[..., ::-1]))
        return [] if answer.boxes is None else [np.asarray(corners, np.float64) for corners in answer.boxes]
