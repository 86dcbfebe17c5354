"""The artefacts of a run and the values that pass between stages; the formats are promises to users.

Boxes are pixels of the stored page image, origin top left. Times are seconds; the film's clock is whole frames.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from comic_narrator.errors import InputError
from comic_narrator.voice_profiles import Colouring

Direction = Literal["ltr", "rtl", "vertical"]
LineKind = Literal["dialogue", "thought", "caption", "sfx", "sign"]
BeatKind = Literal["speech", "sound", "ambience", "music", "pause"]

SPOKEN_KINDS: frozenset[LineKind] = frozenset({"dialogue", "thought", "caption"})
"""Lines that are heard as words; sound effects become sounds, signs stay pictures."""

CAST_KINDS: frozenset[LineKind] = frozenset({"dialogue", "thought"})
"""Lines that somebody in the story says; captions are the narrator's."""

SAMPLE_RATE = 48_000
"""Samples a second of every take, stem and film."""


DOUBTFUL = 0.7
"""Lines read with less confidence than this are named in the report and marked where they are shown."""
UNSURE_PANEL = 0.5
"""The same for panels, whose sureness has its own scale: ruled panels and insets have 0.6, a page without any 0.3."""


class Box(NamedTuple):
    """A rectangle in whole page pixels: left, top, width, height."""

    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        """The first column outside the box."""
        return self.x + self.w

    @property
    def bottom(self) -> int:
        """The first row outside the box."""
        return self.y + self.h

    @property
    def area(self) -> int:
        """Pixels inside."""
        return self.w * self.h

    @property
    def center(self) -> tuple[float, float]:
        """The middle, in page pixels."""
        return self.x + self.w / 2, self.y + self.h / 2

    def overlap(self, other: Box) -> int:
        """Pixels that both boxes cover."""
        w = min(self.right, other.right) - max(self.x, other.x)
        h = min(self.bottom, other.bottom) - max(self.y, other.y)
        return w * h if w > 0 and h > 0 else 0

    def union(self, other: Box) -> Box:
        """The smallest box that holds both."""
        x, y = min(self.x, other.x), min(self.y, other.y)
        return Box(x, y, max(self.right, other.right) - x, max(self.bottom, other.bottom) - y)

    def cut(self, other: Box) -> Box | None:
        """What both boxes cover; None where they do not overlap."""
        if not self.overlap(other):
            return None
        x, y = max(self.x, other.x), max(self.y, other.y)
        return Box(x, y, min(self.right, other.right) - x, min(self.bottom, other.bottom) - y)

    def within(self, width: int, height: int) -> Box:
        """This box cut to a page of `width` x `height` pixels; at least one pixel is left."""
        x, y = min(max(self.x, 0), width - 1), min(max(self.y, 0), height - 1)
        return Box(x, y, max(min(self.right, width) - x, 1), max(min(self.bottom, height) - y, 1))


class View(NamedTuple):
    """What the camera shows: a rectangle in fractional page pixels, of the film's shape; it may leave the page."""

    x: float
    y: float
    w: float
    h: float


class Part(BaseModel):
    """A frozen piece of an artefact; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Artefact(Part):
    """A named JSON file of the work folder; its `schema` field says what it is and in which version."""

    def to_json(self) -> str:
        """The artefact as indented UTF-8 JSON with a final newline, `schema` first."""
        return self.model_dump_json(by_alias=True, exclude_none=True, indent=1) + "\n"


ArtefactT = TypeVar("ArtefactT", bound=Artefact)


def parse_artefact(kind: type[ArtefactT], text: str | bytes, where: Path) -> ArtefactT:
    """Read `text` as an artefact of `kind`; `where` names the file in the InputError that a misfit raises."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise InputError(
            f"{where} is not a valid {_file_name(kind)}: {place}: {first['msg']}.",
            "Mend the named field; a file that the program made can also be deleted, and is then made again.",
        ) from error


def _file_name(kind: type[Artefact]) -> str:
    # The schema's default reads "comic_narrator.page/1".
    return str(kind.model_fields["schema_"].default).partition(".")[2].partition("/")[0] + ".json"


class BookPage(Part):
    """One page of a book: its stored image and where it came from."""

    id: str
    image: str
    sha256: str
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    source: str
    source_box: Box


class Chapter(Part):
    """A chapter, named at its first page."""

    title: str
    page: str


class Book(Artefact):
    """book.json: what the book is and its pages in reading order."""

    schema_: Literal["comic_narrator.book/1"] = Field("comic_narrator.book/1", alias="schema")
    title: str
    series: str | None = None
    number: str | None = None
    language: str
    direction: Direction
    chapters: tuple[Chapter, ...] = ()
    pages: tuple[BookPage, ...] = Field(min_length=1)


Treatment = Literal["page", "split", "strip", "blank", "skip", "broken"]
"""What becomes of a picture: a page, two pages, pages by its cuts, or none."""


class PlannedPicture(Part):
    """A picture of the container and what becomes of it; a hand edit of `treat`, `fold` or `cuts` has its way.

    `frame` counts the pages of a picture file from 0, width and height are upright pixels. `fold` is the column at
    which a double page parts, `cuts` are the rows of a strip at which a page begins; `chapter` is the title of the
    chapter that begins here.
    """

    source: str
    frame: int = Field(0, ge=0)
    width: int = Field(0, ge=0)
    height: int = Field(0, ge=0)
    treat: Treatment
    why: str | None = None
    fold: int | None = None
    cuts: tuple[int, ...] = ()
    chapter: str | None = None

    @model_validator(mode="after")
    def _cuts_lie_inside(self) -> Self:
        if list(self.cuts) != sorted({row for row in self.cuts if 0 <= row < self.height}):
            raise ValueError(f"the cuts of {self.source} are not rows of it in rising order")
        if self.treat in ("page", "split", "strip") and not (self.width and self.height):
            raise ValueError(f"{self.source} is to be shown, but has no size")
        if self.fold is not None and not 0 < self.fold < self.width:
            raise ValueError(f"the fold of {self.source} is not inside it")
        return self


class Paging(Artefact):
    """paging.json: what the book says of itself, and how its pictures become pages."""

    schema_: Literal["comic_narrator.paging/1"] = Field("comic_narrator.paging/1", alias="schema")
    container: str
    title: str
    series: str | None = None
    number: str | None = None
    language: str | None = None
    direction: Direction | None = None
    why: str
    pictures: tuple[PlannedPicture, ...] = Field(min_length=1)


class PrintedWord(Part):
    """A word of a page's text layer and where it stands, in pixels of the stored page image."""

    text: str
    bbox: Box


class PageText(Artefact):
    """text.json: the words of a page's text layer, as the book's file states them."""

    schema_: Literal["comic_narrator.text/1"] = Field("comic_narrator.text/1", alias="schema")
    page: str
    words: tuple[PrintedWord, ...]


class Panel(Part):
    """One panel of a page; `confidence` (0..1) is how sure the finder is of it, None where nobody said."""

    id: str
    bbox: Box
    confidence: float | None = Field(None, ge=0, le=1)

    @property
    def doubtful(self) -> bool:
        """Whether it may well not be a panel, or not all of it."""
        return self.confidence is not None and self.confidence < UNSURE_PANEL


class PagePanels(Artefact):
    """panels.json: the panels of a page in reading order, before anything is read."""

    schema_: Literal["comic_narrator.panels/1"] = Field("comic_narrator.panels/1", alias="schema")
    page: str
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    direction: Direction
    panels: tuple[Panel, ...] = Field(min_length=1)


class Line(Part):
    """One printed line: a balloon, caption, sound word or sign, as lettered."""

    id: str
    panel: str
    kind: LineKind
    text: str
    bbox: Box | None = None
    balloon: Box | None = None
    tail: tuple[int, int] | None = None
    speaker: str | None = None
    speaker_confidence: float | None = Field(None, ge=0, le=1)
    tone: str | None = None
    confidence: float = Field(ge=0, le=1)

    @property
    def doubtful(self) -> bool:
        """Whether it was read too unsurely to be trusted."""
        return self.confidence < DOUBTFUL

    @property
    def speaker_doubtful(self) -> bool:
        """Whether somebody else may well say it."""
        return self.speaker_confidence is not None and self.speaker_confidence < DOUBTFUL


Outline = tuple[tuple[int, int], ...]
"""The corners of an area of any shape, in page pixels, in order around it."""


class Figure(Part):
    """A person or creature seen in a panel; `mask` is the outline of what is seen of it, where somebody drew that."""

    label: str
    panel: str
    bbox: Box | None = None
    looks: str
    role: str | None = None
    emotion: str | None = None
    mask: Outline | None = Field(None, min_length=3)


class SeenSound(Part):
    """Something drawn that makes a sound."""

    panel: str
    what: str
    kind: Literal["momentary", "continuous"]


class Note(Part):
    """What a panel shows and how it moves."""

    panel: str
    scene: str | None = None
    pacing: str | None = None
    shot: str | None = None


class PageReading(Artefact):
    """page.json: the panels of a page and what stands in them, both in reading order."""

    schema_: Literal["comic_narrator.page/1"] = Field("comic_narrator.page/1", alias="schema")
    page: str
    image: str
    width: int = Field(gt=0)
    height: int = Field(gt=0)
    direction: Direction
    language: str
    panels: tuple[Panel, ...] = Field(min_length=1)
    lines: tuple[Line, ...] = ()
    figures: tuple[Figure, ...] = ()
    sounds: tuple[SeenSound, ...] = ()
    notes: tuple[Note, ...] = ()
    remarks: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _panels_are_known(self) -> Self:
        known = {panel.id for panel in self.panels}
        if len(known) < len(self.panels):
            raise ValueError("two panels have the same id")
        if any(panel.bbox.w <= 0 or panel.bbox.h <= 0 for panel in self.panels):
            raise ValueError("a panel's bbox is empty")
        parts: tuple[Line | Figure | SeenSound | Note, ...] = (*self.lines, *self.figures, *self.sounds, *self.notes)
        for part in parts:
            if part.panel not in known:
                raise ValueError(f"panel {part.panel} is named but not listed in panels")
        return self

    def panel(self, panel_id: str) -> Panel:
        """The panel of that id."""
        return next(panel for panel in self.panels if panel.id == panel_id)


class PageLabel(Part):
    """What one page calls somebody; `confidence` (0..1) is how surely it is them, None where nobody said."""

    page: str
    label: str
    confidence: float | None = Field(None, ge=0, le=1)


class Person(Part):
    """Somebody in the book, by whatever its pages call them; `name` is theirs alone in the book.

    Somebody without labels is known from elsewhere, another volume say, and not seen yet.
    """

    name: str
    aliases: tuple[str, ...] = ()
    looks: str | None = None
    role: str | None = None
    labels: tuple[PageLabel, ...] = ()


class People(Artefact):
    """people.json: who is who in the book, in the order in which they are first seen or heard.

    `remarks` are sentences on what fell short in telling it, as in page.json.
    """

    schema_: Literal["comic_narrator.people/1"] = Field("comic_narrator.people/1", alias="schema")
    people: tuple[Person, ...] = ()
    remarks: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _each_is_one(self) -> Self:
        names = [person.name for person in self.people]
        labels = [label for person in self.people for label in person.labels]
        if len(set(names)) < len(names):
            raise ValueError("two people have the same name")
        if len({(label.page, label.label) for label in labels}) < len(labels):
            raise ValueError("one label of a page is given to two people")
        return self

    def who(self, page: str, label: str) -> Person | None:
        """Whom a page calls so."""
        return next(
            (
                person
                for person in self.people
                if any((known.page, known.label) == (page, label) for known in person.labels)
            ),
            None,
        )


class Character(Part):
    """Somebody who speaks, and the voice that was cast."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    looks: str | None = None
    role: str | None = None
    voice: str
    pinned: bool = False
    why: str


class Cast(Artefact):
    """cast.json: the narrator and everybody who speaks in the book."""

    schema_: Literal["comic_narrator.cast/1"] = Field("comic_narrator.cast/1", alias="schema")
    narrator: Character
    characters: tuple[Character, ...] = ()


class Beat(Part):
    """What is heard or held: one spoken text, or a pause on a panel."""

    id: str
    page: str
    panel: str
    kind: BeatKind
    text: str | None = None
    printed: str | None = None
    speaker: str | None = None
    voice: str | None = None
    tone: str | None = None
    emotion: str | None = None
    effort: float = Field(0.0, ge=-1, le=1)
    colouring: Colouring | None = None
    pronounced: dict[str, str] = Field({}, description="Words in lower case, and another spelling or /IPA/.")
    speed: float = Field(1.0, gt=0.4, lt=2.5)
    gain_db: float = Field(0.0, ge=-40, le=20)
    pause_after: float = Field(0.0, ge=-1, le=60)

    @model_validator(mode="after")
    def _speech_has_words_and_voice(self) -> Self:
        if self.kind == "speech" and not (self.text and self.voice):
            raise ValueError(f"beat {self.id} is speech and needs both text and voice")
        if self.kind != "speech" and self.pause_after < 0:
            raise ValueError(f"beat {self.id} has no sound that another could overlap")
        if not self.panel.startswith(f"{self.page}."):
            raise ValueError(f"beat {self.id} is on page {self.page} but in panel {self.panel}")
        return self


class Script(Artefact):
    """script.json: all beats of the book in order."""

    schema_: Literal["comic_narrator.script/1"] = Field("comic_narrator.script/1", alias="schema")
    language: str
    beats: tuple[Beat, ...]

    @model_validator(mode="after")
    def _beats_are_told_apart(self) -> Self:
        seen: set[str] = set()
        for beat in self.beats:
            if beat.id in seen:
                raise ValueError(f"two beats have the id {beat.id}")
            seen.add(beat.id)
        return self


class TakeFault(Part):
    """One thing that is wrong with a take: of which kind, in words, and how bad (1 and more)."""

    kind: str
    what: str
    weight: float


class JudgedTake(Part):
    """What was found of a take: its seconds, these against those usual for its text, its pitch in Hz, its faults."""

    file: str
    sha256: str
    seconds: float
    rate: float
    pitch: float | None = None
    tries: int = 1
    faults: tuple[TakeFault, ...] = ()


class Takes(Artefact):
    """takes.json: what `judge` found of each take; the same file and judge are not judged again."""

    schema_: Literal["comic_narrator.takes/1"] = Field("comic_narrator.takes/1", alias="schema")
    judge: str
    takes: tuple[JudgedTake, ...] = ()


class TranslatedLine(Part):
    """What a beat's subtitle says in the other language."""

    beat: str
    text: str


class Translation(Artefact):
    """translation.json: the lines in another language; those that are missing could not be translated."""

    schema_: Literal["comic_narrator.translation/1"] = Field("comic_narrator.translation/1", alias="schema")
    language: str
    lines: tuple[TranslatedLine, ...]


class Clip(Part):
    """A take placed on its scene's time line; seconds from the scene's first frame."""

    beat: str
    file: str
    start: float = Field(ge=0)
    end: float
    gain_db: float = 0.0


class Shot(Part):
    """What the camera shows from `first_frame` up to, not including, `end_frame` of its scene; no panel = the page.

    `enter` is how it takes over from the shot before it.
    """

    panel: str | None = None
    first_frame: int = Field(ge=0)
    end_frame: int
    from_view: View
    to_view: View
    ease: Literal["hold", "smooth", "abrupt", "shake"]
    focus: Box | None = None
    enter: Literal["cut", "slide"] = "cut"


class Light(Part):
    """The light at `frame` of its scene, on what is spoken then: it eases from each of a panel's to the next.

    `strength` is from 0, no light, to 1. Without a panel it lies on whatever is shown.
    """

    panel: str | None = None
    frame: int = Field(ge=0)
    place: Box
    strength: float = Field(ge=0, le=1)


class Nearness(Part):
    """How near somebody has come at `frame` of the scene, from 0, where they are drawn, to 1."""

    frame: int = Field(ge=0)
    share: float = Field(ge=0, le=1)


class Cutout(Part):
    """Somebody who comes nearer while they speak: the outline of what moves, and what it neither covers nor moves."""

    panel: str
    mask: Outline = Field(min_length=3)
    lettering: tuple[Box, ...] = ()
    moves: tuple[Nearness, ...] = Field(min_length=1)


class Scene(Part):
    """The clips and shots of one page, and what is set off in its pictures.

    `frames` is its length, `leave` how its end gives way to the next scene.
    """

    page: str
    frames: int = Field(gt=0)
    clips: tuple[Clip, ...]
    shots: tuple[Shot, ...] = Field(min_length=1)
    lights: tuple[Light, ...] = ()
    cutouts: tuple[Cutout, ...] = ()
    leave: Literal["cut", "slide", "turn"] = "cut"


class Timing(Artefact):
    """timing.json: the film's time line, scene by scene."""

    schema_: Literal["comic_narrator.timing/1"] = Field("comic_narrator.timing/1", alias="schema")
    fps: int = Field(gt=0)
    sample_rate: int = Field(gt=0)
    scenes: tuple[Scene, ...] = Field(min_length=1)

    @property
    def frames(self) -> int:
        """Length of the film in frames."""
        return sum(scene.frames for scene in self.scenes)
