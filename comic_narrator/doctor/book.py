"""What can be said of a book before anything is made of it, and what it will need."""

from __future__ import annotations

from collections.abc import Sequence

from comic_narrator.ingest import NumberedPage
from comic_narrator.ingest.pages import LEFT_BY_HAND
from comic_narrator.model import Paging, Part

SECONDS_A_PAGE = (15, 40)
"""What a page of a film takes: a quiet page of few balloons, and a talkative one. Measured on films of real books."""


class LeftOut(Part):
    """A picture that gives no page, and why."""

    source: str
    treat: str
    why: str

    @property
    def told(self) -> str:
        """The picture and why, its name once."""
        return self.why if self.why.startswith(self.source) else f"{self.source}: {self.why}"


class BookReport(Part):
    """What a book is, as the doctor sees it; `film_minutes` is a guess from its number of pages."""

    container: str
    title: str
    series: str | None
    number: str | None
    language: str | None
    layout: str
    pictures: int
    pages: int
    chapters: tuple[str, ...]
    split: tuple[str, ...]
    kept_whole: tuple[str, ...]
    strips: int
    left_out: tuple[LeftOut, ...]
    film_minutes: tuple[float, float]

    def rows(self) -> list[tuple[str, str]]:
        """The report as rows of a table, empty ones left out."""
        least, most = self.film_minutes
        rows = [
            ("container", self.container),
            ("title", self.title),
            ("series", " ".join(part for part in (self.series, self.number) if part)),
            ("language", self.language or "its pages will tell"),
            ("layout", self.layout),
            ("pages", f"{self.pages}, from {self.pictures} pictures"),
            ("chapters", ", ".join(self.chapters)),
            ("strips", f"{self.strips}, joined and cut at their gutters" if self.strips else ""),
            ("split", ", ".join(self.split)),
            ("kept whole", ", ".join(f"{name} (art crosses the fold)" for name in self.kept_whole)),
            *((part.treat, part.told) for part in self.left_out),
            ("film", f"about {least:.0f} to {most:.0f} minutes" if most >= 2 else "about a minute"),
        ]
        return [(what, said) for what, said in rows if said]


def examine(paging: Paging, pages: Sequence[NumberedPage], language: str | None) -> BookReport:
    """What a book's paging and its pages, as numbered from it, say; `language` is the one that was asked for."""
    shown = [page for page in pages if page.picture]
    least, most = (round(len(shown) * seconds / 60, 1) for seconds in SECONDS_A_PAGE)
    return BookReport(
        container=paging.container,
        title=paging.title,
        series=paging.series,
        number=paging.number,
        language=language or paging.language,
        layout=f"{paging.direction or 'auto'} ({paging.why})",
        pictures=len(paging.pictures),
        pages=len(shown),
        chapters=tuple(picture.chapter for picture in paging.pictures if picture.chapter),
        split=tuple(p.source for p in paging.pictures if p.treat == "split"),
        kept_whole=tuple(p.source for p in paging.pictures if p.treat == "page" and p.why),
        strips=sum(picture.treat == "strip" for picture in paging.pictures),
        left_out=tuple(
            LeftOut(source=p.source, treat=p.treat, why=p.why or LEFT_BY_HAND)
            for p in paging.pictures
            if p.treat in ("blank", "skip", "broken")
        ),
        film_minutes=(least, most),
    )


WAV_BYTES_A_SECOND, FILM_BYTES_A_SECOND, TAKE_BYTES_A_SECOND = 288_000, 180_000, 40_000
"""What a second of film takes: its sound as WAV, its picture at 1080p30 and crf 20, its speech as FLAC. Measured."""

BUSY = 3.0
"""Bytes of a densely drawn scan's picture against those of a plain one."""

CORE_SECONDS = (1.2, 1.3)
"""Seconds of one core for a second of film: reading, speaking and mixing; filming at 1080p30. Measured on two cores."""


class BookNeeds(Part):
    """What a film of a book will need: bytes of disk, least and most, and minutes on so many cores; the most counts."""

    disk_bytes: tuple[int, int]
    minutes: tuple[float, float]
    cores: int


def needs_of(report: BookReport, size: int, cores: int, pixels_a_second: float) -> BookNeeds:
    """A guess from the length of the film, the book's size in bytes and the film's pixels a second.

    Disk counts pages, takes, sound, scenes, and the film twice: while it is written, and the one that it replaces.
    """
    share = pixels_a_second / (1920 * 1080 * 30)
    disk, minutes = [], []
    for length, busy in zip(report.film_minutes, (1.0, BUSY), strict=True):
        seconds = length * 60
        picture = FILM_BYTES_A_SECOND * busy * share * seconds
        disk.append(int(size + (WAV_BYTES_A_SECOND + TAKE_BYTES_A_SECOND) * seconds + 3 * picture))
        made, filmed = CORE_SECONDS
        minutes.append(round(length * (made + filmed * share) / cores, 1))
    return BookNeeds(disk_bytes=(disk[0], disk[1]), minutes=(minutes[0], minutes[1]), cores=cores)
