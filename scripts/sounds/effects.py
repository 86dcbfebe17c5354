"""Momentary sounds made by our own synthesis; recorded ones are in taken.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scripts.sounds.ambiences import bubble, chirp, creak, frog
from scripts.sounds.tools import (
    RATE,
    Random,
    Wave,
    add,
    band,
    filtered,
    glide,
    hall,
    hump,
    joined,
    level,
    noise,
    ring,
    seconds,
    strike,
    swept,
    unit,
)

Maker = Callable[[Random], Wave]


def line(length: float, *stops: float) -> Wave:
    """A curve through equally spaced stops, a value a sample."""
    return np.interp(np.linspace(0, 1, round(length * RATE)), np.linspace(0, 1, len(stops)), stops)


def whoosh(rng: Random, length: float, low: float, high: float, rise: float = 0.45) -> Wave:
    """Something that rushes past: a band of noise that rises and falls in pitch."""
    tops = line(length, low, high, low)
    return swept(rng, length, tops * 0.4, tops) * hump(length, rise, 1.8)


def thud(rng: Random, pitch: float, length: float, click: float = 0.5) -> Wave:
    """A blow on something heavy: a tone that drops, and a click."""
    time = seconds(length)
    body = glide(pitch * (0.6 + 0.9 * np.exp(-time * 25))) * strike(length, length)
    tick = noise(rng, 0.05, 300, 5000, 1) * strike(0.05, 0.03)
    return joined((0, body, 1.0), (0, tick, 0.25 * click))


def boom(rng: Random, length: float, bright: float) -> Wave:
    """An explosion: a shock, a roar whose brightness dies away, falling debris."""
    out = 0.9 * thud(rng, 55, length * 0.6)
    out = np.pad(out, (0, round(length * RATE) - len(out)))
    out += (
        0.5
        * swept(rng, length, line(length, 60, 40), line(length, bright, bright / 6, 150))
        * strike(length, length, 0.004)
    )
    for _ in range(int(30 * length)):
        at = float(rng.uniform(0.15, 0.8)) * length
        bit = noise(rng, 0.06, 400, 3500, 1) * strike(0.06, 0.05)
        add(out, at, bit, 0.08 * float(rng.random()) * (1 - at / length))
    return np.tanh(1.6 * out)


def modes(rng: Random, base: float, ratios: Sequence[float], length: float, decay: float, dull: float = 0.5) -> Wave:
    """Something struck that rings with these ratios."""
    partials = [
        (base * r * float(rng.uniform(0.99, 1.01)), 1 / (1 + dull * i), decay / (1 + 0.5 * i))
        for i, r in enumerate(ratios)
    ]
    return ring(rng, length, partials)


PLATE = (1, 1.52, 2.03, 2.74, 3.31, 4.12, 5.27, 6.61, 8.2)
BAR = (1, 2.76, 5.40, 8.93)
BELL = (0.5, 1, 1.2, 1.5, 2, 2.5, 2.67, 3, 4)


def crash(rng: Random) -> Wave:
    """Things of metal and wood that fall over each other."""
    out = np.zeros(round(1.8 * RATE))
    for i in range(14):
        at = float(rng.uniform(0, 0.12)) if i < 4 else float(rng.uniform(0.05, 1.0))
        add(
            out,
            at,
            modes(rng, float(rng.uniform(180, 900)), PLATE, 0.7, 0.5),
            float(rng.uniform(0.2, 0.6)) * (1 - 0.5 * at),
        )
        add(out, at, noise(rng, 0.2, 300, 6000, 1) * strike(0.2, 0.15), 0.35 * (1 - 0.6 * at))
    return joined((0, out, 0.6), (0, thud(rng, 90, 0.4), 1.5))


def glass(rng: Random) -> Wave:
    """A pane that breaks, and its splinters."""
    out = np.pad(noise(rng, 0.12, 2500, 14000, 1) * strike(0.12, 0.1), (0, round(1.3 * RATE)))
    for _ in range(46):
        at = float(rng.exponential(0.22))
        add(
            out,
            min(at, 1.2),
            modes(rng, float(rng.uniform(2400, 7800)), (1, 1.47, 2.09), 0.25, 0.18),
            0.3 * float(rng.random()),
        )
    return out


def splash(rng: Random, size: float) -> Wave:
    """Something falls into water: a slap, a rush, bubbles."""
    length = 0.9 + size
    out = (
        0.8 * swept(rng, length, line(length, 300, 500), line(length, 5500, 2500)) * strike(length, length * 0.8, 0.01)
    )
    add(out, 0, thud(rng, 70, 0.3), size)
    for _ in range(int(50 * size)):
        add(out, float(rng.uniform(0.1, length)), bubble(rng, 300, 1500), 0.25 * float(rng.random()))
    return out


def rubble(rng: Random, length: float, count: int, low: float = 200, high: float = 2500) -> Wave:
    """Many small hard things that fall."""
    out = np.zeros(round(length * RATE))
    for _ in range(count):
        at = length * float(rng.beta(1.2, 2.2))
        size = float(rng.uniform(0.01, 0.08))
        add(
            out, at, noise(rng, size, low, high, 1) * strike(size, size), float(rng.uniform(0.1, 1)) * (1 - at / length)
        )
    return out


def snap(rng: Random, base: float = 900) -> Wave:
    """Wood that breaks: a few cracks close together."""
    out = np.zeros(round(0.45 * RATE))
    for at in (0, 0.018, 0.05, 0.11):
        add(out, at, noise(rng, 0.05, 500, 7000, 1) * strike(0.05, 0.03, 0.0004), 1 - 5 * at)
        add(out, at, modes(rng, base, (1, 1.8, 2.7), 0.15, 0.08), 0.6 - 3 * at)
    return out


def sword(rng: Random) -> Wave:
    """Blade on blade."""
    clang = modes(rng, 1150, PLATE, 1.1, 0.9, 0.15)
    return joined((0, noise(rng, 0.03, 2000, 12000, 1) * strike(0.03, 0.02), 1.2), (0, clang, 0.5))


def scrape(rng: Random, length: float, pitch: float) -> Wave:
    """A blade drawn: noise through a rising ring."""
    tops = line(length, pitch, pitch * 2.2)
    return swept(rng, length, tops * 0.92, tops * 1.08) * hump(length, 0.7, 1.2)


def zap(rng: Random, length: float = 0.7) -> Wave:
    """An electric arc: a buzz broken up at random."""
    time = seconds(length)
    buzz = np.sign(np.sin(2 * np.pi * 118 * time)) * noise(rng, length, 1200, 10000, 1)
    gate = (noise(rng, length, 15, 60, 1) > -0.3) * hump(length, 0.15, 0.5)
    return buzz * filtered(gate.astype(float), band(1, 400))


def sparks(rng: Random) -> Wave:
    """A shower of sparks."""
    out = np.zeros(round(1.1 * RATE))
    for _ in range(70):
        size = float(rng.uniform(0.002, 0.012))
        add(
            out,
            float(rng.beta(1, 2.5)) * 1.05,
            noise(rng, size, 2500, 14000, 1) * strike(size, size, 0.0003),
            float(rng.random()),
        )
    return out


def laser(rng: Random) -> Wave:
    """A ray gun: a tone that falls very fast."""
    del rng
    return glide(180 + 2600 * np.exp(-seconds(0.4) * 12), (1, 0.5, 0.3)) * strike(0.4, 0.4)


def shimmer(rng: Random, length: float, rising: bool = True) -> Wave:
    """Magic: small bells that run upwards or down, in a hall."""
    out = np.zeros(round(length * RATE))
    steps = [0, 2, 4, 7, 9, 12, 14, 16, 19, 21, 24, 26, 28, 31]
    for i, step in enumerate(steps if rising else steps[::-1]):
        pitch = 1046.5 * 2 ** (step / 12)
        add(out, i * length * 0.55 / len(steps), modes(rng, pitch, (1, 2.76, 5.4), length * 0.4, 0.6), 0.4)
    return hall(
        rng,
        out + 0.15 * swept(rng, length, line(length, 3000, 6000), line(length, 6000, 12000)) * hump(length, 0.5),
        0.8,
        0.35,
        9000,
    )


def spell(rng: Random) -> Wave:
    """A burst of magic: a rush, a chord, a shimmer."""
    rush = whoosh(rng, 0.6, 400, 5000, 0.8)
    chord = sum(
        (modes(rng, 523.25 * r, (1, 2, 3), 1.2, 0.9) for r in (1, 1.25, 1.5, 1.875)), np.zeros(round(1.2 * RATE))
    )
    return joined((0, rush, 0.8), (0.45, chord, 0.25), (0.45, shimmer(rng, 1.1), 0.5))


def riser(rng: Random) -> Wave:
    """Tension that grows to a stop."""
    length = 2.4
    tone = glide(line(length, 110, 150, 260, 440), (1, 0.5, 0.4, 0.3))
    return (
        0.5 * level(swept(rng, length, line(length, 150, 900), line(length, 400, 7000))) + 0.4 * level(tone)
    ) * hump(length, 0.96, 1.6)


def sting(rng: Random) -> Wave:
    """A shock: a low blow and a high cluster."""
    cluster = sum(
        (glide(np.full(round(1.6 * RATE), hz), (1, 0.4)) for hz in (622, 659, 698, 988)), np.zeros(round(1.6 * RATE))
    )
    return joined((0, thud(rng, 50, 1.2), 1.0), (0.01, cluster * strike(1.6, 1.6, 0.02), 0.12))


def heartbeat(rng: Random) -> Wave:
    """Two beats of a heart."""
    lub, dub = thud(rng, 52, 0.22, 0.1), thud(rng, 62, 0.18, 0.1)
    return joined((0, lub, 1), (0.26, dub, 0.7), (0.95, lub, 1), (1.21, dub, 0.7))


def repeated(wave: Wave, count: int, gap: float, fall: float = 1.0) -> Wave:
    """The same sound several times, each by `fall` louder than the one before."""
    return joined(*((i * gap, wave, fall**i) for i in range(count)))


def knocks(rng: Random, count: int, base: float) -> Wave:
    """Knuckles on a door."""
    one = joined((0, modes(rng, base, (1, 1.7, 2.6, 3.9), 0.16, 0.1), 0.7), (0, thud(rng, 140, 0.12), 0.8))
    return hall(rng, repeated(one, count, 0.19), 0.3, 0.25, 2500)


def steps(rng: Random, count: int, gap: float, low: float, high: float) -> Wave:
    """Feet on a ground that sounds like noise between `low` and `high` Hz."""
    out = np.zeros(round((count * gap + 0.3) * RATE))
    for i in range(count):
        add(out, i * gap, noise(rng, 0.09, low, high, 1) * strike(0.09, 0.08, 0.004), float(rng.uniform(0.7, 1)))
        add(out, i * gap + 0.06, noise(rng, 0.08, low, high * 1.4, 1) * strike(0.08, 0.06, 0.004), 0.4)
        add(out, i * gap, thud(rng, 85, 0.12, 0.1), 0.8)
    return out


def breath(rng: Random, length: float, first: float, last: float, rise: float) -> Wave:
    """Air through a throat."""
    middle = line(length, first, last)
    return swept(rng, length, middle * 0.6, middle * 1.6) * hump(length, rise, 1.3)


def throat(rng: Random, length: float, pitch: Wave, rough: float, formants: Sequence[float]) -> Wave:
    """A voice that is no word: a rough tone through formants."""
    wobble = 1 + rough * level(noise(rng, length, 20, 90, 1))
    tone = glide(pitch * (1 + 0.05 * (wobble - 1)), [1 / (i + 1) ** 0.7 for i in range(24)]) * wobble

    def shape(hertz: Wave) -> Wave:
        return np.asarray(np.sum([band(f * 0.8, f * 1.25)(hertz) / (i + 1) for i, f in enumerate(formants)], axis=0))

    return filtered(tone + 0.4 * rough * noise(rng, length, 200, 4000, 1), shape)


def roar(rng: Random) -> Wave:
    """A large beast."""
    return throat(rng, 1.7, line(1.7, 70, 120, 95, 55), 1.0, (320, 760, 1500)) * hump(1.7, 0.25, 0.8)


def growl(rng: Random) -> Wave:
    """A beast that warns."""
    return throat(rng, 1.2, line(1.2, 62, 70, 58), 1.2, (240, 600)) * hump(1.2, 0.4, 0.7)


def gasp(rng: Random) -> Wave:
    """Somebody catches their breath."""
    return breath(rng, 0.4, 900, 2600, 0.7)


def snore(rng: Random) -> Wave:
    """A sleeper: a rattle in, a breath out."""
    drawn = throat(rng, 1.0, line(1.0, 58, 68), 0.9, (350, 1100)) * hump(1.0, 0.6, 1)
    return joined((0, level(drawn), 1.0), (1.3, level(breath(rng, 0.9, 1200, 700, 0.3)), 0.35))


def boing(rng: Random) -> Wave:
    """A spring."""
    del rng
    time = seconds(0.9)
    return glide(190 * (1 + 0.35 * np.sin(2 * np.pi * 11 * time) * np.exp(-3 * time)), (1, 0.6, 0.4, 0.2)) * strike(
        0.9, 0.9
    )


def slide(length: float, first: float, last: float) -> Wave:
    """A slide whistle."""
    return glide(line(length, first, last), (1, 0.12, 0.05)) * hump(length, 0.5, 0.3)


def pop(rng: Random) -> Wave:
    """A cork or a bubble."""
    return joined(
        (0, glide(line(0.06, 380, 1100)) * strike(0.06, 0.06), 1),
        (0, noise(rng, 0.01, 800, 6000, 1) * strike(0.01, 0.01), 0.4),
    )


def wings(rng: Random) -> Wave:
    """Wings that beat."""
    return joined(*((0.11 * i, whoosh(rng, 0.12, 250, 1400), 0.7 + 0.3 * float(rng.random())) for i in range(8)))


def cloth(rng: Random) -> Wave:
    """Cloth or grass that rustles."""
    out = np.zeros(round(0.8 * RATE))
    for _ in range(16):
        size = float(rng.uniform(0.03, 0.12))
        add(out, float(rng.uniform(0, 0.65)), noise(rng, size, 1500, 9000, 1) * hump(size, 0.4), float(rng.random()))
    return out


def scrub(rng: Random, count: int, gap: float) -> Wave:
    """Rubbing to and fro."""
    return joined(
        *(
            (i * gap, noise(rng, gap * 0.9, 900 + 500 * (i % 2), 5500) * hump(gap * 0.9, 0.5, 1), 1)
            for i in range(count)
        )
    )


def squelch(rng: Random) -> Wave:
    """Something wet and soft."""
    out = np.zeros(round(0.5 * RATE))
    for _ in range(22):
        add(out, float(rng.uniform(0, 0.35)), bubble(rng, 200, 900), float(rng.random()))
    return joined((0, unit(out), 0.8), (0, noise(rng, 0.2, 200, 1800, 1) * strike(0.2, 0.15, 0.01), 0.3))


def ticks(rng: Random, count: int, gap: float, pitch: float) -> Wave:
    """A clock or a counter."""
    parts = []
    for i in range(count):
        hz = pitch * (1 if i % 2 else 0.84)
        parts.append((i * gap, ring(rng, 0.06, [(hz, 1, 0.03), (hz * 2.1, 0.6, 0.02), (480, 0.5, 0.04)]), 1.0))
    return joined(*parts)


def beeps(pitches: Sequence[float], length: float, gap: float) -> Wave:
    """Electronic signals."""
    return joined(
        *(
            (i * gap, glide(np.full(round(length * RATE), p), (1, 0.2)) * hump(length, 0.08, 0.25), 1)
            for i, p in enumerate(pitches)
        )
    )


def buzz(rng: Random) -> Wave:
    """An insect that flies by."""
    pitch = 210 * (1 + 0.06 * level(noise(rng, 1.4, 1, 6, 1)))
    return glide(pitch, [1 / (i + 1) for i in range(16)]) * hump(1.4, 0.45, 1.2)


def drops(rng: Random) -> Wave:
    """Drops of water."""
    return hall(rng, joined(*((at, bubble(rng, 1000, 2200), 1) for at in (0, 0.45, 0.8))), 0.9, 0.4)


def shake(rng: Random) -> Wave:
    """The ground shakes."""
    rumble = noise(rng, 2.6, 25, 140, 1) * (1 + 0.5 * level(noise(rng, 2.6, 5, 14, 1)))
    return joined((0, rumble * hump(2.6, 0.35, 0.8), 1), (0.3, rubble(rng, 2.2, 50), 0.5))


def flame(rng: Random) -> Wave:
    """Fire that catches."""
    roaring = swept(rng, 1.3, line(1.3, 80, 150), line(1.3, 900, 2600, 700)) * hump(1.3, 0.25, 1.1)
    return joined((0, roaring, 1), (0.1, sparks(rng), 0.25))


def engine_start(rng: Random) -> Wave:
    """A motor that turns over and runs up."""
    time = seconds(2.0)
    pitch = line(2.0, 20, 22, 24, 60, 75, 66)
    return (
        glide(pitch, [1 / (i + 1) ** 0.8 for i in range(20)])
        * hump(2.0, 0.6, 0.6)
        * (1 + 0.3 * np.sin(2 * np.pi * 12 * time))
    )


def rope(rng: Random) -> Wave:
    """A bow or rope let go."""
    return joined((0, modes(rng, 150, (1, 2, 3, 4.1), 0.5, 0.3), 1), (0.01, whoosh(rng, 0.35, 900, 4000, 0.2), 0.6))


EFFECTS: dict[str, tuple[Maker, str]] = {
    "whoosh": (lambda r: whoosh(r, 0.7, 350, 3500), "whoosh rush dash zoom fly throw"),
    "swish": (lambda r: whoosh(r, 0.32, 900, 6500), "swish swing slash-air flick"),
    "big-whoosh": (lambda r: whoosh(r, 1.3, 150, 1800), "woosh gust swoop charge"),
    "thud": (lambda r: thud(r, 75, 0.5), "thud thump drop fall-down heavy"),
    "impact": (lambda r: joined((0, thud(r, 95, 0.4), 1), (0, noise(r, 0.18, 250, 4500, 1) * strike(0.18, 0.12), 0.4)), "impact hit strike bam blow"),
    "bump": (lambda r: thud(r, 160, 0.22), "bump bonk knock-head"),
    "kick": (lambda r: joined((0, whoosh(r, 0.18, 500, 2500, 0.8), 0.5), (0.13, thud(r, 110, 0.3), 1)), "kick"),
    "slap": (lambda r: hall(r, noise(r, 0.08, 900, 7000, 1) * strike(0.08, 0.06, 0.0004), 0.2, 0.2), "slap smack spank"),
    "explosion-small": (lambda r: boom(r, 1.2, 3500), "burst blast"),
    "boom": (lambda r: boom(r, 3.0, 2200), "boom explosion explode detonation"),
    "crash": (crash, "crash wreck smash collapse clatter"),
    "glass": (glass, "glass shatter break-glass window-breaks"),
    "crack": (snap, "crack snap break bone twig"),
    "splash": (lambda r: splash(r, 1.0), "splash dive water"),
    "plop": (lambda r: joined((0, bubble(r, 350, 420), 1), (0.05, splash(r, 0.1), 0.3)), "plop plunk"),
    "splat": (lambda r: joined((0, squelch(r), 1), (0, noise(r, 0.1, 300, 4000, 1) * strike(0.1, 0.07), 0.7)), "splat squash"),
    "squelch": (squelch, "squelch squish slime sticky"),
    "drip": (drops, "drip drop dripping leak"),
    "bubbles": (lambda r: joined(*((float(r.uniform(0, 1.0)), bubble(r), float(r.random())) for _ in range(26))), "bubble bubbling boil gurgle"),
    "rubble": (lambda r: rubble(r, 1.8, 120), "rubble crumble rockfall stones landslide debris"),
    "rattle": (lambda r: rubble(r, 1.0, 70, 1500, 7000), "rattle jingle shake chatter"),
    "quake": (shake, "rumble quake earthquake tremor menace"),
    "sword": (sword, "clang sword clash blade metal"),
    "unsheathe": (lambda r: scrape(r, 0.6, 2200), "draw-sword shing unsheathe gleam-blade"),
    "slash": (lambda r: joined((0, whoosh(r, 0.28, 1200, 9000, 0.4), 1), (0.1, scrape(r, 0.25, 3000), 0.4)), "slash slice cut stab"),
    "clink": (lambda r: modes(r, 3100, (1, 1.52, 2.3), 0.6, 0.4), "clink tinkle coin ting"),
    "clank": (lambda r: modes(r, 420, PLATE, 0.8, 0.5), "clank clunk chain armour armor"),
    "zap": (zap, "zap electric shock lightning-bolt bzzt"),
    "sparks": (sparks, "sparks crackle sizzle-spark short-circuit"),
    "laser": (laser, "laser ray-gun beam pew blaster"),
    "magic": (lambda r: shimmer(r, 1.6), "magic sparkle twinkle glitter shine"),
    "spell": (spell, "spell cast transform power-up summon"),
    "vanish": (lambda r: joined((0, whoosh(r, 0.5, 600, 4000, 0.2), 0.7), (0, shimmer(r, 0.9, False), 0.6)), "vanish poof disappear teleport"),
    "riser": (riser, "riser build-up tension suspense"),
    "sting": (sting, "sting shock dread surprise realization"),
    "heartbeat": (heartbeat, "heartbeat heart pulse pounding"),
    "knock": (lambda r: knocks(r, 3, 330), "knock knocking door-knock"),
    "bang-door": (lambda r: knocks(r, 4, 190), "pounding-door hammering bang-on-door"),
    "steps": (lambda r: steps(r, 4, 0.5, 200, 2200), "footsteps steps walk walking"),
    "running": (lambda r: steps(r, 7, 0.24, 250, 2800), "running run footfall dash-off patter"),
    "snow-steps": (lambda r: steps(r, 4, 0.55, 1500, 6000), "crunch snow-steps gravel"),
    "creak": (lambda r: creak(r, 60, 1.4), "creak squeak-door floorboard"),
    "squeak": (lambda r: glide(line(0.3, 1800, 2900, 2100), (1, 0.4, 0.2)) * hump(0.3, 0.4, 0.8), "squeak squeal mouse brake-squeak"),
    "gasp": (gasp, "gasp startle breath-in"),
    "sigh": (lambda r: breath(r, 1.1, 1500, 600, 0.25), "sigh exhale relief breath-out"),
    "pant": (lambda r: joined(*((0.42 * i, breath(r, 0.3, 700 + 500 * (i % 2), 1300, 0.5), 1) for i in range(5))), "pant breathe breathing wheeze"),
    "sniff": (lambda r: joined((0, breath(r, 0.22, 1800, 3200, 0.6), 1), (0.32, breath(r, 0.26, 1800, 3200, 0.6), 1)), "sniff sniffle smell"),
    "snore": (snore, "snore sleep zzz"),
    "gulp": (lambda r: joined((0, glide(line(0.14, 330, 160)) * hump(0.14, 0.3, 1), 1), (0.1, pop(r), 0.3)), "gulp swallow drink"),
    "munch": (lambda r: joined(*((0.28 * i, rubble(r, 0.2, 16, 700, 4500), 1) for i in range(4))), "munch chew eat bite crunch-food chomp"),
    "roar": (roar, "roar monster beast dragon lion"),
    "growl": (growl, "growl snarl grr stomach"),
    "hiss": (lambda r: noise(r, 1.0, 3000, 11000) * hump(1.0, 0.2, 0.8), "hiss steam snake sizzle"),
    "boing": (boing, "boing spring bounce"),
    "slide-up": (lambda r: slide(0.6, 500, 1900), "slide-up jump leap"),
    "slide-down": (lambda r: slide(0.9, 1900, 350), "slide-down falling fall whistle-down"),
    "pop": (pop, "pop cork plip"),
    "wings": (wings, "flap wings flutter"),
    "rustle": (cloth, "rustle cloth grass leaves-rustle bush"),
    "scrub": (lambda r: scrub(r, 6, 0.22), "scrub rub wipe brush scratch-rub"),
    "writing": (lambda r: scrub(r, 11, 0.1), "write scribble pencil pen draw"),
    "tick": (lambda r: ticks(r, 4, 0.5, 2200), "tick tock ticking clock-tick"),
    "click": (lambda r: ticks(r, 2, 0.07, 2600), "click switch button latch cock-gun"),
    "typing": (lambda r: joined(*((0.11 * i + float(r.uniform(0, 0.04)), ticks(r, 1, 0.1, float(r.uniform(1400, 3000))), 1) for i in range(9))), "typing keyboard keys tap-keys"),
    "beep": (lambda r: beeps([1320, 1320], 0.11, 0.19), "beep signal computer"),
    "alarm": (lambda r: beeps([880, 660] * 4, 0.2, 0.22), "alarm alert warning"),
    "buzz": (buzz, "buzz bee fly insect mosquito"),
    "flame": (flame, "flame ignite fire-burst whoomph"),
    "engine": (engine_start, "engine-start vroom rev motor-start"),
    "bowshot": (rope, "bow arrow twang shoot-arrow"),
    "bell": (lambda r: modes(r, 880, BELL, 2.5, 2.2, 0.3), "bell ding chime doorbell"),
    "gong": (lambda r: modes(r, 130, PLATE, 3.5, 3.2, 0.2), "gong"),
    "croak": (frog, "croak frog ribbit"),
    "chirp": (lambda r: chirp(r, 2600, 4200), "chirp tweet bird-call peep"),
    "twang": (lambda r: modes(r, 196, (1, 2, 3, 4, 5, 6), 0.8, 0.6), "twang string pluck"),
    "wobble": (lambda r: glide(300 + 60 * np.sin(2 * np.pi * 7 * seconds(0.8)), (1, 0.3)) * hump(0.8, 0.3, 1), "wobble dizzy tremble sway"),
}  # fmt: skip
"""Each by name: how it is made, and its tags."""
