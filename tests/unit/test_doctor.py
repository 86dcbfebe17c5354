"""What a film of a book needs, guessed beforehand."""

from __future__ import annotations

from comic_narrator.doctor.book import BookReport, needs_of

FULL_HD = 1920 * 1080 * 30


def book(minutes: tuple[float, float]) -> BookReport:
    return BookReport(
        container="ZIP archive", title="", series=None, number=None, language=None, layout="ltr", pictures=1, pages=1,
        chapters=(), split=(), kept_whole=(), strips=0, left_out=(), film_minutes=minutes,
    )  # fmt: skip


def test_a_longer_book_needs_more_and_a_smaller_film_less() -> None:
    short, long = (needs_of(book(minutes), 10**6, 2, FULL_HD) for minutes in ((1.0, 2.0), (10.0, 20.0)))
    small = needs_of(book((10.0, 20.0)), 10**6, 2, FULL_HD / 4)
    assert short.disk_bytes < small.disk_bytes < long.disk_bytes
    assert short.minutes < small.minutes < long.minutes
    assert needs_of(book((10.0, 20.0)), 10**6, 8, FULL_HD).minutes < long.minutes


def test_the_guess_covers_a_film_that_was_measured() -> None:
    """The sample comic: 60 s of film left 30 MB of work folder and an 11 MB film, and took 150 s of one core."""
    needs = needs_of(book((1.0, 1.0)), 1_300_000, 1, FULL_HD)
    assert needs.disk_bytes[0] > 41_000_000
    assert needs.disk_bytes[1] < 10 * 41_000_000
    assert 2.0 <= needs.minutes[0] <= 3.5
