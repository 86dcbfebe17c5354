"""The step from a script to its lines in another language; it never stops a film."""

from __future__ import annotations

from functools import partial

from comic_narrator.errors import BackendAnswerError, BackendDownError, UsageError
from comic_narrator.model import Book, Cast, Script, TranslatedLine, Translation
from comic_narrator.readers import SpokenLine, Translator
from comic_narrator.steps.film import subtitle_words
from comic_narrator.steps.run import Job, Run
from comic_narrator.work import digest_of

TRANSLATION = "translation.json"


def check_translation(run: Run) -> None:
    """Raise UsageError where subtitles in another language are wanted and the reader cannot translate."""
    if run.settings.film.subtitle_language != "none" and run.reader.translator is None:
        raise UsageError(
            f"The reader {run.choices['reader'].name} cannot translate subtitles.",
            "Name a model server with --set reader.url=ADDRESS, or leave --subtitle-lang out.",
        )


def translate(book: Book, script: Script, cast: Cast, job: Job, run: Run) -> Translation | None:
    """Translate what is spoken, if that is wanted: translation.json; None where it is not, or could not be had."""
    target, translator = run.settings.film.subtitle_language, run.reader.translator
    if target in ("none", book.language) or translator is None:
        return None
    words = subtitle_words(script, "printed")
    beats = [beat for beat in script.beats if words.get(beat.id)]
    names = {character.id: character.name for character in cast.characters}
    lines = [SpokenLine(words[beat.id], names.get(beat.speaker or "")) for beat in beats]
    ask = partial(_translated, translator, lines, [beat.id for beat in beats], book.language, target)

    def build() -> Translation:
        with run.reading(book.language, job.until):
            return run.gpu.ask("vision", ask)

    with run.stage("translation", 1) as step:
        try:
            inputs = {
                "lines": digest_of(*lines),
                "languages": f"{book.language} to {target}",
                "model": run.identity_of("translator", lambda: translator.identity),
            }
            made = run.work.artefact(Translation, job.shelf(TRANSLATION), inputs, build)
        except (BackendAnswerError, BackendDownError, UsageError) as error:
            run.work.failed(job.shelf(TRANSLATION), error.what)
            run.shortfalls.append(f"no subtitles in {target}: {error.what}")
            return None
        finally:
            step()
    missing = len({beat.id for beat in beats} - {line.beat for line in made.lines})
    if missing:
        run.shortfalls.append(f"{missing} of {len(beats)} lines are not translated to {target}")
    return made


def _translated(
    translator: Translator, lines: list[SpokenLine], beats: list[str], source: str, target: str
) -> Translation:
    texts = translator.translate(lines, source, target)
    if not any(texts):
        raise BackendAnswerError("No line was translated.", "Use a larger model.")
    return Translation(
        language=target,
        lines=tuple(TranslatedLine(beat=beat, text=text) for beat, text in zip(beats, texts, strict=True) if text),
    )
