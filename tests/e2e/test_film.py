"""The sample comic becomes a film that a person would watch and hear."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PIL import Image

from benchmarks.ears import english_words, word_error_rate
from comic_narrator import ffmpeg
from comic_narrator.film import count_frames
from comic_narrator.film.frames import view_at
from comic_narrator.model import PageReading, Script, Timing
from tests.conftest import draw_page
from tests.e2e.conftest import FAKES, QUICK, SMALL, Film, narrate


def parsed(film: Film) -> tuple[Timing, Script]:
    timing = Timing.model_validate_json((film.work / "timing.json").read_bytes())
    return timing, Script.model_validate_json((film.work / "script.json").read_bytes())


def probe(film: Path) -> str:
    return ffmpeg.run(["-i", str(film), "-map", "0:v:0", "-c", "copy", "-frames:v", "1", "-f", "null", "-"])


def test_its_tracks_are_what_players_expect(sample_film: Film) -> None:
    told = probe(sample_film.path)
    assert re.search(r"Video: h264 .*yuv420p\(tv, bt709, progressive\), 640x360.* 30 fps", told)
    assert re.search(r"\(eng\): Audio: aac .*48000 Hz, stereo", told)
    assert "Subtitle: mov_text" in told


def test_it_lasts_to_the_frame_what_timing_says(sample_film: Film, tmp_path: Path) -> None:
    timing, _ = parsed(sample_film)
    assert count_frames(sample_film.path) == timing.frames
    ffmpeg.run(["-i", str(sample_film.path), "-map", "0:a", str(tmp_path / "sound.wav")])
    assert soundfile.info(tmp_path / "sound.wav").duration == pytest.approx(timing.frames / timing.fps, abs=0.03)


def test_every_frame_shows_at_its_own_time(sample_film: Film) -> None:
    """The joined track has one picture each thirtieth of a second, from the first to the last."""
    every = ["-vf", "showinfo", "-fps_mode", "passthrough", "-f", "null", "-"]
    told = ffmpeg.run(["-i", str(sample_film.path), "-map", "0:v:0", *every])
    times = [float(t) for t in re.findall(r"pts_time:([\d.]+)", told)]
    assert len(times) == parsed(sample_film)[0].frames
    assert max(abs(t - i / 30) for i, t in enumerate(times)) < 0.001


def test_it_is_as_loud_as_it_should_be(sample_film: Film) -> None:
    told = ffmpeg.run(["-i", str(sample_film.path), "-map", "0:a", "-af", "ebur128=peak=true", "-f", "null", "-"])
    summary = told[told.rindex("Summary:") :]
    loudness = float(re.findall(r"I:\s+(-?[\d.]+) LUFS", summary)[0])
    peak = float(re.findall(r"Peak:\s+(-?[\d.]+) dBFS", summary)[0])
    assert loudness == pytest.approx(-16, abs=1)
    assert peak <= -1


def test_music_enters_behind_the_first_lines(sample_film: Film) -> None:
    timing, _ = parsed(sample_film)
    wave, rate = soundfile.read(sample_film.work / "sound.wav")
    said = [(clip.start, clip.end) for clip in timing.scenes[0].clips]
    before = wave[rate : round((said[0][0] - 0.2) * rate)]
    rests = [(a, b) for (_, a), (b, _) in pairwise(said) if a > 10 and b - a > 2]
    behind = wave[round((rests[0][0] + 1) * rate) : round((rests[0][1] - 0.3) * rate)]
    assert -70 < 10 * np.log10(np.mean(before**2)) < -50
    assert 10 * np.log10(np.mean(behind**2)) > -35


def test_what_is_heard_is_what_the_script_says(sample_film: Film) -> None:
    _, script = parsed(sample_film)
    written = " ".join(beat.text or "" for beat in script.beats if beat.kind == "speech")
    assert len(written.split()) > 30
    assert word_error_rate(written, english_words(sample_film.path)) <= 0.08


def test_the_script_holds_what_is_lettered(sample_film: Film) -> None:
    """At least nine in ten of the sample's spoken lines are read to the letter, case and punctuation aside."""
    _, script = parsed(sample_film)
    read = {plain(beat.printed or "") for beat in script.beats}
    truth = Path(__file__).parents[2] / "samples" / "truth"
    pages = [PageReading.model_validate_json(file.read_bytes()) for file in sorted(truth.glob("western_*.json"))]
    lines = [line for page in pages for line in page.lines if line.kind in ("dialogue", "thought", "caption")]
    found = [line for line in lines if plain(line.text) in read]
    assert len(found) >= 0.9 * len(lines), [line.text for line in lines if line not in found]


def plain(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def test_every_spoken_balloon_is_in_the_picture_while_it_is_spoken(sample_film: Film) -> None:
    timing, _ = parsed(sample_film)
    for scene in timing.scenes:
        page = PageReading.model_validate(sample_film.read(f"pages/{scene.page}/page.json"))
        boxes = {line.id: line.balloon or line.bbox for line in page.lines}
        assert scene.clips
        for clip in scene.clips:
            for frame in range(round(clip.start * timing.fps), round(clip.end * timing.fps)):
                shot = next(s for s in scene.shots if s.first_frame <= frame < s.end_frame)
                view, box = view_at(shot, frame), boxes[clip.beat]
                assert box is not None
                assert shot.focus is not None
                assert shot.focus.overlap(box) == box.area
                assert view.x <= box.x
                assert view.y <= box.y
                assert box.right <= view.x + view.w
                assert box.bottom <= view.y + view.h


def test_the_picture_is_the_page_and_never_black(sample_film: Film, tmp_path: Path) -> None:
    ffmpeg.run(["-i", str(sample_film.path), "-vf", "fps=1", str(tmp_path / "%03d.png")])
    frames = sorted(tmp_path.glob("*.png"))
    assert len(frames) > 20
    for frame in frames:
        with Image.open(frame) as picture:
            assert np.asarray(picture.convert("L")).mean() > 20


def test_subtitles_lie_beside_the_film_and_in_it(sample_film: Film, tmp_path: Path) -> None:
    _, script = parsed(sample_film)
    inside = tmp_path / "inside.srt"
    ffmpeg.run(["-i", str(sample_film.path), "-map", "0:s:0", str(inside)])
    for file in (sample_film.path.with_suffix(".srt"), sample_film.path.with_suffix(".vtt"), inside):
        text = " ".join(file.read_text(encoding="utf-8").split())
        said = re.sub(r" ?(\d+ )?[\d:]+[.,]\d+ --> [\d:]+[.,]\d+ ?", " ", text)
        for beat in script.beats:
            if beat.kind == "speech":
                assert " ".join((beat.printed or "").split()) in said, file


def test_it_has_chapters_a_cover_and_a_title(sample_film: Film) -> None:
    timing, _ = parsed(sample_film)
    told = ffmpeg.run(["-i", str(sample_film.path), "-map", "0:v:0", "-c", "copy", "-f", "null", "-"])
    told = told[: told.index("Output #0")]
    begins = [float(t) for t in re.findall(r"Chapter #0:\d+: start ([\d.]+)", told)]
    firsts = [sum(scene.frames for scene in timing.scenes[:i]) / timing.fps for i in range(len(timing.scenes))]
    assert begins == pytest.approx(firsts, abs=0.001)
    assert re.search(r"title +: Page 2", told)
    assert re.search(rf"title +: {sample_film.read('book.json')['title']}", told)
    assert re.search(r"Video: (mjpeg|png).*\(attached pic\)", told)


def test_the_report_credits_every_voice_and_sound(sample_film: Film) -> None:
    report = sample_film.read("report.json")
    _, script = parsed(sample_film)
    assert {credit["name"] for credit in report["voices"]} == {beat.voice for beat in script.beats if beat.voice}
    assert all(credit["licence"] and credit["source"] for credit in (*report["voices"], *report["sounds"]))
    assert report["sounds"]
    assert len({beat.voice for beat in script.beats if beat.voice}) >= 2


def test_a_second_run_makes_nothing_anew(sample_film: Film) -> None:
    before = sample_film.path.stat().st_mtime_ns
    done = sample_film.again()
    assert done.returncode == 0, done.stderr
    assert set(sample_film.made().values()) == {0}
    assert sample_film.path.stat().st_mtime_ns == before


def test_a_deleted_take_is_one_take_and_one_scene(sample_film: Film, tmp_path: Path) -> None:
    copy = moved(sample_film, tmp_path)
    take = sorted((copy.work / "takes").glob("*.flac"))[0]
    take.unlink()
    done = copy.again()
    assert done.returncode == 0, done.stderr
    assert take.exists()
    made = copy.made()
    assert (made["speech"], made["film"]) == (1, 1)
    assert made["reading"] == made["script"] == 0


def test_a_script_edited_by_hand_speaks_one_line_and_films_one_page_again(sample_film: Film, tmp_path: Path) -> None:
    copy = moved(sample_film, tmp_path)
    script = copy.work / "script.json"
    first = next(beat for beat in copy.read("script.json")["beats"] if beat["kind"] == "speech")
    text = script.read_text(encoding="utf-8")
    edited = text.replace(f'"text": "{first["text"]}"', '"text": "Somebody changed this."', 1)
    script.write_text(edited, encoding="utf-8")
    done = copy.again()
    assert done.returncode == 0, done.stderr
    made = copy.made()
    assert (made["speech"], made["film"], made["script"]) == (1, 1, 0)
    assert "Somebody changed this." in script.read_text(encoding="utf-8")
    assert "Somebody changed this." in copy.path.with_suffix(".srt").read_text(encoding="utf-8")


def test_two_passes_give_the_same_film(tmp_path: Path) -> None:
    """Reading alone, then the film from its script in another folder, is frame for frame the film of one run."""
    book = tmp_path / "book"
    book.mkdir()
    for i in (1, 2):
        draw_page().save(book / f"{i}.png")

    def run(name: str, *more: str) -> Film:
        film = Film(tmp_path / name, book, (*QUICK, *SMALL, *more))
        done = narrate(book, "-o", film.path, *film.arguments, cwd=tmp_path, env=FAKES)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == str(film.work if "--vision-only" in more else film.path)
        return film

    whole, first = run("one.mp4"), run("two.mp4", "--vision-only")
    assert not first.path.exists()
    second = run("three.mp4", "--from-script-json", str(first.work / "script.json"))
    assert second.read("timing.json") == whole.read("timing.json")
    assert pictures_digest(second.path) == pictures_digest(whole.path)


def pictures_digest(film: Path) -> str:
    return subprocess.run(
        [ffmpeg.executable(), "-v", "error", "-i", str(film), "-map", "0:v:0", "-f", "md5", "-"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def moved(film: Film, folder: Path) -> Film:
    """A copy of a film with its work folder, as if the user had moved both."""
    copy = Film(folder / film.path.name, film.book, film.arguments)
    shutil.copy2(film.path, copy.path)
    shutil.copy2(film.path.with_suffix(".srt"), copy.path.with_suffix(".srt"))
    shutil.copytree(film.work, copy.work)
    return copy
