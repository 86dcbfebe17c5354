"""Draws the sample comics, packs them as CBZ and PDF, and writes the truth: `python -m samples.draw [FOLDER]`.

The same script gives the same files, byte for byte. The two Japanese fonts were cut down by samples/subset_fonts.py.
"""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pymupdf
from PIL import Image

from samples import manga, webtoon, western_1, western_2, western_3
from samples.book import Page

HERE = Path(__file__).parent
PAGES: dict[str, Callable[[], Page]] = {
    "western_1": western_1.page,
    "western_2": western_2.page,
    "western_3": western_3.page,
    "manga_1": manga.page,
    "webtoon_1": webtoon.page,
}
"""The name of a page's truth file and the function that draws the page."""

BOOKS: dict[str, tuple[str, tuple[str, ...]]] = {
    "lighthouse": ("The Night Light", ("western_1", "western_2", "western_3")),
    "manga": ("嵐の客", ("manga_1",)),
    "webtoon": ("Lunch Break", ("webtoon_1",)),
}
"""The name of a book's CBZ and PDF, its title, and its pages."""

QUALITY = 82


def draw(name: str, folder: Path) -> Image.Image:
    """Draw one page and write its picture and its truth below `folder`."""
    page = PAGES[name]()
    picture = page.drawn()
    if page.language == "ja":
        picture = picture.convert("L")
    target = folder / page.image_name
    target.parent.mkdir(parents=True, exist_ok=True)
    picture.save(target, "PNG", optimize=True)
    truth = folder / "truth" / f"{name}.json"
    truth.parent.mkdir(parents=True, exist_ok=True)
    truth.write_text(page.truth().to_json(), "utf-8")
    return picture


def packed(picture: Image.Image) -> bytes:
    """The page as it is packed into the CBZ and the PDF: JPEG, but PNG for screentone, which that blurs and swells."""
    stream = io.BytesIO()
    if picture.mode == "L":
        picture.save(stream, "PNG", optimize=True)
    else:
        picture.save(stream, "JPEG", quality=QUALITY, subsampling="4:2:0", optimize=True)
    return stream.getvalue()


def pack_cbz(pages: list[bytes], target: Path) -> None:
    """Write a CBZ whose entries are stored, not squeezed, and carry one fixed date."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for number, data in enumerate(pages, 1):
            suffix = "png" if data.startswith(b"\x89PNG") else "jpg"
            archive.writestr(zipfile.ZipInfo(f"{target.stem}-{number:02d}.{suffix}", (2024, 1, 1, 0, 0, 0)), data)


def pack_pdf(title: str, pages: list[bytes], size: tuple[int, int], target: Path) -> None:
    """Write a PDF, every page one picture, without dates and with no random file id."""
    with pymupdf.open() as book:
        for data in pages:
            sheet = book.new_page(width=size[0] * 72 / 240, height=size[1] * 72 / 240)
            sheet.insert_image(sheet.rect, stream=data)
        book.set_metadata({"title": title, "creationDate": "D:20240101000000Z", "modDate": "D:20240101000000Z"})
        book.save(target, garbage=3, deflate_images=True, no_new_id=True)


def main(folder: Path) -> None:
    """Write everything below `folder`."""
    pictures = {name: draw(name, folder) for name in PAGES}
    for book, (title, names) in BOOKS.items():
        pages = [packed(pictures[name]) for name in names]
        pack_cbz(pages, folder / f"{book}.cbz")
        pack_pdf(title, pages, pictures[names[0]].size, folder / f"{book}.pdf")
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".png", ".cbz", ".pdf", ".json"}:
            print(f"{path.stat().st_size:>9,}  {path.relative_to(folder)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
