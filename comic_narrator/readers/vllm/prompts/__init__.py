"""What the model is told, a Markdown file a task; their text is part of the reader's identity."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Literal

Task = Literal["page", "people", "language", "translation"]
TASKS: tuple[Task, ...] = ("page", "people", "language", "translation")


@cache
def prompt(task: Task) -> str:
    """The instructions of a task."""
    return (files(__name__) / f"{task}.md").read_text(encoding="utf-8").strip()


@cache
def digest(*tasks: Task) -> str:
    """Twelve hexadecimal digits that change with any of these tasks' instructions."""
    return hashlib.sha256("\n\n".join(prompt(task) for task in tasks).encode()).hexdigest()[:12]
