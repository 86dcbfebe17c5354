"""PDF through PyMuPDF: a page that is one picture is taken as it is, any other is rendered near the film's need."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, partial
from pathlib import Path
from threading import Lock

import pymupdf
from PIL import Image

from comic_narrator.errors import BrokenPictureError, InputError
from comic_narrator.ingest import encode
from comic_narrator.ingest.metadata import completed
from comic_narrator.ingest.pdf.scan import LOSSY_CODES, Scan, find_scan, load_scan, sizes_shown, visible_marks
from comic_narrator.ingest.source import (
    Limits,
    Look,
    Metadata,
    Opening,
    PagePicture,
    PageSource,
    PasswordNeededError,
    Source,
)
from comic_narrator.model import Box, PrintedWord
from comic_narrator.picture_files import refuse_bomb

HEAD = 1024
"""Bytes within which a PDF says that it is one; viewers bear that much junk before it."""

OTHER_HEADS = (b"PK", b"Rar!", b"7z\xbc\xaf", b"\xff\xd8\xff", b"\x89PNG")
"""Files that may hold a PDF near their beginning without being one."""

LONG_SIDE = 3000
"""Pixels of the long side of a rendered page: 1080p frames of single panels stay sharp."""

LEAST_SIDE = 2000
"""Pixels of the long side of a rendered page at least: what is lettered over a coarse picture stays readable."""

BACKDROP = 0.5
"""Share of a page from which a picture on it decides how finely the page is rendered: more shows no more of it."""

STRIP_WIDTH = 1600
"""Pixels of the width of a rendered strip: what webtoons are drawn at, twice over."""

MOST_PIXELS = 40_000_000
"""Pixels of a rendered page at most: a strip of 1,600 x 25,000."""

SMALL = 400
"""Pixels of the long side at which a page with few marks is rendered to see whether any can be seen."""

FEW_MARKS = 12
"""Drawing steps up to which a page may show nothing, such as a white ground and a stamp of white letters."""

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""A BCP-47 tag."""

NO_TITLE = re.compile(r"untitled.*|Microsoft \w+ - .*|.*\.[A-Za-z][A-Za-z0-9]{1,4}", re.IGNORECASE)
"""Titles that a program put in: the name of the file it was made from."""

FAILURES = (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError, LookupError, TypeError, ArithmeticError, OSError)
"""What PyMuPDF ends in on damaged files."""

ONE_AT_A_TIME = Lock()
"""MuPDF is not thread-safe, not even for different documents."""


def is_pdf(path: Path) -> bool:
    """Whether a file is a PDF, by its content; InputError when it cannot be read."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error
    inside_tar = head[257:262] == b"ustar"
    return b"%PDF-" in head and not head.startswith(OTHER_HEADS) and not inside_tar


def open_pdf(path: Path, opening: Opening) -> Source:
    """The pages of a PDF in order; PasswordNeededError when it is encrypted, InputError when it is broken or empty."""
    with ONE_AT_A_TIME:
        pymupdf.TOOLS.mupdf_display_errors(False)
        pymupdf.TOOLS.mupdf_display_warnings(False)
        document = _open(path, opening.password)
        count = _count(document, path, opening.limits)
    pages = (_page(document, f"{path.name}!{i + 1}", i, opening.limits) for i in range(count))
    return Source("PDF", path.stem, ((path.name, path),), tuple(pages), partial(_metadata, document, path.stem))


def _open(path: Path, password: str | None) -> pymupdf.Document:
    try:
        document = pymupdf.open(path, filetype="pdf")
    except FAILURES as error:
        raise InputError(f"{path.name} is not a readable PDF.", "Check the file in a PDF viewer.") from error
    if document.needs_pass and not document.authenticate(password or ""):
        wrong = "the password does not open it" if password else "it needs a password"
        raise PasswordNeededError(f"{path.name} is encrypted: {wrong}.", "Give its password with --password.")
    return document


def _count(document: pymupdf.Document, path: Path, limits: Limits) -> int:
    try:
        count = int(document.page_count)
    except FAILURES as error:
        raise InputError(f"{path.name} is not a readable PDF.", "Check the file in a PDF viewer.") from error
    if count == 0:
        raise InputError(f"{path.name} has no pages.", "Check the file in a PDF viewer.")
    if count > limits.entries:
        raise InputError(
            f"{path.name} has {count} pages, more than {limits.entries}.",
            "Allow more with `--set limits.entries=...`.",
        )
    return count


def _page(document: pymupdf.Document, name: str, index: int, limits: Limits) -> PageSource:
    @cache
    def scan() -> Scan | None:
        # A page is looked at before its picture is taken; what was found is a few numbers.
        sheet = document[index]
        for size in sizes_shown(document, sheet):
            refuse_bomb(*size, name, limits.megapixels)
        found = find_scan(document, sheet)
        if found:
            refuse_bomb(*found.size, name, limits.megapixels)
        return found

    def look(_: int) -> Look:
        with ONE_AT_A_TIME:
            try:
                return _look(document, document[index], scan(), name, limits)
            except FAILURES as error:
                raise _unreadable(name, error) from error
            finally:
                pymupdf.TOOLS.store_shrink(100)

    def picture(_: int) -> PagePicture:
        with ONE_AT_A_TIME:
            try:
                return _picture(document, document[index], scan(), name, limits)
            except FAILURES as error:
                raise _unreadable(name, error) from error
            finally:
                pymupdf.TOOLS.store_shrink(100)

    return PageSource(name, lambda: 1, look, picture)


def _unreadable(name: str, error: BaseException) -> BrokenPictureError:
    return BrokenPictureError(f"{name} cannot be rendered: {error}.", "Check the page in a PDF viewer.")


def _look(document: pymupdf.Document, page: pymupdf.Page, scan: Scan | None, name: str, limits: Limits) -> Look:
    if scan and (data := scan.untouched(document)):
        # A viewer of PDF does not turn it as its EXIF says.
        return Look(*scan.size, blank=encode.look(data, name, limits).blank)
    width, height = scan.size if scan else _rendered_size(page)
    return Look(width, height, blank=_is_blank(document, page, scan))


def _is_blank(document: pymupdf.Document, page: pymupdf.Page, scan: Scan | None) -> bool:
    """Whether no mark on the page can be seen; a picture of many bytes is not looked at."""
    marks = visible_marks(page)
    if not marks:
        return True
    if len(marks) > FEW_MARKS or (scan and not scan.may_be_blank(document)):
        return False
    zoom = SMALL / max(page.rect.width, page.rect.height)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csGRAY, alpha=False)
    return encode.looks_blank([Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples_mv)])


def _picture(
    document: pymupdf.Document, page: pymupdf.Page, scan: Scan | None, name: str, limits: Limits
) -> PagePicture:
    if scan is None:
        width, height = _rendered_size(page)
        stored = encode.store(_rendered(page, (width, height), pymupdf.csRGB), _has_grain(page), (width, height))
        return _with_words(stored, page, page.rect)
    data = scan.untouched(document)
    stored_as_is = encode.own_bytes(data, name, limits) if data else None
    if stored_as_is and (stored_as_is.width, stored_as_is.height) == scan.size:
        return _with_words(stored_as_is, page, scan.place) if scan.lettered else stored_as_is
    fitting = encode.fit(*scan.size)
    if scan.heavy:
        fitting = _bounded(*fitting)
    if fitting == scan.size:
        return _with_words(encode.store(load_scan(document, scan), scan.lossy, scan.size), page, scan.place)
    # MuPDF makes it smaller while it decodes it.
    rendered = _rendered(page, fitting, pymupdf.csGRAY if scan.grey else pymupdf.csRGB)
    return _with_words(encode.store(rendered, scan.lossy, scan.size), page, page.rect)


def _rendered_size(page: pymupdf.Page) -> tuple[int, int]:
    width, height = max(page.rect.width, 1), max(page.rect.height, 1)
    longer = max(width, height)
    zoom = LONG_SIDE / longer
    if height >= encode.STRIP_SHAPE * width:
        zoom = STRIP_WIDTH / width
    elif density := _backdrop_density(page):
        zoom = min(max(density, LEAST_SIDE / longer), zoom)
    return _bounded(width * zoom, height * zoom)


def _bounded(width: float, height: float) -> tuple[int, int]:
    """A size of that shape that has no more pixels than a rendered page may have."""
    zoom = min(1.0, (MOST_PIXELS / (width * height)) ** 0.5)
    return max(1, round(width * zoom)), max(1, round(height * zoom))


def _backdrop_density(page: pymupdf.Page) -> float:
    """Pixels a point of the finest picture that takes up much of the page; 0 where there is none."""
    sheet = page.rect * page.derotation_matrix
    densities = [0.0]
    for info in page.get_image_info():
        place = pymupdf.Rect(info["bbox"])
        if abs(place & sheet) >= BACKDROP * abs(sheet):
            densities.append((info["width"] * info["height"] / abs(place)) ** 0.5)
    return max(densities)


def _has_grain(page: pymupdf.Page) -> bool:
    """Whether the page is for the most part a picture with the grain of a lossy code."""
    coded = {item[8] for item in page.get_images(full=True)}
    return bool(_backdrop_density(page)) and bool(coded & LOSSY_CODES)


def _rendered(page: pymupdf.Page, size: tuple[int, int], colours: pymupdf.Colorspace) -> Image.Image:
    matrix = pymupdf.Matrix(size[0] / page.rect.width, size[1] / page.rect.height)
    pixmap = page.get_pixmap(matrix=matrix, colorspace=colours, alpha=False)
    picture = Image.frombytes("L" if pixmap.n == 1 else "RGB", (pixmap.width, pixmap.height), pixmap.samples_mv)
    # MuPDF's own rounding may add a row of paper.
    return picture if picture.size == size else picture.crop((0, 0, *size))


def _with_words(stored: PagePicture, page: pymupdf.Page, place: pymupdf.Rect) -> PagePicture:
    """The picture with the words of the page's text layer; `place` is the part of the page that it shows."""
    words = []
    across, down = stored.width / place.width, stored.height / place.height
    for left, top, right, bottom, text, *_ in page.get_text("words"):
        where = pymupdf.Rect(left, top, right, bottom) * page.rotation_matrix & place
        if where.is_empty or not text.strip() or "\ufffd" in text:
            continue
        x, y = round((where.x0 - place.x0) * across), round((where.y0 - place.y0) * down)
        box = Box(x, y, max(1, round(where.width * across)), max(1, round(where.height * down)))
        words.append(PrintedWord(text=text, bbox=box.within(stored.width, stored.height)))
    return PagePicture(stored.data, stored.suffix, stored.width, stored.height, stored.source_box, words=tuple(words))


def _metadata(document: pymupdf.Document, name: str) -> Metadata:
    """What the PDF's document information, catalog and outline say, else its name; what is broken is passed over."""
    with ONE_AT_A_TIME:
        title = _title(document)
        language = _catalog(document, "Lang")
        direction = "rtl" if _catalog(document, "ViewerPreferences/Direction") == "/R2L" else None
        chapters = _chapters(document)
    tagged = language if language and LANGUAGE.fullmatch(language) else None
    said = bool(title or tagged or direction or chapters)
    told = Metadata(
        origin="the PDF's own information" if said else "",
        title=title,
        language=tagged,
        direction="rtl" if direction else None,
        chapters=chapters,
    )
    return completed(told, name)


def _title(document: pymupdf.Document) -> str | None:
    try:
        title = " ".join(str((document.metadata or {}).get("title") or "").replace("\0", "").split())
    except FAILURES:
        return None
    return None if not title or NO_TITLE.fullmatch(title) else title


def _catalog(document: pymupdf.Document, key: str) -> str | None:
    try:
        kind, value = document.xref_get_key(document.pdf_catalog(), key)
    except FAILURES:
        return None
    return str(value) if kind in ("string", "name") else None


def _chapters(document: pymupdf.Document) -> dict[int, str]:
    """The titles of the outline's highest level that has several; none where it names page after page."""
    try:
        outline = [(level, title.strip(), page) for level, title, page in document.get_toc() if page > 0]
    except FAILURES:
        return {}
    counts = Counter(level for level, title, _ in outline if title)
    several = [level for level in sorted(counts) if counts[level] > 1] or sorted(counts)
    chapters: dict[int, str] = {}
    for level, title, page in outline:
        if title and level == several[0]:
            chapters.setdefault(page - 1, title)
    return {} if len(chapters) > max(2, document.page_count / 2) else chapters
