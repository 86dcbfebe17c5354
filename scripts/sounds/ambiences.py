"""Ambiences: stereo loops without a seam; each is what a place sounds like while nothing happens in it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scripts.sounds.recorded import EFFECTS_FONT, MUSIC_FONT, note
from scripts.sounds.tools import (
    RATE,
    Random,
    Wave,
    band,
    drift,
    filtered,
    glide,
    hump,
    level,
    noise,
    pink,
    place,
    ring,
    round_hall,
    seconds,
    shaped,
    strike,
    swept,
    unit,
    wide,
)

LENGTH = 18.0
"""Seconds of a loop."""

Maker = Callable[[Random], Wave]


def silence() -> Wave:
    """An empty loop."""
    return np.zeros((round(LENGTH * RATE), 2))


def ground(rng: Random, low: float, high: float, volume: float = 1.0, alike: float = 0.3) -> Wave:
    """Steady pink noise of a place."""
    return volume * wide(rng, LENGTH, pink(low, high), alike)


def moving(rng: Random, wave: Wave, period: float, least: float) -> Wave:
    """The loop swelling between `least` and 1, its sides a little apart."""
    both = drift(rng, LENGTH, period, least, 1)
    return wave * np.stack([both, np.roll(both, round(0.4 * RATE))], 1)


def scattered(rng: Random, loop: Wave, count: int, make: Callable[[], Wave], low: float, high: float) -> None:
    """Lay `count` sounds over the loop at random, between two levels."""
    for _ in range(count):
        loud = low * (high / low) ** rng.random()
        place(loop, float(rng.uniform(0, LENGTH)), make(), loud, float(rng.uniform(-0.8, 0.8)))


def sustained(rng: Random, wave: Wave) -> Wave:
    """A steady recording as a stereo loop: its pieces, cross-faded in a random order."""
    piece, fade = round(2.2 * RATE), round(0.6 * RATE)
    loop = silence()
    count = round(LENGTH * RATE / (piece - fade))
    window = np.sin(np.pi / 2 * np.minimum(np.minimum(np.arange(piece), np.arange(piece)[::-1]) / fade, 1))
    for side in (0, 1):
        for i in range(count):
            at = int(rng.integers(0, len(wave) - piece))
            first = round(i * LENGTH * RATE / count)
            np.add.at(loop[:, side], np.arange(first, first + piece) % len(loop), wave[at : at + piece] * window)
    return level(loop)


def rain(rng: Random, drops: int, hiss: float, low: float = 900, high: float = 9000) -> Wave:
    """Rain: the far drops as noise, the near ones one by one."""
    loop = moving(rng, hiss * wide(rng, LENGTH, band(low, high, 1), 0.2), 3, 0.7)

    def drop() -> Wave:
        pitch = float(rng.uniform(1500, 7000))
        return ring(rng, 0.03, [(pitch, 1, 0.02), (pitch * 1.7, 0.4, 0.01)])

    scattered(rng, loop, drops, drop, 0.3, 3)
    return loop


def roof_rain(rng: Random) -> Wave:
    """Rain heard from inside: dull, on wood and glass."""
    loop = moving(rng, wide(rng, LENGTH, band(250, 2200, 1), 0.4), 4, 0.7)

    def tap() -> Wave:
        pitch = float(rng.uniform(300, 1400))
        return ring(rng, 0.08, [(pitch, 1, 0.05), (pitch * 2.3, 0.3, 0.02)])

    scattered(rng, loop, 700, tap, 0.3, 2.2)
    return loop


def wind(rng: Random, middle: float, least: float, whistle: float = 0.0, period: float = 3.5) -> Wave:
    """Wind whose pitch rises with its strength; `whistle` is how much it howls in a gap."""
    loop = silence()
    strength = drift(rng, LENGTH, period, least, 1)
    for side in (0, 1):
        gust = np.roll(strength, round(side * 0.5 * RATE))
        for step, octave in enumerate((0.5, 1, 2, 4)):
            rumble = noise(rng, LENGTH, middle * octave * 0.6, middle * octave * 1.4, 1.5)
            loop[:, side] += rumble * gust ** (1 + 0.7 * step) / (1 + 0.6 * step)
        if whistle:
            for pitch in (middle * 2.1, middle * 3.4):
                narrow = shaped(rng, LENGTH, band(pitch * 0.97, pitch * 1.03, 4))
                loop[:, side] += whistle * narrow * gust**3
    return loop


def storm(rng: Random) -> Wave:
    """Wind, rain and far thunder."""
    loop = rain(rng, 900, 0.8, 600, 7000) + 0.9 * wind(rng, 220, 0.3, 0.15)
    for start in (3.0, 11.5):
        place(
            loop, start, filtered(note(EFFECTS_FONT, 2, 122, 55, 4, 6), band(30, 500)), 6, float(rng.uniform(-0.5, 0.5))
        )
    return loop


def leaves(rng: Random) -> Wave:
    """Wind in trees."""
    return moving(rng, wide(rng, LENGTH, band(1800, 7500, 1), 0.2), 2.5, 0.15) + 0.5 * wind(rng, 160, 0.4)


def chirp(rng: Random, low: float, high: float) -> Wave:
    """One call of a bird: a few quick glides."""
    parts = []
    pitch = float(rng.uniform(low, high))
    for _ in range(int(rng.integers(2, 6))):
        length = float(rng.uniform(0.05, 0.14))
        bend = float(rng.uniform(0.75, 1.35))
        time = np.linspace(0, 1, round(length * RATE))
        parts += [glide(pitch * bend**time, (1, 0.15)) * hump(length, 0.3, 1), np.zeros(round(0.04 * RATE))]
    return np.concatenate(parts)


def birds(rng: Random) -> Wave:
    """A wood in the morning."""
    loop = 0.25 * leaves(rng)
    scattered(rng, loop, 26, lambda: chirp(rng, 2200, 5200), 0.1, 0.9)
    tweet, second = note(MUSIC_FONT, 0, 123, 62, 1, 2), note(EFFECTS_FONT, 3, 123, 60, 1, 2)
    for start, call, side in ((2.0, tweet, -0.5), (7.5, second, 0.6), (13.0, tweet, 0.2)):
        place(loop, start, call, 2.5, side)
    return round_hall(rng, loop, 1.2, 0.25)


def crickets(rng: Random) -> Wave:
    """A summer night."""
    loop = 0.2 * ground(rng, 60, 600)
    for _ in range(7):
        pitch, side = float(rng.uniform(3800, 5200)), float(rng.uniform(-0.9, 0.9))
        pulse = np.concatenate([glide(np.full(1200, pitch)) * hump(0.025, 0.4, 1), np.zeros(900)])
        chirps = np.concatenate(
            [np.tile(pulse, int(rng.integers(3, 6))), np.zeros(round(rng.uniform(0.35, 0.8) * RATE))]
        )
        loud, count = float(rng.uniform(0.08, 0.4)), int(LENGTH * RATE // len(chirps))
        for i in range(count):
            place(loop, (i + 0.1 * rng.random()) * LENGTH / count, chirps, loud, side)
    return loop


def jungle(rng: Random) -> Wave:
    """Insects, frogs and strange birds."""
    loop = crickets(rng) + 0.25 * moving(rng, wide(rng, LENGTH, band(5000, 8000, 2)), 2, 0.3)
    scattered(rng, loop, 14, lambda: chirp(rng, 900, 2600), 0.2, 1.0)
    return round_hall(rng, loop, 1.5, 0.3)


def frog(rng: Random) -> Wave:
    """One croak."""
    pitch = float(rng.uniform(180, 420))
    time = seconds(0.3)
    throat = 0.5 + 0.5 * np.sign(np.sin(2 * np.pi * 38 * time))
    return glide(np.full(len(time), pitch), (1, 0.6, 0.5, 0.3)) * throat * hump(0.3, 0.3, 1)


def swamp(rng: Random) -> Wave:
    """Frogs, water and insects."""
    loop = 0.5 * crickets(rng) + 0.3 * water(rng, 40)
    scattered(rng, loop, 40, lambda: frog(rng), 0.05, 0.4)
    return loop


def waves(rng: Random, count: int, low: float, high: float) -> Wave:
    """Waves that run up a beach and draw back."""
    loop = 0.25 * ground(rng, 60, 900)
    for i in range(count):
        length = LENGTH / count * 1.5
        rise = np.interp(np.linspace(0, 1, round(length * RATE)), [0, 0.35, 1], [low, high, low * 1.5])
        for side in (-0.6, 0.6):
            surf = swept(rng, length, np.full(len(rise), 120.0), rise, 12) * hump(length, 0.4, 1.6)
            place(loop, i * LENGTH / count + float(rng.uniform(0, 0.6)), surf, 0.8, side)
    return loop


def ship(rng: Random) -> Wave:
    """A wooden ship: swell against the hull, ropes and planks that creak."""
    loop = waves(rng, 5, 300, 1500)
    scattered(rng, loop, 7, lambda: creak(rng, 90, 1.2), 0.1, 0.35)
    return loop


def creak(rng: Random, rate: float, length: float) -> Wave:
    """Wood or a hinge that sticks and slips: pulses through a few resonances."""
    time = seconds(length)
    speed = rate * (0.6 + 0.8 * hump(length, 0.5, 1)) * (1 + 0.1 * np.sin(2 * np.pi * 3 * time))
    pulses = np.diff(np.floor(np.cumsum(speed) / RATE), prepend=0)
    body = ring(
        rng, 0.06, [(f * float(rng.uniform(0.9, 1.1)), a, 0.03) for f, a in ((420, 1), (870, 0.7), (1650, 0.5))]
    )
    return np.convolve(pulses, body)[: len(time)] * hump(length, 0.4, 1)


def bubble(rng: Random, low: float = 300, high: float = 1800) -> Wave:
    """One bubble (Minnaert: a decaying tone that rises)."""
    pitch, length = float(rng.uniform(low, high)), float(rng.uniform(0.04, 0.12))
    time = np.linspace(0, 1, round(length * RATE))
    return glide(pitch * (1 + 0.5 * time**2)) * strike(length, length, 0.003)


def water(rng: Random, bubbles: int) -> Wave:
    """Running water."""
    loop = 0.5 * wide(rng, LENGTH, band(400, 3500, 1), 0.2)
    scattered(rng, loop, bubbles * 10, lambda: bubble(rng), 0.1, 1.2)
    return loop


def underwater(rng: Random) -> Wave:
    """Below the surface."""
    loop = moving(rng, ground(rng, 30, 260, 1.0, 0.6), 4, 0.5)
    for _ in range(9):
        start, side = float(rng.uniform(0, LENGTH)), float(rng.uniform(-0.6, 0.6))
        for i in range(int(rng.integers(4, 10))):
            place(loop, start + 0.07 * i, bubble(rng, 250, 900), 0.8, side)
    return loop


def cave(rng: Random) -> Wave:
    """Drops that echo in the dark."""
    loop = 0.12 * ground(rng, 40, 300, 1.0, 0.6)
    scattered(rng, loop, 11, lambda: bubble(rng, 900, 2600), 0.5, 1.5)
    return round_hall(rng, loop, 3.5, 0.9, 4000)


def room(rng: Random) -> Wave:
    """A quiet room: air, and a mains hum one barely hears."""
    time = seconds(LENGTH)
    hum = 0.05 * np.sin(2 * np.pi * 100 * time) + 0.03 * np.sin(2 * np.pi * 150 * time)
    return ground(rng, 50, 900) + hum[:, None]


def clock(rng: Random) -> Wave:
    """A quiet room with a clock."""
    loop = 0.2 * room(rng)
    for i in range(18):
        pitch = 2300 if i % 2 else 1900
        tick = ring(rng, 0.06, [(pitch, 1, 0.03), (pitch * 2.1, 0.6, 0.02), (480, 0.5, 0.04)])
        place(loop, 0.5 + i * LENGTH / 18, tick, 0.9, 0.15)
    return round_hall(rng, loop, 0.5, 0.25)


def fire(rng: Random, cracks: int = 260) -> Wave:
    """A fire: a low flutter, hiss, and cracks of all sizes."""
    loop = moving(rng, 0.5 * ground(rng, 60, 500), 0.7, 0.3) + 0.12 * wide(rng, LENGTH, band(2500, 9000, 1))

    def crack() -> Wave:
        length = float(rng.uniform(0.004, 0.03))
        return noise(rng, length, 800, 9000, 1) * strike(length, length, 0.0005)

    scattered(rng, loop, cracks, crack, 0.1, 3)
    return loop


def voice(rng: Random, length: float = 0.22) -> Wave:
    """A syllable of nobody: a glottal tone through the formants of a vowel, too blurred to be a word."""
    pitch = float(rng.choice([110, 125, 140, 190, 210, 235])) * float(rng.uniform(0.9, 1.1))
    first, second = [(730, 1090), (530, 1840), (390, 1990), (570, 840), (440, 1020)][int(rng.integers(5))]
    time = np.linspace(0, 1, round(length * RATE))
    tone = glide(pitch * (1.06 - 0.12 * time), [1 / (i + 1) for i in range(18)])
    vowel = filtered(tone, lambda hz: band(first * 0.85, first * 1.15)(hz) + 0.5 * band(second * 0.9, second * 1.1)(hz))
    return level(vowel) * hump(length, 0.3, 0.8)


def murmur(rng: Random, people: int, hush: float = 0.5) -> Wave:
    """People who talk, none of whom can be understood."""
    loop = silence()
    for _ in range(people):
        start, side, loud = float(rng.uniform(0, LENGTH)), float(rng.uniform(-0.9, 0.9)), float(rng.uniform(0.15, 0.7))
        for _ in range(int(LENGTH * 2.2)):
            place(loop, start, voice(rng, float(rng.uniform(0.12, 0.3))), loud, side)
            start += float(rng.uniform(0.14, 0.3)) + (float(rng.uniform(0.4, 1.5)) if rng.random() < 0.14 else 0)
    loop = level(round_hall(rng, loop, 0.9, 0.8, 2500))
    return loop + hush * wide(rng, LENGTH, pink(120, 2500))


def tavern(rng: Random) -> Wave:
    """Talk, and cups and plates."""
    loop = murmur(rng, 9)

    def clink() -> Wave:
        pitch = float(rng.uniform(2500, 5200))
        return ring(rng, 0.3, [(pitch, 1, 0.2), (pitch * 1.52, 0.6, 0.15), (pitch * 2.3, 0.4, 0.08)])

    scattered(rng, loop, 22, clink, 0.1, 0.7)
    return round_hall(rng, loop, 0.7, 0.3)


def stadium(rng: Random) -> Wave:
    """A crowd that claps and roars."""
    return sustained(rng, note(MUSIC_FONT, 0, 126, 60, 8, 8)) + 0.8 * moving(rng, murmur(rng, 16, 1.2), 3, 0.5)


def traffic(rng: Random, cars: int, siren: bool = False) -> Wave:
    """A street: a steady rumble and cars that pass."""
    loop = moving(rng, ground(rng, 40, 700, 0.8), 4, 0.6)
    passing = note(EFFECTS_FONT, 3, 125, 58, 3, 4.5)
    for i in range(cars):
        place(loop, (i + float(rng.random())) * LENGTH / cars, passing, 14, float(rng.uniform(-0.8, 0.8)))
    if siren:
        far = filtered(note(EFFECTS_FONT, 5, 125, 57, 5, 6), band(300, 1300)) * hump(6, 0.5, 1)
        place(loop, 6, far, 0.5, -0.5)
    return round_hall(rng, loop, 1.0, 0.3)


def railway(rng: Random) -> Wave:
    """Inside a train: rumble, and the joints of the rails."""
    loop = moving(rng, ground(rng, 35, 500, 0.9, 0.5), 3, 0.7)
    for i in range(24):
        for offset, loud in ((0, 1.0), (0.14, 0.8)):
            thud = noise(rng, 0.14, 70, 600, 1) * strike(0.14, 0.12)
            place(loop, i * LENGTH / 24 + offset, thud, 1.6 * loud, 0.1)
    return loop


def engine(rng: Random, pitch: float, roughness: float) -> Wave:
    """A motor that runs: harmonics of its turning, rough, in a cabin."""
    cycles = round(pitch * LENGTH)
    time = seconds(LENGTH) * cycles / LENGTH
    tone = np.zeros(len(time))
    for harmonic in range(1, 14):
        tone += np.sin(2 * np.pi * harmonic * time + 2 * np.pi * rng.random()) / harmonic**1.1
    rough = 1 + roughness * level(noise(rng, LENGTH, 4, 60, 1))
    return ground(rng, 40, 900, 0.5) + (level(tone) * rough)[:, None]


def machines(rng: Random) -> Wave:
    """A works: a press, a belt, steam."""
    loop = 0.5 * engine(rng, 48, 0.2)
    for i in range(18):
        thud = noise(rng, 0.4, 50, 300) * strike(0.4, 0.3) + 0.4 * ring(
            rng, 0.4, [(310, 1, 0.3), (742, 0.7, 0.2), (1290, 0.5, 0.15), (2130, 0.3, 0.1)]
        )
        place(loop, i * 1.0, thud, 1.0, -0.4)
        if i % 3 == 1:
            place(loop, i + 0.5, noise(rng, 0.7, 2500, 9000) * hump(0.7, 0.2, 1.5), 0.25, 0.6)
    return round_hall(rng, loop, 1.4, 0.4)


def computers(rng: Random) -> Wave:
    """A laboratory: fans and small signals."""
    loop = 0.5 * engine(rng, 118, 0.05) + 0.4 * ground(rng, 200, 3000)
    for i in range(12):
        pitch = float(rng.choice([880, 1175, 1320, 1760, 2093]))
        beep = glide(np.full(round(0.09 * RATE), pitch)) * hump(0.09, 0.1, 0.3)
        place(loop, i * 1.5 + float(rng.uniform(0, 0.8)), beep, 0.7, float(rng.uniform(-0.8, 0.8)))
    return loop


def ward(rng: Random) -> Wave:
    """A hospital room: air, and a monitor."""
    loop = 0.5 * room(rng)
    for i in range(20):
        place(loop, i * LENGTH / 20, glide(np.full(round(0.12 * RATE), 988.0)) * hump(0.12, 0.1, 0.3), 0.8, 0.3)
    return round_hall(rng, loop, 0.6, 0.2)


def starship(rng: Random) -> Wave:
    """The hum of a vessel in space."""
    return 0.7 * engine(rng, 55, 0.08) + moving(rng, wide(rng, LENGTH, band(150, 420, 3)), 6, 0.4)


def battle(rng: Random) -> Wave:
    """A fight far away."""
    loop = 0.5 * moving(rng, ground(rng, 40, 400), 2, 0.4)
    boom, shots = note(EFFECTS_FONT, 3, 127, 48, 2, 3), note(EFFECTS_FONT, 1, 127, 60, 1.5, 2)
    for start, side in ((0.8, -0.6), (4.9, 0.5), (9.2, -0.2), (13.8, 0.7)):
        place(loop, start, filtered(boom, band(40, 500)), 5, side)
    for start, side in ((2.6, 0.6), (7.4, -0.7), (11.6, 0.3), (16, -0.4)):
        place(loop, start, filtered(shots, band(100, 1400)), 5, side)
    return round_hall(rng, loop, 2.0, 0.7, 1500)


def eerie(rng: Random) -> Wave:
    """A place where something is wrong: a low cluster that shifts."""
    loop = 0.25 * wind(rng, 300, 0.3, 0.4)
    for pitch in (55.0, 58.3, 82.4, 87.3, 116.5):
        cycles = round(pitch * LENGTH)
        tone = np.sin(2 * np.pi * cycles * seconds(LENGTH) / LENGTH)
        for side in (0, 1):
            loop[:, side] += tone * drift(rng, LENGTH, 5, 0, 0.6)
    return round_hall(rng, loop, 3.0, 0.5)


def hallway(rng: Random) -> Wave:
    """A large building: far steps and doors."""
    loop = 0.3 * ground(rng, 50, 500, 1.0, 0.5)
    step, door = note(EFFECTS_FONT, 5, 126, 60, 0.5, 0.8), note(EFFECTS_FONT, 3, 124, 57, 1, 2)
    for i in range(9):
        place(loop, 2 + 0.62 * i, unit(filtered(step, band(100, 1500))), 0.8 + 0.1 * i, -0.5 + 0.1 * i)
    place(loop, 12.5, unit(filtered(door, band(80, 900))), 2.0, 0.4)
    return round_hall(rng, loop, 2.8, 0.9, 2500)


def office(rng: Random) -> Wave:
    """Quiet talk, keys, paper."""
    loop = 0.35 * murmur(rng, 3) + 0.3 * room(rng)
    for start in (1.5, 6.0, 10.5, 14.5):
        for i in range(int(rng.integers(6, 16))):
            key = ring(rng, 0.03, [(float(rng.uniform(1500, 3500)), 1, 0.02), (600, 0.6, 0.02)])
            place(loop, start + 0.13 * i + float(rng.uniform(0, 0.05)), key, 0.35, 0.4)
    return loop


def church(rng: Random) -> Wave:
    """A great hall of stone, nearly silent, with a far organ note."""
    loop = 0.3 * ground(rng, 40, 400, 1.0, 0.6)
    far = unit(filtered(note(MUSIC_FONT, 0, 19, 48, 5, 7), band(60, 700))) * hump(7, 0.4, 1)
    for start in (0.0, 9.0):
        place(loop, start, far, 0.7, 0.0)
    return round_hall(rng, loop, 4.0, 0.9)


def farm(rng: Random) -> Wave:
    """A yard: birds, a dog far off, hens."""
    loop = 0.6 * birds(rng)
    place(loop, 9.0, filtered(note(EFFECTS_FONT, 1, 123, 60, 1, 1.5), band(200, 1500)), 0.8, -0.7)
    for start in (1, 1.4, 1.7, 5, 5.3, 12, 12.4, 12.6, 15.5):
        pitch = 420 + 260 * hump(0.14, 0.5, 1)
        place(loop, start, glide(pitch, (1, 0.7, 0.5, 0.3)) * hump(0.14, 0.3, 1), 0.25, 0.5)
    return loop


AMBIENCES: dict[str, tuple[Maker, str]] = {
    "rain": (lambda r: rain(r, 1500, 0.7), "rain rainfall drizzle raindrops shower"),
    "heavy-rain": (lambda r: rain(r, 2600, 1.3, 500, 8000), "downpour pouring cloudburst torrent monsoon"),
    "rain-on-roof": (roof_rain, "rain-indoors rain-window roof attic"),
    "storm": (storm, "storm thunderstorm tempest hurricane typhoon"),
    "wind": (lambda r: wind(r, 240, 0.35), "wind breeze windy hill mountain plain rooftop"),
    "gale": (lambda r: wind(r, 330, 0.45, 0.35), "gale howling blizzard snowstorm gust"),
    "desert": (lambda r: wind(r, 420, 0.2, 0.0, 6), "desert sand dunes wasteland"),
    "snow": (lambda r: wind(r, 150, 0.25, 0.08, 6), "snow winter ice arctic tundra"),
    "trees": (leaves, "trees leaves rustling park grove garden"),
    "forest": (birds, "forest wood woods woodland birds morning meadow countryside"),
    "jungle": (jungle, "jungle rainforest tropics"),
    "swamp": (swamp, "swamp marsh frogs bog"),
    "night": (crickets, "night crickets midnight evening camp"),
    "farm": (farm, "farm barn village yard"),
    "beach": (lambda r: waves(r, 3, 700, 4500), "beach sea shore seaside surf coast waves"),
    "ship": (ship, "ship boat deck sailing ocean harbour harbor"),
    "stream": (lambda r: level(0.6 * water(r, 60) + 0.6 * sustained(r, note(EFFECTS_FONT, 4, 122, 60, 8, 8))),
               "stream river brook creek fountain"),
    "waterfall": (lambda r: wide(r, LENGTH, pink(150, 6000)) + 0.3 * water(r, 90), "waterfall rapids cascade"),
    "underwater": (underwater, "underwater submarine seabed diving"),
    "cave": (cave, "cave cavern tunnel sewer dungeon cellar dripping"),
    "room": (room, "room indoors house home bedroom"),
    "clock": (clock, "clock ticking study library parlour waiting"),
    "fire": (fire, "fire fireplace hearth campfire burning crackling"),
    "blaze": (lambda r: fire(r, 700) + moving(r, ground(r, 40, 900, 1.2), 0.5, 0.5), "blaze inferno flames burning-house"),
    "crowd": (lambda r: murmur(r, 14), "crowd people murmur audience gathering"),
    "market": (lambda r: murmur(r, 16, 0.7) + 0.3 * traffic(r, 2), "market bazaar fair square street-crowd"),
    "tavern": (tavern, "tavern inn bar pub cafe restaurant coffee diner"),
    "stadium": (stadium, "stadium arena applause cheering match concert"),
    "city": (lambda r: traffic(r, 6), "city street traffic road town downtown"),
    "city-night": (lambda r: traffic(r, 3, True), "city-night alley nightfall streetlight"),
    "train": (railway, "train railway carriage subway rails"),
    "car": (lambda r: engine(r, 41, 0.25), "car driving engine motor vehicle truck"),
    "aeroplane": (lambda r: sustained(r, note(EFFECTS_FONT, 7, 125, 52, 8, 8)) + engine(r, 88, 0.05),
                  "aeroplane airplane plane aircraft jet cabin flight"),
    "spaceship": (starship, "spaceship starship space bridge"),
    "laboratory": (computers, "laboratory lab computers electronics server"),
    "hospital": (ward, "hospital ward clinic sickroom monitor"),
    "factory": (machines, "factory machines workshop machinery mill"),
    "battlefield": (battle, "battlefield battle war fighting front trenches"),
    "eerie": (eerie, "eerie haunted ghostly graveyard crypt nightmare"),
    "hall": (hallway, "hall hallway corridor station museum castle palace"),
    "office": (office, "office school classroom newsroom typing"),
    "church": (church, "church temple cathedral chapel"),
}  # fmt: skip
"""Each by name: how it is made, and its tags."""
