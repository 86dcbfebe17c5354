"""Builds comic_narrator/voices/data/prints.toml: what is measured of every voice of the bank.

    python -m scripts.measure_voices [ID ...]

With ids only those are measured anew. Each voice says the same few sentences; the same bank gives the same numbers, but
for what another processor rounds otherwise.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping

import numpy as np

from comic_narrator.settings import VoiceSettings
from comic_narrator.voice_profiles import VoicePrint, VoiceProfile
from comic_narrator.voices import Delivery
from comic_narrator.voices.bank import PRINTS, built_in
from comic_narrator.voices.embedded import EmbeddedVoice
from comic_narrator.voices.listening import measured

SENTENCES = {
    "en": ("The old lighthouse went dark, and nobody on the island knew why.", "Where were you? I waited all morning!"),
    "ja": ("灯台の明かりが消えて、島の誰もその訳を知らなかった。", "どこにいたの？朝からずっと待っていたよ！"),
}
HEAD = "# Made by scripts/measure_voices.py: pitch in Hz, swing in semitones, brightness in Hz, mel cepstrum in dB.\n"


def main() -> None:
    """Measure the voices and write the file."""
    known = tomllib.loads(PRINTS.read_text(encoding="utf-8")) if PRINTS.is_file() else {}
    wanted = set(sys.argv[1:])
    engine = EmbeddedVoice(VoiceSettings())
    lines = [HEAD]
    for profile in built_in():
        if profile.id not in known or profile.id in wanted or not wanted:
            lines.append(_line(profile.id, vars(measure(engine, profile))))
        else:
            lines.append(_line(profile.id, known[profile.id]))
        print(lines[-1], end="", flush=True)
    PRINTS.write_text("".join(lines), encoding="utf-8")


def measure(engine: EmbeddedVoice, profile: VoiceProfile) -> VoicePrint:
    """The print of a voice of the bank; SystemExit where it has none."""
    texts = SENTENCES[profile.language.partition("-")[0]]
    found = measured(np.concatenate([engine.speak(text, profile, Delivery()) for text in texts]))
    if found is None:
        raise SystemExit(f"{profile.id} has no voice that could be measured.")
    return found


def _line(voice: str, numbers: Mapping[str, object]) -> str:
    timbre = numbers["timbre"]
    assert isinstance(timbre, tuple | list)
    shape = ", ".join(f"{number:.2f}" for number in timbre)
    return (
        f"{voice} = {{ pitch = {numbers['pitch']}, spread = {numbers['spread']}, "
        f"brightness = {numbers['brightness']}, timbre = [{shape}] }}\n"
    )


if __name__ == "__main__":
    main()
