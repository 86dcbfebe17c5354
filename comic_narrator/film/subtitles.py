"""Subtitles: what is printed, while it is spoken."""

from __future__ import annotations

from collections.abc import Mapping

from comic_narrator.model import Timing


def make_srt(timing: Timing, words: Mapping[str, str]) -> str:
    """The film's subtitles as SubRip text: each spoken beat's words, by its id, from its first to its last sample."""
    blocks, frames = [], 0
    for scene in timing.scenes:
        offset = frames / timing.fps
        for clip in scene.clips:
            text = " ".join(words[clip.beat].split())
            blocks.append(f"{_clock(offset + clip.start)} --> {_clock(offset + clip.end)}\n{text}\n")
        frames += scene.frames
    return "\n".join(f"{i}\n{block}" for i, block in enumerate(blocks, 1))


def _clock(seconds: float) -> str:
    ms = round(seconds * 1000)
    return f"{ms // 3_600_000:02}:{ms // 60_000 % 60:02}:{ms // 1000 % 60:02},{ms % 1000:03}"
