"""The entry point, both as `comic-narrator` and as `python -m comic_narrator`."""

from __future__ import annotations

import sys

from comic_narrator.errors import INTERRUPTED


def main() -> None:
    """Run the command; Ctrl-C while the program is still loading leaves as quietly as later."""
    try:
        from comic_narrator.cli import main as command
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    command()


if __name__ == "__main__":
    main()
