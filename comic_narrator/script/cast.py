"""Casting: a voice for everybody who speaks, so that those who matter stay apart and nobody's voice ever changes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from comic_narrator.errors import UsageError
from comic_narrator.model import CAST_KINDS, Cast, Character, Line, PageReading, People, Person
from comic_narrator.script.pins import PinnedCharacter, Pins
from comic_narrator.script.traits import Traits, fits, traits_of
from comic_narrator.voice_profiles import VoiceProfile, distance

NARRATOR = "narrator"
SOMEBODY = "Somebody"
"""Who speaks a line whose speaker the reader could not tell."""

NEAR = 0.8
"""Voices nearer to each other than this are taken for one: two leads are not cast so while there is a choice."""

ENOUGH = 2.2
"""Beyond this no pair of voices is confused, and the better voice goes before the more distant one."""

RANK = 0.02
"""What each place in the bank's order costs against distance: the best voices stand first."""

BACKGROUND = 6
"""As many voices are kept back for passers-by, where the bank has that many."""


@dataclass
class _Speaker:
    """Somebody with lines: who the reader says they are, and how much they say on which pages."""

    name: str
    person: Person | None
    words: int = 0
    pages: dict[str, int] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *(self.person.aliases if self.person else ()))

    def traits(self, pin: PinnedCharacter | None) -> Traits:
        person = self.person
        told = traits_of([*self.names, person.looks if person else None, person.role if person else None])
        if pin is None:
            return told
        return Traits(pin.sex or told.sex, pin.age or told.age, told.being)


@dataclass
class _Given:
    """Which voice each name has, and why."""

    voices: dict[str, str] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    pinned: set[str] = field(default_factory=set)

    def give(self, name: str, voice: str, why: str, *, pinned: bool = False) -> None:
        self.voices[name], self.why[name] = voice, why
        if pinned:
            self.pinned.add(name)


def cast_book(
    readings: Sequence[PageReading],
    people: People,
    voices: Sequence[VoiceProfile],
    narrator: str = "auto",
    pins: Pins = Pins(),  # noqa: B008 - frozen
    before: Cast | None = None,
) -> Cast:
    """Cast the book: `voices` are the bank's, best narrator first; `narrator` is the id of one of them, or "auto".

    What `pins` say goes first, then what an earlier cast of the same book gave (`before`), then those who say most
    choose the voice that suits them and is farthest from all that are given. Who is on one page only is a passer-by:
    they share what is left, but not within a page. UsageError for a pinned voice that is not there.
    """
    known = {voice.id: voice for voice in voices}
    _check(pins, known)
    told, why = _narrator(voices, narrator, pins)
    speakers = _speakers(readings, people)
    given = _Given()
    for speaker in speakers:
        pin = pins.of(speaker.names)
        if pin and pin.voice:
            given.give(speaker.name, pin.voice, "pinned in cast.toml", pinned=True)
    reserved = {told, *(pin.voice for pin in pins.characters if pin.voice)}
    _keep(speakers, before, given, known, reserved)
    leads = [speaker for speaker in speakers if not _passes_by(speaker, readings)]
    _cast_leads(leads, pins, given, known, reserved)
    _cast_passers_by([s for s in speakers if s.name not in given.voices], pins, given, known, reserved)
    return Cast(
        narrator=Character(
            id=NARRATOR, name="Narrator", voice=told, pinned=narrator != "auto" or pins.narrator is not None, why=why
        ),
        characters=tuple(
            Character(
                id=f"c{i:02}",
                name=speaker.name,
                aliases=speaker.person.aliases if speaker.person else (),
                looks=speaker.person.looks if speaker.person else None,
                role=speaker.person.role if speaker.person else None,
                voice=given.voices[speaker.name],
                pinned=speaker.name in given.pinned,
                why=given.why[speaker.name],
            )
            for i, speaker in enumerate(speakers, 1)
        ),
    )


def _check(pins: Pins, known: Mapping[str, VoiceProfile]) -> None:
    for asked in (pins.narrator, *(character.voice for character in pins.characters)):
        if asked is not None and asked not in known:
            raise UsageError(
                f"cast.toml names the voice {asked}, which is not in the bank for this language.",
                "`comic-narrator voices` lists what there is; name one of those. A recording of yours is spoken by "
                "engines that copy voices, such as --set voice.backend=fish.",
            )


def _narrator(voices: Sequence[VoiceProfile], asked: str, pins: Pins) -> tuple[str, str]:
    if asked != "auto":
        return asked, "named in the settings"
    if pins.narrator is not None:
        return pins.narrator, "pinned in cast.toml"
    pinned = {character.voice for character in pins.characters}
    return next((voice.id for voice in voices if voice.id not in pinned), voices[0].id), "the bank's first narrator"


def _speakers(readings: Sequence[PageReading], people: People) -> list[_Speaker]:
    """Everybody who has lines, whoever says most first; of two who say as much, whoever speaks first."""
    found: dict[str, _Speaker] = {}
    for reading in readings:
        for line in reading.lines:
            if line.kind not in CAST_KINDS:
                continue
            person = people.who(reading.page, line.speaker) if line.speaker else None
            name = speaker_of(people, reading.page, line)
            speaker = found.setdefault(name, _Speaker(name, person))
            words = len(line.text.split()) if " " in line.text.strip() else max(1, len(line.text) // 3)
            speaker.words += words
            speaker.pages[reading.page] = speaker.pages.get(reading.page, 0) + words
    # Whoever comes back on another page matters more than a long speech on one.
    return sorted(found.values(), key=lambda speaker: -speaker.words * math.sqrt(len(speaker.pages)))


def _passes_by(speaker: _Speaker, readings: Sequence[PageReading]) -> bool:
    """Whether somebody is on one page only, in a book of several, or is nobody in particular."""
    spoken_on = sum(any(line.kind in CAST_KINDS for line in reading.lines) for reading in readings)
    return (len(speaker.pages) == 1 and spoken_on > 1) or speaker.name == SOMEBODY


def _keep(
    speakers: Iterable[_Speaker],
    before: Cast | None,
    given: _Given,
    known: Mapping[str, VoiceProfile],
    reserved: set[str],
) -> None:
    """Give everybody the voice they had, unless it is gone, or another's by now, or too near a pinned one."""
    had = {character.name: character.voice for character in before.characters} if before else {}
    for speaker in speakers:
        voice = had.get(speaker.name)
        if speaker.name in given.voices or voice is None or voice not in known or voice in reserved:
            continue
        pinned = {given.voices[name] for name in given.pinned}
        if all(gap(known[voice], known[other]) >= NEAR for other in pinned):
            given.give(speaker.name, voice, "as in the cast before")


def _cast_leads(
    leads: Sequence[_Speaker],
    pins: Pins,
    given: _Given,
    known: Mapping[str, VoiceProfile],
    reserved: set[str],
) -> None:
    for place, speaker in enumerate(leads, 1):
        if speaker.name in given.voices:
            continue
        taken = reserved | {given.voices[lead.name] for lead in leads if lead.name in given.voices}
        free = [voice for voice in known.values() if voice.id not in taken]
        if not free:
            # More leads than voices: they share, as few of them as can be.
            used = Counter(given.voices.values())
            shared = [voice for voice in known.values() if voice.id not in reserved] or list(known.values())
            least = min(used[voice.id] for voice in shared)
            free, taken = [voice for voice in shared if used[voice.id] == least], reserved
        traits = speaker.traits(pins.of(speaker.names))
        voice = _farthest(free, traits, [known[voice] for voice in sorted(taken)], list(known))
        near = min((gap(voice, known[other]) for other in taken if other != voice.id), default=math.inf)
        given.give(
            speaker.name, voice.id, f"number {place} by what they say; {_told(traits)}nearest voice {near:.1f} away"
        )


def _told(traits: Traits) -> str:
    said = [part for part in (traits.age, traits.sex, traits.being if traits.being != "person" else None) if part]
    return f"{' '.join(said)}; " if said else ""


def _farthest(
    free: Sequence[VoiceProfile], traits: Traits, taken: Sequence[VoiceProfile], order: Sequence[str]
) -> VoiceProfile:
    """The voice that suits and stays apart from all that are taken; what suits less is chosen only to stay apart."""

    def score(voice: VoiceProfile) -> float:
        near = min((gap(voice, other) for other in taken), default=ENOUGH)
        confused = 2.5 * max(0.0, NEAR - near) / NEAR
        return min(near, ENOUGH) - RANK * order.index(voice.id) - 2 * fits(voice, traits) - confused

    return max(free, key=score)


def _cast_passers_by(
    passers_by: Sequence[_Speaker],
    pins: Pins,
    given: _Given,
    known: Mapping[str, VoiceProfile],
    reserved: set[str],
) -> None:
    """Background voices: the first passer-by of each page has the first that suits, the second the next."""
    taken = reserved | set(given.voices.values())
    pool = [voice for voice in known.values() if voice.id not in taken]
    if len(pool) < BACKGROUND:
        pool += [voice for voice in known.values() if voice.id in taken and voice.id not in reserved]
    ordered = _spread(pool or list(known.values()), known)
    on_page: dict[str, set[str]] = {}
    for speaker in sorted(passers_by, key=lambda speaker: min(speaker.pages)):
        page = min(speaker.pages)
        heard = on_page.setdefault(page, set())
        traits = speaker.traits(pins.of(speaker.names))
        choice = [voice for voice in ordered if voice.id not in heard] or ordered
        voice = min(choice, key=lambda voice: fits(voice, traits) * len(ordered) + ordered.index(voice))
        heard.add(voice.id)
        given.give(speaker.name, voice.id, f"passes by on page {page}; {_told(traits)}a background voice")


def _spread(pool: Sequence[VoiceProfile], known: Mapping[str, VoiceProfile]) -> list[VoiceProfile]:
    """Voices in such an order that each is far from those before it, plain ones first."""
    order = list(known)
    left, out = list(pool), list[VoiceProfile]()
    while left:
        chosen = _farthest(left, Traits(), out, order)
        left.remove(chosen)
        out.append(chosen)
    return out


def gap(one: VoiceProfile, other: VoiceProfile) -> float:
    """How far apart two voices are heard: as measured, else as far as sex and age tell."""
    if one.id == other.id:
        return 0.0
    if one.measured and other.measured:
        return distance(one.measured, other.measured)
    return NEAR + (1.0 if one.sex != other.sex else 0.0) + (0.5 if one.age != other.age else 0.0)


def speaker_of(people: People, page: str, line: Line) -> str:
    """The name of whoever says a line of a page."""
    if line.speaker is None:
        return SOMEBODY
    person = people.who(page, line.speaker)
    return person.name if person else line.speaker


def voice_of(cast: Cast, people: People, page: str, line: Line) -> Character:
    """Who says a line: its speaker by name or alias, the narrator for captions and for speakers not in the cast."""
    if line.kind not in CAST_KINDS:
        return cast.narrator
    name = speaker_of(people, page, line)
    for character in cast.characters:
        if name == character.name or name in character.aliases:
            return character
    return cast.narrator
