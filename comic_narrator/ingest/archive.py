"""CBZ and ZIP archives; nothing is ever unpacked to a name that the archive chose."""

from __future__ import annotations

import zlib
from functools import partial
from lzma import LZMAError
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from comic_narrator.errors import InputError
from comic_narrator.ingest.source import PagePicture, PageSource, Source, encode, is_page_name, natural_key

MAX_ENTRY = 512 * 1024 * 1024
"""A page that unpacks to more bytes than this is refused unread."""


def open_zip(path: Path) -> Source:
    """The pictures of a ZIP archive in natural order of their paths; InputError when it is broken or holds none."""
    try:
        with ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir() and is_page_name(entry.filename)]
    except BadZipFile as error:
        raise InputError(f"{path.name} is a broken ZIP archive: {error}.", "Fetch or pack it again.") from error
    if not entries:
        raise InputError(f"{path.name} holds no pictures.", "Check what the archive contains.")
    for entry in entries:
        if entry.file_size > MAX_ENTRY:
            raise InputError(f"{path.name}!{entry.filename} unpacks to {entry.file_size} bytes.", "Remove that page.")
        if entry.flag_bits & 0x1:
            raise InputError(f"{path.name} is encrypted.", "Unpack it with its password and give the folder.")
    entries.sort(key=lambda entry: natural_key(entry.filename))
    # Two entries of one name are two pages: they are read by their place, not by their name.
    with ZipFile(path) as archive:
        places = {id_of: i for i, id_of in enumerate(e.header_offset for e in archive.infolist())}
    return Source(
        path.stem,
        tuple(
            PageSource(f"{path.name}!{entry.filename}", partial(_read, path, places[entry.header_offset]))
            for entry in entries
        ),
    )


def _read(path: Path, place: int) -> PagePicture:
    with ZipFile(path) as archive:
        entry = archive.infolist()[place]
        name = f"{path.name}!{entry.filename}"
        try:
            data = archive.read(entry)
        except (BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError, LZMAError, zlib.error) as error:
            raise InputError(f"{name} cannot be unpacked: {error}.", "Replace or remove that page.") from error
    return encode(data, name)
