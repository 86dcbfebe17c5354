"""Whether a vLLM server sleeps: one that is asked anything then dies of it, for its weights are not on the card."""

from __future__ import annotations

from comic_narrator.errors import BackendAnswerError, BackendDownError, UsageError
from comic_narrator.http import Server


def asleep(server: Server) -> bool:
    """Whether the server sleeps; False for one that cannot. BackendDownError where none answers."""
    try:
        answer = server.get("/is_sleeping").json()
    except (BackendAnswerError, UsageError):
        return False
    return isinstance(answer, dict) and answer.get("is_sleeping") is True


def make_sure_it_is_awake(server: Server) -> None:
    """BackendDownError for a server that sleeps, before it is asked and dies."""
    if asleep(server):
        raise BackendDownError(
            f"The server at {server.url} sleeps, and would die of a question.",
            "A run with the profile it was started with wakes it: --profile NAME. Or start it anew: `comic-narrator "
            "serve down`, then up.",
        )
