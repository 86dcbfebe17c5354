"""What a container may make of this machine: how much it unpacks to, how much of it is read at once, and the errors."""

from __future__ import annotations

import errno
import io
from collections.abc import Callable, Iterable
from itertools import islice

from comic_narrator.errors import BrokenPictureError, DoesNotFitError, InputError, NarratorError, disk_full
from comic_narrator.ingest.source import Limits, PasswordNeededError

MEGABYTE = 1024 * 1024

STEP = MEGABYTE
"""Bytes that are moved at once."""

HEADER_MOST = 32 * MEGABYTE
"""No directory of an archive is longer: 20,000 entries with the longest names and extras that programs write."""

TRIED = 3
"""Encrypted entries with which a password is tried: some formats cannot tell a wrong one from damage to an entry."""

FETCH_AGAIN = "Fetch or pack it again."


def check_count(book: str, count: int, limits: Limits) -> None:
    """InputError when a container holds more entries than it may."""
    if count > limits.entries:
        raise InputError(
            f"{book} holds more than {limits.entries} files.",
            f"If you trust it, raise the limit: --set limits.entries={max(count, 2 * limits.entries)}",
        )


def check_total(book: str, unpacked: int, limits: Limits, packed: int | None = None) -> None:
    """InputError when all entries together unpack to more than they may, by size or by ratio to the `packed` bytes."""
    if unpacked > limits.total_mb * MEGABYTE:
        raise InputError(
            f"{book} unpacks to more than {limits.total_mb} MB.",
            f"If you trust it, raise the limit: --set limits.total_mb={_megabytes(unpacked)}",
        )
    if packed is not None:
        _check_ratio(book, unpacked, packed, limits)


def check_entry(name: str, unpacked: int, limits: Limits, packed: int | None = None) -> None:
    """InputError when one entry unpacks to more than it may, by size or by ratio to its `packed` bytes."""
    if unpacked > limits.entry_mb * MEGABYTE:
        raise InputError(
            f"{name} unpacks to more than {limits.entry_mb} MB.",
            f"If you trust it, raise the limit: --set limits.entry_mb={_megabytes(unpacked)}",
        )
    if packed is not None:
        _check_ratio(name, unpacked, packed, limits)


def _check_ratio(name: str, unpacked: int, packed: int, limits: Limits) -> None:
    if unpacked > MEGABYTE and unpacked > packed * limits.ratio:
        raise InputError(
            f"{name} unpacks to more than {limits.ratio} times its size, as only an attack does.",
            f"If you trust it, raise the limit: --set limits.ratio={unpacked // max(packed, 1) + 1}",
        )


def _megabytes(size: int) -> int:
    return -(-size // MEGABYTE)


class BrokenBookError(InputError):
    """A container is damaged or cut off."""


def broken_book(book: str, kind: str, error: object) -> BrokenBookError:
    """The error for a container that cannot be listed."""
    return BrokenBookError(f"{book} is a broken {kind}: {_reason(error)}.", FETCH_AGAIN)


def broken_entry(name: str, error: object) -> BrokenPictureError:
    """The error for one entry that cannot be unpacked, while others may."""
    return BrokenPictureError(f"{name} cannot be unpacked: {_reason(error)}.", "Replace or remove that page.")


def missing_part(missing: str, book: str) -> InputError:
    """The error for a book in several files of which one is not there."""
    return InputError(
        f"{missing} is missing: {book} is one of several files that make this book.",
        "Put all of them into one folder.",
    )


def unreadable(name: str, error: OSError) -> InputError:
    """The error for a file or folder that the system does not let us read."""
    return InputError(f"{name} cannot be read: {error.strerror or error}.", "Check the file and its permissions.")


def unwritable(error: OSError) -> NarratorError:
    """The error for an unpacked file that could not be written."""
    if error.errno == errno.ENOSPC:
        return disk_full()
    return DoesNotFitError(f"A book cannot be unpacked: {error.strerror or error}.", "Check the work folder's disk.")


def password_needed(name: str, password: str | None) -> PasswordNeededError:
    """The error for what is encrypted, when `password` was given for it or none was."""
    if password is None:
        return PasswordNeededError(f"{name} is encrypted.", "Give its password with --password.")
    return PasswordNeededError(f"The password given does not open {name}.", "Give the right one with --password.")


def check_password(book: str, password: str, reads: Iterable[Callable[[], object]]) -> None:
    """PasswordNeededError when `password` opens none of the first encrypted entries; damaged ones tell nothing."""
    wrong: PasswordNeededError | None = None
    for read in islice(reads, TRIED):
        try:
            read()
        except PasswordNeededError as error:
            wrong = error
        except InputError:
            continue
        else:
            return
    if wrong is not None:
        raise password_needed(book, password) from wrong


def _reason(error: object) -> str:
    """What a library says, on one line; some say nothing, so their kind of error has to do."""
    if isinstance(error, MemoryError) and not error.args:
        return "it asks for more memory than there is"
    said = " ".join(str(error).split()).rstrip(".")[:200]
    return said or type(error).__name__


class HeaderFile(io.FileIO):
    """A file for reading the directory of an archive, where a request for more than HEADER_MOST bytes is an attack."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Up to `size` bytes (all when negative); InputError when that is more than any directory needs."""
        if size is not None and size > HEADER_MOST:
            raise InputError(f"{self.name} has a directory of {size} bytes, which no book needs.", FETCH_AGAIN)
        return super().read(HEADER_MOST if size is None or size < 0 else size) or b""
