"""The work folder: nothing is made twice, nothing made by hand is lost, nothing half-written is ever seen."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from comic_narrator.errors import InputError, InTheWayError
from comic_narrator.model import Cast, Character
from comic_narrator.work import JOURNAL, Work, digest_file, digests, hold, standings
from comic_narrator.work.digests import Digests
from comic_narrator.work.hold import OWNER, Owner


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
        work.failed("b.txt", "it broke")
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


def states(root: Path) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {file.name: (file.state, file.because) for file in standings(opened(root))}


def chain(root: Path, edits: str = "stop") -> Work:
    """b.json is made from a.json, and c.txt from b.json."""
    work = opened(root, edits)
    work.make("a.json", {"in": "1"}, writes('{"a": 1}'))
    work.make("b.json", work.files("a.json"), writes('{"b": 2}'))
    work.make("c.txt", work.files("b.json"), writes("c"))
    return work


def test_status_names_what_is_stale_and_the_input_that_changed(tmp_path: Path) -> None:
    chain(tmp_path)
    assert set(states(tmp_path).values()) == {("fresh", ())}
    (tmp_path / "a.json").write_text('{"a": 5}')
    assert states(tmp_path) == {
        "a.json": ("edited", ()),
        "b.json": ("stale", ("a.json changed",)),
        "c.txt": ("stale", ("b.json is stale",)),
    }
    (tmp_path / "b.json").write_text('{"b": 3}')
    assert states(tmp_path)["b.json"] == ("conflict", ("a.json changed",))
    (tmp_path / "a.json").unlink()
    assert states(tmp_path)["a.json"] == ("missing", ())
    assert states(tmp_path)["b.json"] == ("conflict", ("a.json is missing",))


def test_status_looks_into_the_part_that_a_file_was_made_from(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.make("t.json", {}, writes('{"scenes": [{"page": "1", "x": 1}, {"page": "2", "x": 2}]}'))
    for key, digest in work.parts("t.json", "scenes").items():
        work.make(f"{key[-1]}.mp4", {key: digest}, writes(key))
    (tmp_path / "t.json").write_text('{"scenes": [{"page": "1", "x": 1}, {"page": "2", "x": 3}]}')
    assert states(tmp_path)["1.mp4"] == ("fresh", ())
    assert states(tmp_path)["2.mp4"] == ("stale", ("t.json#scenes/2 changed",))


def test_status_names_what_failed_until_it_is_made(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.failed("a.txt", "the server spoke nonsense")
    assert states(tmp_path) == {"a.txt": ("failed", ("the server spoke nonsense",))}
    opened(tmp_path).make("a.txt", {}, writes("one"))
    assert states(tmp_path) == {"a.txt": ("fresh", ())}


def test_white_space_in_a_json_file_makes_nothing_anew(tmp_path: Path) -> None:
    work = chain(tmp_path)
    (tmp_path / "a.json").write_text('{\n   "a":   1 }\n')
    again = opened(tmp_path)
    again.make("b.json", again.files("a.json"), never)
    assert work.files("b.json") == again.files("b.json")


def test_a_lost_journal_is_told_and_adopted_when_asked(tmp_path: Path) -> None:
    with Work(tmp_path).opened() as work:
        work.make("book.json", {"in": "1"}, writes("{}"))
    (tmp_path / JOURNAL).unlink()
    with pytest.raises(InTheWayError, match="journal") as told, Work(tmp_path).opened():
        pass
    assert "--adopt" in told.value.hint
    with Work(tmp_path, adopt=True).opened() as work:
        work.make("book.json", {"in": "1"}, never)
        assert work.adopted == 1
    with Work(tmp_path).opened() as work:
        work.make("book.json", {"in": "1"}, never)


def test_what_a_crash_left_without_a_line_is_not_kept_twice(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {}, writes("one"))
    (tmp_path / "b.txt").write_text("two")
    work.make("b.txt", {}, writes("two"))
    assert not (tmp_path / "b.txt.aside").exists()


def test_a_journal_of_another_version_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_text('{"schema": "comic_narrator.journal/9"}\n')
    with pytest.raises(InTheWayError, match="journal/9"):
        opened(tmp_path)


def test_a_journal_from_before_it_had_a_version_goes_on(tmp_path: Path) -> None:
    chain(tmp_path)
    journal = tmp_path / JOURNAL
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[1:]))
    work = opened(tmp_path)
    work.make("d.txt", {}, writes("d"))
    work.make("c.txt", work.files("b.json"), never)
    assert "journal/1" in journal.read_text()


def test_noise_in_the_journal_costs_no_more_than_its_own_lines(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {}, writes("one"))
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(bytes(4096) + b"\xff\xfe{{\n")
    opened(tmp_path).make("a.txt", {}, never)


def test_what_was_removed_to_save_space_is_not_thrown_away_by_hand(tmp_path: Path) -> None:
    work = opened(tmp_path)
    work.make("a.txt", {}, writes("one"))
    assert work.remove("a.txt") == 3
    assert "a.txt" not in opened(tmp_path).entries


def test_a_file_is_read_for_its_digest_once_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, store = tmp_path / "a.bin", tmp_path / "digests"
    file.write_bytes(b"one")
    old = time.time() - 60
    os.utime(file, (old, old))
    monkeypatch.setattr(digests, "RACY", 0)
    first = Digests(tmp_path)
    one = first.whole(file)
    first.save(store)
    read: list[Path] = []

    def reading(path: Path) -> str:
        read.append(path)
        return "read"

    monkeypatch.setattr(digests, "digest_file", reading)
    second = Digests(tmp_path)
    second.load(store)
    assert (second.whole(file), read) == (one, [])
    file.write_bytes(b"two")
    os.utime(file, (old, old))  # As `cp -p` and `touch -r` do; the time of the change cannot be put back.
    assert second.whole(file) == "read"


def test_a_file_that_was_just_changed_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    seen = Digests(tmp_path)
    for text in ("one", "two", "six"):
        file.write_text(text)
        assert seen.whole(file) == digest_file(file)


def test_a_folder_that_was_renamed_and_moved_is_as_it_was(tmp_path: Path) -> None:
    film = tmp_path / "film.mp4"
    with Work(tmp_path / "film.mp4.work").opened() as work:
        work.make("pages/a.txt", {"in": "1"}, writes("one"))
        work.make("b.txt", work.files("pages/a.txt"), writes("two"))
        work.make(work.name_of(film), work.files("b.txt"), writes("film"), product=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "film.mp4.work").rename(elsewhere / "film.mp4.work")
    film.rename(elsewhere / "film.mp4")
    with Work(elsewhere / "film.mp4.work").opened() as work:
        work.make("pages/a.txt", {"in": "1"}, never)
        work.make("b.txt", work.files("pages/a.txt"), never)
        work.make(work.name_of(elsewhere / "film.mp4"), work.files("b.txt"), never, product=True)
        assert {file.state for file in standings(work)} == {"fresh"}
        assert work.cut_off is None


@pytest.mark.parametrize("jump", [-30 * 86400, 30 * 86400], ids=["back", "ahead"])
def test_an_edit_is_seen_though_the_clock_jumped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: int) -> None:
    with Work(tmp_path).opened() as work:
        work.make("a.txt", {"in": "1"}, writes("one"))
    now = time.time_ns() + jump * 10**9
    monkeypatch.setattr(time, "time_ns", lambda: now)
    with Work(tmp_path).opened() as work:
        work.make("a.txt", {"in": "1"}, never)
    # As the clock that jumped would date it; the size is that of before.
    (tmp_path / "a.txt").write_text("two")
    os.utime(tmp_path / "a.txt", ns=(now, now))
    with Work(tmp_path).opened() as work:
        assert work.state("a.txt", {"in": "1"}) == "edited"
        work.make("a.txt", {"in": "1"}, never)
    monkeypatch.undo()
    assert opened(tmp_path).state("a.txt", {"in": "1"}) == "edited"


@pytest.mark.parametrize("date", [1.0, 4e9], ids=["1970", "2096"])
def test_what_files_are_dated_makes_nothing_anew(tmp_path: Path, date: float) -> None:
    with Work(tmp_path).opened() as work:
        work.make("a.txt", {"in": "1"}, writes("one"))
    os.utime(tmp_path / "a.txt", (date, date))
    for _ in range(2):
        with Work(tmp_path).opened() as work:
            work.make("a.txt", {"in": "1"}, never)
            assert work.state("a.txt", {"in": "1"}) == "fresh"


def test_the_holder_of_a_folder_is_named(tmp_path: Path) -> None:
    mine = rf"process {os.getpid()} on "
    with Work(tmp_path).opened(), pytest.raises(InTheWayError, match=mine), Work(tmp_path).opened():
        pass
    with Work(tmp_path).opened() as work:
        assert work.cut_off is None


def test_a_holder_that_died_is_told_and_gone_over(tmp_path: Path) -> None:
    dead = Owner(pid=4711, host=platform.node(), since="then")
    (tmp_path / OWNER).write_text(dead.model_dump_json())
    with Work(tmp_path).opened() as work:
        assert work.cut_off == dead


@pytest.mark.parametrize("alive", [True, False])
def test_a_holder_on_another_machine_is_alive_while_it_gives_signs_of_life(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alive: bool
) -> None:
    monkeypatch.setattr(hold, "BEAT", 0.1)
    far = Owner(pid=1, host="elsewhere", since="then")
    (tmp_path / OWNER).write_text(far.model_dump_json())
    beats = iter(range(1, 1000))

    def look(root: Path) -> Owner:
        return far.model_copy(update={"beats": next(beats) if alive else 0})

    monkeypatch.setattr(hold, "_owner", look)
    with pytest.raises(InTheWayError, match="elsewhere") if alive else nullcontext(), Work(tmp_path).opened():
        assert not alive
