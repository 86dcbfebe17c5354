"""The work folder: nothing is made twice, nothing made by hand is lost, nothing half-written is ever seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comic_narrator.errors import InputError, InTheWayError
from comic_narrator.model import Cast, Character
from comic_narrator.work import JOURNAL, Work


def writes(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text)


def opened(root: Path, edits: str = "stop") -> Work:
    work = Work(root, edits)  # type: ignore[arg-type]
    work.root.mkdir(exist_ok=True)
    work.load()
    return work


def never(path: Path) -> object:
    raise AssertionError(f"{path} was made again")


def test_a_file_is_made_once_and_again_only_when_its_inputs_change(tmp_path: Path) -> None:
    opened(tmp_path).make("a.txt", {"in": "1"}, writes("one"))
    again = opened(tmp_path)
    again.make("a.txt", {"in": "1"}, never)
    again.make("a.txt", {"in": "2"}, writes("two"))
    assert (tmp_path / "a.txt").read_text() == "two"
    assert opened(tmp_path).state("a.txt", {"in": "2"}) == "fresh"


def test_a_missing_file_is_made_again(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {}, writes("one"))
    work.path("a.txt").unlink()
    work.make("a.txt", {}, writes("one"))
    assert work.times_made("a.txt") == 2
    assert opened(tmp_path).times_made("a.txt") == 2


def test_a_hand_edit_is_kept_and_its_digest_flows_on(tmp_path: Path) -> None:
    work = opened(tmp_path)
    before = work.make("a.txt", {"in": "1"}, writes("one"))
    work.path("a.txt").write_text("mine")
    after = opened(tmp_path).make("a.txt", {"in": "1"}, never)
    assert after != before
    assert work.path("a.txt").read_text() == "mine"


@pytest.mark.parametrize(("edits", "stays"), [("keep", "mine"), ("discard", "two")])
def test_a_hand_edit_whose_inputs_changed_is_the_users_to_settle(tmp_path: Path, edits: str, stays: str) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {"in": "1"}, writes("one"))
    work.path("a.txt").write_text("mine")
    with pytest.raises(InTheWayError, match=r"a\.txt"):
        opened(tmp_path).make("a.txt", {"in": "2"}, writes("two"))
    opened(tmp_path, edits).make("a.txt", {"in": "2"}, writes("two"))
    assert work.path("a.txt").read_text() == stays
    opened(tmp_path).make("a.txt", {"in": "2"}, never)


def test_a_kept_edit_is_asked_about_again_when_inputs_change_again(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {"in": "1"}, writes("one"))
    work.path("a.txt").write_text("mine")
    opened(tmp_path, "keep").make("a.txt", {"in": "2"}, never)
    with pytest.raises(InTheWayError):
        opened(tmp_path).make("a.txt", {"in": "3"}, never)


def test_a_given_file_is_kept_until_what_it_stands_for_changes(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {"in": "1"}, writes("one"))
    work.give("a.txt", {"in": "1"}, b"given")
    opened(tmp_path).make("a.txt", {"in": "1"}, never)
    assert work.path("a.txt").read_text() == "given"
    with pytest.raises(InTheWayError):
        opened(tmp_path).make("a.txt", {"in": "2"}, never)


def test_giving_what_lies_there_changes_nothing(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {"in": "1"}, writes("one"))
    work.give("a.txt", {"in": "1"}, b"one")
    assert opened(tmp_path).state("a.txt", {"in": "1"}) == "fresh"


@pytest.mark.parametrize(("edits", "stays"), [("keep", "mine"), ("discard", "given")])
def test_a_given_file_does_not_write_over_a_hand_edit_unasked(tmp_path: Path, edits: str, stays: str) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {}, writes("one"))
    work.path("a.txt").write_text("mine")
    with pytest.raises(InTheWayError):
        opened(tmp_path).give("a.txt", {}, b"given")
    opened(tmp_path, edits).give("a.txt", {}, b"given")
    assert work.path("a.txt").read_text() == stays


def test_with_no_journal_at_all_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("whose?")
    with pytest.raises(InTheWayError, match="journal"):
        opened(tmp_path).make("a.txt", {}, never)


def test_a_product_in_the_way_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "film.mp4").write_text("an older film")
    opened(tmp_path).make("film.mp4", {"in": "1"}, writes("new"), product=True)
    assert (tmp_path / "film.mp4").read_text() == "new"


def test_a_failed_build_leaves_no_file_and_the_old_one_whole(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {"in": "1"}, writes("one"))

    def breaks(path: Path) -> None:
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        work.make("a.txt", {"in": "2"}, breaks)
    assert work.path("a.txt").read_text() == "one"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", JOURNAL]


def test_a_journal_line_torn_by_a_crash_costs_one_file_and_loses_none(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {}, writes("one"))
    work.make("b.txt", {}, writes("two"))
    journal = tmp_path / JOURNAL
    journal.write_bytes(journal.read_bytes()[:-20])
    torn = opened(tmp_path)
    torn.make("a.txt", {}, never)
    torn.make("b.txt", {}, writes("again"))
    torn.make("c.txt", {}, writes("three"))
    assert work.path("b.txt").read_text() == "again"
    assert work.path("b.txt.aside").read_text() == "two"
    assert [opened(tmp_path).state(f"{name}.txt", {}) for name in "abc"] == ["fresh"] * 3


def test_two_runs_cannot_share_a_folder(tmp_path: Path) -> None:
    with Work(tmp_path).opened(), pytest.raises(InTheWayError, match="Another run"), Work(tmp_path).opened():
        raise AssertionError("both got in")


def test_tallies_count_by_stage(tmp_path: Path) -> None:
    work = opened(tmp_path)
    with work.stage("one"):
        work.make("a.txt", {}, writes("a"))
        work.make("a.txt", {}, never)
    with work.stage("two"):
        work.failed()
    assert [(r.stage, r.made, r.kept, r.failed) for r in work.reports()] == [("one", 1, 1, 0), ("two", 0, 0, 1)]


def test_an_artefact_is_read_back_as_edited_and_a_misfit_is_named(tmp_path: Path) -> None:
    cast = Cast(narrator=Character(id="narrator", name="Narrator", voice="v1", why="first"))
    work = opened(tmp_path)
    work.artefact(Cast, "cast.json", {}, lambda: cast)
    path = work.path("cast.json")
    path.write_text(path.read_text().replace("v1", "v2"))
    assert work.artefact(Cast, "cast.json", {}, lambda: cast).narrator.voice == "v2"
    path.write_text(path.read_text().replace('"voice"', '"vioce"'))
    with pytest.raises(InputError, match=r"narrator\.voice"):
        work.artefact(Cast, "cast.json", {}, lambda: cast)
