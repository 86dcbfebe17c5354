"""Momentary sounds that are recordings out of the packages, trimmed and faded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scripts.sounds.recorded import EFFECTS_FONT, MUSIC_FONT, SAMPLES, Package, note, sample
from scripts.sounds.tools import RATE, Wave


@dataclass(frozen=True)
class Taken:
    """A recording: which package, which note of which preset (or which sample), how long, and its tags."""

    package: Package
    tags: str
    bank: int = 0
    program: int = 0
    key: int = 60
    hold: float = 1.0
    length: float = 2.0
    name: str = ""

    def wave(self) -> Wave:
        """The recording, mono, its last tenth of a second faded out."""
        wave = (
            sample(self.name)
            if self.name
            else note(self.package, self.bank, self.program, self.key, self.hold, self.length)
        )
        wave = wave[: round(self.length * RATE)].copy()
        fade = min(len(wave), round(0.1 * RATE))
        wave[-fade:] *= np.cos(np.linspace(0, np.pi / 2, fade))
        return wave


def _gs(tags: str, bank: int, program: int, hold: float, length: float, key: int = 60) -> Taken:
    return Taken(EFFECTS_FONT, tags, bank, program, key, hold, length)


def _gm(tags: str, bank: int, program: int, hold: float, length: float, key: int = 60) -> Taken:
    return Taken(MUSIC_FONT, tags, bank, program, key, hold, length)


def _cc0(tags: str, name: str, length: float = 4.0) -> Taken:
    return Taken(SAMPLES, tags, name=name, length=length)


TAKEN: dict[str, Taken] = {
    "dog": _gs("dog bark woof arf", 1, 123, 1, 1.2),
    "telephone": _gs("telephone phone ring ringing call", 1, 124, 1, 1.2),
    "laughs": _gs("laugh laughter giggle chuckle haha", 1, 126, 2, 2.5),
    "machine-gun": _gs("machine-gun gunfire rat-a-tat burst-fire", 1, 127, 1.2, 1.8),
    "thunder": _gs("thunder lightning thunderclap", 2, 122, 4, 4.5),
    "gallop": _gs("gallop horse hooves clip-clop", 2, 123, 3, 4),
    "door-creak": _gs("door-creak door-opens hinge", 2, 124, 1.5, 2),
    "brakes": _gs("brakes screech skid tyres tires", 2, 125, 1.5, 1.8),
    "scream": _gs("scream shriek wail terror", 2, 126, 1.5, 1.8),
    "ray": _gs("ray lasergun phaser", 2, 127, 0.8, 1.0),
    "bird": _gs("bird birdsong", 3, 123, 1, 1.2),
    "door-slam": _gs("door slam door-slam door-shuts", 3, 124, 1, 1.3),
    "car-pass": _gs("car-pass car drives vehicle-passes", 3, 125, 2.2, 3),
    "punch": _gs("punch sock fist pow uppercut", 3, 126, 0.6, 0.8),
    "explosion": _gs("kaboom bomb explosion-big", 3, 127, 1.5, 2.2),
    "scratch": _gs("scratch claw scrape", 4, 124, 0.6, 0.8),
    "car-crash": _gs("car-crash collision accident", 4, 125, 1.5, 2),
    "chimes": _gs("wind-chimes chimes", 5, 124, 2, 3.5),
    "siren": _gs("siren police ambulance", 5, 125, 2.4, 3),
    "footstep": _gs("footstep single-step tread", 5, 126, 0.5, 0.7),
    "train-pass": _gs("train-pass train locomotive", 6, 125, 3, 4),
    "jet": _gs("jet plane-pass rocket take-off launch", 7, 125, 2.5, 3.5),
    "starship": _gs("starship ufo hover", 8, 125, 1.6, 2.2),
    "seawash": _gm("wave wave-breaks surf-hit", 0, 122, 2, 3),
    "helicopter": _gm("helicopter chopper rotor", 0, 125, 2, 3),
    "applause": _gm("applause clap clapping cheer", 0, 126, 2, 3),
    "gunshot": _gm("gunshot gun shot shoot pistol rifle", 0, 127, 1, 1.8),
    "whistle": _gm("whistle blow-whistle", 0, 78, 0.5, 0.8, 84),
    "church-bell": _gm("church-bell toll knell", 8, 14, 3, 4),
    "drum": _gm("drum taiko beat", 0, 116, 0.5, 1.4),
    "timpani": _gm("timpani drumroll-hit dun", 0, 47, 1, 2, 43),
    "orchestra-hit": _gm("orchestra-hit tada fanfare-hit reveal", 0, 55, 0.8, 1.6),
    "horn": _gm("horn trumpet bugle fanfare", 0, 56, 0.7, 1.2, 67),
    "harp": _gm("harp glissando dream", 0, 46, 0.6, 2.0, 72),
    "music-box": _gm("music-box lullaby-chime", 0, 10, 0.5, 1.6, 84),
    "cymbal": _gm("cymbal crash-cymbal", 128, 0, 1.5, 2.5, 49),
    "reverse": _gm("reverse suck-in inhale-whoosh", 0, 119, 1.5, 2),
    "woodblock": _gm("woodblock tok hollow", 0, 115, 0.3, 0.5, 72),
    "crow": _cc0("crow caw raven", "misc_crow"),
    "burp": _cc0("burp belch", "misc_burp"),
    "till": _cc0("till cash-register kaching money", "perc_till", 2.0),
    "temple-bell": _cc0("temple-bell singing-bowl meditation", "perc_bell"),
    "door-shut": _cc0("door-shut close door-close", "perc_door", 2.0),
    "metal-hit": _cc0("metal-hit pipe anvil", "perc_impact1"),
    "robot": _cc0("robot android machine-voice", "mehackit_robot3"),
    "mobile": _cc0("mobile ringtone cellphone", "mehackit_phone1"),
    "drum-roll": _cc0("drum-roll announce", "drum_roll", 2.5),
    "snap-fingers": _cc0("finger-snap snap-fingers", "perc_snap"),
    "record-scratch": _cc0("record-scratch halt", "vinyl_scratch"),
    "rewind": _cc0("rewind flashback", "vinyl_rewind", 1.6),
    "cinema-boom": _cc0("cinematic-boom doom epic-hit", "misc_cineboom", 4.0),
    "dark-swoosh": _cc0("ominous dark-swoosh shadow", "ambi_dark_woosh", 3.0),
}
