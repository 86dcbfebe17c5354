"""python -m comic_narrator."""

from comic_narrator.cli import main

main()
