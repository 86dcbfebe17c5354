"""Many pages are read in several processes: the same readings in the same order, and nothing lost when one dies."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conftest import draw_page
from tests.e2e.conftest import FAKES, narrate

pytestmark = pytest.mark.slow

CROWD = ("--set", "reader.backend=crowd", "--lang", "en")


@pytest.fixture
def long_book(tmp_path: Path) -> Path:
    folder = tmp_path / "long"
    folder.mkdir()
    for i in range(1, 13):
        draw_page(120, 160).save(folder / f"{i}.png")
    return folder


def readings(book: Path) -> dict[str, list[dict[str, str]]]:
    pages = (book.parent / "long.mp4.work" / "pages").glob("*/page.json")
    return {path.parent.name: json.loads(path.read_text())["lines"] for path in sorted(pages)}


def test_pages_are_read_in_as_many_processes_as_the_reader_wants(long_book: Path) -> None:
    done = narrate("read", long_book.name, *CROWD, cwd=long_book.parent, env=FAKES)
    assert done.returncode == 0, done.stderr
    read = readings(long_book)
    assert list(read) == [f"{i:04}" for i in range(1, 13)]
    readers = {line["speaker"] for lines in read.values() for line in lines}
    assert len(readers) > 1
    again = narrate("read", long_book.name, *CROWD, cwd=long_book.parent, env=FAKES)
    assert again.returncode == 0, again.stderr
    assert readings(long_book) == read


def test_a_setting_says_how_many(long_book: Path) -> None:
    done = narrate("read", long_book.name, *CROWD, "--set", "reader.processes=1", cwd=long_book.parent, env=FAKES)
    assert done.returncode == 0, done.stderr
    assert len({line["speaker"] for lines in readings(long_book).values() for line in lines}) == 1


def test_a_page_that_cannot_be_read_is_told_and_costs_no_other(long_book: Path) -> None:
    env = {**FAKES, "FAKE_REFUSAL": "1"}
    done = narrate("read", long_book.name, *CROWD, cwd=long_book.parent, env=env)
    assert done.returncode == 7, done.stderr
    assert "page 0005: The model answers nonsense." in done.stderr
    assert sorted(readings(long_book)) == [f"{i:04}" for i in range(1, 13) if i != 5]


def test_a_process_that_is_killed_costs_nothing_that_was_read(long_book: Path) -> None:
    killed = narrate("read", long_book.name, *CROWD, cwd=long_book.parent, env={**FAKES, "FAKE_DEATH": "1"})
    assert killed.returncode == 9, killed.stderr
    assert "memory" in killed.stderr
    assert "Traceback" not in killed.stderr
    done = narrate("read", long_book.name, *CROWD, cwd=long_book.parent, env=FAKES)
    assert done.returncode == 0, done.stderr
    assert len(readings(long_book)) == 12
    assert str(os.getpid()) not in {line["speaker"] for lines in readings(long_book).values() for line in lines}
