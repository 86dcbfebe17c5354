"""The names of the files of a RAR archive in several volumes, as WinRAR gives them."""

from __future__ import annotations

import re
from pathlib import Path

NEW = re.compile(r"(?P<stem>.+\.part)(?P<number>[0-9]+)(?P<suffix>\.[^.]+)", re.IGNORECASE)
"""x.part1.rar, x.part2.rar, ... or x.part01.rar, ..."""

OLD = re.compile(r"(?P<stem>.+\.)(?P<letter>[a-z])(?P<number>[0-9]{2})", re.IGNORECASE)
"""x.rar, x.r00, x.r01, ..., x.r99, x.s00, ..."""


def first_volume(path: Path) -> Path:
    """The first volume of the set that `path` is one of, by its name."""
    if new := NEW.fullmatch(path.name):
        return path.with_name(f"{new['stem']}{1:0{len(new['number'])}}{new['suffix']}")
    if old := OLD.fullmatch(path.name):
        return next(
            (file for file in path.parent.glob(f"{_escaped(old['stem'])}[rRcC][aAbB][rR]")), path.with_suffix(".rar")
        )
    return path


def next_volume(path: Path) -> Path:
    """The volume that follows `path`, by its name; it need not exist."""
    if new := NEW.fullmatch(path.name):
        number = f"{int(new['number']) + 1:0{len(new['number'])}}"
        return path.with_name(f"{new['stem']}{number}{new['suffix']}")
    if old := OLD.fullmatch(path.name):
        count = int(old["number"]) + 1
        letter = old["letter"] if count < 100 else chr(ord(old["letter"]) + 1)
        return path.with_name(f"{old['stem']}{letter}{count % 100:02}")
    return path.with_suffix(f"{path.suffix[:2] or '.r'}00")


def _escaped(text: str) -> str:
    return re.sub(r"([\[*?])", r"[\1]", text)
