"""Choosing sounds: what fits, what does not, what is not played twice, and what goes on over scenes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile

from comic_narrator.errors import InputError, UsageError
from comic_narrator.sound import Cue, Placement, choose, decode, find, read_folder, shipped
from comic_narrator.sound.choosing import AGAIN_SECONDS, FLOOR, music_entry

SHELVES = (shipped(),)


def sound_cue(at: float, wanted: str | None, printed: str | None = None) -> Cue:
    return Cue(f"b{at}", "sound", wanted, at, 60.0, printed)


def spans(kind: str, *told: tuple[float, float, str]) -> list[Cue]:
    return [Cue(f"{kind}{start}", kind, wanted, start, end) for start, end, wanted in told]  # type: ignore[arg-type]


def played(cues: list[Cue], kind: str, seconds: float = 120.0) -> list[Placement]:
    return [p for p in choose(cues, SHELVES, seconds, floor=False).placements if p.sound.kind == kind]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("glass breaking", "glass"), ("a door slams", "door-slam"), ("door creaking open", "door-creak"),
        ("gunshot", "gunshot"),
        ("footsteps", "steps"), ("heart beating", "heartbeat"), ("thunder", "thunder"), ("dog barking", "dog"),
        ("phone ringing", "telephone"), ("explosion", "explosion"), ("sword clash", "sword"),
        ("crowd applause", "applause"),
    ],
    ids=str,
)  # fmt: skip
def test_visible_sounds_are_found_by_their_words(words: str, name: str) -> None:
    assert name in {sound.name for sound in find((words,), SHELVES, "effect")}


@pytest.mark.parametrize(
    "words", ["a red hat", "fnord", "", "the", "smiling woman", "blue sky"], ids=lambda w: w or "empty"
)
def test_nothing_fits_what_makes_no_sound(words: str) -> None:
    assert not find((words,), SHELVES, "effect")


def test_what_nothing_fits_is_named_and_not_played() -> None:
    choice = choose([sound_cue(1, None, "FNORD!"), sound_cue(5, "fnording")], SHELVES, 60, floor=False)
    assert not choice.placements
    assert choice.missing == (("b1", "FNORD!"), ("b5", "fnording"))


def test_the_same_hit_is_not_heard_twice_within_seconds() -> None:
    placed = played([sound_cue(at, "glass") for at in (1, 1.5, 2, 2.5, 9)], "effect")
    for sound in {p.sound.name for p in placed}:
        starts = [p.start for p in placed if p.sound.name == sound]
        assert all(later - earlier >= AGAIN_SECONDS for earlier, later in pairwise(starts))
    assert {1, 9} <= {p.start for p in placed}


def test_an_effect_ends_with_the_film() -> None:
    (placed,) = played([sound_cue(9.5, "thunder")], "effect", 10)
    assert placed.end == 10
    assert placed.fade_out > 0


def test_a_place_goes_on_over_panels_and_gives_way_softly() -> None:
    placed = played(spans("ambience", (0, 20, "rain"), (20, 40, "rain"), (40, 60, "tavern")), "ambience")
    assert [p.sound.name for p in placed] == ["rain", "tavern"]
    rain, tavern = placed
    assert rain.end > tavern.start
    assert rain.fade_out > 1
    assert tavern.fade_in > 1


def test_two_layers_and_silence() -> None:
    placed = played(spans("ambience", (0, 20, "forest, rain"), (20, 40, "none"), (40, 60, "rain")), "ambience")
    assert sorted(p.sound.name for p in placed) == ["forest", "rain", "rain"]
    assert not [p for p in placed if p.start < 30 < p.end]


def test_music_goes_on_while_the_mood_does_and_changes_when_it_comes_back() -> None:
    cues = spans("music", (0, 30, "calm"), (30, 50, "calm"), (50, 70, "tension"), (70, 90, "calm"))
    names = [p.sound.name for p in played(cues, "music")]
    assert len(names) == 3
    assert names[0] != names[2]


@pytest.mark.parametrize(
    "mood",
    ["action", "battle", "tension", "mystery", "horror", "sad", "tender", "happy", "mischief", "wonder", "heroic",
     "adventure", "calm", "neutral"],
)  # fmt: skip
def test_every_mood_has_music(mood: str) -> None:
    assert find((mood,), SHELVES, "music")


@pytest.mark.parametrize(
    ("spoken", "seconds", "entry"),
    [
        pytest.param([(3, 5), (6, 9), (9.5, 12), (13, 15), (18, 20)], 60, 15, id="behind-the-lines"),
        pytest.param([(3, 5), (14, 20)], 60, 10, id="in-a-long-rest"),
        pytest.param([(3, 9), (10.5, 14), (16, 20)], 60, 14, id="not-in-a-gap"),
        pytest.param([(3, 30), (4, 6), (33, 35)], 60, 30, id="two-speak-at-once"),
        pytest.param([(12, 14), (20, 22)], 60, 0, id="nobody-speaks-first"),
        pytest.param([], 60, 0, id="nobody-speaks"),
        pytest.param([(3, 5), (8, 12)], 20, 5, id="short-film"),
        pytest.param([(1, 20)], 20, 20, id="no-rest"),
    ],
)
def test_music_enters_in_the_first_rest_behind_the_opening(
    spoken: list[tuple[float, float]], seconds: float, entry: float
) -> None:
    assert music_entry(spoken, seconds) == entry
    assert music_entry(spoken, seconds, opening=0) == 0


def test_no_music_before_its_entry_nor_a_snatch_of_it_there() -> None:
    cues = spans("music", (0, 20, "calm"), (20, 60, "tension"))
    assert [p.start for p in choose(cues, SHELVES, 60, floor=False, music_from=12).placements] == [12, 18]
    late = choose(cues, SHELVES, 60, floor=False, music_from=19).placements
    assert [(p.start, p.end) for p in late] == [(19, 60)]
    assert all(p.fade_in > 1 for p in late)


def test_a_room_is_always_there_unless_told_otherwise() -> None:
    placed = choose([], SHELVES, 60).placements
    assert [(p.sound.name, p.start, p.end) for p in placed] == [(FLOOR, 0, 60)]
    assert not choose([], SHELVES, 60, floor=False).placements


def tone(path: Path, seconds: float = 0.5, rate: int = 22_050) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, 0.3 * np.sin(np.arange(round(seconds * rate)) * 0.1), rate)


def test_the_users_sounds_come_first_and_speak_by_their_names(tmp_path: Path) -> None:
    tone(tmp_path / "big_fnord_02.wav")
    tone(tmp_path / "ambience" / "dragon-lair.wav", 12)
    mine = read_folder(tmp_path)
    choice = choose([sound_cue(1, None, "FNORD!"), sound_cue(5, "glass")], (mine, *SHELVES), 60, floor=False)
    assert [p.sound.name.split("/")[-1] for p in choice.placements] == ["big_fnord_02.wav", "glass"]
    assert find(("dragon lair",), (mine, *SHELVES), "ambience")[0].paths[0].name == "dragon-lair.wav"
    (layer,) = decode(mine[1])
    assert len(layer.numbers) == pytest.approx(48_000 * 0.5, abs=2) or len(layer.numbers) > 48_000


def test_a_table_says_more_than_names(tmp_path: Path) -> None:
    tone(tmp_path / "x1.wav")
    table = (
        '["x1.wav"]\ntags = ["laser"]\nkind = "effect"\nlicence = "CC-BY-4.0"\nattribution = "Somebody"\ngain_db = -3\n'
    )
    (tmp_path / "sounds.toml").write_text(table, encoding="utf-8")
    (mine,) = read_folder(tmp_path)
    assert (mine.tags, mine.licence, mine.attribution, mine.gain_db) == (("laser",), "CC-BY-4.0", "Somebody", -3)
    assert find(("laser",), ((mine,), *SHELVES), "effect") == [mine]


@pytest.mark.parametrize(
    "table",
    ["[", '["gone.wav"]\ntags = ["x"]', '["x1.wav"]\ntagz = ["x"]'],
    ids=["broken", "missing file", "wrong key"],
)
def test_a_wrong_table_is_named(tmp_path: Path, table: str) -> None:
    tone(tmp_path / "x1.wav")
    (tmp_path / "sounds.toml").write_text(table, encoding="utf-8")
    with pytest.raises(InputError, match=r"sounds\.toml"):
        read_folder(tmp_path)


def test_a_missing_folder_and_a_file_that_is_no_sound(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        read_folder(tmp_path / "gone")
    (tmp_path / "bad.wav").write_bytes(b"no sound")
    with pytest.raises(InputError, match=r"bad\.wav"):
        read_folder(tmp_path)


def test_a_loop_of_the_users_is_made_seamless(tmp_path: Path) -> None:
    tone(tmp_path / "ambience" / "hum.wav", 10.013, 48_000)
    (mine,) = read_folder(tmp_path)
    (layer,) = decode(mine)
    twice = layer.stretch(0, 2 * len(layer.numbers))[:, 0]
    steps = np.abs(np.diff(twice))
    seam = len(layer.numbers)
    assert steps[seam - 2 : seam + 2].max() < 1.5 * np.quantile(steps, 0.999)
