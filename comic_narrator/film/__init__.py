"""Film: the time line, the camera, the pictures and the finished MP4."""

from __future__ import annotations

from comic_narrator.film.burning import burnt_text
from comic_narrator.film.container import About, Mark, Track, count_frames, join_scenes
from comic_narrator.film.encode import EncoderName, Encoding, PlanarWriter, choose_encoder, encode_scene
from comic_narrator.film.frames import SceneClip, beginning, end_of_strip, first_frame
from comic_narrator.film.ground import Ground
from comic_narrator.film.resample import get_ready
from comic_narrator.film.scroll import frame_height
from comic_narrator.film.subtitles import Cue, make_cues, write_cues
from comic_narrator.film.timeline import Take, time_scene

__all__ = [
    "About",
    "Cue",
    "EncoderName",
    "Encoding",
    "Ground",
    "Mark",
    "PlanarWriter",
    "SceneClip",
    "Take",
    "Track",
    "beginning",
    "burnt_text",
    "choose_encoder",
    "count_frames",
    "encode_scene",
    "end_of_strip",
    "first_frame",
    "frame_height",
    "get_ready",
    "join_scenes",
    "make_cues",
    "time_scene",
    "write_cues",
]

METHOD = "film-6"
"""Raised when the same script may give other shots or pictures."""
