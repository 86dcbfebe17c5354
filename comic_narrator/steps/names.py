"""Names of files in the work folder that several steps speak of."""

from __future__ import annotations

TIMING = "timing.json"


def text_of(page_id: str) -> str:
    """The page's text layer, where the book's file has one."""
    return f"pages/{page_id}/text.json"


def panels_of(page_id: str) -> str:
    """The page's panels; a page that is left out is one that has none."""
    return f"pages/{page_id}/panels.json"


def reading_of(page_id: str) -> str:
    """What is read on the page."""
    return f"pages/{page_id}/page.json"
