"""Panels and pages that draw and, with the same calls, write down the truth about what was drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PIL import Image

from comic_narrator.model import Box, Direction, Figure, Line, LineKind, Note, PageReading, SeenSound
from comic_narrator.model import Panel as PanelTruth
from samples import lettering
from samples.ink import INK, WHITE, Canvas, Color, Pen, Point
from samples.lettering import Lettered

FRAME = 6


class Panel:
    """One panel: its own canvas, in coordinates that start at its top left corner, and the truth about it."""

    def __init__(self, panel_id: str, box: Box, size: float, language: str, ground: Color = WHITE) -> None:
        self.id, self.box, self.size, self.language = panel_id, box, size, language
        self.canvas = Canvas(box.w, box.h, ground)
        self.lines: list[Line] = []
        self.figures: list[Figure] = []
        self.sounds: list[SeenSound] = []
        self.notes: list[Note] = []

    def pen(self, x: float = 0, y: float = 0, scale: float = 1, flip: bool = False, turn: float = 0) -> Pen:
        """A pen at (x, y) of this panel."""
        return Pen(self.canvas, x, y, scale, flip, turn)

    def scene(self, text: str, shot: str, pacing: str | None = None) -> None:
        """Say what the panel shows."""
        self.notes.append(Note(panel=self.id, scene=text, shot=shot, pacing=pacing))

    def heard(self, what: str, kind: Literal["momentary", "continuous"]) -> None:
        """Say what would be heard here."""
        self.sounds.append(SeenSound(panel=self.id, what=what, kind=kind))

    def figure(self, label: str, looks: str, emotion: str, draw: Callable[[], None]) -> None:
        """Draw a figure and note where it is."""
        self.canvas.seen.clear()
        draw()
        self.figures.append(
            Figure(
                label=label,
                panel=self.id,
                looks=looks,
                emotion=emotion,
                bbox=self._on_page(lettering.bounds(self.canvas.seen)),
            )
        )

    def _on_page(self, box: Box) -> Box:
        """A box of this panel in page pixels, cut to the panel."""
        cut = box.within(self.box.w, self.box.h)
        return Box(cut.x + self.box.x, cut.y + self.box.y, cut.w, cut.h)

    def _note(
        self, kind: LineKind, text: str, put: Lettered, speaker: str | None = None, tone: str | None = None
    ) -> None:
        """Note a line that was just lettered."""
        words = text.replace("\n", "" if self.language == "ja" else " ")
        self.lines.append(
            Line(
                id=f"{self.id}.{len(self.lines) + 1}",
                panel=self.id,
                kind=kind,
                text=words,
                bbox=self._on_page(put.text),
                balloon=self._on_page(put.balloon) if put.balloon else None,
                speaker=speaker,
                tone=tone,
                confidence=1.0,
                tail=(put.tail[0] + self.box.x, put.tail[1] + self.box.y) if put.tail else None,
            )
        )

    def say(
        self,
        speaker: str,
        text: str,
        x: float,
        y: float,
        tip: Point,
        kind: str = "speech",
        tone: str | None = None,
        ruby: dict[str, str] | None = None,
        loud: float = 1,
    ) -> None:
        """A balloon of `speaker` around (x, y), lettered `loud` times as large: speech, robot, shout, thought."""
        size = self.size * loud
        put = lettering.balloon(self.canvas, kind, x, y, text, tip, size, self.language == "ja", ruby)
        self._note("thought" if kind == "thought" else "dialogue", text, put, speaker, tone)

    def tell(self, text: str, x: float, y: float) -> None:
        """A caption box."""
        self._note("caption", text, lettering.caption(self.canvas, x, y, text, self.size))

    def sign(self, text: str, put: Lettered) -> None:
        """Note words that are part of the picture."""
        self._note("sign", text, put)

    def sound(self, text: str, x: float, y: float, size: float, fill: Color, turn: float, what: str) -> None:
        """A drawn sound word, and the sound it stands for."""
        if self.language == "ja":
            put = lettering.sound_word(self.canvas, x, y, text, size, fill, turn, lettering.KANA_SHOUTING, True)
        else:
            put = lettering.sound_word(self.canvas, x, y, text, size, fill, turn)
        self._note("sfx", text, put)
        self.heard(what, "momentary")


class Page:
    """A page of panels; `paper` shows in its gutters."""

    def __init__(
        self,
        page_id: str,
        image: str,
        width: int,
        height: int,
        direction: Direction,
        language: str,
        size: float,
        paper: Color = WHITE,
    ) -> None:
        self.id, self.image_name, self.direction, self.language, self.size = page_id, image, direction, language, size
        self.picture = Image.new("RGB", (width, height), paper)
        self.panels: list[Panel] = []

    def panel(self, x: int, y: int, w: int, h: int) -> Panel:
        """The next panel in reading order."""
        panel = Panel(f"{self.id}.{len(self.panels) + 1:02d}", Box(x, y, w, h), self.size, self.language)
        self.panels.append(panel)
        return panel

    def drawn(self) -> Image.Image:
        """The page with every panel and its frame."""
        for panel in self.panels:
            w, h, edge = panel.box.w, panel.box.h, FRAME / 2
            panel.canvas.polyline(
                [(edge, edge), (w - edge, edge), (w - edge, h - edge), (edge, h - edge)], INK, FRAME, True
            )
            self.picture.paste(panel.canvas.finished(), (panel.box.x, panel.box.y))
        return self.picture

    def truth(self) -> PageReading:
        """What a perfect reader would say about the page."""
        panels = self.panels
        return PageReading(
            page=self.id,
            image=self.image_name,
            width=self.picture.width,
            height=self.picture.height,
            direction=self.direction,
            language=self.language,
            panels=tuple(PanelTruth(id=panel.id, bbox=panel.box) for panel in panels),
            lines=tuple(line for panel in panels for line in panel.lines),
            figures=tuple(figure for panel in panels for figure in panel.figures),
            sounds=tuple(sound for panel in panels for sound in panel.sounds),
            notes=tuple(note for panel in panels for note in panel.notes),
        )
