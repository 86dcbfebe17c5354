"""The step from a script to takes: every line spoken once, checked, and spoken again where it is not right."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import soundfile

from comic_narrator.errors import BackendAnswerError, InputError, ItemsFailedError, NarratorError, UsageError
from comic_narrator.film import Take
from comic_narrator.model import SAMPLE_RATE, Beat, JudgedTake, Script, TakeFault, Takes
from comic_narrator.report import Credit
from comic_narrator.script import respelled
from comic_narrator.steps.many import speaking
from comic_narrator.steps.run import Run, refuse_unpublishable
from comic_narrator.voices import Delivery, Samples, Voice, VoiceProfile
from comic_narrator.voices.checks import Fault, Habit, Measured, learnt, usual_seconds
from comic_narrator.voices.ears import Ears
from comic_narrator.voices.pieces import TRIES
from comic_narrator.voices.takes import Judge, Judged, Wanted, best_take, usual_habit
from comic_narrator.work import digest_file, digest_of

TAKES = "takes.json"
LEAD = 0.5
"""A line costs as much as so many seconds of speech besides its own: for the time that is left."""
MORE_TRIES = 2
"""How often a line is spoken again that stands out once the habit of its voice is known."""


@dataclass(frozen=True)
class _Order:
    """A take to make: the name of its file, what is to be said how, and the digest of all that."""

    name: str
    wanted: Wanted
    key: str


Manner = tuple[str, str | None]
Habits = Mapping[Manner, Habit]


def judge_for(run: Run, language: str) -> Judge:
    """Who checks the takes of a book in `language`, as voice.listen says; MissingToolError where it cannot be done."""
    settings = run.settings.voice
    if settings.listen == "off":
        return Judge()
    ears = Ears(settings.ears)
    if settings.listen == "on":
        ears.check(language)
        return Judge(ears)
    # What the embedded voice says is known to be right; only engines that draw by lot say other words.
    return Judge(ears if run.voice.sampled and ears.installed(language) else None)


def speak(script: Script, run: Run) -> dict[str, Take]:
    """Speak every beat that has words: takes/*.flac, named by voice, words and content; ItemsFailedError if some fail.

    A take that is missing though the journal knows it was thrown away by the user: it is spoken anew, another way.
    What the checks found is left in takes.json, and what is wrong with a take that was kept goes into the report.
    """
    profiles = {profile.id: profile for profile in run.voice.profiles(script.language)}
    spoken = [beat for beat in script.beats if beat.kind == "speech"]
    orders = {beat.id: _order(beat, profiles, run) for beat in spoken}
    unique = {order.name: order for order in orders.values()}
    _credit({order.wanted.profile for order in orders.values()}, run)
    # Now, not after an hour of speaking.
    refuse_unpublishable(run.voices_heard, private=run.settings.sound.private)
    booth = _Booth(run, judge_for(run, script.language))
    work = [LEAD + usual_seconds(order.wanted.text, script.language) for order in unique.values()]
    with run.stage("speech", len(unique), work) as step:
        try:
            booth.fill(unique, step)
        finally:
            booth.leave_verdicts()
    run.shortfalls += booth.shortfalls(orders)
    failed = [
        f"beat {id_}: {why.what} {why.hint}" for id_, order in orders.items() if (why := booth.failed.get(order.name))
    ]
    if failed:
        run.shortfalls += failed
        raise ItemsFailedError(
            f"{len(failed)} of {len(spoken)} lines could not be spoken; the rest is saved.",
            "Run the same command again to retry just those; report.json names them.",
        )
    return {id_: Take(order.name, booth.seconds[order.name]) for id_, order in orders.items()}


def _order(beat: Beat, profiles: Mapping[str, VoiceProfile], run: Run) -> _Order:
    assert beat.text is not None
    assert beat.voice is not None
    if beat.voice not in profiles:
        raise UsageError(
            f"Beat {beat.id} wants the voice {beat.voice}, which is not in the bank.",
            "`comic-narrator voices` lists what there is; name one of those in script.json.",
        )
    text, sounds = respelled(beat.text, beat.pronounced)
    delivery = Delivery(beat.speed, beat.tone, beat.emotion, beat.effort, beat.colouring, sounds)
    profile = profiles[beat.voice]
    key = digest_of(text, profile.sound, delivery, run.voice.identity)
    slug = re.sub(r"\W+", "-", beat.text.lower()).strip("-")[:40].strip("-")
    name = f"takes/{profile.id}.{slug}.{key[:12]}.flac"
    # Each making of a take has a round of attempts of its own.
    attempt = TRIES * run.work.times_made(name)
    return _Order(name, Wanted(text, profile, replace(delivery, attempt=attempt)), key)


class _Booth:
    """Where the takes of one run are spoken and judged; files are written by the caller's thread alone."""

    def __init__(self, run: Run, judge: Judge) -> None:
        self._run = run
        self._judge = judge
        self.seconds: dict[str, float] = {}
        self.failed: dict[str, BackendAnswerError] = {}
        self._verdicts: dict[str, JudgedTake] = {}
        self._measured: dict[Manner, list[Measured]] = defaultdict(list)

    def fill(self, orders: Mapping[str, _Order], step: Callable[[], None]) -> None:
        """Have a take for each order; what cannot be spoken is in `failed`."""
        work = self._run.work
        missing = {
            name: order
            for name, order in orders.items()
            if work.state(name, {"speech": order.key}) in ("missing", "stale")
        }
        known = self._known()
        for name, order in orders.items():
            if name not in missing:
                self._keep(order, known.get(name))
                step()
        turn = self._run.gpu.turn("speech") if missing else nullcontext()
        with (
            turn,
            speaking(self._run.choices["voice"], self._run.settings.voice, self._run.voice, len(missing)) as voice,
        ):
            habits = self._habits(missing.values())
            made = dict(self._made(voice, missing, habits, TRIES, step))
            self._mend(voice, missing, made)

    def _known(self) -> Mapping[str, JudgedTake]:
        """What earlier runs found, as far as the same judge found it."""
        if not self._run.work.path(TAKES).is_file():
            return {}
        takes = self._run.work.read(Takes, TAKES)
        return {take.file: take for take in takes.takes} if takes.judge == self._judge.identity else {}

    def _keep(self, order: _Order, known: JudgedTake | None) -> None:
        """Use a take that is there; it is judged unless it is known, or is the user's own."""
        work = self._run.work
        digest = work.make(order.name, {"speech": order.key}, lambda path: self._write(self._anew(order), path))
        self.seconds[order.name] = take_seconds(work.path(order.name))
        entry = work.entries[order.name]
        if entry.edited or entry.digest != digest:
            return
        if known is None or known.sha256 != digest:
            judged = self._judge.judge(load_take(work.path(order.name)), order.wanted, usual_habit(order.wanted))
            known = _verdict(order.name, digest, judged)
        self._remember(order, known)

    def _anew(self, order: _Order) -> Judged:
        """A take whose hand edit is thrown away, spoken here and now."""
        return best_take(self._run.voice.speak, order.wanted, self._judge, usual_habit(order.wanted))

    def _speaker(self, voice: Voice) -> Callable[[str, VoiceProfile, Delivery], Samples]:
        """The voice, whose server on the card may have to be revived or begun anew between two lines."""

        def speak(text: str, profile: VoiceProfile, delivery: Delivery) -> Samples:
            say = partial(voice.speak, text, profile, delivery)
            return self._run.gpu.ask("speech", say, partial(voice.check, profile.language))

        return speak

    def _made(
        self, voice: Voice, orders: Mapping[str, _Order], habits: Habits, tries: int, step: Callable[[], None]
    ) -> Iterator[tuple[str, Judged]]:
        """Speak and save the takes of `orders`, as many at once as the voice has lanes; those that fail are left out.

        What stops the run is raised when all that was spoken by then is saved.
        """
        stopped: NarratorError | None = None
        with _lanes(voice) as pool:
            futures: dict[Future[Judged], _Order] = {
                pool.submit(best_take, self._speaker(voice), o.wanted, self._judge, habits[o.wanted.manner], tries): o
                for o in orders.values()
            }
            for future in as_completed(futures):
                order = futures[future]
                try:
                    judged = future.result()
                except CancelledError:
                    continue
                except BackendAnswerError as error:
                    self._run.work.failed(order.name, error.what)
                    self.failed[order.name] = error
                except NarratorError as error:
                    stopped = stopped or error
                    for waiting in futures:
                        waiting.cancel()
                else:
                    self._save(order, judged)
                    # Its samples lie in the file; all of a book would fill the memory.
                    yield order.name, replace(judged, take=judged.take[:0])
                step()
        if stopped is not None:
            raise stopped

    def _save(self, order: _Order, judged: Judged) -> None:
        digest = self._run.work.make(order.name, {"speech": order.key}, partial(self._write, judged))
        self.seconds[order.name] = judged.measured.seconds
        self._remember(order, _verdict(order.name, digest, judged))

    def _write(self, judged: Judged, path: Path) -> None:
        # Not to the file itself: of a full disk libsndfile says no more than "system error".
        coded = io.BytesIO()
        soundfile.write(coded, judged.take, SAMPLE_RATE, format="FLAC", subtype="PCM_24")
        path.write_bytes(coded.getbuffer())

    def _remember(self, order: _Order, verdict: JudgedTake) -> None:
        self._verdicts[order.name] = verdict
        self._measured[order.wanted.manner].append(Measured(verdict.seconds, verdict.rate, verdict.pitch))

    def _habits(self, orders: Iterable[_Order]) -> Habits:
        return {
            order.wanted.manner: learnt(self._measured[order.wanted.manner], usual_habit(order.wanted).pitch)
            for order in orders
        }

    def _mend(self, voice: Voice, orders: Mapping[str, _Order], made: Mapping[str, Judged]) -> None:
        """Speak again what stands out now that the habits of the voices are known, and keep the better take of each."""
        habits = self._habits(orders.values())
        odd = {}
        for name, judged in made.items():
            by_habit = judged.by(habits[orders[name].wanted.manner])
            if by_habit.badness > judged.badness:
                odd[name] = by_habit
        for name, before in odd.items():
            order = orders[name]
            delivery = replace(order.wanted.delivery, attempt=order.wanted.delivery.attempt + TRIES)
            again = replace(order.wanted, delivery=delivery)
            try:
                after = best_take(self._speaker(voice), again, self._judge, habits[order.wanted.manner], MORE_TRIES)
            except BackendAnswerError:
                after = before
            tries = before.tries + MORE_TRIES
            if after.badness < before.badness:
                self._run.work.path(name).unlink()
                self._save(order, replace(after, tries=before.tries + after.tries))
            else:
                digest = digest_file(self._run.work.path(name))
                self._verdicts[name] = _verdict(name, digest, replace(before, tries=tries))

    def leave_verdicts(self) -> None:
        """Write takes.json: what was found of each take that is there."""
        found = tuple(self._verdicts[name] for name in sorted(self._verdicts))
        self._run.work.put(TAKES, Takes(judge=self._judge.identity, takes=found))

    def shortfalls(self, orders: Mapping[str, _Order]) -> list[str]:
        """What is wrong with takes that were kept: wrong words first, the longest run of them before all."""
        bad = [(id_, self._verdicts[o.name]) for id_, o in orders.items() if o.name in self._verdicts]
        bad = [(id_, verdict) for id_, verdict in bad if verdict.faults]
        bad.sort(key=lambda item: (-max((f.weight for f in item[1].faults if f.kind == "words"), default=0.0), item[0]))
        return [
            f"beat {id_}: {'; '.join(fault.what for fault in verdict.faults)} "
            f"(the best of {verdict.tries}: {verdict.file}; delete it to have it spoken again)"
            for id_, verdict in bad
        ]


@contextmanager
def _lanes(voice: Voice) -> Iterator[ThreadPoolExecutor]:
    """As many threads as the voice has lanes; what is in flight is ended where the block is left by an error."""
    pool = ThreadPoolExecutor(voice.lanes)
    try:
        yield pool
    except BaseException:
        voice.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _verdict(name: str, digest: str, judged: Judged) -> JudgedTake:
    return JudgedTake(
        file=name,
        sha256=digest,
        seconds=round(judged.measured.seconds, 3),
        rate=round(judged.measured.rate, 3),
        pitch=round(judged.measured.pitch, 1) if judged.measured.pitch is not None else None,
        tries=judged.tries,
        faults=tuple(_fault(fault) for fault in judged.faults),
    )


def _fault(fault: Fault) -> TakeFault:
    return TakeFault(kind=fault.kind, what=fault.what, weight=round(fault.weight, 2))


def load_take(path: Path) -> Samples:
    """A take as it lies in the work folder, mono float32 at 48 kHz; InputError when it is something else."""
    with _take(path) as file:
        return file.read(dtype="float32")  # type: ignore[no-any-return]


def take_seconds(path: Path) -> float:
    """How long a take is, without decoding it; InputError when it is no mono sound at 48 kHz."""
    with _take(path) as file:
        return len(file) / SAMPLE_RATE


@contextmanager
def _take(path: Path) -> Iterator[soundfile.SoundFile]:
    try:
        with soundfile.SoundFile(path) as file:
            if (file.samplerate, file.channels) != (SAMPLE_RATE, 1) or not len(file):
                what = f"{path} is not mono sound at {SAMPLE_RATE} Hz."
                raise InputError(what, "Convert your own take, or delete it.")
            yield file
    except soundfile.LibsndfileError as error:
        raise InputError(f"{path} is not a sound file.", "Delete it to have it spoken again.") from error


def _credit(profiles: set[VoiceProfile], run: Run) -> None:
    run.voices_heard += [
        Credit(name=profile.id, licence=profile.licence, source=profile.source)
        for profile in sorted(profiles, key=lambda profile: profile.id)
    ]
