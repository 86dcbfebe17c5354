"""Beats that are heard besides the speech: sounds in their order, ambience by place, music by mood."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from comic_narrator.model import (
    Beat,
    Box,
    Cast,
    Character,
    Figure,
    Line,
    Note,
    PageReading,
    Panel,
    People,
    Script,
    SeenSound,
)
from comic_narrator.script import Style, write_script
from comic_narrator.script.cues import MOST_SOUNDS
from comic_narrator.script.moods import music
from comic_narrator.script.places import ambiences

NARRATOR = Cast(narrator=Character(id="narrator", name="Narrator", voice="v", why="test"))


def page(number: int, *panels: dict[str, Any], language: str = "en") -> PageReading:
    """A page whose panels say: lines [(kind, text[, tone])], scene, pacing, emotion, seen [(what, kind)]."""
    name = f"{number:04}"
    lines, sounds, notes, figures = [], [], [], []
    for i, told in enumerate(panels, 1):
        panel = f"{name}.{i:02}"
        for j, (kind, text, *tone) in enumerate(told.get("lines", ()), 1):
            said = {"id": f"{panel}.{j}", "panel": panel, "kind": kind, "text": text, "confidence": 0.9}
            lines.append(Line.model_validate({**said, "tone": tone[0] if tone else None}))
        sounds += [SeenSound.model_validate({"panel": panel, "what": w, "kind": k}) for w, k in told.get("seen", ())]
        if "scene" in told or "pacing" in told:
            notes.append(Note(panel=panel, scene=told.get("scene"), pacing=told.get("pacing")))
        if "emotion" in told:
            figures.append(Figure(label="A", panel=panel, looks="", emotion=told["emotion"]))
    return PageReading(
        page=name,
        image="page.png",
        width=400,
        height=100 * len(panels),
        direction="ltr",
        language=language,
        panels=tuple(
            Panel(id=f"{name}.{i:02}", bbox=Box(0, 100 * i - 100, 400, 100)) for i in range(1, len(panels) + 1)
        ),
        lines=tuple(lines),
        sounds=tuple(sounds),
        notes=tuple(notes),
        figures=tuple(figures),
    )


def script(*pages: PageReading, style: Style = Style()) -> Script:  # noqa: B008 - frozen
    return write_script(pages, People(), NARRATOR, "en", style)


def kinds(beats: Sequence[Beat], kind: str) -> list[tuple[str, str | None]]:
    return [(beat.id, beat.text) for beat in beats if beat.kind == kind]


def talk(text: str = "Well, I think so.") -> dict[str, Any]:
    return {"lines": [("dialogue", text)]}


def test_a_drawn_sound_stands_where_it_is_drawn_and_is_given_time() -> None:
    beats = script(page(1, {"lines": [("dialogue", "Look!"), ("sfx", "CRASH!"), ("dialogue", "Oh.")]})).beats
    heard = [beat for beat in beats if beat.kind in ("speech", "sound")]
    assert [(beat.kind, beat.id) for beat in heard] == [
        ("speech", "0001.01.1"), ("sound", "0001.01.2"), ("speech", "0001.01.3")
    ]  # fmt: skip
    assert heard[1].text == "crash"
    assert heard[1].printed == "CRASH!"
    assert heard[1].pause_after > 0.3


def test_a_sound_word_that_is_spoken_too_is_heard_first() -> None:
    beats = script(page(1, {"lines": [("sfx", "CRASH!")]}), style=Style(sound_words=True)).beats
    assert [(beat.kind, beat.id) for beat in beats if beat.kind in ("speech", "sound")] == [
        ("sound", "0001.01.1.s"), ("speech", "0001.01.1")
    ]  # fmt: skip


def test_an_unknown_sound_keeps_its_beat_without_a_sound() -> None:
    beats = script(page(1, {"lines": [("sfx", "FNORD")]})).beats
    (sound,) = (beat for beat in beats if beat.kind == "sound")
    assert (sound.text, sound.printed, sound.pause_after) == (None, "FNORD", 0)
    assert any(beat.kind == "pause" for beat in beats)


def test_at_most_two_sounds_a_panel() -> None:
    lines = [("sfx", word) for word in ("CRASH", "BANG", "SPLASH")]
    seen = [("dog barking", "momentary"), ("thunder", "momentary")]
    beats = script(page(1, {"lines": lines, "seen": seen}, {"seen": [*seen, ("glass breaking", "momentary")]})).beats
    for panel in ("0001.01", "0001.02"):
        assert len([beat for beat in beats if beat.panel == panel and beat.kind == "sound"]) == MOST_SOUNDS
    assert [text for _, text in kinds(beats, "sound")] == ["crash", "gunshot", "dog barking", "thunder"]


def test_what_is_drawn_is_not_heard_again_because_it_is_seen() -> None:
    beats = script(page(1, {"lines": [("sfx", "SPLASH!")], "seen": [("splash", "momentary")]})).beats
    assert kinds(beats, "sound") == [("0001.01.1", "splash")]


def test_a_place_lasts_over_panels_and_pages_until_the_next() -> None:
    pages = [
        page(1, talk(), {"scene": "A dark forest at night", **talk()}, talk()),
        page(2, talk(), {"scene": "forest path, night"}, {"lines": [("caption", "Meanwhile, in the tavern...")]}),
    ]
    assert ambiences(pages) == {"0001.02": "forest, night", "0002.03": "tavern"}


def test_the_story_that_goes_elsewhere_takes_its_sounds_along() -> None:
    told = ambiences(
        [page(1, {"lines": [("caption", "It rained.")], "scene": "rain"}, {"lines": [("caption", "Later...")]})]
    )
    assert told == {"0001.01": "rain", "0001.02": "none"}


@pytest.mark.parametrize(
    ("text", "language", "wanted"),
    [("AT THE HARBOR", "en", "ship"), ("The storm grows.", "en", "storm"), ("森の中で", "ja", "forest"),
     ("숲속에서", "ko", "forest"),
     ("He lost his brain.", "en", None), ("A trainer came.", "en", None)],
    ids=["harbor", "storm", "ja", "ko", "brain", "trainer"],
)  # fmt: skip
def test_captions_tell_places(text: str, language: str, wanted: str | None) -> None:
    told = ambiences([page(1, {"lines": [("caption", text)]}, language=language)])
    assert told == ({"0001.01": wanted} if wanted else {})


def test_what_is_said_is_no_place() -> None:
    assert ambiences([page(1, talk("I was in the forest, in the rain!"))]) == {}


def test_a_continuous_sound_is_an_ambience() -> None:
    assert ambiences([page(1, {"seen": [("river flowing", "continuous")]})]) == {"0001.01": "stream"}


def chase(number: int) -> PageReading:
    return page(number, *({"lines": [("dialogue", "GET HIM!!", "shouting"), ("sfx", "BAM!")]} for _ in range(5)))


def quiet(number: int) -> PageReading:
    return page(number, *(talk("A calm and quiet morning.") for _ in range(5)))


def test_music_follows_the_story_and_does_not_flutter() -> None:
    told = music([quiet(1), quiet(2), chase(3), chase(4), quiet(5), quiet(6)])
    moods = [mood for mood in told.values() if mood != "none"]
    assert moods == ["calm", "action", "calm"]
    changes = list(told)
    assert changes[0] == "0001.01"
    assert any(panel.startswith(("0003", "0002.05")) for panel in changes)


def test_one_word_alone_changes_no_music() -> None:
    talks = [talk() for _ in range(6)]
    told = music([page(1, *talks), page(2, *talks[:3], talk("I fear the worst."), *talks[:2]), page(3, *talks)])
    assert set(told.values()) <= {"neutral", "none"}


def test_music_rests_where_nothing_happens() -> None:
    told = list(music([page(n, *(talk() for _ in range(6))) for n in range(1, 9)]).values())
    assert told.count("none") >= 2
    assert all(a != b for a, b in pairwise(told))


def test_faces_and_notes_set_the_mood() -> None:
    sad = [page(n, *({"emotion": "crying", "pacing": "slow", **talk()} for _ in range(5))) for n in (1, 2)]
    assert "sad" in music(sad).values()
    eerie = [page(n, *({"scene": "a haunted graveyard, a ghost appears"} for _ in range(5))) for n in (1, 2)]
    assert set(music(eerie).values()) == {"horror"}


def test_nothing_at_all_is_no_error() -> None:
    assert music([]) == {}
    assert ambiences([]) == {}
