"""What several tests need: the real pages where they lie, and small pages drawn on the spot."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings
from PIL import Image, ImageDraw

# A change is judged by the same examples everywhere; `make test-slow` looks for new ones.
settings.register_profile("search", derandomize=False, deadline=None)
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real pages and truth; tests that need it skip where it is missing."""
    if not (SHARED / "pages").is_dir():
        pytest.skip("the real pages of ../shared are not on this machine")
    return SHARED


def draw_page(width: int = 300, height: int = 420, shade: int = 255) -> Image.Image:
    """A page of two panels, one above the other, on paper of that shade."""
    page = Image.new("RGB", (width, height), (shade, shade, shade))
    pen = ImageDraw.Draw(page)
    half = height // 2
    pen.rectangle((15, 15, width - 16, half - 8), outline="black", width=4, fill=(200, 220, 255))
    pen.rectangle((15, half + 8, width - 16, height - 16), outline="black", width=4, fill=(255, 230, 200))
    for middle in (half // 2, half + half // 2):
        pen.ellipse(
            (width // 3, middle - 50, width // 3 + 90, middle + 50), outline="black", width=4, fill=(220, 90, 60)
        )
    return page


@pytest.fixture
def page_image() -> Image.Image:
    """One drawn page."""
    return draw_page()
