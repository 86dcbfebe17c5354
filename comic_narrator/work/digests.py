"""Digests of values and of files; a file that stays as it is is read for its digest only once."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, RootModel, ValidationError

RACY = 2_000_000_000
"""Nanoseconds: a file that was changed so shortly before it was read may change again under the same time stamp."""


def digest_bytes(data: bytes) -> str:
    """SHA-256 of `data`, hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest_file(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of(*values: object) -> str:
    """SHA-256 of values that have a stable text form: artefacts, parts, settings, numbers, strings."""
    texts = [v.model_dump_json(by_alias=True) if isinstance(v, BaseModel) else repr(v) for v in values]
    return digest_bytes("\n".join(texts).encode())


def digest_json(value: object) -> str:
    """SHA-256 of a JSON value, whatever its white space and the order of its fields."""
    return digest_bytes(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())


def digest_content(path: Path) -> str:
    """SHA-256 of what a file says: of its value where it is JSON, else of its bytes."""
    if path.suffix == ".json":
        try:
            return digest_json(json.loads(path.read_bytes()))
        except ValueError:
            # Whoever parses it says what is wrong with it.
            return digest_file(path)
    return digest_file(path)


class _Known(BaseModel):
    """The digests of a file as it was: its size, times, inode, and when it was read (nanoseconds)."""

    model_config = ConfigDict(extra="forbid")

    stamp: tuple[int, int, int, int]
    read: int
    whole: str | None = None
    content: str | None = None

    def holds(self, stamp: tuple[int, int, int, int]) -> bool:
        # Clocks jump: a time stamp after the reading proves nothing, so the file is read again.
        return self.stamp == stamp and max(stamp[1], stamp[2]) < self.read - RACY


class _Stored(RootModel[dict[str, _Known]]):
    pass


class Digests:
    """Digests of files, kept for as long as size, times and inode of a file stay what they were.

    The time of a change cannot be set by hand, so a hand edit is seen even where the time of writing was put back.
    """

    def __init__(self, root: Path) -> None:
        self._inside = f"{root}{os.sep}"
        self._known: dict[str, _Known] = {}
        self._dirty = False

    def whole(self, path: Path) -> str:
        """SHA-256 of the file's bytes; OSError when it cannot be read."""
        known = self._of(path)
        if known.whole is None:
            known.whole = digest_file(path)
            self._dirty = True
        return known.whole

    def content(self, path: Path) -> str:
        """SHA-256 of what the file says, as `digest_content` has it; OSError when it cannot be read."""
        if path.suffix != ".json":
            return self.whole(path)
        known = self._of(path)
        if known.content is None:
            known.content = digest_content(path)
            self._dirty = True
        return known.content

    def _of(self, path: Path) -> _Known:
        seen = path.stat()
        stamp = (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
        # Thousands of names a run: pathlib takes ten times as long.
        name = str(path)
        name = name[len(self._inside) :] if name.startswith(self._inside) else os.path.abspath(name)  # noqa: PTH100
        known = self._known.get(name)
        if known is None or not known.holds(stamp):
            known = self._known[name] = _Known(stamp=stamp, read=time.time_ns())
        return known

    def load(self, file: Path) -> None:
        """Take over what an earlier run left in `file`, if anything that can be read."""
        try:
            self._known = _Stored.model_validate_json(file.read_bytes()).root
        except (OSError, ValidationError):
            self._known = {}

    def save(self, file: Path) -> None:
        """Leave what is known in `file`; nothing is lost where that fails."""
        if not self._dirty:
            return
        partial = file.with_name(f".partial-{file.name}")
        try:
            partial.write_text(_Stored(_settled(self._known)).model_dump_json(exclude_none=True), encoding="utf-8")
            partial.replace(file)
        except OSError:
            partial.unlink(missing_ok=True)


def _settled(known: Mapping[str, _Known]) -> dict[str, _Known]:
    return {name: one for name, one in known.items() if one.holds(one.stamp)}
