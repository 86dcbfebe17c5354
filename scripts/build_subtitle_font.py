"""Cut Noto Sans SemiBold down to Latin, Greek and Cyrillic, for subtitles that are drawn into the picture.

Run, with fontTools installed: npm install @expo-google-fonts/noto-sans@0.4.2
                               python -m scripts.build_subtitle_font node_modules
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from fontTools import subset

PACKAGE = "@expo-google-fonts/noto-sans"
OUT = Path(__file__).parents[1] / "comic_narrator" / "film" / "fonts"
# Latin with what Vietnamese and phonetic spelling need, combining marks, Greek, Cyrillic, punctuation, money, signs.
LETTERS = "U+0020-036F,U+0370-052F,U+1E00-1FFF,U+2000-206F,U+2070-209F,U+20A0-20CF,U+2100-214F,U+2190-2193,U+2212"


def main(modules: Path) -> None:
    """Write the font and its licence into the package; it has no reserved name, so it keeps its own."""
    OUT.mkdir(exist_ok=True)
    out = OUT / "NotoSans-SemiBold.subset.ttf"
    source = modules / PACKAGE
    subset.main(
        [
            str(source / "600SemiBold" / "NotoSans_600SemiBold.ttf"),
            f"--unicodes={LETTERS}",
            "--layout-features=kern,mark,mkmk,ccmp,locl",
            "--no-hinting",
            "--notdef-outline",
            "--name-IDs=*",
            f"--output-file={out}",
        ]
    )
    shutil.copyfile(source / "LICENSE_FONT", OUT / "OFL.txt")
    print(f"{out.name}: {out.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
