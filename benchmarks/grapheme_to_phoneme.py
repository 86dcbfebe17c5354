"""Which way from letters to phonemes Whisper understands best: gruut against espeak-ng, and each voice of the bank.

    python -m benchmarks.grapheme_to_phoneme [--voice af_heart] [--bank [ID ...]]

Prints the word error rate (Japanese: kana error rate) and the real-time factor of each way, or of each voice.
espeak-ng (GPL-3) is measured where its program is found; nothing in the package uses it.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from typing import NamedTuple

from benchmarks.ears import english_words, japanese_kana, kana_error_rate, word_error_rate
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.settings import VoiceSettings
from comic_narrator.voices import Delivery, Samples, VoiceProfile, bank
from comic_narrator.voices.embedded import EmbeddedVoice
from comic_narrator.voices.phonemes import phonemes

ENGLISH = (
    "GET OUT OF HERE, YOU BIG APE, BEFORE THE ROOF COMES DOWN!",
    "Meanwhile, on the other side of the city, the rain would not stop.",
    "Three hours later I've got $100 in my pocket, and nobody saw me leave the bank.",
    "It was the summer of 1955 when the old lighthouse went dark for good.",
    "I don't believe it… the whole crew has vanished without a trace!",
    "You won't get away with this, Doctor Cobalt! We've called the police.",
    "Sir, the TV says that the river is rising and the bridge is gone.",
    "Nooooo! They're stealing the last rocket!",
    "Wait, what was that noise? It came from behind the kitchen door.",
    "The princess couldn't sleep, so she went down to feed the dragon.",
    "Careful, partner. That canyon is full of rattlesnakes and worse.",
    "We leave at 5:30 tomorrow morning, so pack light and bring a torch.",
    "My grandfather built this robot, and it has never hurt anybody.",
    "If the shield fails, we have less than twenty seconds to reach the surface.",
    "Look at those tracks. Whatever walked here was heavier than an elephant.",
    "I'm sorry, captain. The engine is finished, and so are we.",
    "Somebody should have told the mayor about the tunnels under the market.",
    "Hey, little brother, who taught you how to throw a punch like that?",
    "Every night the same dream: a staircase, a mirror, and a voice calling my name.",
    "Ladies and gentlemen, please remain seated until the monster has left the theater.",
)

JAPANESE = (
    "早く逃げろ！橋が落ちるぞ！",
    "あの日から、もう3年が過ぎた。",
    "お兄ちゃん、どこへ行くの？",
    "先生、昨日の宿題を忘れました。",
    "夜の町に、静かに雨が降っていた。",
    "この剣は、王様だけが使えるものだ。",
)

BANK_TEXT = (
    "Careful, partner. That canyon is full of rattlesnakes and worse. The princess couldn't sleep, so she went down to"
    " feed the dragon. I'm sorry, captain. The engine is finished, and so are we."
)
BANK_TEXT_JAPANESE = "夜の町に、静かに雨が降っていた。先生、昨日の宿題を忘れました。"

_ESPEAK = {
    "a^ɪ": "I", "a^ʊ": "W", "e^ɪ": "A", "o^ʊ": "O", "ɔ^ɪ": "Y", "t^ʃ": "ʧ", "d^ʒ": "ʤ", "ə^l": "ᵊl", "ɜː": "ɜɹ",
    "ɚ": "əɹ", "n̩": "ᵊn", "ɾ": "T", "ʔ": "t", "r": "ɹ", "x": "k", "ː": "", "^": "",
}  # fmt: skip


class Measured(NamedTuple):
    """Error rate over all texts, and seconds of work for a second of sound."""

    error: float
    real_time: float


def espeak(text: str, language: str) -> str:
    """English `text` by the espeak-ng program in Kokoro's alphabet; marks are kept, words between them are read."""
    del language
    said = ""
    for piece in re.split(r"([.,!?;:—…]+(?=\s|$))", text):
        if re.fullmatch(r"[.,!?;:—…]+", piece):
            said += piece + " "
        elif piece.strip():
            command = ["espeak-ng", "-q", "--ipa", "--tie=^", "-v", "en-us", piece]
            spoken = " ".join(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
            for sign, letter in _ESPEAK.items():
                spoken = spoken.replace(sign, letter)
            said += spoken
    return said.strip()


def measure(
    voice: EmbeddedVoice, profile: VoiceProfile, texts: tuple[str, ...], read: Callable[[str, str], str]
) -> Measured:
    """Speak and hear `texts`, read by `read`; texts weigh by their length."""
    wrong = letters = worked = lasted = 0.0
    for text in texts:
        began = time.perf_counter()
        take: Samples = voice.say(read(text, profile.language), profile, Delivery())
        worked += time.perf_counter() - began
        lasted += len(take) / SAMPLE_RATE
        weight = len(text.split()) if profile.language != "ja" else len(text)
        error, heard = _error(text, take, profile.language)
        wrong, letters = wrong + error * weight, letters + weight
        if error:
            print(f"    {error:.2f} {text}\n      -> {heard}", flush=True)
    return Measured(wrong / letters, worked / lasted)


def _error(text: str, take: Samples, language: str) -> tuple[float, str]:
    if language == "ja":
        heard = japanese_kana(take)
        return kana_error_rate(text, heard), heard
    heard = english_words(take)
    # A cry is as long as its letterer liked; only the word counts.
    return word_error_rate(re.sub(r"(.)\1{2,}", r"\1", text), heard), heard


def main() -> None:
    """Measure and print a line for each way of reading, or with --bank for each voice."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--bank", nargs="*", metavar="ID", help="measure these voices, or all, instead of the ways")
    parser.add_argument("--voice", default="af_heart")
    chosen = parser.parse_args()
    voice, known = EmbeddedVoice(VoiceSettings()), {profile.id: profile for profile in bank.built_in()}
    voice.speak("Ready.", known[chosen.voice], Delivery())
    if chosen.bank is not None:
        for profile in (known[name] for name in chosen.bank or known):
            text = BANK_TEXT_JAPANESE if profile.language == "ja" else BANK_TEXT
            error, real_time = measure(voice, profile, (text,), phonemes)
            print(f"{profile.id:14} error {error:.3f}  RTF {real_time:.2f}", flush=True)
        return
    ways: dict[str, Callable[[str, str], str]] = {"gruut": phonemes}
    if shutil.which("espeak-ng"):
        ways["espeak-ng"] = espeak
    for name, read in ways.items():
        error, real_time = measure(voice, known[chosen.voice], ENGLISH, read)
        print(f"{name:14} WER {error:.3f}  RTF {real_time:.2f}", flush=True)
    error, real_time = measure(voice, known["jf_alpha"], JAPANESE, phonemes)
    print(f"{'pyopenjtalk':14} kana CER {error:.3f}  RTF {real_time:.2f}", flush=True)


if __name__ == "__main__":
    main()
