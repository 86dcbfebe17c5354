"""Moods: which music belongs to each stretch of the story, where it enters, and where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from comic_narrator.model import Line, PageReading, Panel
from comic_narrator.script.drawn import sound_of
from comic_narrator.script.evidence import lines_of, named, scene_text, table

NOTHING = "none"
NEUTRAL = "neutral"
WORDS, SOUNDS, FACES, NOTED, SHOUTED = 0.7, 0.8, 1.0, 1.6, 0.35
"""How much a word, a drawn sound, a face, what the reader noted, and a shout say of the mood."""
NEUTRAL_SCORE = 0.3
CHANGE = 2.2
"""How much more a mood must say over a stretch than the one before it, to take its place: music does not flutter."""
REACH = 3
"""A panel's evidence is heard this many panels away too, less with each."""
PLAY_PANELS, REST_PANELS = 14, 6
"""Where nothing is felt, music plays for so many panels and then rests for so many: silence is part of it."""


def music(readings: Sequence[PageReading]) -> dict[str, str]:
    """What to play from which panel on: panel id to a mood, or "none"; only where it changes."""
    panels = [(reading, panel) for reading in readings for panel in reading.panels]
    path = _best_path(_spread([_evidence(reading, panel) for reading, panel in panels]))
    told: dict[str, str] = {}
    now, at = NOTHING, 0
    for mood, stretch in groupby(path):
        length = len(list(stretch))
        for i in range(length):
            rests = mood in (NEUTRAL, "calm") and i % (PLAY_PANELS + REST_PANELS) >= PLAY_PANELS
            wanted = NOTHING if rests else mood
            if wanted != now:
                told[panels[at + i][1].id] = wanted
                now = wanted
        at += length
    return told


def _evidence(reading: PageReading, panel: Panel) -> dict[str, float]:
    """How much a panel says of each mood."""
    lines = lines_of(reading, panel)
    noted = " ".join(note.pacing or "" for note in reading.notes if note.panel == panel.id)
    faces = " ".join(figure.emotion or "" for figure in reading.figures if figure.panel == panel.id)
    said = " ".join(line.text for line in lines if line.kind != "sfx")
    score: dict[str, float] = {}
    for text, weight in ((scene_text(reading, panel) + " " + noted, NOTED), (faces, FACES), (said, WORDS)):
        for mood, count in named("moods", "words", text).items():
            score[mood] = score.get(mood, 0) + weight * min(count, 2)
    for tag in {sound_of(line.text, reading.language) for line in lines if line.kind == "sfx"}:
        for mood, tags in table("moods")["sounds"].items():
            score[mood] = score.get(mood, 0) + (SOUNDS if tag in tags else 0)
    loud = sum(_is_shouted(line) for line in lines)
    score["tension"] = score.get("tension", 0) + SHOUTED * min(loud, 3)
    # A run of wordless panels with drawn sounds moves; one shout alone does not.
    if loud >= 2 or any(line.kind == "sfx" for line in lines):
        score["action"] = score.get("action", 0) + SHOUTED
    return score


def _is_shouted(line: Line) -> bool:
    return line.kind != "sfx" and (line.tone == "shouting" or line.text.count("!") + line.text.count("！") >= 2)


def _spread(scores: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    moods = [*table("moods")["words"]]
    spread = []
    for at in range(len(scores)):
        near = range(max(at - REACH, 0), min(at + REACH + 1, len(scores)))
        told = {mood: sum(scores[i].get(mood, 0) * (1 - abs(i - at) / (REACH + 1)) for i in near) for mood in moods}
        spread.append({NEUTRAL: NEUTRAL_SCORE * sum(1 - abs(i - at) / (REACH + 1) for i in near), **told})
    return spread


def _best_path(scores: Sequence[Mapping[str, float]]) -> list[str]:
    """The moods that say most over the whole book, each change at its price (Viterbi 1967)."""
    if not scores:
        return []
    total = dict(scores[0])
    came: list[dict[str, str]] = []
    for score in scores[1:]:
        best = max(total, key=lambda mood: total[mood])
        step = {mood: mood if total[mood] >= total[best] - CHANGE else best for mood in score}
        total = {mood: (total[old] - (CHANGE if old != mood else 0.0)) + score[mood] for mood, old in step.items()}
        came.append(step)
    path = [max(total, key=lambda mood: total[mood])]
    for step in reversed(came):
        path.append(step[path[-1]])
    return path[::-1]
