"""Writes docs/settings.md from the settings themselves: python -m scripts.document_settings."""

from __future__ import annotations

from pathlib import Path

from comic_narrator.settings import load_settings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "settings.md"

HEAD = """# Settings

Defaults, then `--profile`, then the environment (`COMIC_NARRATOR_FILM__FPS=24`), then `--set film.fps=24`, then named
options; the later wins. `comic-narrator settings` shows each with who set it. This page is written by
`scripts/document_settings.py`.

| setting | default | meaning |
|---|---|---|
"""


def page() -> str:
    """The page as the settings of today want it."""
    _, listed = load_settings(None, {}, (), {})
    return HEAD + "".join(f"| `{s.key}` | {s.value} | {s.description.replace('|', ', ')} |\n" for s in listed)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
