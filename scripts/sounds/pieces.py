"""The pieces of music: one or two for each mood."""

from __future__ import annotations

from scripts.sounds.music import (
    DORIAN,
    LYDIAN,
    MAJOR,
    MINOR,
    MIXOLYDIAN,
    PHRYGIAN,
    Bed,
    Part,
    arpeggio,
    bass,
    drums,
    melody,
    pad,
    stabs,
)

PIANO, CELESTA, GLOCK, MARIMBA, RHODES, ORGAN, GUITAR = 0, 8, 9, 12, 4, 19, 24
ACOUSTIC_BASS, CELLO, CONTRABASS, TREMOLO, PIZZICATO, HARP, TIMPANI = 32, 42, 43, 44, 45, 46, 47
STRINGS, SLOW_STRINGS, CHOIR, VOICES, TRUMPET, TROMBONE, MUTED, HORNS = 48, 49, 52, 53, 56, 57, 59, 60
OBOE, BASSOON, CLARINET, FLUTE, RECORDER, GLASS, HALO, GOBLIN, TAIKO = 68, 70, 71, 73, 74, 92, 94, 101, 116

SLOW = ((4.0,), (2.0, -2.0), (3.0, 1.0))
WALK = ((1.5, 0.5, 1.0, 1.0), (1.0, 1.0, 2.0), (0.5, 0.5, 1.0, -1.0, 1.0))
HEROIC = ((1.5, 0.5, 2.0), (3.0, 1.0), (1.0, 1.0, 1.5, 0.5))

PIECES: dict[str, Bed] = {
    "still-water": Bed(
        "Still water", "calm peaceful gentle quiet serene restful", 66, 4, 53, MAJOR,
        ((0, (4, 7, 11)), (9, (0, 4, 7)), (5, (0, 4, 9)), (7, (0, 2, 7)), (0, (4, 7, 9)), (4, (2, 7, 11)), (5, (0, 4, 9)), (5, (0, 2, 7)),
         (9, (0, 4, 7)), (5, (0, 4, 9)), (2, (0, 5, 9)), (7, (0, 2, 5))),
        (Part("base", 0, SLOW_STRINGS, -4, -0.2, pad(62, 58)), Part("base", 0, CELLO, -9, 0.25, bass(3, [(0, 3.8, 0)], 55)),
         Part("lead", 0, HARP, -1, 0.3, arpeggio(66, 0.5, (0, 1, 2, 3, 4, 3, 2, 1), 62, 0.15)),
         Part("lead", 0, FLUTE, -10, -0.3, melody(74, ((2.0, 2.0), (3.0, 1.0), (-1.0, 3.0)), 60, 0.6))),
    ),
    "small-hours": Bed(
        "Small hours", "tender love warm romance affection intimate hope", 60, 4, 51, MAJOR,
        ((0, (4, 7, 11)), (7, (2, 7, 11)), (9, (0, 4, 7)), (5, (0, 4, 9)), (2, (0, 5, 9)), (4, (2, 7, 11)), (5, (0, 4, 9)), (7, (0, 2, 5)), (0, (4, 7, 9)), (5, (0, 5, 9))),
        (Part("base", 0, SLOW_STRINGS, -6, 0.2, pad(60, 52)), Part("base", 0, PIANO, -3, -0.15, arpeggio(58, 1, (0, 2, 1, 3), 52)),
         Part("lead", 0, PIANO, 0, 0.15, melody(72, ((1.0, 1.0, 2.0), (2.0, 2.0), (1.5, 0.5, 2.0)), 64, 0.4)),
         Part("lead", 0, OBOE, -13, -0.3, melody(70, ((4.0,), (-2.0, 2.0)), 58, 0.6))),
    ),
    "empty-chair": Bed(
        "Empty chair", "sad sorrow grief melancholy lonely loss tears", 56, 4, 50, MINOR,
        ((0, (3, 7, 10)), (8, (0, 3, 7)), (3, (2, 7, 10)), (10, (2, 5, 10)), (5, (0, 3, 8)), (0, (3, 7, 12)), (2, (2, 5, 8)), (7, (2, 7, 10)), (8, (0, 3, 7)), (5, (0, 3, 8))),
        (Part("base", 0, SLOW_STRINGS, -5, -0.2, pad(57, 52)), Part("base", 0, CONTRABASS, -9, 0.1, bass(2, [(0, 3.9, 0)], 60)),
         Part("lead", 0, CELLO, -3, 0.3, melody(58, ((2.0, 2.0), (3.0, 1.0), (4.0,)), 70, 0.3)),
         Part("lead", 0, PIANO, -5, -0.3, arpeggio(65, 1, (2, 1, 0, 1), 48, 0.3))),
    ),
    "new-shoes": Bed(
        "New shoes", "happy cheerful playful bright merry funny fun joy", 112, 4, 55, MAJOR,
        ((0, (0, 4, 7)), (5, (0, 5, 9)), (0, (0, 4, 7)), (7, (2, 7, 11)), (9, (0, 4, 9)), (2, (2, 5, 9)), (7, (2, 5, 11)), (0, (0, 4, 7))) * 2,
        (Part("base", 0, PIZZICATO, 2, -0.25, arpeggio(60, 1, (0, 2, 1, 2), 70)), Part("base", 0, PIZZICATO, 2, 0.15, bass(3, [(0, 0.5, 0), (2, 0.5, 7)], 76)),
         Part("lead", 0, CLARINET, -4, 0.3, melody(72, WALK, 74, 0.2)), Part("lead", 0, GLOCK, -12, -0.4, arpeggio(79, 0.5, (0, 1, 2, 1), 52, 0.45)),
         Part("lead", 128, 0, -8, 0.0, drums((1, 76, 62), (2.5, 77, 54), (3, 76, 62)))),
    ),
    "tiptoe": Bed(
        "Tiptoe", "mischief sneaky comic clumsy prank cheeky curious", 96, 4, 57, MINOR,
        ((0, (0, 3, 7)), (0, (0, 3, 6)), (5, (0, 5, 8)), (7, (2, 5, 11)), (0, (0, 3, 7)), (8, (0, 3, 8)), (2, (2, 5, 8)), (7, (2, 7, 11))) * 2,
        (Part("base", 0, PIZZICATO, 3, -0.2, bass(3, [(0, 0.4, 0), (1, 0.4, 7), (2, 0.4, 12), (3, 0.4, 7)], 74)),
         Part("base", 0, MARIMBA, -4, 0.25, arpeggio(64, 1, (1, 2, 0, 2), 58, 0.25)),
         Part("lead", 0, BASSOON, -4, 0.15, melody(57, ((0.5, 0.5, 1.0, -1.0, 1.0), (1.0, -1.0, 0.5, 0.5, 1.0)), 76, 0.3)),
         Part("lead", 0, CELESTA, -8, -0.4, arpeggio(78, 0.5, (2, 1, 0, 1), 54, 0.6))),
    ),
    "market-day": Bed(
        "Market day", "daily everyday village light relaxed stroll neutral", 92, 4, 50, MIXOLYDIAN,
        ((0, (0, 4, 7)), (10, (2, 5, 10)), (5, (0, 5, 9)), (0, (0, 4, 7)), (2, (2, 5, 9)), (5, (0, 5, 9)), (10, (2, 5, 10)), (0, (0, 4, 7))) * 2,
        (Part("base", 0, GUITAR, 1, -0.2, arpeggio(57, 0.5, (0, 2, 1, 3, 2, 3, 1, 2), 62)), Part("base", 0, ACOUSTIC_BASS, -3, 0.1, bass(2, [(0, 1.8, 0), (2, 1.8, 7)], 62)),
         Part("lead", 0, RECORDER, -9, 0.3, melody(74, WALK, 66, 0.4))),
    ),
    "locked-door": Bed(
        "Locked door", "mystery mysterious puzzle secret clue detective curious-dark", 72, 4, 52, MINOR,
        ((0, (0, 3, 7)), (0, (0, 3, 8)), (0, (0, 3, 9)), (0, (0, 3, 8)), (5, (0, 5, 8)), (1, (1, 5, 8)), (0, (0, 3, 7)), (11, (2, 5, 11)), (8, (0, 3, 8)), (7, (2, 5, 11))),
        (Part("base", 0, SLOW_STRINGS, -6, 0.2, pad(55, 50)), Part("base", 0, CONTRABASS, -6, -0.1, bass(2, [(0, 1.5, 0), (2.5, 1, 0)], 58)),
         Part("lead", 0, CELESTA, -3, -0.3, arpeggio(74, 0.5, (0, 1, 2, 4, 3, 1), 54, 0.25)), Part("lead", 0, CLARINET, -9, 0.3, melody(62, SLOW, 60, 0.5))),
    ),
    "held-breath": Bed(
        "Held breath", "tension tense suspense danger threat waiting nervous", 84, 4, 48, PHRYGIAN,
        ((0, (0, 3, 7)), (0, (0, 3, 8)), (1, (1, 5, 8)), (0, (0, 3, 7)), (0, (0, 3, 6)), (8, (0, 3, 8)), (1, (1, 5, 8)), (6, (0, 3, 6))) * 2,
        (Part("base", 0, TREMOLO, -5, 0.25, pad(60, 54)), Part("base", 0, CONTRABASS, -2, -0.1, bass(2, [(i * 0.5, 0.4, 0) for i in range(8)], 58)),
         Part("lead", 0, TIMPANI, -1, 0.0, bass(3, [(0, 0.8, 0), (2.5, 0.4, 0), (3, 0.6, 0)], 66)),
         Part("lead", 0, STRINGS, -9, -0.3, arpeggio(74, 0.5, (0, 1, 0, 2), 56, 0.2))),
    ),
    "under-stairs": Bed(
        "Under the stairs", "horror eerie scary fear ghost creepy dread dark", 54, 4, 49, PHRYGIAN,
        ((0, (0, 1, 7)), (0, (0, 6, 8)), (1, (1, 5, 7)), (0, (0, 3, 6)), (11, (2, 3, 8)), (0, (0, 1, 6)), (6, (0, 5, 6)), (1, (1, 2, 8))),
        (Part("base", 0, GLASS, -6, 0.3, pad(61, 56)), Part("base", 0, VOICES, -9, -0.3, pad(50, 50)), Part("base", 0, CONTRABASS, -6, 0, bass(2, [(0, 3.9, 0)], 60)),
         Part("lead", 0, GOBLIN, -10, 0.2, melody(64, ((4.0,), (-2.0, 2.0)), 58, 0.3)), Part("lead", 0, CELESTA, -8, -0.4, arpeggio(82, 1, (0, 2, 1), 46, 0.6))),
        hall=3.0, wet=0.6,
    ),
    "pursuit": Bed(
        "Pursuit", "action chase run fast escape hurry fight", 138, 4, 50, MINOR,
        ((0, (0, 3, 7)), (0, (0, 3, 7)), (8, (0, 3, 8)), (10, (2, 5, 10)), (0, (0, 3, 7)), (5, (0, 5, 8)), (1, (1, 5, 8)), (7, (2, 7, 11))) * 3,
        (Part("base", 1, 48, -4, -0.25, arpeggio(58, 0.5, (0, 0, 1, 0, 2, 0, 1, 0), 70)), Part("base", 0, CONTRABASS, -2, 0.1, bass(2, [(i * 0.5, 0.4, 0) for i in range(8)], 72)),
         Part("lead", 0, TAIKO, 4, 0.0, drums((0, 48, 92), (1.5, 52, 70), (2, 48, 84), (3, 52, 74), (3.5, 52, 66))),
         Part("lead", 0, HORNS, -5, 0.3, melody(62, HEROIC, 80, 0.3)), Part("lead", 0, TROMBONE, -8, -0.1, stabs(52, (0, 1.5), 84))),
    ),
    "iron": Bed(
        "Iron", "battle war epic combat clash fury power", 112, 4, 45, MINOR,
        ((0, (0, 3, 7)), (8, (0, 3, 8)), (3, (3, 7, 10)), (10, (2, 5, 10)), (0, (0, 3, 7)), (5, (0, 5, 8)), (8, (0, 3, 8)), (7, (2, 7, 11))) * 2,
        (Part("base", 0, STRINGS, -4, 0.2, arpeggio(57, 0.5, (0, 1, 2, 1), 74)), Part("base", 0, TROMBONE, -7, -0.2, pad(50, 70)),
         Part("base", 0, TAIKO, 3, 0.0, drums((0, 43, 96), (2, 43, 86), (2.5, 48, 72))),
         Part("lead", 0, HORNS, -2, 0.25, melody(64, HEROIC, 88, 0.15)), Part("lead", 0, CHOIR, -8, -0.2, pad(67, 66)), Part("lead", 0, TIMPANI, 0, 0.0, bass(3, [(0, 0.8, 0), (3, 0.4, 0), (3.5, 0.4, 0)], 80))),
    ),
    "banner": Bed(
        "Banner", "heroic triumph victory brave glory pride hero", 96, 4, 53, MAJOR,
        ((0, (0, 4, 7)), (7, (2, 7, 11)), (9, (0, 4, 9)), (5, (0, 5, 9)), (10, (2, 5, 10)), (5, (0, 5, 9)), (7, (0, 2, 7)), (7, (2, 7, 11))) * 2,
        (Part("base", 0, STRINGS, -4, -0.2, pad(62, 66)), Part("base", 0, CONTRABASS, -6, 0.1, bass(2, [(0, 0.9, 0), (1, 0.9, 0), (2, 0.9, 0), (3, 0.9, 0)], 70)),
         Part("lead", 0, HORNS, -1, 0.2, melody(65, HEROIC, 86, 0.15)), Part("lead", 0, TRUMPET, -9, -0.3, melody(72, ((-2.0, 1.5, 0.5), (4.0,)), 76, 0.4)),
         Part("lead", 0, TIMPANI, -2, 0, bass(3, [(0, 0.8, 0), (3, 0.4, 0)], 70))),
    ),
    "high-windows": Bed(
        "High windows", "wonder magic awe dream discovery beautiful fantasy space", 63, 4, 50, LYDIAN,
        ((0, (4, 7, 11)), (2, (2, 6, 9)), (0, (4, 7, 11)), (9, (0, 4, 7)), (4, (2, 7, 11)), (2, (2, 6, 9)), (11, (2, 6, 11)), (7, (2, 7, 11)), (9, (0, 4, 9)), (2, (2, 6, 9))),
        (Part("base", 0, HALO, -8, 0.2, pad(62, 56)), Part("base", 0, CHOIR, -8, -0.2, pad(57, 48)),
         Part("lead", 0, HARP, 0, 0.3, arpeggio(69, 0.5, (0, 1, 2, 3, 4, 5, 4, 3), 56, 0.2)), Part("lead", 0, CELESTA, -7, -0.35, melody(84, ((1.0, 1.0, 2.0), (-1.0, 1.0, 2.0)), 54, 0.5))),
        hall=2.6, wet=0.5,
    ),
    "open-road": Bed(
        "Open road", "adventure journey travel quest exploring voyage", 104, 4, 55, MIXOLYDIAN,
        ((0, (0, 4, 7)), (10, (2, 5, 10)), (5, (0, 5, 9)), (0, (0, 4, 7)), (9, (0, 4, 9)), (5, (0, 5, 9)), (10, (2, 5, 10)), (7, (2, 5, 7))) * 2,
        (Part("base", 1, 48, -6, -0.2, arpeggio(60, 0.5, (0, 2, 1, 2), 62)), Part("base", 0, GUITAR, -2, 0.3, arpeggio(55, 0.5, (0, 1, 2, 1), 60)), Part("base", 0, ACOUSTIC_BASS, -3, 0, bass(2, [(0, 1.4, 0), (1.5, 0.5, 0), (2, 1.8, 7)], 66)),
         Part("lead", 0, FLUTE, -5, 0.25, melody(76, WALK + HEROIC, 74, 0.25)), Part("lead", 0, HORNS, -10, -0.2, pad(60, 60))),
    ),
    "wet-street": Bed(
        "Wet street", "noir jazz city night detective smoky cool", 76, 4, 48, DORIAN,
        ((0, (3, 7, 10)), (5, (0, 3, 9)), (0, (2, 3, 10)), (5, (0, 3, 9)), (8, (0, 3, 7)), (7, (2, 5, 11)), (0, (3, 7, 10)), (7, (3, 5, 11))) * 1
        + ((3, (2, 7, 10)), (2, (0, 5, 8)), (5, (0, 3, 9)), (7, (2, 5, 11))),
        (Part("base", 0, RHODES, -2, -0.25, stabs(60, (0, 2.5), 52, 1.4)), Part("base", 0, ACOUSTIC_BASS, 0, 0.1, bass(2, [(0, 0.9, 0), (1, 0.9, 7), (2, 0.9, 10), (3, 0.9, 7)], 66)),
         Part("base", 128, 40, -10, 0.2, drums((0, 51, 54), (1, 51, 60), (1.66, 51, 46), (2, 51, 54), (3, 51, 60), (3.66, 51, 46), (1, 44, 50), (3, 44, 50))),
         Part("lead", 0, MUTED, -8, 0.25, melody(67, ((1.5, 0.5, -2.0), (0.66, 0.34, 1.0, 2.0), (-1.0, 3.0)), 70, 0.4))),
    ),
}  # fmt: skip
"""Each by name."""
