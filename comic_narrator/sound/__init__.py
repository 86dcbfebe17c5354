"""Sound: chooses effects, ambience and music, lays them under the speech and brings the film to one loudness."""

from comic_narrator.sound.choosing import KINDS, Choice, Cue, Placement, choose, find, music_entry
from comic_narrator.sound.folders import read_folder
from comic_narrator.sound.freesound import Found, Freesound
from comic_narrator.sound.library import Kind, Sound, decode, licence_text, shipped
from comic_narrator.sound.loudness import Loudness
from comic_narrator.sound.mix import STEMS, Mixed, mix_film
from comic_narrator.sound.stem import Said, speech_stem

__all__ = [
    "KINDS",
    "STEMS",
    "Choice",
    "Cue",
    "Found",
    "Freesound",
    "Kind",
    "Loudness",
    "Mixed",
    "Placement",
    "Said",
    "Sound",
    "choose",
    "decode",
    "find",
    "licence_text",
    "mix_film",
    "music_entry",
    "read_folder",
    "shipped",
    "speech_stem",
]

METHOD = "sound-4"
"""Raised when the same takes and cues may give another mix."""
