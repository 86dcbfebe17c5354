"""How quick each voice is and how well it is understood.

    python -m benchmarks.voices [ID ...] [--colourings] [--lang ja]

A line for each voice, or with --colourings for each thing that can be done to a man's and a woman's voice: seconds of
one core for a second of speech (real-time factor), and the share of words (Japanese: kana) that Whisper hears wrong.
Exits with 1 when the mean misses a bar, or a colouring that of its words.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace
from statistics import fmean
from typing import get_args

import numpy as np

from benchmarks.ears import english_words, japanese_kana, kana_error_rate, word_error_rate
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.settings import VoiceSettings
from comic_narrator.voice_profiles import Colouring, VoiceProfile
from comic_narrator.voices import Delivery
from comic_narrator.voices.embedded import EmbeddedVoice

TEXTS = {
    "en": (
        "The old lighthouse went dark, and nobody on the island knew the reason for it.",
        "Get away from that door! Do you hear me?",
        "I have read the manual nine times, and I still don't know what the red lever is for.",
        "We found three hundred dollars under the kitchen floor.",
    ),
    "ja": (
        "灯台の明かりが消えて、島の誰もその訳を知らなかった。",
        "そのドアから離れろ！聞こえないのか？",
        "先生、昨日の宿題を忘れました。",
        "朝からずっと駅で待っていたよ。",
    ),
}
REST = np.zeros(SAMPLE_RATE // 2, np.float32)
MOST_WRONG = 0.05
MOST_SECONDS = 0.6


@dataclass(frozen=True)
class Figures:
    """What was measured of one voice."""

    seconds: float
    core_seconds: float
    wrong: float

    @property
    def factor(self) -> float:
        """Seconds of one core for a second of speech."""
        return self.core_seconds / self.seconds


def measure(engine: EmbeddedVoice, profile: VoiceProfile, delivery: Delivery, texts: tuple[str, ...]) -> Figures:
    """Speak the texts and listen to them together."""
    before = time.process_time()
    takes = [engine.speak(text, profile, delivery) for text in texts]
    spent = time.process_time() - before
    sound = np.concatenate([part for take in takes for part in (take, REST)])
    if profile.language.startswith("ja"):
        wrong = kana_error_rate("。".join(texts), japanese_kana(sound))
    else:
        wrong = word_error_rate(" ".join(texts), english_words(sound))
    return Figures(sum(map(len, takes)) / SAMPLE_RATE, spent, wrong)


def main() -> int:
    """Measure and print; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--colourings", action="store_true")
    asked = parser.parse_args()
    engine = EmbeddedVoice(VoiceSettings(processes=64))
    voices = [p for p in engine.profiles(asked.lang) if not asked.ids or p.id in asked.ids]
    texts = TEXTS[asked.lang[:2]]
    engine.speak(texts[0], voices[0], Delivery())
    rows: list[tuple[str, VoiceProfile, Delivery]] = [(p.id, p, Delivery()) for p in voices]
    if asked.colourings:
        plain = [p for p in voices if p.colouring is None]
        pairs = [next(p for p in plain if p.sex == sex) for sex in ("female", "male")]
        rows = [_coloured(colouring, p) for colouring in get_args(Colouring) for p in pairs]
    found = []
    print(f"{'voice':24} {'seconds':>8} {'factor':>7} {'wrong':>7}")
    for name, profile, delivery in rows:
        figures = measure(engine, profile, delivery, texts)
        found.append(figures)
        print(f"{name:24} {figures.seconds:8.1f} {figures.factor:7.2f} {figures.wrong:7.1%}", flush=True)
    factor, wrong = fmean(f.factor for f in found), fmean(f.wrong for f in found)
    print(f"{'mean':24} {sum(f.seconds for f in found):8.1f} {factor:7.2f} {wrong:7.1%}")
    # One voice's time differs by a tenth from run to run: its bar is the mean's.
    misheard = asked.colourings and any(f.wrong > MOST_WRONG for f in found)
    return int(misheard or factor > MOST_SECONDS or wrong > MOST_WRONG)


def _coloured(colouring: Colouring, profile: VoiceProfile) -> tuple[str, VoiceProfile, Delivery]:
    name = f"{colouring} {profile.id}"
    if colouring in ("whisper", "thought"):
        return name, profile, Delivery(colouring=colouring, effort=-0.8 if colouring == "whisper" else -0.2)
    return name, replace(profile, colouring=colouring), Delivery()


if __name__ == "__main__":
    sys.exit(main())
