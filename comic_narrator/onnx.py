"""Models run under onnxruntime, which is told to keep to itself before it is first imported."""

from __future__ import annotations

import os


def silence_onnxruntime() -> None:
    """Keep onnxruntime from reporting to its maker and from leaving a device id in the user's cache.

    Releases since 2026 do both unless told otherwise before their first import, whichever package imports them.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
