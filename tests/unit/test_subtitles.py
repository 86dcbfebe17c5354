"""Subtitles: on the film's clock, two lines of 42 columns at most, parted where a reader pauses, and read in time."""

from __future__ import annotations

import pysubs2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comic_narrator.film.breaking import COLUMNS, break_text, width_of
from comic_narrator.film.subtitles import GAP, RTL_MARK, SPEED, make_cues, write_cues
from comic_narrator.model import Clip, Scene, Shot, Timing, View

LONG = (
    "I told you that the lighthouse was empty, but you would not listen to me, and now look at what has become of us! "
    "Hurry, before the tide comes in."
)


def timing(*clips: tuple[str, float, float], frames: int = 300, scenes: int = 1) -> Timing:
    """Scenes of so many frames, each with these clips (beat, start, end)."""
    view = View(0, 0, 16, 9)
    shot = Shot(first_frame=0, end_frame=frames, from_view=view, to_view=view, ease="hold")
    placed = tuple(Clip(beat=beat, file="x.flac", start=start, end=end) for beat, start, end in clips)
    scene = Scene(page="0001", frames=frames, clips=placed, shots=(shot,))
    return Timing(fps=30, sample_rate=48_000, scenes=(scene,) * scenes)


def test_they_are_on_the_films_clock() -> None:
    cues = make_cues(timing(("a", 2.3, 3.3), frames=151, scenes=2), {"a": "HI"}, "en")
    assert [cue.start for cue in cues] == pytest.approx([2.3, 151 / 30 + 2.3])
    assert write_cues(cues, "srt").startswith("1\n00:00:02,300 --> 00:00:03,300\nHI\n\n2\n00:00:07,333 -->")
    assert write_cues(cues, "vtt").startswith("WEBVTT\n\n1\n00:00:02.300 --> 00:00:03.300\nHI\n")


def test_a_long_text_is_parted_at_its_phrases() -> None:
    assert break_text(LONG) == (
        ("I told you that the lighthouse was empty,", "but you would not listen to me,"),
        ("and now look at what has become of us!", "Hurry, before the tide comes in."),
    )


def test_a_small_word_stays_with_the_word_after_it() -> None:
    (lines,) = break_text("I'm going to the house of the man who sold me the boat")
    assert lines[0] == "I'm going to the house"


def test_japanese_is_parted_without_spaces_and_never_before_a_full_stop() -> None:
    text = "だから僕は学校へ行かないで、海へ泳ぎに行こうと思っているのだが、君も来るかい？ピーッという音がした。"
    cues = break_text(text)
    lines = [line for cue in cues for line in cue]
    assert "".join(lines) == text
    assert len(lines) > 2
    assert all(line[0] not in "、。？ーッっ" for line in lines)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=200))
def test_no_line_is_wider_and_no_cue_higher_than_allowed_and_nothing_is_lost(text: str) -> None:
    cues = break_text(text)
    assert all(1 <= len(cue) <= 2 for cue in cues)
    assert all(width_of(line) <= COLUMNS for cue in cues for line in cue)
    kept = "".join(line for cue in cues for line in cue)
    assert "".join(kept.split()) == "".join(text.split())


def test_a_long_beat_is_several_cues_that_share_its_time() -> None:
    first, second = make_cues(timing(("a", 1.0, 9.0)), {"a": LONG}, "en")
    assert (first.start, second.end) == (1.0, 9.0)
    assert 4.0 < first.end < 6.0
    assert first.end <= second.start


def test_what_is_said_too_quickly_stays_on_until_it_is_read_or_the_next_one_comes() -> None:
    words = {"a": "x" * 40, "b": "Y" * 40}
    alone, *_ = make_cues(timing(("a", 1.0, 1.05)), words, "en")
    assert alone.end == pytest.approx(1.0 + 40 / SPEED)
    first, second = make_cues(timing(("a", 1.0, 1.05), ("b", 2.0, 9.9)), words, "en")
    assert first.end == pytest.approx(2.0 - GAP)
    assert second.end == 9.9
    (last,) = make_cues(timing(("a", 9.5, 9.8)), words, "en")
    assert last.end == pytest.approx(10.0)


def test_who_speaks_is_named_where_that_changes() -> None:
    clock = timing(("a", 0, 2), ("b", 3, 4), ("c", 5, 6))
    names = {"a": "Ann", "b": "Ann", "c": "Bob"}
    cues = make_cues(clock, {"a": "Hello.", "b": "Are you there?", "c": "Yes."}, "en", names)
    assert [cue.lines for cue in cues] == [("Ann: Hello.",), ("Are you there?",), ("Bob: Yes.",)]


def test_a_language_that_is_read_from_the_right_is_set_from_the_right() -> None:
    clock = timing(("a", 0, 2))
    (cue,) = make_cues(clock, {"a": "123 שלום"}, "he")
    assert cue.lines == (RTL_MARK + "123 שלום",)


def test_a_beat_without_words_has_no_cue() -> None:
    assert make_cues(timing(("a", 0, 2)), {}, "en") == ()


@pytest.mark.parametrize("form", ["srt", "vtt"])
def test_signs_of_the_format_are_words_like_any_other(form: str) -> None:
    text = r"C:\New {i} <b>no & yes"
    cues = make_cues(timing(("a", 0, 2)), {"a": text}, "en")
    back = pysubs2.SSAFile.from_string(write_cues(cues, form), format_=form)[0].plaintext  # type: ignore[arg-type]
    said = back.replace("\u2060", "").replace("(", "{").replace(")", "}")
    assert "\n" not in said
    assert said.startswith(r"C:\New {i} ")
