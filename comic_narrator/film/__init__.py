"""Film: the time line, the camera, the pictures and the finished MP4."""

from __future__ import annotations

from comic_narrator.film.encode import Encoding, count_frames, encode_scene, join_scenes
from comic_narrator.film.frames import Ground, SceneClip
from comic_narrator.film.subtitles import make_srt
from comic_narrator.film.timeline import Take, time_scene

__all__ = [
    "Encoding",
    "Ground",
    "SceneClip",
    "Take",
    "count_frames",
    "encode_scene",
    "join_scenes",
    "make_srt",
    "time_scene",
]

METHOD = "film-1"
"""Raised when the same script may give other shots or pictures."""
