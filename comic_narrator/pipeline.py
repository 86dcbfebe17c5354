"""The whole program on one screen: a book goes in, a film comes out, stage after stage over the whole book."""

from __future__ import annotations

from comic_narrator import steps
from comic_narrator.steps import Job, Run


def narrate(job: Job, run: Run) -> None:
    """Make the film of one book, or as much of it as `job.until` says; what stands already is not made again.

    What became of it is left in report.json, whatever happens. Raises the NarratorError that stops the run.
    """
    try:
        book = steps.ingest(job, run)
        if job.until == "pages":
            return

        book, panels = steps.find_panels(book, run)
        if job.until == "panels":
            return

        readings = steps.read(book, panels, job, run)
        if job.show:
            steps.show(book, readings, run)
        if job.until == "reading":
            return

        people = steps.who_is_who(book, readings, job, run)
        cast = steps.cast(book, readings, people, job, run)
        script = steps.script(book, readings, people, cast, job, run)
        translation = steps.translate(book, script, cast, job, run)
        if job.until == "script":
            return

        book, script = steps.cut(book, script, job)
        takes = steps.speak(script, run)
        if job.until == "speech":
            return

        timing = steps.time(book, readings, script, takes, job, run)
        sound = steps.mix(readings, script, timing, job, run)
        burnt = steps.burn(book, readings, script, cast, timing, translation, run)
        scenes = steps.film_scenes(book, timing, burnt, job, run)
        steps.finish(book, script, cast, timing, scenes, sound, translation, job, run)
    finally:
        steps.save_report(run)
