"""Films of real pages, listened to word for word: `python -m benchmarks.hear [--only NAME] [--out FOLDER]`.

For each case the real command makes a film at full size. Printed are: the share of the script's words (Japanese: kana)
that Whisper hears wrong, the film's frames against timing.json, its loudness and true peak, and how many spoken
balloons ever leave the picture while they are spoken. Exits with 1 when a case misses a bar.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from benchmarks.ears import english_words, japanese_kana, kana_error_rate, word_error_rate
from comic_narrator import ffmpeg
from comic_narrator.film import count_frames
from comic_narrator.film.frames import view_at
from comic_narrator.model import PageReading, Script, Timing

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT.parent / "shared" / "pages"
BARS = {"en": 0.08, "ja": 0.15}
"""Words or kana heard wrong, at most."""


@dataclass(frozen=True)
class Case:
    """A book, relative to the repository or to the real pages, and the options it is filmed with."""

    name: str
    book: Path
    options: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()


CASES = (
    Case("sample", ROOT / "samples" / "lighthouse.cbz"),
    Case("sample-manga", ROOT / "samples" / "manga", ("--layout", "manga", "--lang", "ja")),
    Case("sample-webtoon", ROOT / "samples" / "webtoon.png"),
    Case("buster", PAGES / "golden_age_comicinfo" / "BusterBear10.cbz", ("--pages", "1-3")),
    Case("chilling", PAGES / "golden_age_comicinfo" / "ChillingTales013.pdf", ("--pages", "1-2")),
    Case(
        "blackjack",
        PAGES / "blackjack_mangasensei",
        ("--layout", "manga", "--lang", "ja"),
        tuple(f"black_jack_v01_pdf{n:03}.jpg" for n in (7, 9, 73)),
    ),
    Case("webtoon", PAGES / "derived" / "webtoon_peppercarrot_E01_800w.jpg"),
)


def main() -> int:
    """Film and measure the cases; 1 when one misses a bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=[case.name for case in CASES])
    parser.add_argument("--out", type=Path, help="keep the films here, and go on from what is there")
    asked = parser.parse_args()
    out = asked.out or Path(mkdtemp(prefix="hear-"))
    missed = 0
    for case in CASES:
        if asked.only and case.name not in asked.only:
            continue
        if not case.book.exists():
            print(f"{case.name:15} skipped: its pages are not on this machine")
            continue
        missed += not measured(case, out)
    return 1 if missed else 0


def measured(case: Case, out: Path) -> bool:
    """Make the case's film, print its figures, and say whether it keeps the bars."""
    film = out / f"{case.name}.mp4"
    began = time.monotonic()
    command = [sys.executable, "-m", "comic_narrator", str(gathered(case, out)), "-o", str(film), *case.options]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - began
    work = film.with_name(f"{film.name}.work")
    timing = Timing.model_validate_json((work / "timing.json").read_bytes())
    script = Script.model_validate_json((work / "script.json").read_bytes())
    error, words, heard = wrong_share(film, script)
    frames, lost = count_frames(film), balloons_lost(work, timing)
    loudness, peak = loudness_of(film)
    fine = (
        (words == 0 or error <= BARS[script.language[:2]])
        and frames == timing.frames
        and lost == 0
        and abs(loudness + 16) <= 1
        and peak <= -1
    )
    print(
        f"{case.name:15} {'ok  ' if fine else 'MISS'} heard wrong {error:.3f} of {words} words or kana · "
        f"{frames} frames of {timing.frames} · {loudness:.1f} LUFS, {peak:.1f} dBTP · balloons lost {lost} · "
        f"{frames / timing.fps:.0f} s of film in {seconds:.0f} s",
        flush=True,
    )
    (out / f"{case.name}.heard.txt").write_text(heard, encoding="utf-8")
    return fine


def gathered(case: Case, out: Path) -> Path:
    """The case's book; single pictures are copied into a folder of their own."""
    if not case.pictures:
        return case.book
    folder = out / f"{case.name}-pages"
    folder.mkdir(parents=True, exist_ok=True)
    for name in case.pictures:
        shutil.copy2(case.book / name, folder / name)
    return folder


def wrong_share(film: Path, script: Script) -> tuple[float, int, str]:
    """Share of the script that is heard wrong in the film's sound, how many words it has, and what was heard."""
    texts = [beat.text for beat in script.beats if beat.kind == "speech" and beat.text]
    if not texts:
        return 0.0, 0, ""
    if script.language.startswith("ja"):
        heard, written = japanese_kana(film), "。".join(texts)
        return kana_error_rate(written, heard), len(written), heard
    heard, written = english_words(film), " ".join(texts)
    return word_error_rate(written, heard), len(written.split()), heard


def balloons_lost(work: Path, timing: Timing) -> int:
    """How many spoken balloons are not whole in the picture at some moment while they are spoken."""
    lost = 0
    for scene in timing.scenes:
        page = PageReading.model_validate_json((work / "pages" / scene.page / "page.json").read_bytes())
        boxes = {line.id: line.balloon or line.bbox for line in page.lines}
        for clip in scene.clips:
            box = boxes[clip.beat]
            if box is None:
                continue
            for frame in range(round(clip.start * timing.fps), round(clip.end * timing.fps)):
                shot = next(s for s in scene.shots if s.first_frame <= frame < s.end_frame)
                view = view_at(shot, frame)
                across = view.x <= box.x and box.right <= view.x + view.w
                if not (across and view.y <= box.y and box.bottom <= view.y + view.h):
                    lost += 1
                    break
    return lost


def loudness_of(film: Path) -> tuple[float, float]:
    """Integrated loudness (LUFS) and true peak (dBTP) of the film's sound."""
    told = ffmpeg.run(["-i", str(film), "-map", "0:a", "-af", "ebur128=peak=true", "-f", "null", "-"])
    summary = told[told.rindex("Summary:") :]
    integrated, peak = re.findall(r"(?:I|Peak):\s+(-?[\d.]+|-inf) (?:LUFS|dBFS)", summary)
    return float(integrated), float(peak)


if __name__ == "__main__":
    sys.exit(main())
