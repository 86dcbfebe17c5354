"""Many books: which there are, which of them are to be made, and one run of the program for each."""

from comic_narrator.library.engines import Engine, Local
from comic_narrator.library.making import LibraryRun, make_films
from comic_narrator.library.shelf import Shelved, holds_books, shelve

__all__ = ["Engine", "LibraryRun", "Local", "Shelved", "holds_books", "make_films", "shelve"]
