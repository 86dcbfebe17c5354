"""What a refusal means: each status, each failure to connect, as the error a user can act on."""

from __future__ import annotations

import json
from dataclasses import dataclass

import httpx

from comic_narrator.errors import (
    BackendAnswerError,
    BackendDownError,
    BackendFailedError,
    BackendSilentError,
    NarratorError,
    UsageError,
)

ALWAYS = 1_000
"""Where nothing but the caller's patience limits the attempts."""


@dataclass
class PassingError(Exception):
    """What may pass: the `error` that it is otherwise, how often it may be met, how long to wait then.

    `after` are seconds; `reset` says that a connection broke before any answer came.
    """

    error: NarratorError
    attempts: int = ALWAYS
    after: float = 0
    reset: bool = False


def refusal(status: int, url: str, path: str, detail: str, retry_after: str = "") -> NarratorError | PassingError:
    """The error for an HTTP status that is no 2xx, or for the code of an error event; `detail` is the server's word."""
    said = f": {detail}" if detail else ""
    match status:
        case 401 | 403:
            return UsageError(
                f"{url} refuses the call without a valid key ({status}).",
                "Set COMIC_NARRATOR_API_KEY to the key that the server was started with.",
            )
        case 404 if "model" in detail.lower():
            return UsageError(f"{url} does not serve that model{said}.", "Leave the model out to take what is served.")
        case 404 | 405:
            return UsageError(
                f"There is nothing at {url}{path} ({status}).",
                "Check the address: it must be that of a server with that interface, as http://127.0.0.1:8000.",
            )
        case 413:
            return BackendAnswerError(
                f"{url} finds the request too large ({status}).",
                "Raise the limit of the proxy in front of the server, or give the server's own address.",
            )
        case 429:
            busy = BackendDownError(f"{url} takes no more calls now{said} ({status}).", "Wait, or let fewer in flight.")
            return PassingError(busy, after=_seconds(retry_after))
        case 500:
            broken = BackendFailedError(f"{url} failed inside{said} ({status}).", "Look at its log; start it anew.")
            return PassingError(broken, attempts=2)
        case 502 | 503 | 504:
            absent = BackendDownError(
                f"{url} is not ready or overloaded{said} ({status}).", "Wait until it has started, or look at its log."
            )
            return PassingError(absent, after=_seconds(retry_after))
        case 501:
            return BackendAnswerError(f"{url} cannot do what is asked{said} ({status}).", "Use a newer server.")
        case _ if 300 <= status < 400:
            return UsageError(f"{url} sends the call elsewhere ({status}).", "Give the address that it stands at.")
        case _ if status >= 500:
            return BackendDownError(f"{url} failed{said} ({status}).", "Look at its log.")
    return BackendAnswerError(f"{url} refused the request{said} ({status}).", "Look at the server's log.")


def cannot_reach(
    error: httpx.HTTPError | httpx.InvalidURL | httpx.StreamError, url: str, connect: float, read: float
) -> NarratorError | PassingError:
    """The error for a call that brought no answer, or half of one."""
    match error:
        case httpx.ConnectTimeout():
            return PassingError(
                BackendDownError(
                    f"{url} does not take the call within {connect:.3g} s.", "Check the address and the firewall."
                )
            )
        case httpx.ReadTimeout() | httpx.WriteTimeout():
            return BackendSilentError(
                f"{url} said nothing for {read:.3g} s.", "It is overloaded or stuck: look at its log, or start it anew."
            )
        case httpx.ConnectError() if "SSL" in str(error):
            return UsageError(
                f"{url} and we do not agree on encryption ({error}).", "Check http or https, and its certificate."
            )
        case httpx.ConnectError():
            return PassingError(
                BackendDownError(f"Nothing answers at {url}.", "Start the server, or check its address and port.")
            )
        case httpx.UnsupportedProtocol() | httpx.InvalidURL():
            return UsageError(f"{url} is not the address of a server.", "Write it as http://127.0.0.1:8000.")
        case httpx.DecodingError():
            return BackendAnswerError(f"{url} sent an answer that cannot be unpacked.", "Look at the server's log.")
    lost = BackendDownError(f"{url} broke the connection.", "Look at its log; then run the same command again.")
    return PassingError(lost, reset=True)


def detail_of(data: bytes) -> str:
    """The server's own word in an error's body, at most 300 characters of one line; "" for a web page."""
    try:
        told = json.loads(data)
    except ValueError:
        told = "" if looks_like_a_page(data) else data.decode("utf-8", errors="replace")
    for name in ("error", "message", "detail"):
        if isinstance(told, dict) and name in told:
            told = told[name]
    words = " ".join((told if isinstance(told, str) else json.dumps(told) if told else "").split())
    return words[:300].rstrip(" .")


def looks_like_a_page(data: bytes) -> bool:
    """Whether these bytes are HTML."""
    return data.lstrip()[:1] == b"<"


def _seconds(retry_after: str) -> float:
    return float(retry_after) if retry_after.strip().isdecimal() else 0.0
