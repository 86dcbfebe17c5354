"""Lines of real comics said and heard again: `python -m benchmarks.round_trip [--lines 200] [--lang en] [--out DIR]`.

The lines are the truth of the pages in ../shared and of our samples, and the samples' scripts, as printed. Each is
turned into spoken words, said by the voices of the bank in turn with the tone that the truth has, and listened to by
Whisper with its neighbours.
Printed are the share of words (English, compared by their sound) or kana (Japanese) that are heard wrong.
Exits with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import soundfile

from benchmarks.ears import japanese_kana, kana_error_rate, words_wrong
from benchmarks.lines import Printed, printed_lines
from comic_narrator.model import SAMPLE_RATE, Line
from comic_narrator.script import to_spoken
from comic_narrator.script.delivery import manner_of
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, Samples
from comic_narrator.voices.ears import bare_kana as kana
from comic_narrator.voices.ears import normal_words, transcribed, whisper
from comic_narrator.voices.embedded import EmbeddedVoice

BARS = {"en": 0.04, "ja": 0.10}
TOGETHER = 9.0
"""Seconds of speech that are listened to at once; Whisper loses itself in more."""


def main() -> int:
    """Say, hear, count; 1 when the bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=200)
    parser.add_argument("--lang", default="en", choices=sorted(BARS))
    parser.add_argument("--out", type=Path, help="keep what was said here")
    asked = parser.parse_args()
    engine = EmbeddedVoice(VoiceSettings())
    voices = [p for p in engine.profiles(asked.lang) if p.colouring is None and p.id != "af_nicole"]
    batch: list[tuple[str, Samples]] = []
    wrong = total = lines = 0
    for i, line in enumerate(list(printed_lines(asked.lang))[: asked.lines]):
        spoken = to_spoken(line.text, asked.lang)
        if spoken is None:
            continue
        lines += 1
        manner = manner_of(Line(id="1", panel="1", confidence=1, **_of(line)), None, 1.0)
        delivery = Delivery(manner.speed, line.tone, None, manner.effort, manner.colouring)
        batch.append((spoken, engine.speak(spoken, voices[(i // 6) % len(voices)], delivery)))
        if sum(len(take) for _, take in batch) > TOGETHER * SAMPLE_RATE:
            wrong, total = _counted(batch, asked.lang, asked.out, wrong, total)
            batch = []
    if batch:
        wrong, total = _counted(batch, asked.lang, asked.out, wrong, total)
    fewer = f" (of {asked.lines} asked for: there are no more)" if lines < asked.lines else ""
    unit = "words" if asked.lang == "en" else "kana"
    print(f"{lines} lines{fewer}, {total} {unit}: {wrong / max(total, 1):.1%} heard wrong")
    return int(wrong > BARS[asked.lang] * total)


def _of(line: Printed) -> dict[str, str | None]:
    return {"kind": line.kind, "text": line.text, "tone": line.tone}


def _counted(
    batch: list[tuple[str, Samples]], language: str, out: Path | None, wrong: int, total: int
) -> tuple[int, int]:
    rest = np.zeros(round(0.45 * SAMPLE_RATE), np.float32)
    sound = np.concatenate([part for _, take in batch for part in (take, rest)])
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        soundfile.write(out / f"{language}-{total:05}.flac", sound, SAMPLE_RATE)
    written = " ".join(text for text, _ in batch)
    if language == "ja":
        heard, count = japanese_kana(sound), len(kana(written))
        bad = round(kana_error_rate(written, heard) * count)
        if bad > 0.15 * count:
            print(f"  written {kana(written)}\n  heard   {heard}", flush=True)
        return wrong + bad, total + count
    # The larger model, which hears English as well: tiny.en alone has a twentieth of such words wrong.
    heard = normal_words(transcribed(whisper("ja"), sound, "en"))
    bad = words_wrong(written, heard)
    if bad:
        print(f"  {bad} wrong\n  written {normal_words(written)}\n  heard   {heard}", flush=True)
    return wrong + bad, total + len(normal_words(written).split())


if __name__ == "__main__":
    sys.exit(main())
