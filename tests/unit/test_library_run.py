"""A library's run, with an engine that only notes what it is asked: order, stages, what is left out, what ends it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from filelock import FileLock

from comic_narrator.cli import run as command
from comic_narrator.cli.library import ORDER, _stages
from comic_narrator.console import Watch
from comic_narrator.errors import InTheWayError
from comic_narrator.library import LibraryRun, make_films
from comic_narrator.library.engines import Ended, Told
from comic_narrator.library.making import LOCK
from comic_narrator.work import Work


@dataclass
class Notes:
    """Makes a film of every book but those whose exit code is told."""

    exits: Mapping[str, int] = field(default_factory=dict)
    lanes: int = 1
    halts: tuple[str, ...] = ()
    asked: list[tuple[str, str]] = field(default_factory=list)
    options: dict[str, Sequence[str]] = field(default_factory=dict)

    def run(self, arguments: Sequence[str], stage: str, told: Told) -> Ended:
        book, _, film, *options = arguments
        name = Path(book).name
        self.asked.append((name, stage))
        self.options[name] = options
        told({"event": "stage", "stage": stage, "done": 1, "total": 1})
        code = self.exits.get(name, 0)
        if stage == "film" and not code:
            Path(film).parent.mkdir(parents=True, exist_ok=True)
            Path(film).write_text("film")
        return Ended(code, "It broke. Mend it." if code else "", 1.0)

    def stop(self) -> None:
        """Nothing runs."""

    def close(self) -> None:
        """Nothing is held."""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    root = tmp_path / "comics"
    root.mkdir()
    for i in (1, 2, 10):
        (root / f"v{i}.cbz").write_text(f"book {i}")
    return root


def run_of(library: Path, engine: Notes, *stages: str, **more: object) -> LibraryRun:
    out = library.parent / "films"
    return LibraryRun(library, out, ("--lang", "en"), stages or ("film",), engine, Watch(quiet=True), **more)  # type: ignore[arg-type]


def test_all_books_come_through_a_stage_before_any_goes_on(library: Path) -> None:
    engine = Notes({"v2.cbz": 3})
    run = run_of(library, engine, "script", "film")
    make_films(run)
    assert engine.asked == [
        ("v1.cbz", "script"), ("v2.cbz", "script"), ("v10.cbz", "script"), ("v1.cbz", "film"), ("v10.cbz", "film")
    ]  # fmt: skip
    assert engine.options["v1.cbz"] == ["--lang", "en"]
    assert [one.book for one in run.failed] == ["v2.cbz"]
    assert [one.seconds for one in run.made] == [2.0, 2.0]


def test_the_next_run_does_what_is_left_or_asked_otherwise(library: Path) -> None:
    make_films(run_of(library, Notes({"v2.cbz": 3})))
    again = Notes()
    make_films(run_of(library, again))
    assert again.asked == [("v2.cbz", "film")]
    other = Notes()
    run = run_of(library, other)
    run.arguments = ("--lang", "ja")
    make_films(run)
    assert len(other.asked) == 3
    (library.parent / "films" / "v1.mp4").unlink()
    (library / "cast.toml").write_text("")
    last = Notes()
    make_films(run_of(library, last))
    assert len(last.asked) == 3
    assert last.options["v1.cbz"][-2:] == ["--set", f"voice.cast={library / 'cast.toml'}"]


def test_pages_that_are_broken_do_not_keep_a_book_from_its_film(library: Path) -> None:
    engine = Notes({"v1.cbz": 7})
    run = run_of(library, engine, "script", "film")
    make_films(run)
    assert ("v1.cbz", "film") in engine.asked
    assert [one.exit for one in run.failed] == [7]


@pytest.mark.parametrize("code", [4, 5, 9])
def test_what_every_book_would_fail_of_ends_the_run(library: Path, code: int) -> None:
    engine = Notes({"v1.cbz": code, "v2.cbz": code})
    run = run_of(library, engine)
    make_films(run)
    assert len(engine.asked) == 2


def test_a_book_that_was_interrupted_is_neither_made_nor_failed(library: Path) -> None:
    run = run_of(library, Notes({"v2.cbz": 130}))
    make_films(run)
    assert (len(run.made), len(run.failed)) == (2, 0)


def test_two_runs_do_not_make_one_library(library: Path) -> None:
    out = library.parent / "films"
    out.mkdir()
    with FileLock(out / LOCK), pytest.raises(InTheWayError, match="Another run"):
        make_films(run_of(library, Notes()))


def test_a_watched_library_takes_new_books_when_they_are_whole(library: Path) -> None:
    engine, waits = Notes({"v2.cbz": 3}), 0
    coming = library / "v11.cbz"

    def wait(seconds: float) -> None:
        nonlocal waits
        waits += 1
        if waits in (2, 3):
            coming.write_text("copying" * waits)
            assert ("v11.cbz", "film") not in engine.asked
        if waits == 6:
            raise KeyboardInterrupt

    run = run_of(library, engine)
    with pytest.raises(KeyboardInterrupt):
        make_films(run, watching=True, wait=wait)
    assert engine.asked[3:] == [("v11.cbz", "film")]
    # What this run made it did not skip.
    assert run.skipped == {}


@pytest.mark.parametrize("stage", ORDER)
@pytest.mark.parametrize("share", ["none", "co-resident", "nap", "two-pass"])
def test_a_library_halts_only_on_its_way(stage: str, share: str) -> None:
    in_turns = share in ("nap", "two-pass") and stage in ("speech", "film")
    assert _stages(stage, share, ()) == (("script", stage) if in_turns else (stage,))
    assert _stages("film", share, ("script", "speech")) == ("script", "speech", "film")


def test_the_card_is_handed_over_once_when_all_books_are_read(library: Path) -> None:
    engine = Notes({"v2.cbz": 3})
    run = run_of(library, engine, "script", "film", between=lambda: engine.asked.append(("the card", "handed over")))
    make_films(run)
    stages = [stage for _, stage in engine.asked]
    assert stages == ["script", "script", "script", "handed over", "film", "film"]


def test_nothing_is_handed_over_where_no_book_goes_on(library: Path) -> None:
    run = run_of(library, Notes(dict.fromkeys(("v1.cbz", "v2.cbz", "v10.cbz"), 3)), "script", "film", between=_never)
    make_films(run)
    assert len(run.failed) == 3
    alone = run_of(library, Notes(), "film", between=_never)
    make_films(alone)
    assert len(alone.made) == 3


def _never() -> None:
    raise AssertionError("it was handed over")


def test_books_that_were_read_alone_are_not_read_again_until_something_changes(library: Path) -> None:
    make_films(run_of(library, Reads(), "script"))
    again = run_of(library, Reads(), "script")
    make_films(again)
    assert len(again.skipped) == 3
    assert all(why.endswith(".mp4.work") for why in again.skipped.values())
    film = run_of(library, Notes())
    make_films(film)
    assert len(film.made) == 3


class Reads(Notes):
    """Leaves a work folder, as a run does that stops before the film."""

    def run(self, arguments: Sequence[str], stage: str, told: Told) -> Ended:
        Path(f"{arguments[2]}.work").mkdir(parents=True, exist_ok=True)
        return super().run(arguments, stage, told)


def test_a_book_that_is_being_made_does_not_keep_others_from_being_cleaned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        with Work(tmp_path / f"{name}.mp4.work").opened() as work:
            work.make("a.txt", {}, lambda path: path.write_text("one"))
    with Work(tmp_path / "a.mp4.work").opened():
        assert command(["clean", str(tmp_path), "--json"]) == 0
        told = capsys.readouterr()
        assert [Path(folder).name for folder in json.loads(told.out)] == ["b.mp4.work"]
        assert "Another run is using" in told.err
        assert command(["clean", str(tmp_path / "a.mp4.work")]) == 8
