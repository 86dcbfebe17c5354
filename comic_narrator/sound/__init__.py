"""Sound: places the takes on the time line, lays a bed of music under them and brings the film to one loudness."""

from comic_narrator.sound.bed import BED_CREDIT, make_bed
from comic_narrator.sound.loudness import Loudness
from comic_narrator.sound.mix import mix_film
from comic_narrator.sound.stem import speech_stem

__all__ = ["BED_CREDIT", "Loudness", "make_bed", "mix_film", "speech_stem"]

METHOD = "sound-1"
"""Raised when the same takes may give another mix."""
