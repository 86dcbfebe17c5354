"""Cut the two Japanese fonts down to the letters that samples/manga.py uses; run once, needs `pip install fonttools`.

npm install @expo-google-fonts/zen-maru-gothic@0.4.1 @expo-google-fonts/dela-gothic-one@0.4.1
python samples/subset_fonts.py node_modules
"""

from __future__ import annotations

import sys
from pathlib import Path

from fontTools import subset

HERE = Path(__file__).parent
SOURCES = {
    "ZenMaruGothic-Bold.subset.ttf": "@expo-google-fonts/zen-maru-gothic/700Bold/ZenMaruGothic_700Bold.ttf",
    "DelaGothicOne.subset.ttf": "@expo-google-fonts/dela-gothic-one/400Regular/DelaGothicOne_400Regular.ttf",
}


def main(modules: Path) -> None:
    """Write both subsets to samples/fonts; the fonts have no reserved names, so they keep theirs."""
    letters = "".join(sorted({letter for letter in (HERE / "manga.py").read_text("utf-8") if ord(letter) > 0x2000}))
    for name, source in SOURCES.items():
        subset.main(
            [
                str(modules / source),
                f"--text={letters}",
                "--layout-features=",
                "--no-hinting",
                "--name-IDs=*",
                "--notdef-outline",
                f"--output-file={HERE / 'fonts' / name}",
            ]
        )
        print(name, (HERE / "fonts" / name).stat().st_size, "bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
