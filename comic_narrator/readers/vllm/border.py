"""The border: what a model answers about a page becomes a reading, or is refused with all its faults named.

Nothing is mended in silence. What the answer says of places is held against the panels and the recognised lettering,
what it says of words against what was clearly recognised, and what it says of people against those that it named.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import reduce

from comic_narrator.errors import BackendAnswerError
from comic_narrator.model import CAST_KINDS, SPOKEN_KINDS, Box
from comic_narrator.readers import Reading, ReadLine, ReadNote, ReadSound, SeenFigure
from comic_narrator.readers.speakers import VOICES
from comic_narrator.readers.vllm.answers import FigureAnswer, LineAnswer, PageAnswer
from comic_narrator.readers.vllm.boxes import Shown, Stated, place
from comic_narrator.readers.vllm.parts import Part

CLEAR = 0.9
"""Lettering in a balloon that was recognised with this confidence is held against the answer's words,"""
CLEAR_LETTERS = 6
"""if it has so many letters,"""
ALIKE = 0.5
"""and so much of both must be the same."""
AGREED, CORRECTED = 0.9, 0.75
"""The confidence, at least, of a text that both read alike, and of one that the model alone vouches for."""
SAME = 0.95
"""Texts so much alike are read alike."""
LOOP = 60
"""A few letters again and again over so many characters are a model that loops, unless they were recognised so."""
COVERED = 0.5
"""A line that the recogniser is said to have missed, but lies by this share on one that it found, is that one again."""
MOST_FAULTS = 6
"""So many are named to the model: more would be most of what it has to read."""

_LOOP = re.compile(r"(.{1,40}?)\1{5,}", re.DOTALL)


def parse_page(answer: PageAnswer, part: Part, shown: Shown) -> Reading:
    """The reading of a part of a page, lines in reading order; BackendAnswerError that names the faults there are."""
    answer = _with_labels(answer, part)
    faults = [*_unknown_panels(answer, part), *_number_faults(answer, part), *_people_faults(answer, part)]
    frame = Stated(answer.frame, part.boxes[max(part.boxes)])
    if not faults:
        lines = _placed(answer.lines, part, shown, frame)
        faults = [*_text_faults(lines, part), *_place_faults(lines, part)]
    if faults:
        more = len(faults) - MOST_FAULTS
        named = [*faults[:MOST_FAULTS], *([f"and {more} more faults"] if more > 0 else [])]
        raise BackendAnswerError(f"{'; '.join(named)}.", "A larger model makes fewer mistakes.")
    return Reading(
        lines=tuple(_read_line(line, part) for line in lines),
        figures=tuple(_figures(answer.figures, part, shown, frame)),
        sounds=tuple(
            ReadSound(sound.panel - 1, what, sound.kind) for sound in answer.sounds if (what := clean(sound.what))
        ),
        notes=tuple(_notes(answer)),
    )


def clean(text: str) -> str:
    """Text on one line, without what cannot be seen."""
    seen = "".join(c for c in unicodedata.normalize("NFC", text) if c.isspace() or unicodedata.category(c)[0] != "C")
    return " ".join(seen.split())


def letters(text: str) -> str:
    """What makes two texts the same: their letters and digits, without case."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def likeness(one: str, other: str) -> float:
    """How much of two strings of letters is the same, 0..1."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


@dataclass(frozen=True)
class _Placed:
    """A line of the answer, the recognised lines it is made of, and its place; `of` is how a fault names it."""

    said: LineAnswer
    text: str
    found: tuple[ReadLine, ...]
    box: Box | None
    of: str


def _with_labels(answer: PageAnswer, part: Part) -> PageAnswer:
    """The answer with every label spelled as those known are, or as it was spelled first."""
    spelling = {person.name.casefold(): person.name for person in part.known}
    for figure in answer.figures:
        spelling.setdefault(clean(figure.label).casefold(), clean(figure.label))

    def spelled(label: str) -> str:
        return spelling.get(clean(label).casefold(), clean(label))

    return answer.model_copy(
        update={
            "figures": [f.model_copy(update={"label": spelled(f.label)}) for f in answer.figures],
            "lines": [line.model_copy(update={"speaker": spelled(line.speaker)}) for line in answer.lines],
        }
    )


def _unknown_panels(answer: PageAnswer, part: Part) -> Iterator[str]:
    known = part.boxes
    for what, entries in (
        ("panels", answer.panels),
        ("figures", answer.figures),
        ("lines", answer.lines),
        ("sounds", answer.sounds),
    ):
        wrong = sorted({entry.panel for entry in entries} - set(known))
        if wrong:
            names = ", ".join(f"P{number}" for number in wrong)
            yield f"{what} name {names}, and there is only {', '.join(f'P{number}' for number in known)}"


def _number_faults(answer: PageAnswer, part: Part) -> Iterator[str]:
    """What is wrong with the numbers of recognised lines: every one is wanted, in a line or among what is none."""
    known, left_out = part.lettering, set(answer.not_lettering)
    used = Counter(number for line in answer.lines for number in set(line.numbers))
    unknown = sorted((set(used) | left_out) - set(known))
    if unknown:
        yield f"there is no recognised lettering {_list(unknown)}"
    both = sorted(set(used) & left_out)
    if both:
        yield f"{_list(both)} cannot be both in lines and in not_lettering"
    missing = sorted(set(known) - set(used) - left_out)
    if missing:
        yield f"{_list(missing)} must be in a line or in not_lettering"
    clear = [number for number in sorted(left_out & set(known)) if _is_clear(known[number], part)]
    if clear:
        yield f"{_list(clear)} is clearly lettering and not to be left out"
    whole = Counter((*sorted(set(line.numbers)), letters(line.text)) for line in answer.lines if line.numbers)
    for key, times in whole.items():
        if times > 1:
            yield f"lettering {_list(key[:-1])} is given {times} times with the same text"


def _people_faults(answer: PageAnswer, part: Part) -> Iterator[str]:
    if any(not figure.label for figure in answer.figures):
        yield "a figure has no label"
    voices = sorted(
        {figure.label for figure in answer.figures if figure.label.casefold().startswith(VOICES.casefold())}
    )
    if voices:
        yield f"{_list(voices)} is no label: call people by their name or their looks"
    known = {figure.label for figure in answer.figures} | {person.name for person in part.known}
    speakers = dict.fromkeys(line.speaker for line in answer.lines if line.kind in CAST_KINDS and line.speaker)
    for speaker in speakers:
        if speaker not in known:
            yield f'the speaker "{speaker}" is neither among the figures nor among the people known'


def _placed(lines: Sequence[LineAnswer], part: Part, shown: Shown, frame: Stated) -> list[_Placed]:
    boxes = place([Stated(line.box, part.boxes[line.panel]) for line in lines], shown, frame)
    lettering = part.lettering
    shared = Counter(number for line in lines for number in set(line.numbers))
    placed = []
    for i, (line, stated) in enumerate(zip(lines, boxes, strict=True), 1):
        found = tuple(lettering[number] for number in dict.fromkeys(line.numbers))
        split = any(shared[number] > 1 for number in line.numbers)
        box = reduce(Box.union, [one.bbox for one in found]) if found else None
        if stated is not None and (box is None or (split and box.overlap(stated) > 0)):
            box = stated
        of = f"the line of {_list(line.numbers)}" if line.numbers else f"line {i} (no numbers)"
        placed.append(_Placed(line, clean(line.text), found, box, of))
    return placed


def _text_faults(lines: Sequence[_Placed], part: Part) -> Iterator[str]:
    shared = Counter(number for line in lines for number in set(line.said.numbers))
    for line in lines:
        recognised = " ".join(one.text for one in line.found)
        if not line.text:
            yield f"{line.of} has no text"
        elif "\ufffd" in line.text:
            yield f"the text of {line.of} has broken characters"
        elif _loops(line.text) and not _loops(recognised):
            yield f"the text of {line.of} repeats itself without end"
        elif part.legible and line.found and all(_is_clear(one, part) for one in line.found):
            split = any(shared[number] > 1 for number in line.said.numbers)
            if _agreement(letters(line.text), letters(recognised), split=split) < ALIKE:
                yield f'the text of {line.of} is "{_short(line.text)}", but "{_short(recognised)}" is clearly printed'
    for text, times in Counter(letters(line.text) for line in lines if not line.found).items():
        if times > 2 and len(text) > 3:
            yield f'"{_short(text)}" is given {times} times as lettering that was missed'


def _place_faults(lines: Sequence[_Placed], part: Part) -> Iterator[str]:
    """Lines that the recogniser missed need a place of their own."""
    for line in lines:
        if line.found:
            continue
        if line.box is None:
            yield f'{line.of}, text "{_short(line.text)}", needs a box inside P{line.said.panel}, or the numbers it is'
            continue
        again = [n for n, one in part.lettering.items() if line.box.overlap(one.bbox) > COVERED * line.box.area]
        if again:
            yield f"{line.of} lies on the recognised lettering {_list(again)}: give it those numbers"


def _read_line(line: _Placed, part: Part) -> ReadLine:
    said = line.said
    assert line.box is not None
    in_cast, in_balloon = said.kind in CAST_KINDS, said.kind in SPOKEN_KINDS
    balloons = [one.balloon for one in line.found if one.balloon is not None]
    tails = [one.tail for one in line.found if one.tail is not None]
    return ReadLine(
        panel=_panel(line, part),
        kind=said.kind,
        text=line.text,
        bbox=line.box,
        confidence=_confidence(line),
        balloon=reduce(Box.union, balloons).union(line.box) if in_balloon and balloons else None,
        tail=tails[0] if in_cast and tails else None,
        speaker=said.speaker or None if in_cast else None,
        tone=said.tone if in_cast and said.tone != "plain" else None,
    )


def _panel(line: _Placed, part: Part) -> int:
    """The panel that the answer names, unless the lettering was found in another and does not even touch this one."""
    named = part.boxes[line.said.panel]
    if line.found and not any(one.bbox.overlap(named) for one in line.found):
        return line.found[0].panel
    return line.said.panel - 1


def _confidence(line: _Placed) -> float:
    if not line.found:
        return CORRECTED
    recognised = letters(" ".join(one.text for one in line.found))
    sure = min(one.confidence for one in line.found)
    return max(sure, AGREED if likeness(letters(line.text), recognised) >= SAME else CORRECTED)


def _figures(figures: Sequence[FigureAnswer], part: Part, shown: Shown, frame: Stated) -> Iterator[SeenFigure]:
    """One entry for each label in a panel, the one that is seen first."""
    boxes = place([Stated(figure.box, part.boxes[figure.panel]) for figure in figures], shown, frame)
    best: dict[tuple[str, int], SeenFigure] = {}
    for figure, box in zip(figures, boxes, strict=True):
        key = figure.label, figure.panel
        if key in best and (best[key].bbox is not None or box is None):
            continue
        best[key] = SeenFigure(
            panel=figure.panel - 1,
            label=figure.label,
            looks=clean(figure.looks),
            bbox=box,
            emotion=figure.emotion if figure.emotion != "neutral" else None,
            role=clean(figure.role) or None,
        )
    yield from sorted(best.values(), key=lambda figure: figure.panel)


def _notes(answer: PageAnswer) -> Iterator[ReadNote]:
    notes: Mapping[int, ReadNote] = {
        panel.panel: ReadNote(panel.panel - 1, clean(panel.scene) or None, panel.pacing, panel.shot)
        for panel in reversed(answer.panels)
    }
    yield from (notes[number] for number in sorted(notes))


def _is_clear(line: ReadLine, part: Part) -> bool:
    """Whether it is lettering in a balloon that was surely read."""
    return (
        part.legible
        and line.balloon is not None
        and line.kind in SPOKEN_KINDS
        and line.confidence >= CLEAR
        and len(letters(line.text)) >= CLEAR_LETTERS
    )


def _agreement(said: str, recognised: str, *, split: bool) -> float:
    if not split:
        return likeness(said, recognised)
    # One of several lines that share what was recognised: all of it must stand there, and not the other way round.
    blocks = SequenceMatcher(None, said, recognised, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / max(len(said), 1)


def _loops(text: str) -> bool:
    return any(len(match[0]) >= LOOP for match in _LOOP.finditer(text))


def _list(numbers: Sequence[object]) -> str:
    return ", ".join(map(str, numbers))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
