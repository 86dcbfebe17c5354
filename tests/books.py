"""Opening a book in a test: all that ingest does with it, without a work folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from comic_narrator.ingest import Limits, NumberedPage, Opening, Spool, Wishes, open_book, pages_of, plan
from comic_narrator.model import Paging


@contextmanager
def opened(
    path: Path,
    unpacked: Path,
    *,
    password: str | None = None,
    wishes: Wishes = Wishes(),  # noqa: B008 - frozen
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> Iterator[tuple[Paging, tuple[NumberedPage, ...]]]:
    """The book's paging and its pages; what must be unpacked lies below `unpacked` until the end."""
    with Spool(unpacked) as spool:
        source = open_book(path, Opening(spool, password, limits))
        paging = plan(source, wishes, lambda: None)
        yield paging, pages_of(source, paging, paging.direction or "ltr")
