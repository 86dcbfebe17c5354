"""Reads the pages whose truth is known, and says how much of them is right, what is wrong, and what it cost.

    python -m benchmarks.reading [SHARED_FOLDER] [--only t02,t07] [--quick] [--balloons MODEL.onnx] [--out FOLDER]

SHARED_FOLDER (default: ../shared) holds truth/*.json, the pages they name under pages/, and yardsticks/ read_truth.py
and score_pages.py, which are run where they lie; our own samples are scored as well, in rows of their own. Each page is
read by the real command in a process of its own, and once more in this one, for what a page costs in a run that has
loaded its models; with --quick in this one only.
--balloons does that too, with the balloons that the detector finds; without either, a detector that `make balloons`
fetched has rows of its own. Nothing is kept from run to run: what is scored was read by the code as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median
from typing import Any

from benchmarks.bench import ROOT, SAMPLES, Bench, samples_bench, shared_bench
from benchmarks.mistakes import Judged, judge
from comic_narrator.ingest import Opening, Spool, Wishes, open_book, pages_of, plan
from comic_narrator.model import DOUBTFUL, Book, BookPage, PagePanels, Panel
from comic_narrator.panels import find_panels
from comic_narrator.pictures import load_rgb
from comic_narrator.readers import PageToRead, number
from comic_narrator.readers.detector import model_path
from comic_narrator.readers.embedded import EmbeddedReader

COMMAND = Path(sys.executable).with_name("comic-narrator")
POOR_SCAN = "t20"
"""A page of 500 pixels, scored apart: it measures the recogniser's eyes more than how the page is understood."""

KUMIKO = {
    "panel_f1": 0.74, "order": 1.0, "pair_order": 1.0, "found": 0.68, "cer": 0.78, "kind": 0.93, "same_voice": 0.63,
    "clean": 0.15,
}  # fmt: skip
"""Kumiko's panels with RapidOCR and naive grouping, on the same 13 pages by the same yardstick."""
COLUMNS = (*KUMIKO, "invented", "line_order", "speaker")

KEEPER = """\
#!{python}
import shutil, subprocess, sys
code = subprocess.run([{command!r}, *sys.argv[1:], "--set", "reader.balloon_model=none"]).returncode
shutil.copytree(sys.argv[sys.argv.index("--work") + 1], {kept!r}, ignore=shutil.ignore_patterns("*.jpg", "*.png"))
sys.exit(code)
"""
"""The command as read_truth.py runs it, as installed by default, with the work folder kept for its confidences."""


@dataclass(frozen=True)
class Cost:
    """What a page cost: seconds by the clock, seconds of all cores together, and the most memory held, in MB."""

    wall: float
    cores: float
    peak: float


def by_command(bench: Bench) -> Callable[[str], Cost]:
    """A function that has read_truth.py read a page with the real command."""

    def read(page: str) -> Cost:
        keeper = bench.out / "keeper"
        keeper.write_text(
            KEEPER.format(python=sys.executable, command=str(COMMAND), kept=str(bench.work(page))), encoding="utf-8"
        )
        keeper.chmod(0o755)
        asked = bench.out / "asked"
        asked.mkdir(exist_ok=True)
        # read_truth.py knows a direction by its first word only.
        (asked / f"{page}.json").write_text(json.dumps(bench.truth(page)), encoding="utf-8")
        script = [sys.executable, str(bench.yardsticks / "read_truth.py")]
        places = [str(asked), str(bench.pages), str(bench.out)]
        # This copy of the program is the one that is measured, whichever is installed.
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        began = time.perf_counter()
        child = subprocess.Popen([*script, *places, "--only", page, "--command", str(keeper)], env=environment)
        # With what the child's own children used: the command is its grandchild.
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return Cost(time.perf_counter() - began, used.ru_utime + used.ru_stime, _megabytes(used.ru_maxrss))

    return read


def in_process(bench: Bench, balloons: Path | None) -> Callable[[str], Cost]:
    """A function that reads a page here, through the same stages as the command, with the models loaded before."""
    reader = EmbeddedReader(balloons)
    reader.language([SAMPLES / "manga" / "manga_1.png"])
    merged = bench.yardstick("read_truth").merged

    def read(page: str) -> Cost:
        wall, cores = time.perf_counter(), time.process_time()
        _read_book(bench.pages, bench.truth(page), reader, bench.work(page))
        reading = merged(bench.work(page))
        (bench.out / f"{page}.json").write_text(json.dumps(reading, ensure_ascii=False, indent=1), encoding="utf-8")
        cost = Cost(
            time.perf_counter() - wall,
            time.process_time() - cores,
            _megabytes(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss),
        )
        print(f"{page:28s} {cost.cores:5.1f} core-s  {cost.wall:5.1f} s", flush=True)
        return cost

    return read


def _read_book(pages: Path, truth: dict[str, Any], reader: EmbeddedReader, work: Path) -> None:
    """Read one picture as a book, into a folder laid out like a work folder."""
    named = {"rtl": "manga", "ltr": "western"}[truth["reading_direction"]]
    layout, language = "webtoon" if "webtoon" in truth["layout"] else named, truth["language"]
    source = open_book(pages / truth["image"], Opening(Spool(work)))
    paging = plan(source, Wishes(layout, language), lambda: None)
    direction = paging.direction or "ltr"
    stored = []
    for i, numbered in enumerate(pages_of(source, paging, direction), 1):
        if numbered.picture is None:
            continue
        picture = numbered.picture()
        name = f"pages/{i:04}/page{picture.suffix}"
        file = work / name
        file.parent.mkdir(parents=True)
        file.write_bytes(picture.data)
        size = (picture.width, picture.height)
        page = BookPage(
            id=f"{i:04}", image=name, sha256="", width=size[0], height=size[1], source=numbered.source,
            source_box=picture.source_box,
        )  # fmt: skip
        found = find_panels(load_rgb(file), direction)
        panels = PagePanels(
            page=page.id, width=size[0], height=size[1], direction=direction,
            panels=tuple(
                Panel(id=f"{page.id}.{n:02}", bbox=panel.box, confidence=panel.confidence)
                for n, panel in enumerate(found, 1)
            ),
        )  # fmt: skip
        reading = number(
            page,
            panels,
            reader.read(PageToRead(file, tuple(panel.box for panel in found), direction, language), ()),
            language,
        )
        file.with_name("page.json").write_text(reading.to_json(), encoding="utf-8")
        stored.append(page)
    book = Book(title=work.name, language=language, direction=direction, pages=tuple(stored))
    (work / "book.json").write_text(book.to_json(), encoding="utf-8")


def _megabytes(most: int) -> float:
    # ru_maxrss counts kilobytes on Linux, bytes on macOS.
    return most / (1e6 if sys.platform == "darwin" else 1024)


def tell_mistakes(bench: Bench, pages: Sequence[str]) -> None:
    """Print what is wrong on each page, and how well doubt points at it."""
    yardstick = bench.yardstick("score_pages")
    lines: dict[str, list[tuple[float, bool, bool]]] = {}
    for page in pages:
        reading = bench.reading(page)
        judged = Judged(("it could not be read",), (), ())
        if reading is not None:
            read = list(bench.lines(page))
            judged = judge(bench.truth(page), reading, yardstick, read)
            sure = [line.confidence for line in read]
            lines[page] = list(zip(sure, judged.wrong, judged.slips, strict=True))
        print(f"\n{page}: {'nothing is wrong' if not judged.words else ''}".rstrip())
        for word in judged.words:
            print(f"  {word}")
    print()
    _tell_doubt("", [line for read in lines.values() for line in read])
    others = {page: read for page, read in lines.items() if not page.startswith(POOR_SCAN)}
    if 0 < len(others) < len(lines):
        _tell_doubt(f"Without {POOR_SCAN}: ", [line for read in others.values() for line in read])


def _tell_doubt(which: str, lines: Sequence[tuple[float, bool, bool]]) -> None:
    """Print how many of some lines (confidence, whether wrong, whether it has slips) are doubtful, and rightly so."""
    doubtful = [wrong for confidence, wrong, _ in lines if confidence < DOUBTFUL]
    all_wrong = sum(wrong for _, wrong, _ in lines)
    share = f" ({len(doubtful) / len(lines):.1%})" if lines else ""
    print(
        f"{which}{len(lines)} lines were read, {all_wrong} are wrong, {sum(slip for *_, slip in lines)} more have "
        f"small slips; {len(doubtful)}{share} are doubtful (under {DOUBTFUL}), {sum(doubtful)} of the wrong among them."
    )


def tell_figures(read: dict[str, tuple[Bench, Sequence[str]]], whole: bool) -> None:
    """Print the yardstick's table, its figures for each of `read`, with and without the poor scan, and others'."""
    rows: dict[str, dict[str, float]] = {}
    for name, (bench, pages) in read.items():
        rows |= _figures(name, bench, pages)
    if whole:
        rows["Kumiko + RapidOCR"] = KUMIKO
    print("\n" + " " * 28 + " ".join(f"{column:>10s}" for column in COLUMNS))
    for name, row in rows.items():
        cells = ["-" if row.get(column) is None else f"{row[column]:.2f}" for column in COLUMNS]
        print(f"{name:28s}" + " ".join(f"{cell:>10s}" for cell in cells))


def _figures(name: str, bench: Bench, pages: Sequence[str]) -> dict[str, dict[str, float]]:
    """The yardstick's totals over the pages, and over those that are no poor scan."""
    scored = bench.out / "scored"
    scored.mkdir(exist_ok=True)
    script = [sys.executable, str(bench.yardsticks / "score_pages.py"), str(bench.truths)]
    figures = scored / "score.json"
    print(f"\n{name}:", flush=True)
    subprocess.run([*script, str(bench.out), "--only", ",".join(pages), "--json", str(figures)], check=True)
    score = json.loads(figures.read_text(encoding="utf-8"))
    rows = {name: score["total"]}
    others = [row for page, row in score["pages"].items() if not page.startswith(POOR_SCAN)]
    if 0 < len(others) < len(score["pages"]):
        rows[f"{name} without {POOR_SCAN}"] = bench.yardstick("score_pages").total(others)
    return rows


def tell_costs(how: str, costs: dict[str, Cost]) -> None:
    """Print what the pages cost, read `how`."""
    cores = [cost.cores for cost in costs.values()]
    wall, peak = sum(cost.wall for cost in costs.values()), max(cost.peak for cost in costs.values())
    print(
        f"\n{len(costs)} pages, {how}: {median(cores):.1f} core-seconds a page (median; mean {mean(cores):.1f}, "
        f"most {max(cores):.1f}), {wall:.0f} s in all; peak memory {peak:.0f} MB."
    )
    for page, cost in costs.items():
        print(f"  {page:28s} {cost.cores:5.1f} core-s  {cost.wall:5.1f} s  {cost.peak:5.0f} MB")


def _aside(bench: Bench, pages: Sequence[str], name: str, balloons: Path | None) -> tuple[Bench, dict[str, Cost]]:
    """The same pages read again in this process, in a folder `name` beside the readings, and what each cost."""
    beside = replace(bench, out=bench.out / name)
    beside.out.mkdir()
    reads = in_process(beside, balloons)
    return beside, {page: reads(page) for page in pages}


def main() -> int:
    """Read, score and tell; 1 where a page could not be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path, nargs="?", default=ROOT.parent / "shared")
    parser.add_argument("--only", default="", help="comma-separated beginnings of truth file names")
    parser.add_argument("--quick", action="store_true", help="read all pages in this process")
    parser.add_argument("--balloons", type=Path, help="a balloon detector to help the reader; implies --quick")
    parser.add_argument("--out", type=Path, help="a new folder for the readings; a temporary one otherwise")
    options = parser.parse_args()
    if not (options.shared / "yardsticks" / "score_pages.py").is_file():
        print(f"Skipped: the pages with known truth and their yardsticks are not at {options.shared}.")
        return 0
    out = options.out or Path(tempfile.mkdtemp(prefix="readings-"))
    out.mkdir(parents=True, exist_ok=options.out is None)
    real = shared_bench(options.shared.resolve(), out.resolve())
    ours = samples_bench(options.shared.resolve(), out.resolve() / "samples")
    only = tuple(options.only.split(","))
    chosen = {bench: [name for name in bench.names if name.startswith(only)] for bench in (real, ours)}
    quick = options.quick or options.balloons is not None
    model = None if quick else model_path("auto", os.environ, Path.home())
    alone: dict[str, Cost] = {}
    inside: dict[str, Cost] = {}
    read: dict[str, tuple[Bench, Sequence[str]]] = {}
    for name, bench in (("real pages", real), ("our samples", ours)):
        if not chosen[bench]:
            continue
        read[name] = bench, chosen[bench]
        if quick:
            reads = in_process(bench, options.balloons)
            inside |= {page: reads(page) for page in chosen[bench]}
        else:
            reads = by_command(bench)
            alone |= {page: reads(page) for page in chosen[bench]}
            inside |= _aside(bench, chosen[bench], "inside", None)[1]
        if model is not None:
            read[f"{name}, detector"] = _aside(bench, chosen[bench], "detector", model)[0], chosen[bench]
        tell_mistakes(bench, chosen[bench])
    tell_figures(read, whole=chosen[real] == real.names)
    if alone:
        tell_costs("each in a process of its own, which loads the models", alone)
    tell_costs("in one run, the models loaded", inside)
    print(f"readings: {out}")
    return 0 if all(bench.reading(page) is not None for bench in chosen for page in chosen[bench]) else 1


if __name__ == "__main__":
    sys.exit(main())
