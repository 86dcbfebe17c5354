"""The mix: the bed steps back for speech, the film has its loudness, and not a sample more or less."""

import tracemalloc
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
import soundfile as sf
from numpy.typing import NDArray

from comic_narrator import ffmpeg
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.sound import STEMS, Loudness, Placement, Said, Sound, mix_film, speech_stem
from comic_narrator.sound.bed import DIP, LEAD_DIP, STEP, Ducking
from comic_narrator.sound.stem import in_room

Audio = NDArray[np.float32]

BED_HERTZ = 440
SPOKEN = [(3.0, 7.0), (7.6, 10.0), (16.0, 20.0), (26.0, 29.0)]
SECONDS = 36


def speech_like(seconds: float, level: float = 0.1) -> Audio:
    """Noise of 600 Hz to 4 kHz in four syllables a second."""
    rng = np.random.default_rng(7)
    samples = round(seconds * SAMPLE_RATE)
    spectrum = np.fft.rfft(rng.standard_normal(samples))
    hertz = np.fft.rfftfreq(samples, 1 / SAMPLE_RATE)
    spectrum[(hertz < 600) | (hertz > 4000)] = 0
    noise = np.fft.irfft(spectrum, samples)
    time = np.arange(samples) / SAMPLE_RATE
    spoken: Audio = (level * noise / noise.std() * (0.2 + np.abs(np.sin(4 * np.pi * time)))).astype(np.float32)
    return spoken


@cache
def tone_file(hertz: int = BED_HERTZ, seconds: int = 7) -> Path:
    file = Path(mkdtemp()) / f"{hertz}.wav"
    time = np.arange(seconds * SAMPLE_RATE) / SAMPLE_RATE
    sf.write(file, 0.05 * np.sin(2 * np.pi * hertz * time), SAMPLE_RATE, subtype="FLOAT")
    return file


def tone(kind: str, *files: Path) -> Sound:
    paths = files or (tone_file(),)
    loop = None if kind == "effect" else (0, 7 * SAMPLE_RATE)
    return Sound(f"{kind} {len(paths)}", kind, ("tone",), paths, 7.0, "CC0-1.0", "tests", "", None, loop)  # type: ignore[arg-type]


def tone_bed(end: float = 36.0) -> list[Placement]:
    return [Placement(tone("music"), 0.0, end)]


def film_speech(level: float = 0.1) -> list[Audio]:
    clips = [Said(start, speech_like(end - start, level)) for start, end in SPOKEN]
    whole = speech_stem(clips, SECONDS * SAMPLE_RATE)
    return [whole[: 12 * SAMPLE_RATE + 1], whole[12 * SAMPLE_RATE + 1 :]]


def mixed(
    out: Path,
    speech: list[Audio],
    placements: list[Placement] | None,
    spoken: list[tuple[float, float]] = SPOKEN,
    stems: dict[str, Path] | None = None,
) -> Loudness:
    samples = sum(len(stem) for stem in speech)
    return mix_film(iter(speech), spoken, samples, placements or [], out, stems=stems).loudness


def heard(file: Path) -> tuple[float, float]:
    """Integrated loudness and true peak as ffmpeg's meter prints them, read without the package's own reader."""
    words = ffmpeg.run(["-i", str(file), "-af", "ebur128=peak=true", "-f", "null", "-"]).split("Summary:")[-1].split()
    return float(words[words.index("I:") + 1]), float(words[words.index("Peak:") + 1])


def level_db(sound: Audio, start: float, end: float) -> float:
    part = sound[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE), 0]
    return float(10 * np.log10(np.mean(part**2)))


def tone_db(sound: Audio, start: float, end: float) -> float:
    """Level of the bed's tone alone within a span of the mix."""
    part = sound[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE), 0]
    time = np.arange(len(part)) / SAMPLE_RATE
    amplitude = 2 * abs(np.mean(part * np.exp(-2j * np.pi * BED_HERTZ * time)))
    return float(20 * np.log10(amplitude / np.sqrt(2)))


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> tuple[Audio, Loudness, Path]:
    out = tmp_path_factory.mktemp("mix") / "film.wav"
    said = mixed(out, film_speech(), tone_bed())
    return sf.read(out, dtype="float32")[0], said, out


def test_the_film_has_its_loudness_and_headroom(film: tuple[Audio, Loudness, Path]) -> None:
    _, said, out = film
    integrated, peak = heard(out)
    assert integrated == pytest.approx(-16, abs=0.5)
    assert peak <= -1.5
    assert (said.integrated, said.true_peak) == pytest.approx((integrated, peak), abs=0.05)


def test_not_a_sample_more_or_less_and_nothing_left_beside(film: tuple[Audio, Loudness, Path]) -> None:
    sound, _, out = film
    assert sound.shape == (SECONDS * SAMPLE_RATE, 2)
    assert sf.info(out).subtype == "PCM_24"
    assert sf.info(out).samplerate == SAMPLE_RATE
    assert [file.name for file in out.parent.iterdir()] == [out.name]


def test_the_bed_is_far_below_each_line_and_back_between(film: tuple[Audio, Loudness, Path]) -> None:
    sound, _, _ = film
    for start, end in SPOKEN:
        assert level_db(sound, start, end) - tone_db(sound, start, end) > 15
    spoken = level_db(sound, 16, 20)
    for start, end in ((11, 15.5), (21, 25.5), (30, 33.4)):
        assert 5 < spoken - tone_db(sound, start, end) < 15
    alone, below = tone_db(sound, 12, 15), tone_db(sound, 16, 20)
    assert alone - below == pytest.approx(12, abs=0.5)


def test_a_short_gap_stays_down(film: tuple[Audio, Loudness, Path]) -> None:
    sound, _, _ = film
    assert tone_db(sound, 7.0, 7.6) == pytest.approx(tone_db(sound, 4, 6), abs=0.5)


def test_what_is_not_ducked_lies_still(tmp_path: Path) -> None:
    still = Placement(tone("ambience"), 0.0, 36.0, -22.0, ducked=False)
    mixed(tmp_path / "film.wav", film_speech(), [still], stems={"effects": tmp_path / "bed.wav"})
    bed = sf.read(tmp_path / "bed.wav", dtype="float32")[0]
    assert tone_db(bed, 4, 6) == pytest.approx(tone_db(bed, 12, 15), abs=0.1)


def test_the_bed_fades_in_and_out(film: tuple[Audio, Loudness, Path]) -> None:
    sound, _, _ = film
    full = tone_db(sound, 1.5, 2.5)
    assert tone_db(sound, 0, 0.2) < full - 20
    assert tone_db(sound, 35.8, 36) < full - 20
    assert np.abs(sound[[0, -1]]).max() < 1e-4


def test_speech_keeps_its_place(tmp_path: Path) -> None:
    click = np.zeros(4 * SAMPLE_RATE, np.float32)
    click[100_000:100_010] = 0.9
    quiet = speech_like(4, 0.01)
    mixed(tmp_path / "film.wav", [quiet + click], None, [(0, 4)])
    sound = sf.read(tmp_path / "film.wav")[0]
    assert abs(int(np.argmax(np.abs(sound[:, 0]))) - 100_005) <= 8
    assert np.array_equal(sound[:, 0], sound[:, 1])


@pytest.mark.parametrize("level", [0.02, 0.6], ids=["quiet", "clipping"])
def test_any_speech_level_comes_to_the_same_loudness(tmp_path: Path, level: float) -> None:
    out = tmp_path / "film.wav"
    mixed(out, film_speech(level), tone_bed())
    integrated, peak = heard(out)
    assert integrated == pytest.approx(-16, abs=0.5)
    assert peak <= -1.5
    sound = sf.read(out, dtype="float32")[0]
    assert level_db(sound, 16, 20) - tone_db(sound, 16, 20) > 15


def test_peaks_are_limited_without_moving_the_loudness_or_the_length(tmp_path: Path) -> None:
    """Bursts stand 40 dB above the mean: the limiter takes so much loudness that a second try must give it back."""
    out = tmp_path / "film.wav"
    even = speech_like(12.3)[:-1]
    bursts = even * np.float32(0.3) + even**5 * np.float32(60)
    mixed(out, [bursts], tone_bed(), [(0, 12)])
    integrated, peak = heard(out)
    assert integrated == pytest.approx(-16, abs=0.5)
    assert -3 < peak <= -1.5
    sound = sf.read(out)[0]
    assert len(sound) == len(bursts)
    # The lag at which mix and speech agree best: the limiter looks ahead, and must not come late for it.
    size = 1 << 20
    agreement = np.fft.irfft(np.fft.rfft(sound[:, 0], size) * np.conj(np.fft.rfft(bursts, size)), size)
    assert np.argmax(agreement) == 0


def test_silence_stays_silence(tmp_path: Path) -> None:
    said = mixed(tmp_path / "film.wav", [np.zeros(SAMPLE_RATE * 3 + 1, np.float32)], None, [])
    sound = sf.read(tmp_path / "film.wav")[0]
    assert len(sound) == SAMPLE_RATE * 3 + 1
    assert not sound.any()
    assert said.is_silence


def test_noise_is_raised_by_no_more_than_20_db(tmp_path: Path) -> None:
    hiss = speech_like(5, 0.001)
    mixed(tmp_path / "film.wav", [hiss], None, [])
    sound = sf.read(tmp_path / "film.wav", dtype="float32")[0]
    assert level_db(sound, 0, 5) - level_db(hiss[:, None], 0, 5) == pytest.approx(20, abs=0.1)


def test_a_film_without_speech_is_its_bed(tmp_path: Path) -> None:
    mixed(tmp_path / "film.wav", [np.zeros(SAMPLE_RATE * 12, np.float32)], tone_bed(12), [])
    integrated, peak = heard(tmp_path / "film.wav")
    assert integrated == pytest.approx(-16, abs=0.5)
    assert peak <= -1.5


@pytest.mark.parametrize("samples", [7, 1601])
def test_a_film_of_a_blink_is_written_whole(tmp_path: Path, samples: int) -> None:
    """So short and so loud that it goes through the limiter and its resamplers, unmeasured."""
    mixed(tmp_path / "film.wav", [np.ones(samples, np.float32)], tone_bed(), [(0, 0.1)])
    assert sf.info(tmp_path / "film.wav").frames == samples


def test_the_same_film_is_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.wav", "b.wav"):
        mixed(tmp_path / name, film_speech(), tone_bed())
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()


def test_a_wrong_length_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="48000 samples"):
        mix_film([np.zeros(SAMPLE_RATE, np.float32)], [], SAMPLE_RATE + 1, [], tmp_path / "film.wav")
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_not_swallowed(tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no /dev/full")
    (tmp_path / "film.wav.speech.part").symlink_to(full)
    with pytest.raises(OSError, match="No space left"):
        mixed(tmp_path / "film.wav", film_speech(), None)


def test_memory_does_not_grow_with_the_film(tmp_path: Path) -> None:
    scene = speech_like(10)

    def peak_of(scenes: int) -> int:
        def speech() -> Iterator[Audio]:
            for _ in range(scenes):
                yield scene.copy()

        tracemalloc.start()
        try:
            mix_film(
                speech(), [(0, 10.0 * scenes)], scenes * len(scene), tone_bed(10.0 * scenes), tmp_path / "film.wav"
            )
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak_of(12) < 1.1 * peak_of(3)


def test_the_dip_is_over_before_the_line_and_lingers_after_it() -> None:
    curve = np.repeat(Ducking([(2.0, 3.0), (3.5, 4.0), (8.0, 9.0)], DIP).curve(0, 12 * SAMPLE_RATE), STEP)
    at = [curve[round(second * SAMPLE_RATE)] for second in (1.7, 1.875, 2.0, 3.25, 4.0, 4.4, 4.9, 7.7, 8.5, 11)]
    assert at == pytest.approx([0, 0.5, 1, 1, 1, 0.5, 0, 0, 1, 0], abs=1e-3)
    assert np.abs(np.diff(curve)).max() < 1.1 * STEP * np.pi / 2 / (0.25 * SAMPLE_RATE)


@pytest.mark.parametrize("stride", [DIP, LEAD_DIP], ids=["bed", "lead"])
def test_the_dip_does_not_know_blocks(stride: object) -> None:
    dip = Ducking([(2.0, 3.0), (2.5, 2.6), (9.9, 10.2)], stride)  # type: ignore[arg-type]
    whole = dip.curve(0, 24 * SAMPLE_RATE)
    parts = [dip.curve(first, SAMPLE_RATE) for first in range(0, 24 * SAMPLE_RATE, SAMPLE_RATE)]
    assert np.allclose(np.concatenate(parts), whole, atol=1e-6)
    assert whole[round(2.9 * SAMPLE_RATE / STEP)] == pytest.approx(1)


def test_an_effect_begins_on_its_sample_and_yields_to_speech(tmp_path: Path) -> None:
    hit = tmp_path / "hit.wav"
    sf.write(hit, 0.5 * np.sin(2 * np.pi * 3000 * np.arange(SAMPLE_RATE) / SAMPLE_RATE), SAMPLE_RATE)
    placed = [Placement(tone("effect", hit), at, at + 1) for at in (1.5, 12.0, 17.0)]
    mixed(tmp_path / "film.wav", film_speech(), placed)
    sound = sf.read(tmp_path / "film.wav", dtype="float32")[0]
    first = int(np.argmax(np.abs(sound[SAMPLE_RATE : 2 * SAMPLE_RATE, 0]) > 0.01)) + SAMPLE_RATE
    assert abs(first - 1.5 * SAMPLE_RATE) <= 60

    def ring(at: float) -> float:
        part = sound[round((at + 0.2) * SAMPLE_RATE) : round((at + 0.8) * SAMPLE_RATE), 0]
        turn = np.exp(-2j * np.pi * 3000 * np.arange(len(part)) / SAMPLE_RATE)
        return float(20 * np.log10(2 * abs(np.mean(part * turn)) / np.sqrt(2)))

    assert level_db(sound, 16, 20) - ring(12.0) < 6
    assert level_db(sound, 16, 20) - ring(17.0) >= 12


def test_the_lead_of_the_music_waits_for_a_long_rest(tmp_path: Path) -> None:
    layered = Placement(tone("music", tone_file(), tone_file(880)), 0.0, 36.0)
    stems = {"music": tmp_path / "music.wav"}
    mixed(tmp_path / "film.wav", film_speech(), [layered], stems=stems)
    music = sf.read(tmp_path / "music.wav", dtype="float32")[0]

    def lead(start: float, end: float) -> float:
        part = music[round(start * SAMPLE_RATE) : round(end * SAMPLE_RATE), 0]
        turn = np.exp(-2j * np.pi * 880 * np.arange(len(part)) / SAMPLE_RATE)
        return float(20 * np.log10(2 * abs(np.mean(part * turn)) + 1e-9))

    assert lead(33, 33.4) > lead(7.1, 7.5) + 40
    assert lead(33, 33.4) > -50


def test_stems_add_up_to_the_film(tmp_path: Path) -> None:
    stems = {name: tmp_path / f"{name}.wav" for name in STEMS}
    placed = [*tone_bed(), Placement(tone("ambience", tone_file(300)), 0, 36), Placement(tone("effect"), 11, 12)]
    mixed(tmp_path / "film.wav", film_speech(0.03), placed, stems=stems)
    film = sf.read(tmp_path / "film.wav", dtype="float32")[0]
    total = sum(sf.read(file, dtype="float32")[0] for file in stems.values())
    # The limiter is at work for a moment here and there only.
    apart = np.abs(film - total).max(axis=1)
    assert np.quantile(apart, 0.9) < 2e-3
    assert {sf.info(file).frames for file in stems.values()} == {SECONDS * SAMPLE_RATE}


def test_takes_lie_sample_exact_and_add_up() -> None:
    take = np.ones(100, np.float32)
    stem = speech_stem([Said(0.001, take), Said(0.002, take, -6.0206)], 200)
    assert stem.dtype == np.float32
    assert stem[[47, 48, 95, 96, 147, 148, 195, 196]] == pytest.approx([0, 1, 1, 1.5, 1.5, 0.5, 0.5, 0], abs=1e-4)
    assert speech_stem([Said(100 / SAMPLE_RATE, take)], 200)[-1] == 1


def test_a_take_is_never_cut() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        speech_stem([Said(101 / SAMPLE_RATE, np.ones(100, np.float32))], 200)
    with pytest.raises(ValueError, match="does not fit"):
        speech_stem([Said(-0.1, np.ones(100, np.float32))], 20_000)


def test_a_voice_stands_where_its_balloon_is() -> None:
    take = np.ones(100, np.float32)
    stem = speech_stem([Said(0, take, 0.0, -1.0), Said(100 / SAMPLE_RATE, take)], 300, stereo=True)
    assert stem.shape == (300, 2)
    assert stem[50, 0] > 1.1 > stem[50, 1] > 0.5
    assert stem[150] == pytest.approx([1, 1], abs=1e-6)
    assert np.sum(stem[50] ** 2) == pytest.approx(2)


def test_a_thought_rings_on_and_is_no_louder() -> None:
    take = speech_like(1.0)
    heard = in_room(take)
    assert len(heard) > len(take) + SAMPLE_RATE // 4
    assert np.abs(heard[len(take) : len(take) + SAMPLE_RATE // 10]).max() > 1e-3
    assert np.sqrt(np.mean(heard[: len(take)] ** 2)) == pytest.approx(np.sqrt(np.mean(take**2)), rel=1e-3)
    stem = speech_stem([Said(0, take, in_room=True)], len(take) + 100)
    assert len(stem) == len(take) + 100
