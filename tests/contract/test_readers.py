"""What every reader promises, run against each that can be had here."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from comic_narrator.errors import InputError
from comic_narrator.http import Server
from comic_narrator.model import SPOKEN_KINDS, BookPage, Box, Direction, PagePanels, Panel, People
from comic_narrator.panels import find_panels
from comic_narrator.readers import PageFigure, PageToRead, Reader, Reading, number
from comic_narrator.readers.embedded import EmbeddedReader
from comic_narrator.readers.vllm.chat import Chat
from comic_narrator.readers.vllm.reader import VllmReader
from tests.fakes.truthful import echo
from tests.fakes.vllm_server import FakeVllm

READERS: dict[str, Callable[[str], Reader]] = {
    "embedded": lambda url: EmbeddedReader(),
    "vllm": lambda url: VllmReader(Chat(Server(url)), EmbeddedReader()),
}
PANELS = (Box(30, 30, 410, 500), Box(460, 30, 410, 500))


@pytest.fixture(scope="module", params=sorted(READERS))
def reader(request: pytest.FixtureRequest) -> Iterator[Reader]:
    """Each reader; one that asks a server gets one that believes the recogniser."""
    with FakeVllm(echo) as fake:
        made = READERS[str(request.param)](fake.url)
        yield made
        made.close()


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two panels with three balloons."""
    page = Image.new("RGB", (900, 560), (255, 255, 255))
    pen = ImageDraw.Draw(page)
    font = ImageFont.load_default(26)
    for box, fill in zip(PANELS, ((170, 190, 150), (150, 170, 200)), strict=True):
        pen.rectangle((box.x, box.y, box.right - 1, box.bottom - 1), fill=fill, outline=(0, 0, 0), width=4)
    for x, y, words in (
        (60, 60, ("GOOD MORNING", "TO YOU ALL")),
        (200, 330, ("WHO ARE", "YOU, SIR?")),
        (520, 70, ("NOBODY", "SPECIAL!")),
    ):
        pen.ellipse((x - 20, y - 20, x + 225, y + 110), fill=(255, 255, 255), outline=(0, 0, 0), width=3)
        for i, text in enumerate(words):
            pen.text((x + 8, y + 10 + 32 * i), text, fill=(0, 0, 0), font=font)
    path = tmp_path_factory.mktemp("drawn") / "page.png"
    page.save(path)
    return path


@pytest.fixture(scope="module")
def reading(reader: Reader, drawn: Path) -> Reading:
    return reader.read(PageToRead(drawn, PANELS, "ltr", "en"), ())


def test_everybody_who_is_seen_or_speaks_is_one_person(reader: Reader, reading: Reading, drawn: Path) -> None:
    figures = [
        PageFigure(page=page, image=drawn, label=label)
        for page in ("0001", "0002")
        for label in dict.fromkeys(line.speaker for line in reading.lines if line.speaker)
    ]
    people = People(people=reader.who_is_who(figures))
    assert figures
    assert all(people.who(figure.page, figure.label) for figure in figures)


def test_it_can_work_here_and_says_what_it_is(reader: Reader) -> None:
    reader.check()
    assert reader.identity
    assert reader.identity == reader.identity
    assert "/tmp" not in reader.identity
    assert "127.0.0.1" not in reader.identity


def test_it_reads_what_is_printed_in_reading_order(reading: Reading) -> None:
    spoken = [line for line in reading.lines if line.kind in SPOKEN_KINDS]
    assert [line.text for line in spoken] == ["GOOD MORNING TO YOU ALL", "WHO ARE YOU, SIR?", "NOBODY SPECIAL!"]
    assert [line.panel for line in spoken] == [0, 0, 1]
    assert all(line.kind == "dialogue" and line.speaker for line in spoken)
    assert spoken[0].speaker != spoken[1].speaker


def test_boxes_lie_on_the_page_and_balloons_hold_their_words(reading: Reading) -> None:
    for line in reading.lines:
        assert 0 <= line.confidence <= 1
        assert line.bbox == line.bbox.within(900, 560)
        assert line.balloon is not None
        assert line.balloon == line.balloon.within(900, 560)
        assert line.balloon.overlap(line.bbox) == line.bbox.area
        assert line.balloon.area < 3 * line.bbox.area + 20_000


def test_a_reading_can_be_numbered(reading: Reading) -> None:
    panels = tuple(Panel(id=f"0001.{i:02}", bbox=box) for i, box in enumerate(PANELS, 1))
    book_page = BookPage(
        id="0001", image="x.png", sha256="0", width=900, height=560, source="x", source_box=Box(0, 0, 900, 560)
    )
    page = PagePanels(page="0001", width=900, height=560, direction="ltr", panels=panels)
    numbered = number(book_page, page, reading, "en")
    assert [line.id for line in numbered.lines] == ["0001.01.1", "0001.01.2", "0001.02.1"]


def test_it_tells_the_language(reader: Reader, drawn: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.png"
    Image.new("RGB", (400, 400), (255, 255, 255)).save(empty)
    assert reader.language([drawn]) == "en"
    assert reader.language([empty]) == "en"


def test_an_empty_page_has_no_lines(reader: Reader, tmp_path: Path) -> None:
    empty = tmp_path / "empty.png"
    Image.new("RGB", (500, 700), (255, 255, 255)).save(empty)
    assert reader.read(PageToRead(empty, (Box(0, 0, 500, 700),), "ltr", "en"), ()).lines == ()


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 900), (900, 20)])
def test_a_sliver_of_a_page_has_no_lines(reader: Reader, tmp_path: Path, width: int, height: int) -> None:
    sliver = tmp_path / "sliver.png"
    Image.new("RGB", (width, height), (200, 100, 50)).save(sliver)
    assert reader.read(PageToRead(sliver, (Box(0, 0, width, height),), "ltr", "en"), ()).lines == ()


def test_a_changed_page_is_read_anew(reader: Reader, drawn: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.png"
    Image.new("RGB", (900, 560), (255, 255, 255)).save(path)
    page = PageToRead(path, PANELS, "ltr", "en")
    assert reader.read(page, ()).lines == ()
    path.write_bytes(drawn.read_bytes())
    assert reader.read(page, ()).lines


def test_a_broken_page_is_the_users_to_mend(reader: Reader, tmp_path: Path) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture")
    with pytest.raises(InputError) as caught:
        reader.read(PageToRead(broken, (Box(0, 0, 1, 1),), "ltr", "en"), ())
    assert "broken.png" in caught.value.what
    assert caught.value.hint


def test_threads_get_the_same_answer(reader: Reader, drawn: Path, reading: Reading, tmp_path: Path) -> None:
    answers: list[Reading] = []
    copies = [tmp_path / f"{i}.png" for i in range(2)]
    for copy in copies:
        copy.write_bytes(drawn.read_bytes())

    def work(path: Path) -> None:
        answers.append(reader.read(PageToRead(path, PANELS, "ltr", "en"), ()))

    threads = [threading.Thread(target=work, args=(copy,)) for copy in copies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [reading, reading]


def test_it_is_quiet(drawn: Path, capfd: pytest.CaptureFixture[str]) -> None:
    EmbeddedReader().read(PageToRead(drawn, PANELS, "ltr", "en"), ())
    assert capfd.readouterr() == ("", "")


REAL: tuple[tuple[str, Direction, str], ...] = (
    ("t01_western_splash_top", "ltr", "en"),
    ("t02_western_grid", "ltr", "en"),
    ("t17_manga_ja_p073", "rtl", "ja"),
)


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


@pytest.mark.shared
@pytest.mark.parametrize(("name", "direction", "language"), REAL, ids=[name for name, _, _ in REAL])
def test_real_pages(reader: Reader, shared: Path, name: str, direction: Direction, language: str) -> None:
    truth: dict[str, Any] = json.loads((shared / "truth" / f"{name}.json").read_text(encoding="utf-8"))
    image = shared / "pages" / truth["image"]
    with Image.open(image) as picture:
        panels = tuple(panel.box for panel in find_panels(np.asarray(picture.convert("RGB")), direction))
    assert len(panels) == len(truth["panels"])
    assert reader.language([image]) == language
    lines = reader.read(PageToRead(image, panels, direction, language), ()).lines
    spoken = [_letters(line.text) for line in lines if line.kind in SPOKEN_KINDS]
    printed = [
        _letters(line["text"]) for panel in truth["panels"] for line in panel["lines"] if line["kind"] in SPOKEN_KINDS
    ]
    assert len(spoken) == len(printed), spoken
    for got, wanted in zip(spoken, printed, strict=True):
        assert SequenceMatcher(None, got, wanted).ratio() > 0.9, (got, wanted)
