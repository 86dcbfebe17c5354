"""The errors a user can act on: each says what happened, what to do, and which exit code follows."""

from __future__ import annotations

from typing import ClassVar


class NarratorError(Exception):
    """An error with one sentence of what happened (`what`) and one of what to do (`hint`)."""

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __reduce__(self) -> tuple[type[NarratorError], tuple[str, str]]:
        # Raised in a process of its own, it comes back to the first one whole.
        return type(self), (self.what, self.hint)


class UsageError(NarratorError):
    """The command line or a setting is wrong."""

    exit_code = 2


class InputError(NarratorError):
    """A book, page or given artefact cannot be read."""

    exit_code = 3


class BrokenPictureError(InputError):
    """A picture cannot be read; the book may go on without it."""


class MissingToolError(NarratorError):
    """A tool or a model that the run needs is not installed."""

    exit_code = 4


class BackendDownError(NarratorError):
    """A backend does not answer."""

    exit_code = 5


class StreamCutError(BackendDownError):
    """A backend broke off in the middle of an answer; asked anew, it may come to its end."""


class BackendFailedError(BackendDownError):
    """A backend is there and failed at this one request; it may well answer another."""


class BackendSilentError(BackendDownError):
    """A backend took the call and said nothing in time; it may be at work, or stuck."""


class BackendAnswerError(NarratorError):
    """A backend answered with something that cannot be used."""

    exit_code = 6


class ItemsFailedError(NarratorError):
    """Some items failed; the rest is saved and the next run retries just those."""

    exit_code = 7


class InTheWayError(NarratorError):
    """A hand edit or another process is in the way."""

    exit_code = 8


class DoesNotFitError(NarratorError):
    """The run does not fit: disk or GPU memory."""

    exit_code = 9


def disk_full() -> DoesNotFitError:
    """The error for a disk that took no more."""
    return DoesNotFitError("The disk is full.", "Free some space and run the same command again: what is made stays.")


class FilmError(NarratorError):
    """The film could not be written or failed its check."""

    exit_code = 10


INTERRUPTED = 130
"""Exit code after Ctrl-C: the rest is saved."""
