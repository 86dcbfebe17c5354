"""A boot log of vLLM, read line by line while the server boots: what it took, and why it was refused.

Lines of the V1 engine from 0.10.2 to 0.33; the meaning of the cache size that is logged changed with 0.20.1.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from comic_narrator.gpu.flags import VllmFlags
from comic_narrator.gpu.plan import Room
from comic_narrator.gpu.refusals import CAUSES, SYMPTOMS, Account, explain
from comic_narrator.gpu.shape import ModelShape

N = r"(-?[\d.]+)"

_PREFIX = re.compile(
    r"^(?:\(\w+?(?: [A-Z]+\d+)* pid=\d+\) ?)?(?:(?:INFO|WARNING|ERROR|DEBUG) \d\d-\d\d \d\d:\d\d:\d\d \[[^\]]+\] ?)?"
)
_EXCEPTION = re.compile(r"^(?P<kind>[\w.]*(?:Error|Exception|Interrupt)): (?P<text>.+)$")


def _floats(*names: str) -> Callable[[re.Match[str]], dict[str, Any]]:
    return lambda match: {name: float(match.group(i + 1)) for i, name in enumerate(names)}


def _kv_tokens(match: re.Match[str]) -> dict[str, Any]:
    return {"kv_tokens": int(match.group(1).replace(",", ""))}


def _version(match: re.Match[str]) -> dict[str, Any]:
    major, minor, patch = (int(part) for part in match.groups())
    return {"version": (major, minor, patch)}


def _arguments(match: re.Match[str]) -> dict[str, Any]:
    """The flags that were given, of those that decide what a server needs; an unreadable line says nothing."""
    try:
        given = ast.literal_eval(match.group(1))
        model = {"model": str(given.get("model") or given.get("model_tag"))}
        known = {key: value for key, value in given.items() if key in VllmFlags.model_fields}
        return {**model, "flags": VllmFlags.model_validate(known)}
    except (ValueError, SyntaxError, AttributeError, ValidationError):
        return {}


LINES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], dict[str, Any]], str], ...] = (
    (re.compile(r"\bversion (\d+)\.(\d+)\.(\d+)"), _version, "vLLM {version[0]}.{version[1]}.{version[2]} starts"),
    (re.compile(r"Initializing a V1 LLM engine \(v(\d+)\.(\d+)\.(\d+)"), _version, ""),
    (re.compile(r"non-default args: (\{.*\})"), _arguments, ""),
    (re.compile(r"Using max model len (\d+)"), lambda m: {}, "its settings are accepted"),
    (re.compile(r"Starting to load model"), lambda m: {}, "loading weights"),
    (re.compile(rf"free_memory={N}GiB, total_memory={N}GiB"), _floats("free_gib", "total_gib"), ""),
    (re.compile(rf"Free memory on device(?: \S+)? \({N}/{N} GiB\)"), _floats("free_gib", "total_gib"), ""),
    (re.compile(rf"total capacity of {N} GiB"), _floats("total_gib"), ""),
    (
        re.compile(rf"Model loading took {N} GiB(?: memory)? and {N} seconds"),
        _floats("weights_gib", "load_seconds"),
        "{weights_gib:.2f} GiB of weights are loaded",
    ),
    (
        re.compile(r"Encoder cache will be initialized with a budget of \d+ tokens, and profiled with (\d+)"),
        lambda m: {"profiled_pictures": int(m.group(1))},
        "profiling with {profiled_pictures} pictures",
    ),
    (
        re.compile(rf"torch\.compile t(?:ook|akes) {N} s in total"),
        _floats("compile_seconds"),
        "compiled in {compile_seconds:.0f} s",
    ),
    (re.compile(r"Setting attention block size to (\d+)"), lambda m: {"attention_block": int(m.group(1))}, ""),
    (re.compile(rf"torch peak memory increase: {N}GiB"), _floats("activation_gib"), ""),
    (re.compile(rf"non-torch forward increase memory: {N}GiB"), _floats("non_torch_gib"), ""),
    (re.compile(rf"and {N} GiB for CUDAGraph memory"), _floats("graphs_gib"), ""),
    (re.compile(rf"Estimated CUDA graph memory: {N} GiB"), _floats("graphs_gib"), ""),
    (re.compile(rf"{N} GiB for peak activation"), _floats("activation_gib"), ""),
    (re.compile(rf"{N} GiB for non-torch memory"), _floats("non_torch_gib"), ""),
    (
        re.compile(rf"Available KV cache memory: {N} GiB"),
        _floats("kv_gib"),
        "{kv_gib:.2f} GiB are left for the KV cache",
    ),
    (re.compile(rf"reserved {N} ?GiB memory for KV Cache as specified"), _floats("kv_gib"), ""),
    (re.compile(r"KV cache size: ([\d,]+) tokens"), _kv_tokens, "{kv_tokens:,} tokens fit into the KV cache"),
    (re.compile(rf"Maximum concurrency for [\d,]+ tokens per request: {N}x"), _floats("concurrency"), ""),
    (
        re.compile(rf"Graph capturing finished in \d+ secs, took {N} GiB"),
        _floats("graphs_gib"),
        "CUDA graphs are captured",
    ),
    (re.compile(rf"CUDA graph pool memory: {N} GiB \(actual\)"), _floats("graphs_gib"), ""),
    (re.compile(rf"init engine \(.*?\) took {N} s"), _floats("init_seconds"), "the engine is up"),
    (re.compile(rf"Sleep mode freed {N} GiB memory, {N} GiB"), lambda m: {"sleeping_gib": float(m.group(2))}, ""),
    (re.compile(r"Starting vLLM (?:API )?server(?: \d+)? on (\S+)"), lambda m: {"address": m.group(1)}, ""),
    (re.compile(r"Application startup complete"), lambda m: {"ready": True}, "ready"),
)
"""What is read of which line, and the milestone that it is."""


class BootLog:
    """Reads a boot log as it grows; `shape` and `room`, where known, let a refusal be computed instead of estimated."""

    def __init__(self, shape: ModelShape | None = None, room: Room | None = None) -> None:
        self.account = Account()
        self._shape = shape
        self._room = room
        self._found: tuple[str, re.Match[str]] | None = None
        self._unknown: str | None = None
        self._failed = False

    def feed(self, line: str) -> Account:
        """Read one line; the account then."""
        text = _PREFIX.sub("", line.rstrip())
        for pattern, read, milestone in LINES:
            match = pattern.search(text)
            if match:
                self._learn(read(match), milestone)
        # What is said after the server was ready is no refusal of its boot.
        if not self.account.ready:
            self._look_for_a_cause(text)
        return self.account

    def _learn(self, said: dict[str, Any], milestone: str) -> None:
        self.account = replace(self.account, **said)
        told = milestone.format_map(vars(self.account)) if milestone else ""
        if told and told not in self.account.milestones:
            self.account = replace(self.account, milestones=(*self.account.milestones, told))

    def _look_for_a_cause(self, text: str) -> None:
        before = (self._found, self._failed)
        if self._found is None or self._found[0] == "cuda_oom":
            # That memory ran out is said first; what for, where it is said at all, comes later.
            self._found = _cause(text) or self._found
        if any(pattern.search(text) for pattern in SYMPTOMS):
            self._failed = True
        elif self._unknown is None and _EXCEPTION.match(text):
            self._unknown = text
        if (self._found, self._failed) != before or (self._failed and self.account.refusal is None):
            self._explain()

    def _explain(self) -> None:
        if self._found or self._unknown:
            refusal = explain(self._found, self._unknown, self.account, self._shape, self._room)
            self.account = replace(self.account, refusal=refusal)


def _cause(text: str) -> tuple[str, re.Match[str]] | None:
    """The most telling cause that a line names."""
    matches = ((cause, pattern.search(text)) for cause, pattern in CAUSES.items())
    return next(((cause, match) for cause, match in matches if match), None)


def read_log(text: str, shape: ModelShape | None = None, room: Room | None = None) -> Account:
    """The account of a whole log."""
    log = BootLog(shape, room)
    for line in text.splitlines():
        log.feed(line)
    return log.account
