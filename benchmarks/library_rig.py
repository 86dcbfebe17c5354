"""A library of twelve real books, two of them broken, that is killed once: ten films and two named failures come of it.

    python -m benchmarks.library_rig [--engine ray] [--pages 1]

Needs ../shared. Quick backends read and speak. With `--engine ray` a cluster of two nodes is started on this machine,
and instead of the run one node is killed, with all that it makes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.kill_rig import FAKES, OPTIONS, ROOT, run_command

PAGES = ROOT.parent / "shared" / "pages"
GOOD = (
    "derived_odd/natural_sort.cbz",
    "derived_odd/comicinfo_rtl.cbz",
    "derived_odd/duplicate_names.cbz",
    "derived_odd/rar_named.cbz",
    "derived_odd/nested_macosx_junk.cbz",
    "derived_odd/mixed_sizes.pdf",
    "derived_odd/jpx_image.pdf",
    "derived_odd/cmyk_jpeg.pdf",
    "derived_odd/sjis_names.cbz",
    "pd_strips_pixwarp/baron-bean-strip.cbz",
)
CUT_OFF, ENCRYPTED = "derived_odd/folder_covers_spread.cbz", "derived_odd/encrypted_aes256_user-password.pdf"


def gather(library: Path) -> None:
    """Ten books that can be read, one that is cut off, and one whose password nobody tells."""
    for name in (*GOOD, ENCRYPTED):
        target = library / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(PAGES / name, target)
    data = (PAGES / CUT_OFF).read_bytes()
    (library / CUT_OFF).write_bytes(data[: len(data) // 3])


def wait_for(true: Callable[[], object], seconds: float = 300) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise SystemExit("it did not come about")
        time.sleep(0.2)


def start(folder: Path, *more: str) -> subprocess.Popen[str]:
    """Begin the library's run."""
    return subprocess.Popen(
        run_command(["library", "-o", "films", *OPTIONS, "--jobs", "2", "--json", *more]),
        cwd=folder,
        env=FAKES,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def killed_run(folder: Path, *more: str) -> tuple[int, dict[str, Any]]:
    """Kill the run when two films are there, and run it again."""
    first = start(folder, *more)
    wait_for(lambda: films(folder) >= 2)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    print(f"killed with {films(folder)} films made")
    return ended(start(folder, *more))


def killed_node(folder: Path, *more: str) -> tuple[int, dict[str, Any]]:
    """Have two nodes, and kill one when two films are there."""
    from ray.cluster_utils import Cluster

    os.environ.update(FAKES)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    node = cluster.add_node(num_cpus=1)
    try:
        run = start(folder, "--engine", "ray", "--ray-address", cluster.address, *more)
        wait_for(lambda: films(folder) >= 2)
        cluster.remove_node(node, allow_graceful=False)
        print(f"a node killed with {films(folder)} films made")
        return ended(run)
    finally:
        cluster.shutdown()


def films(folder: Path) -> int:
    """How many films are there."""
    return sum(".work" not in str(film) for film in (folder / "films").rglob("*.mp4"))


def ended(run: subprocess.Popen[str]) -> tuple[int, dict[str, Any]]:
    """Its exit code, and what it made."""
    told, errors = run.communicate()
    print(errors)
    return run.returncode, json.loads(told)


def main() -> None:
    """Run the rig and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=("local", "ray"), default="local")
    parser.add_argument("--pages", help="of each book, for a short run")
    asked = parser.parse_args()
    more = ["--pages", asked.pages] if asked.pages else []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        gather(folder / "library")
        code, told = (killed_node if asked.engine == "ray" else killed_run)(folder, *more)
        print(f"exit {code}, {films(folder)} films, failed: {[(one['book'], one['exit']) for one in told['failed']]}")
        sys.exit(not (code == 7 and films(folder) == 10 and len(told["failed"]) == 2))


if __name__ == "__main__":
    main()
