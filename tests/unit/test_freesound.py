"""Freesound, where it is asked: only what anybody may use, fetched once, and no fault of its stops anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comic_narrator.cli import run
from comic_narrator.http import Patience
from comic_narrator.settings import SoundSettings
from comic_narrator.sound import Cue, choose, freesound, read_folder, shipped
from comic_narrator.sound.freesound import licence_of
from comic_narrator.steps.freesound import KEY, Fetched, fetch_sounds, kept_sounds
from tests.fakes.freesound import BY, BY_NC, CC0, FakeFreesound, mp3

SECRET = "k3y-that-nobody-may-see"
WORDS = "typewriter clacking"


@pytest.fixture
def fake() -> Iterator[FakeFreesound]:
    with FakeFreesound() as server:
        server.sounds = [server.sound(7)]
        yield server


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """As impatient as can be: one try, and a second to wait."""
    monkeypatch.setattr(freesound, "PATIENCE", Patience(connect=1, read=1, total=2, attempts=1))


def environment(cache: Path) -> dict[str, str]:
    return {KEY: SECRET, "XDG_CACHE_HOME": str(cache), "LOCALAPPDATA": str(cache)}


def fetch(fake: FakeFreesound, cache: Path, *words: str, **changes: str) -> Fetched:
    settings = SoundSettings(freesound=True, freesound_url=fake.url)
    wanted = [("effect", said) for said in words or (WORDS,)]
    return fetch_sounds(wanted, settings, {**environment(cache), **changes}, cache, lambda _: None)  # type: ignore[arg-type]


def test_what_no_sound_fits_is_fetched_once_with_its_licence(fake: FakeFreesound, tmp_path: Path) -> None:
    (sound,), faults = fetch(fake, tmp_path)
    assert not faults
    assert (sound.kind, sound.licence, sound.source) == ("effect", "CC-BY-4.0", fake.sounds[0]["url"])
    for told in ("Typing", "somebody", BY, "freesound.org"):
        assert told in sound.attribution
    asked = len(fake.asked)
    assert fetch(fake, tmp_path) == ((sound,), ())
    assert len(fake.asked) == asked
    assert kept_sounds(environment(tmp_path), tmp_path) == (sound,)
    cues = [Cue("b1", "sound", WORDS, 1.0, 60.0), Cue("b2", "sound", "glass", 9.0, 60.0)]
    placed = choose(cues, (shipped(),), 60, floor=False, fetched=[sound]).placements
    assert [p.sound.name for p in placed] == [sound.name, "glass"]


def test_it_is_asked_for_free_sounds_of_a_fitting_length_only(fake: FakeFreesound, tmp_path: Path) -> None:
    fetch(fake, tmp_path, '"typewriter" -clacking +x')
    (search,) = fake.searches
    assert search["query"] == ["typewriter clacking x"]
    assert search["filter"] == ['license:("Creative Commons 0" OR "Attribution") duration:[0.1 TO 8]']


def test_the_key_goes_to_the_server_alone_and_into_no_file(fake: FakeFreesound, tmp_path: Path) -> None:
    _, faults = fetch(fake, tmp_path)
    assert fake.keys == [f"Token {SECRET}", None]
    assert not any(SECRET in path for path in fake.asked)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) == 2
    assert not any(SECRET.encode() in file.read_bytes() for file in files)
    fake.refusal = 403
    _, faults = fetch(fake, tmp_path / "other")
    assert faults
    assert SECRET not in " ".join(faults)


@pytest.mark.parametrize(
    ("address", "licence"),
    [(CC0, "CC0-1.0"), (BY, "CC-BY-4.0"), ("http://creativecommons.org/licenses/by/3.0/", "CC-BY-3.0"),
     (BY_NC, None), ("http://creativecommons.org/licenses/sampling+/1.0/", None), ("Attribution", None),
     ("https://creativecommons.org/licenses/by-sa/4.0/", None), ("https://evil.test/licenses/by/4.0/", None)],
    ids=["cc0", "by", "by-3", "by-nc", "sampling", "name", "by-sa", "elsewhere"],
)  # fmt: skip
def test_licences_are_told_by_their_address(address: str, licence: str | None) -> None:
    assert licence_of(address) == licence


def test_a_licence_that_was_not_asked_for_is_not_taken(fake: FakeFreesound, tmp_path: Path) -> None:
    fake.sounds = [fake.sound(1, licence=BY_NC)]
    assert fetch(fake, tmp_path) == ((), ())
    assert len(fake.asked) == 1
    assert fetch(fake, tmp_path) == ((), ())
    assert len(fake.asked) == 1, "that nothing was found is known from now on"
    fake.sounds.append(fake.sound(2, licence=CC0))
    (sound,), _ = fetch(fake, tmp_path, "other words")
    assert (sound.paths[0].stem, sound.licence) == ("freesound-2", "CC0-1.0")


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503, 302], ids=str)
def test_a_refusal_is_one_sentence_and_asked_no_further(fake: FakeFreesound, tmp_path: Path, status: int) -> None:
    fake.refusal = status
    sounds, faults = fetch(fake, tmp_path, "one", "two", "three")
    assert not sounds
    (fault,) = faults
    assert str(status) in fault
    assert len(fake.asked) == 1
    fake.refusal = None
    assert fetch(fake, tmp_path, "one")[0], "the next run asks again"


@pytest.mark.parametrize(
    "answer",
    [b"<html>no</html>", b"{", b"[]", b'{"results": [{"id": 1}]}', b"\xff\xfe", bytes(200_000)],
    ids=["page", "half", "list", "fields", "garbage", "endless"],
)
def test_a_bad_answer_is_one_sentence_a_sound(
    fake: FakeFreesound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.setattr(freesound, "LARGEST_BYTES", 100_000)
    fake.answer = answer
    sounds, faults = fetch(fake, tmp_path, "one", "two")
    assert not sounds
    assert len(faults) == 2
    assert not kept_sounds(environment(tmp_path), tmp_path)


def test_nobody_there_is_one_sentence(tmp_path: Path) -> None:
    with FakeFreesound() as gone:
        pass
    sounds, faults = fetch(gone, tmp_path, "one", "two")
    assert not sounds
    assert len(faults) == 1


@pytest.mark.parametrize("data", [b"no mp3", mp3()[:40], b"", mp3(0.0)], ids=["garbage", "cut", "empty", "silent"])
def test_a_broken_sound_gives_way_to_the_next(fake: FakeFreesound, tmp_path: Path, data: bytes) -> None:
    fake.sounds = [fake.sound(1), fake.sound(2)]
    fake.files["/data/previews/1.mp3"] = data
    (sound,), faults = fetch(fake, tmp_path)
    assert sound.paths[0].stem == "freesound-2"
    assert len(faults) == 1
    assert [file.name for file in sound.paths[0].parent.iterdir() if file.suffix == ".mp3"] == ["freesound-2.mp3"]


def test_a_sound_without_end_is_let_go(fake: FakeFreesound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(freesound, "LARGEST_BYTES", 100_000)
    fake.files["/data/previews/7.mp3"] = None
    sounds, faults = fetch(fake, tmp_path)
    assert not sounds
    assert "without end" in " ".join(faults)
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:1/x.mp3", "file:///etc/passwd", "https://notfreesound.org/x.mp3", "http://cdn.freesound.org/x"],
    ids=["inside", "file", "likeness", "plain"],
)
def test_no_other_address_is_called_because_an_answer_says_so(
    fake: FakeFreesound, tmp_path: Path, address: str
) -> None:
    fake.sounds = [fake.sound(1, previews={"preview-hq-mp3": address})]
    assert fetch(fake, tmp_path) == ((), ())
    assert len(fake.asked) == 1


def test_what_strangers_write_stays_on_its_line(fake: FakeFreesound, tmp_path: Path) -> None:
    nasty = 'a"]\nlicence = "CC0-1.0"\r\x00\x7f\u2028b\\'
    fake.sounds = [fake.sound(1, name=nasty, username=nasty * 50, url=nasty)]
    (sound,), faults = fetch(fake, tmp_path)
    assert not faults
    assert sound.licence == "CC-BY-4.0"
    assert (sound.attribution + sound.source).isprintable()
    assert len(sound.attribution) < 700


def test_without_a_key_nobody_is_asked(fake: FakeFreesound, tmp_path: Path) -> None:
    sounds, (fault,) = fetch(fake, tmp_path, **{KEY: ""})
    assert not sounds
    assert KEY in fault
    assert not fake.asked


def test_a_damaged_cache_is_filled_again(fake: FakeFreesound, tmp_path: Path) -> None:
    (sound,), _ = fetch(fake, tmp_path)
    sound.paths[0].write_bytes(b"")
    assert fetch(fake, tmp_path) == ((sound,), ())
    assert read_folder(sound.paths[0].parent) == (sound,)


def test_the_command_lists_and_plays_what_was_fetched(
    fake: FakeFreesound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    on = ["--set", "sound.freesound=true", "--set", f"sound.freesound_url={fake.url}"]
    assert run(["sounds", "play", WORDS, "-o", str(tmp_path / "a.wav")]) == 2
    assert not fake.asked, "off unless it is wished for"
    assert run(["sounds", "play", WORDS, "-o", str(tmp_path / "a.wav"), *on]) == 0
    assert (tmp_path / "a.wav").is_file()
    capsys.readouterr()
    assert run(["sounds", "list", "--json", *on]) == 0
    last: dict[str, Any] = json.loads(capsys.readouterr().out)[-1]
    assert (last["tags"], last["licence"]) == ([WORDS], "CC-BY-4.0")
