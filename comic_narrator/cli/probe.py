"""The command that measures a model server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from comic_narrator.cli.app import AsJson, app
from comic_narrator.console import Watch, print_table, result
from comic_narrator.errors import InputError, ItemsFailedError
from comic_narrator.gpu.cards import used_memory
from comic_narrator.gpu.drawn import drawn_page
from comic_narrator.gpu.metrics import ServerState
from comic_narrator.gpu.probe import Load, Memory, Probe, is_here, probe, wait_until_ready
from comic_narrator.gpu.soak import soak
from comic_narrator.http import Server
from comic_narrator.report import Spread

KINDS = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))


@app.command("probe")
def measure(
    url: Annotated[str, typer.Option(help="Address of the model server.")] = "http://127.0.0.1:8000",
    model: Annotated[str, typer.Option(help="Served name of the model; auto takes the first.")] = "auto",
    requests: Annotated[int, typer.Option(min=1, help="Requests to measure.")] = 8,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Requests in flight at once.")] = 2,
    tokens: Annotated[int, typer.Option(min=1, help="Tokens of each answer.")] = 300,
    image: Annotated[Path | None, typer.Option(help="Page to send, PNG or JPEG; default: a drawn one.")] = None,
    wait: Annotated[float, typer.Option(min=0, help="Seconds to wait until the server is ready.")] = 600,
    minutes: Annotated[
        float, typer.Option("--soak", min=0, help="Minutes of equal loads; tells a leak from a pool.")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Load a model server evenly and say what it takes: first token, latency, queue, tokens, pages, GPU memory."""
    watch = Watch()
    picture, kind = _picture(image)
    load = Load(requests, concurrency, tokens, picture, kind)
    with Server(url, key=os.environ.get("COMIC_NARRATOR_API_KEY")) as server:
        wait_until_ready(server, wait, watch.say)
        memory: Memory = used_memory if is_here(server.url) else dict
        soaked = None
        if minutes:
            soaked = soak(
                lambda: probe(server, load, memory, model=model), 60 * minutes, lambda one: watch.say(_line(one))
            )
        last = soaked.rounds[-1] if soaked else probe(server, load, memory, model=model)
    if as_json:
        result((soaked or last).model_dump_json(indent=1))
    else:
        print_table(("probe", last.model), _rows(last))
        if soaked:
            result(f"soak: {soaked.verdict}, {len(soaked.rounds)} loads. {soaked.why}")
    if last.failed:
        raise ItemsFailedError(
            f"{last.failed} of {last.failed + last.requests} requests failed: {last.errors[0]}",
            "Look at the server's log, or let fewer in flight.",
        )


def _picture(image: Path | None) -> tuple[bytes, str]:
    if image is None:
        return drawn_page(), "image/png"
    if not image.is_file():
        raise InputError(f"There is no file {image}.", "Check the path.")
    data = image.read_bytes()
    for head, kind in KINDS:
        if data.startswith(head):
            return data, kind
    raise InputError(f"{image} is neither PNG nor JPEG.", "Give a page as one of them: it is sent as it is.")


def _rows(found: Probe) -> list[tuple[str, str]]:
    rows = [
        ("requests", f"{found.requests} done, {found.failed} failed, {found.concurrency} in flight"),
        ("first token", _seconds(found.first_token)),
        ("latency", _seconds(found.latency)),
        ("wait in our queue", _seconds(found.queue_wait)),
        (
            "wait in its queue",
            "not told" if found.server_queue is None else f"{found.server_queue:.3f} s on average",
        ),
        (
            "tokens",
            f"{found.prompt_tokens} in, {found.completion_tokens} out, {found.tokens_a_second:.1f} out a second",
        ),
        ("pages", f"{found.pages_a_minute:.1f} a minute"),
    ]
    for card in found.cards:
        told = f"{card.baseline} MiB before, {card.peak} at most (+{card.delta}), {card.after} after"
        rows.append((f"memory of GPU {card.card}", told))
    if not found.cards:
        rows.append(("memory of the GPU", "not measured"))
    for name, state in (("before", found.before), ("busiest", found.busiest), ("drained", found.drained)):
        rows.append((f"server {name}", _state(state)))
    if not found.cut_short:
        rows.append(("note", "answers ended by themselves: loads are not equal"))
    return rows


def _seconds(spread: Spread) -> str:
    return f"{spread.median:.3f} s median, {spread.p95:.3f} s p95, {spread.most:.3f} s at most"


def _state(state: ServerState | None) -> str:
    if state is None:
        return "not told"
    kv = "not told" if state.kv is None else f"{100 * state.kv:.1f} %"
    return f"{state.running} running, {state.waiting} waiting, KV cache {kv}"


def _line(found: Probe) -> str:
    memory = ", ".join(f"GPU {card.card}: {card.after} MiB" for card in found.cards) or "memory not measured"
    return f"{found.pages_a_minute:.1f} pages a minute, latency {found.latency.median:.2f} s; drained: {memory}"
