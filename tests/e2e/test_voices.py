"""The commands about voices, and a series: two volumes of 25 speakers with one cast.toml."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PIL import Image

from benchmarks.lines import drawn_lines, script_lines
from comic_narrator.model import Line, PageReading
from comic_narrator.script.cast import NEAR, gap
from comic_narrator.voices.bank import profiles
from tests.conftest import draw_page
from tests.e2e.conftest import FAKES, QUICK, ROOT, SMALL, narrate
from tests.unit.test_listening import hum

pytestmark = pytest.mark.slow

SAMPLES = ROOT / "samples" / "pages"
LINES = [line.text for line in (*drawn_lines("en"), *script_lines("en"))]
SPEAKERS = [f"Person {letter}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXY"]


def volume(folder: Path, pages: int, first: int) -> Path:
    """A book of the samples' pages, and beside it page.json files on which 25 people say the lines of our samples,
    each of them on two pages at least.
    """
    book, readings = folder / f"volume{first}", folder / f"readings{first}"
    book.mkdir()
    for number in range(1, pages + 1):
        with Image.open(SAMPLES / f"western_{number % 3 + 1}.png") as drawn:
            image = drawn.convert("RGB").resize((400, 600))
        image.save(book / f"{number:03}.png")
        page = f"{number:04}"
        lines = tuple(
            Line(
                id=f"{page}.01.{i}",
                panel=f"{page}.01",
                kind="dialogue",
                text=LINES[(14 * (number - 1) + i) % len(LINES)],
                speaker=SPEAKERS[(first + 7 * number + i) % 25],
                confidence=1.0,
            )
            for i in range(14)
        )
        panel = {"id": f"{page}.01", "bbox": (0, 0, image.width, image.height)}
        reading = PageReading.model_validate(
            {
                "page": page,
                "image": f"pages/{page}/page.png",
                "width": image.width,
                "height": image.height,
                "direction": "ltr",
                "language": "en",
                "panels": [panel],
                "lines": lines,
            }
        )
        (readings / page).mkdir(parents=True)
        (readings / page / "page.json").write_text(reading.to_json(), encoding="utf-8")
    return book


def cast_of(work: Path) -> dict[str, str]:
    cast = json.loads((work / "cast.json").read_text(encoding="utf-8"))
    return {character["name"]: character["voice"] for character in cast["characters"]}


def told_of(work: Path) -> set[str]:
    """The takes that the last run used."""
    return {take["file"] for take in json.loads((work / "takes.json").read_text(encoding="utf-8"))["takes"]}


def until(stage: str, book: Path, out: Path, *more: str, voice: str = "embedded") -> None:
    readings = book.with_name(book.name.replace("volume", "readings"))
    done = narrate(
        book, "-o", out, "--until", stage, "--from-page-json", readings, "--set", "reader.backend=label",
        "--lang", "en", "--set", f"voice.backend={voice}", *more, cwd=book.parent, env=FAKES,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_25_people_keep_their_voices_over_two_volumes_with_one_cast(tmp_path: Path) -> None:
    one, two = volume(tmp_path, 5, 1), volume(tmp_path, 4, 2)
    until("script", one, tmp_path / "one.mp4")
    first = cast_of(tmp_path / "one.mp4.work")
    assert set(first) == set(SPEAKERS)
    known = {profile.id: profile for profile in profiles("en")}
    assert min(gap(known[one], known[other]) for one, other in combinations(first.values(), 2)) >= NEAR
    kept = narrate("voices", "keep", tmp_path / "one.mp4.work", "-o", tmp_path / "cast.toml", cwd=tmp_path)
    assert kept.returncode == 0, kept.stderr
    until("script", two, tmp_path / "two.mp4")
    assert cast_of(tmp_path / "two.mp4.work") == {name: first[name] for name in cast_of(tmp_path / "two.mp4.work")}
    again = narrate("voices", "keep", tmp_path / "two.mp4.work", "-o", tmp_path / "cast.toml", cwd=tmp_path)
    assert again.returncode == 0
    before = (tmp_path / "one.mp4.work" / "cast.json").read_bytes()
    until("script", one, tmp_path / "one.mp4", "--set", "voice.cast=auto")
    assert cast_of(tmp_path / "one.mp4.work") == first
    assert b"pinned in cast.toml" in (tmp_path / "one.mp4.work" / "cast.json").read_bytes() != before


def test_a_second_run_speaks_nothing_and_a_line_less_is_a_take_less(tmp_path: Path) -> None:
    book = volume(tmp_path, 4, 1)
    out, work = tmp_path / "one.mp4", tmp_path / "one.mp4.work"
    until("speech", book, out, voice="tone")
    said = told_of(work)
    takes, cast = {file.name for file in (work / "takes").iterdir()}, (work / "cast.json").read_bytes()
    until("speech", book, out, voice="tone")
    report = json.loads((work / "report.json").read_text(encoding="utf-8"))
    assert [stage["made"] for stage in report["stages"] if stage["stage"] in ("cast", "script", "speech")] == [0, 0, 0]

    file = tmp_path / "readings1" / "0002" / "page.json"
    reading = PageReading.model_validate_json(file.read_bytes())
    gone = reading.lines[3]
    file.write_text(
        reading.model_copy(update={"lines": tuple(line for line in reading.lines if line is not gone)}).to_json(),
        encoding="utf-8",
    )
    until("speech", book, out, "--discard-edits", voice="tone")
    report = json.loads((work / "report.json").read_text(encoding="utf-8"))
    assert [stage["made"] for stage in report["stages"] if stage["stage"] == "speech"] == [0]
    assert {file.name for file in (work / "takes").iterdir()} == takes
    assert len(said - told_of(work)) == 1, "the take of the line that is gone"
    assert told_of(work) < said
    assert {c["name"]: c["voice"] for c in json.loads(cast)["characters"]} == cast_of(work)
    script = json.loads((work / "script.json").read_text(encoding="utf-8"))
    assert gone.text not in [beat.get("printed") for beat in script["beats"]]


def test_the_lexicon_beside_the_book_changes_just_the_takes_with_its_words(tmp_path: Path) -> None:
    book = volume(tmp_path, 2, 1)
    until("speech", book, tmp_path / "one.mp4", voice="tone")
    script = json.loads((tmp_path / "one.mp4.work" / "script.json").read_text(encoding="utf-8"))
    touched = [beat for beat in script["beats"] if "sandwich" in (beat.get("text") or "")]
    (tmp_path / "lexicon.toml").write_text('[en]\nsandwich = "sangwich"\n', encoding="utf-8")
    until("speech", book, tmp_path / "one.mp4", voice="tone")
    report = json.loads((tmp_path / "one.mp4.work" / "report.json").read_text(encoding="utf-8"))
    assert [stage["made"] for stage in report["stages"] if stage["stage"] == "speech"] == [len(touched)]
    assert len(touched) == 2


def test_voices_are_listed_filtered_and_found_by_ear(tmp_path: Path) -> None:
    plain = narrate("voices", "--json", cwd=tmp_path)
    old = narrate("voices", "list", "--sex", "female", "--age", "old", "--json", cwd=tmp_path)
    robots = narrate("voices", "list", "robot", "--json", cwd=tmp_path)
    assert len(json.loads(plain.stdout)) >= 40
    assert {(v["sex"], v["age"]) for v in json.loads(old.stdout)} == {("female", "old")}
    assert {v["colouring"] for v in json.loads(robots.stdout)} == {"robot"}
    soundfile.write(tmp_path / "low.wav", hum(85, 3.0), 48_000)
    soundfile.write(tmp_path / "high.wav", hum(240, 3.0), 48_000)
    low, high = (narrate("voices", "match", f"{name}.wav", "--json", cwd=tmp_path) for name in ("low", "high"))
    assert json.loads(low.stdout)[0]["measured"]["pitch"] < 120
    assert json.loads(high.stdout)[0]["measured"]["pitch"] > 180
    assert "af_heart" in narrate("voices", cwd=tmp_path).stdout


def test_a_recording_is_added_and_listed(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "me.flac", hum(120, 3.0), 48_000)
    bank = ("--set", f"voice.bank={tmp_path / 'bank'}")
    added = narrate("voices", "add", "me.flac", "--name", "Me", "--licence", "my own", *bank, cwd=tmp_path)
    assert added.returncode == 0, added.stderr
    assert Path(added.stdout.strip()) == tmp_path / "bank" / "me.toml"
    twice = narrate("voices", "add", "me.flac", "--name", "Me", "--licence", "my own", *bank, cwd=tmp_path)
    assert twice.returncode == 2
    matched = narrate("voices", "match", "me.flac", "--json", *bank, cwd=tmp_path)
    assert json.loads(matched.stdout)[0]["id"] == "me"
    listed = narrate("voices", "list", *bank, cwd=tmp_path)
    assert "not with this engine: me;" in listed.stderr
    said = narrate("voices", "say", "me", "HELLO", "-o", "x.wav", *bank, cwd=tmp_path)
    assert said.returncode == 2
    assert "voice.backend=fish" in said.stderr


def test_a_voice_says_a_text_and_a_cast_is_auditioned(tmp_path: Path) -> None:
    said = narrate("voices", "say", "am_michael", "OH, NO!", "-o", "x.wav", cwd=tmp_path)
    assert said.returncode == 0, said.stderr
    sound, rate = soundfile.read(tmp_path / "x.wav")
    assert rate == 48_000
    assert 0.3 < len(sound) / rate < 3
    (tmp_path / "lexicon.toml").write_text('[characters.Grump]\nno = "nay"\n', encoding="utf-8")
    narrate("voices", "say", "am_michael", "OH, NO!", "-o", "y.wav", cwd=tmp_path)
    narrate("voices", "say", "am_michael", "OH, NO!", "--character", "Grump", "-o", "z.wav", cwd=tmp_path)
    assert (tmp_path / "x.wav").read_bytes() == (tmp_path / "y.wav").read_bytes() != (tmp_path / "z.wav").read_bytes()
    (tmp_path / "lexicon.toml").unlink()
    assert narrate("voices", "say", "nobody", "OH", "-o", "x.wav", cwd=tmp_path).returncode == 2
    assert narrate("voices", "say", "am_michael", "...", "-o", "x.wav", cwd=tmp_path).returncode == 2
    assert narrate("voices", "say", "am_michael", "OH", "-o", "x.txt", cwd=tmp_path).returncode == 2

    book = volume(tmp_path, 1, 1)
    until("script", book, tmp_path / "volume1.mp4", voice="tone")
    tone = ("--set", "voice.backend=tone")
    heard = narrate("voices", "audition", book, "-o", "cast", *tone, cwd=tmp_path, env=FAKES)
    assert heard.returncode == 0, heard.stderr
    assert len(list((tmp_path / "cast").glob("*.wav"))) == 14
    whole = narrate("voices", "audition", tmp_path / "volume1.mp4.work", *tone, cwd=tmp_path, env=FAKES)
    assert whole.returncode == 0, whole.stderr
    assert np.abs(soundfile.read(whole.stdout.strip())[0]).max() > 0.05
    assert narrate("voices", "audition", tmp_path / "none.cbz", *tone, cwd=tmp_path, env=FAKES).returncode == 3


@pytest.mark.parametrize(("setting", "name"), [("cast", "cast.toml"), ("lexicon", "lexicon.toml")])
def test_a_named_file_of_the_users_that_is_missing_or_broken_is_said(tmp_path: Path, setting: str, name: str) -> None:
    draw_page().save(tmp_path / "a.png")
    missing = narrate(
        "a.png", *QUICK, *SMALL, "--until", "script", "--set", f"voice.{setting}=no.toml", cwd=tmp_path, env=FAKES
    )
    assert missing.returncode == 2
    assert "no.toml" in missing.stderr
    (tmp_path / name).write_text("x x", encoding="utf-8")
    broken = narrate("a.png", *QUICK, *SMALL, "--until", "script", cwd=tmp_path, env=FAKES)
    assert broken.returncode == 2
    assert name in broken.stderr
