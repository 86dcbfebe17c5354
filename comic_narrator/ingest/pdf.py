"""PDF through PyMuPDF: a page that is one picture is taken as it is, any other is rendered near the film's need."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pymupdf
from PIL import Image

from comic_narrator.errors import InputError
from comic_narrator.ingest.source import PagePicture, PageSource, Source, encode, encode_png

LONG_SIDE = 3000
"""Pixels of the long side of a rendered page: 1080p frames of single panels stay sharp."""

NOT_SEEN = frozenset({"ignore-text", "clip-path", "clip-text", "pop-clip", "begin-mask", "end-mask"})
"""Drawing steps that leave no mark: scans often carry an invisible text layer."""


def open_pdf(path: Path) -> Source:
    """The pages of a PDF in order; InputError when it is broken, encrypted or empty."""
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    with _open(path) as document:
        count = document.page_count
    if count == 0:
        raise InputError(f"{path.name} has no pages.", "Check the file in a PDF viewer.")
    return Source(path.stem, tuple(PageSource(f"{path.name}!{i + 1}", partial(_read, path, i)) for i in range(count)))


def _open(path: Path) -> pymupdf.Document:
    try:
        document = pymupdf.open(path, filetype="pdf")
    except (pymupdf.mupdf.FzErrorBase, pymupdf.FileDataError, pymupdf.EmptyFileError, RuntimeError) as error:
        raise InputError(f"{path.name} is not a readable PDF.", "Check the file in a PDF viewer.") from error
    if document.needs_pass:
        document.close()
        raise InputError(f"{path.name} is encrypted.", "Save a copy without a password and give that.")
    return document


def _read(path: Path, index: int) -> PagePicture:
    with _open(path) as document:
        name = f"{path.name}!{index + 1}"
        try:
            page = document[index]
            return _whole_image(document, page, name) or _render(page)
        except (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError) as error:
            raise InputError(f"{name} cannot be rendered: {error}.", "Check the page in a PDF viewer.") from error


def _whole_image(document: pymupdf.Document, page: pymupdf.Page, name: str) -> PagePicture | None:
    """The page's only picture, untouched, when it covers the page upright and nothing is drawn over it."""
    marks = [kind for kind, _ in page.get_bboxlog() if kind not in NOT_SEEN]
    infos = page.get_image_info(xrefs=True)
    if marks != ["fill-image"] or len(infos) != 1 or page.rotation:
        return None
    info = infos[0]
    a, b, c, d, _, _ = info["transform"]
    place = pymupdf.Rect(info["bbox"])
    # A picture that reaches beyond its page is a spread that the page shows a part of.
    covered = abs(place & page.rect) >= 0.97 * abs(page.rect) and abs(place) <= 1.03 * abs(page.rect)
    upright = a > 0 and d > 0 and abs(b) < 1e-3 and abs(c) < 1e-3
    image = document.extract_image(info["xref"]) if info["xref"] else None
    if not (covered and upright and image) or image.get("smask") or image["colorspace"] not in (1, 3):
        return None
    if image["ext"] in ("jpeg", "png"):
        return encode(image["image"], name)
    return _png(pymupdf.Pixmap(document, info["xref"]))


def _render(page: pymupdf.Page) -> PagePicture:
    zoom = LONG_SIDE / max(page.rect.width, page.rect.height, 1)
    return _png(page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), colorspace=pymupdf.csRGB, alpha=False))


def _png(pixmap: pymupdf.Pixmap) -> PagePicture:
    if pixmap.alpha or pixmap.n not in (1, 3):
        pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.Pixmap(pixmap, 0) if pixmap.alpha else pixmap)
    mode = "L" if pixmap.n == 1 else "RGB"
    return encode_png(Image.frombytes(mode, (pixmap.width, pixmap.height), pixmap.samples))
