"""What the benchmarks count: our samples' truth in the yardsticks' form, and voices told over the pages of a book."""

from __future__ import annotations

from benchmarks.bench import SAMPLES, truth_of
from benchmarks.people import WAYS, Heard, Tally, sample_book, tally
from comic_narrator.model import PageReading


def test_the_truth_of_a_sample_has_all_that_is_scored() -> None:
    page = PageReading.model_validate_json((SAMPLES / "truth" / "western_1.json").read_bytes())
    truth = truth_of(page)
    lines = [line for panel in truth["panels"] for line in panel["lines"]]
    assert (truth["reading_direction"], len(truth["panels"])) == ("ltr", len(page.panels))
    assert len(lines) + len(truth["other_text"]) == len(page.lines)
    assert {line["text"] for line in truth["other_text"]} == {line.text for line in page.lines if line.kind == "sign"}
    assert {line["speaker"] for line in lines} >= {"Nell", "Pip", "Gus"}
    strip = PageReading.model_validate_json((SAMPLES / "truth" / "webtoon_1.json").read_bytes())
    assert (truth_of(strip)["layout"], truth_of(strip)["reading_direction"]) == ("webtoon", "ltr")


def test_pairs_of_lines_are_counted_over_pages_only() -> None:
    heard = [
        Heard("0001", "Nell", "Voice A", "Person 1"),
        Heard("0001", "Pip", "Voice B", "Voice B, page 0001"),
        Heard("0002", "Pip", "Voice A", "Voice A, page 0002"),
        Heard("0002", "Nell", "Voice B", "Person 1"),
    ]
    assert {way: tally(heard, same) for way, same in WAYS.items()} == {
        "by label": Tally(0, 2, 2),
        "one person": Tally(1, 1, 2),
    }


def test_the_sample_is_a_book_of_three_pages_whose_speakers_are_known() -> None:
    book = sample_book()
    assert [len(spoken) for _, spoken in book.pages] == [6, 6, 7]
    assert all(image.is_file() for image, _ in book.pages)
