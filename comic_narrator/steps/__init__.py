"""The steps of the pipeline: what each stage's files are made from and where in the work folder they lie.

A step asks the work folder for its files; only where one is missing or its inputs changed does the stage itself run.
"""

from comic_narrator.steps.book import cut, ingest, wishes_of
from comic_narrator.steps.burning import burn
from comic_narrator.steps.film import film_scenes, finish, time
from comic_narrator.steps.gpu import CardTurns, FilmTurns, Turns
from comic_narrator.steps.pages import find_panels, read, show
from comic_narrator.steps.run import FIRST, REPORT, Cut, Job, Run, Until, read_given, save_report
from comic_narrator.steps.sound import mix
from comic_narrator.steps.speech import speak
from comic_narrator.steps.translation import translate
from comic_narrator.steps.words import CAST, SCRIPT, cast, pins_beside, script, who_is_who, wordbook_beside

__all__ = [
    "CAST",
    "FIRST",
    "REPORT",
    "SCRIPT",
    "CardTurns",
    "Cut",
    "FilmTurns",
    "Job",
    "Run",
    "Turns",
    "Until",
    "burn",
    "cast",
    "cut",
    "film_scenes",
    "find_panels",
    "finish",
    "ingest",
    "mix",
    "pins_beside",
    "read",
    "read_given",
    "save_report",
    "script",
    "show",
    "speak",
    "time",
    "translate",
    "who_is_who",
    "wishes_of",
    "wordbook_beside",
]
