"""Any order of edits, changed settings, deletions, crashes and runs, against a model of what must be made anew."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from comic_narrator.errors import InTheWayError
from comic_narrator.work import Edits, Work
from comic_narrator.work.journal import Begun, Done, Entry, Failure, Journal, Removed

NAMES = ("a.json", "b.json", "c.json")
"""Each is made from the one before it, the first from a setting; half of a value goes on, so some changes end there."""


@dataclass
class File:
    """What the model knows of a file: its value now, as it was made, from what, and whether an edit was settled."""

    value: int
    made: int
    source: int
    settled: bool = False

    @property
    def edited(self) -> bool:
        return self.settled or self.value != self.made


class Crashed(BaseException):
    """The power went."""


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.setting = 8
        self.files: dict[str, File] = {}
        self.gone: dict[str, File] = {}
        """Deleted files as they were: the journal knows them until others take their places."""
        self.unsaid: dict[str, tuple[File | None, File]] = {}
        """A file that has its name, but whose last line a crash took: as it was before, and as it is."""

    def teardown(self) -> None:
        shutil.rmtree(self.root)

    @initialize()
    def first(self) -> None:
        self.run("stop")

    @rule(value=st.integers(0, 9))
    def set(self, value: int) -> None:
        self.setting = value

    @rule(name=st.sampled_from(NAMES), value=st.integers(0, 9))
    def edit(self, name: str, value: int) -> None:
        if name in self.files:
            (self.root / name).write_text(str(value))
            old, new = self.unsaid.get(name, (None, self.files[name]))
            # Nobody can tell which of the two was edited: it counts as the older one, and a conflict is told.
            base = new if old is None or value == new.made else old
            self.files[name] = replace(base, value=value)

    @rule(name=st.sampled_from(NAMES))
    def delete(self, name: str) -> None:
        if name in self.files:
            self.gone[name] = self.files.pop(name)
            (self.root / name).unlink()

    @rule(edits=st.sampled_from(("stop", "keep", "discard")))
    def run(self, edits: Edits) -> None:
        expected = self.predict(edits, len(NAMES))
        made: list[str] = []
        try:
            self.narrate(edits, made)
        except InTheWayError:
            made.append("conflict")
        assert made == expected

    @rule(at=st.integers(0, 2), when=st.sampled_from(("building", "renaming", "saying so")))
    def crash(self, at: int, when: str) -> None:
        """Die while the `at`-th file of those to be made is built, before it has its name, or after."""
        left = self.predict_crash(at, after=when == "saying so")
        made: list[str] = []
        with suppress(Crashed, InTheWayError):
            self.narrate("stop", made, lambda i, moment: i == at and moment == when)
        assert made == left

    def narrate(
        self, edits: Edits, made: list[str], dies: Callable[[int, str], bool] = lambda i, moment: False
    ) -> None:
        with Work(self.root, edits).opened() as work, pytest.MonkeyPatch.context() as patch:
            add = Journal.add

            def dying(of: Journal, line: Begun | Entry | Done | Failure | Removed, folder: Path | None = None) -> None:
                if isinstance(line, Begun) and dies(len(made) - 1, "renaming"):
                    raise Crashed
                if isinstance(line, Done) and dies(len(made) - 1, "saying so"):
                    raise Crashed
                add(of, line, folder)

            patch.setattr(Journal, "add", dying)
            source, inputs = self.setting, {"setting": str(self.setting)}
            for name in NAMES:

                def build(path: Path, name: str = name, value: int = source // 2) -> None:
                    made.append(name)
                    if dies(len(made) - 1, "building"):
                        raise Crashed
                    path.write_text(str(value))

                work.make(name, inputs, build)
                source, inputs = int((self.root / name).read_text()), work.files(name)

    def predict(self, edits: Edits, most: int) -> list[str]:
        """What a run makes, at most so many files, and `conflict` where it stops; the model is then as after it."""
        made: list[str] = []
        self.unsaid = {}
        source = self.setting
        for name in NAMES:
            file = self.files.get(name)
            if file is not None and file.source != source and file.edited:
                if edits == "stop":
                    return [*made, "conflict"]
                if edits == "keep":
                    self.files[name] = File(file.value, file.value, source, settled=True)
                    source = file.value
                    continue
            if file is None or file.source != source:
                if len(made) == most:
                    return made
                self.files[name] = File(source // 2, source // 2, source)
                self.gone.pop(name, None)
                made.append(name)
            source = self.files[name].value
        return made

    def predict_crash(self, at: int, *, after: bool) -> list[str]:
        """What a run begins to make until it dies at the `at`-th; the model is then as it leaves the folder."""
        whole, gone = dict(self.files), dict(self.gone)
        made = [name for name in self.predict("stop", at + 1) if name != "conflict"]
        if len(made) == at + 1 and after:
            self.unsaid = {made[-1]: (whole.get(made[-1], gone.get(made[-1])), self.files[made[-1]])}
        if len(made) == at + 1 and not after:
            name = made[-1]
            if name in whole:
                self.files[name] = whole[name]
            else:
                del self.files[name]
                if name in gone:
                    self.gone[name] = gone[name]
        return made

    @invariant()
    def nothing_is_lost(self) -> None:
        for name, file in self.files.items():
            assert int((self.root / name).read_text()) == file.value
        assert not list(self.root.glob("*.aside"))


Machine.TestCase.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
test_states = Machine.TestCase
