"""What is measured of a voice, what is done to it, and a recording that becomes one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from comic_narrator.errors import InputError, UsageError
from comic_narrator.model import SAMPLE_RATE
from comic_narrator.voice_profiles import Colouring, distance, semitones
from comic_narrator.voices.bank import built_in, own, profiles
from comic_narrator.voices.colouring import coloured, with_effort
from comic_narrator.voices.listening import measured
from comic_narrator.voices.recording import REST, NewVoice, add, heard_in, load_recording, remarks

Sound = NDArray[np.float32]


def hum(pitch: float, seconds: float = 2.0, swing: float = 1.0, bright: float = 1.0) -> Sound:
    """Something like a voice: 25 harmonics of a pitch that swings by so many semitones, the higher ones softer."""
    time = np.arange(round(seconds * SAMPLE_RATE)) / SAMPLE_RATE
    f0 = pitch * 2 ** (swing / 12 * np.sin(2 * np.pi * 1.5 * time))
    phase = 2 * np.pi * np.cumsum(f0) / SAMPLE_RATE
    waves = sum(np.sin(n * phase) / n ** (1.8 / bright) for n in range(1, 26))
    return np.asarray(0.1 * waves, np.float32)


@pytest.mark.parametrize("pitch", [75.0, 110.0, 220.0, 380.0])
def test_pitch_is_found_within_a_quarter_of_a_semitone(pitch: float) -> None:
    found = measured(hum(pitch))
    assert found is not None
    assert semitones(found.pitch, pitch) < 0.25
    assert found.spread == pytest.approx(1 / np.sqrt(2), abs=0.15)


def test_brightness_and_timbre_tell_voices_of_one_pitch_apart() -> None:
    dull, bright = measured(hum(120)), measured(hum(120, bright=2.0))
    assert dull is not None
    assert bright is not None
    assert bright.brightness > 1.3 * dull.brightness
    assert distance(dull, bright) > 1.0 > distance(dull, dull) == 0


@pytest.mark.parametrize(
    "sound", [np.zeros(SAMPLE_RATE, np.float32), np.zeros(10, np.float32)], ids=["silent", "short"]
)
def test_where_nobody_is_heard_nothing_is_measured(sound: Sound) -> None:
    assert measured(sound) is None
    noise = np.random.default_rng(1).standard_normal(SAMPLE_RATE).astype(np.float32)
    assert measured(noise) is None


@pytest.mark.parametrize("colouring", get_args(Colouring))
def test_a_colouring_gives_the_same_sound_each_time_and_loses_none(colouring: Colouring) -> None:
    sound = hum(140, 1.0)
    once, again = coloured(sound, colouring), coloured(sound, colouring)
    assert np.array_equal(once, again)
    assert once.dtype == np.float32
    assert len(sound) <= len(once) <= len(sound) + 0.21 * SAMPLE_RATE
    assert np.isfinite(once).all()
    assert 0.2 < float(np.sqrt((once**2).mean()) / np.sqrt((sound**2).mean())) < 3
    changed = not np.array_equal(once[: len(sound)], sound)
    assert changed == (colouring not in ("boy", "girl")), "children are the engine's, by pitch alone"


def test_a_whisper_has_little_pitch_left_and_effort_makes_bright() -> None:
    sound = hum(140, 1.0)

    def peak(of: Sound) -> float:
        """How much the tone of the voice stands out of what lies about it."""
        power = np.abs(np.fft.rfft(of[: len(sound)] * np.hanning(len(sound)))) ** 2
        near = slice(120, 160)
        return float(power[near].max() / np.median(power[near]))

    assert peak(coloured(sound, "whisper")) < 0.2 * peak(sound)
    soft, plain, loud = (measured(with_effort(sound, effort)) for effort in (-1.0, 0.0, 1.0))
    assert soft is not None
    assert plain is not None
    assert loud is not None
    assert soft.brightness < plain.brightness < loud.brightness


def test_every_voice_of_the_bank_is_measured_and_sounds_like_itself_alone() -> None:
    assert all(profile.measured for profile in built_in())
    assert {len(profile.measured.timbre) for profile in built_in() if profile.measured} == {12}
    men = [p.measured.pitch for p in profiles("en") if p.measured and p.sex == "male" and p.age == "adult"]
    women = [p.measured.pitch for p in profiles("en") if p.measured and p.sex == "female" and p.age == "adult"]
    children = [p.measured.pitch for p in profiles("en") if p.measured and p.age == "child"]
    assert np.median(men) < np.median(women) < np.median(children)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A voice with silence about it, in another rate and in stereo."""
    quiet = np.zeros(SAMPLE_RATE, np.float32)
    sound = np.concatenate([quiet, 0.2 * hum(210, 3.0), quiet])[::2]
    file = tmp_path / "somebody.wav"
    soundfile.write(file, np.stack([sound, sound], axis=1), SAMPLE_RATE // 2)
    return file


def test_a_recording_becomes_a_voice_of_the_bank(recording: Path, tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    profile = add(recording, NewVoice('My "Own"', "CC0-1.0", text="Hm. \\ 声"), bank, set())
    (voice,) = own(bank)
    assert profile == bank / "my_own.toml"
    assert (voice.id, voice.name, voice.sex, voice.licence) == ("my_own", 'My "Own"', "female", "CC0-1.0")
    assert voice.measured is not None
    assert semitones(voice.measured.pitch, 210) < 0.3
    assert voice.reference is not None
    assert voice.reference.text == "Hm. \\ 声"
    take, rate = soundfile.read(voice.reference.wav)
    assert rate == SAMPLE_RATE
    assert take.ndim == 1
    assert len(take) / rate == pytest.approx(3 + REST, abs=0.2)
    assert np.abs(take[-round(REST * rate) :]).max() == 0
    assert voice in profiles("en-GB", bank)
    assert profiles("en", bank)[0] == profiles("en")[0], "the first narrator stays"
    assert heard_in(recording) == pytest.approx(heard_in(recording))


def test_what_cannot_be_a_voice_is_refused(recording: Path, tmp_path: Path) -> None:
    bank = tmp_path / "bank"
    broken = tmp_path / "broken.wav"
    broken.write_bytes(b"RIFF nothing")
    short = tmp_path / "short.wav"
    soundfile.write(short, hum(120, 0.5), SAMPLE_RATE)
    with pytest.raises(InputError, match=r"There is no file .*none\.wav"):
        add(tmp_path / "none.wav", NewVoice("A", "CC0-1.0"), bank, set())
    with pytest.raises(InputError, match=r"broken\.wav"):
        add(broken, NewVoice("A", "CC0-1.0"), bank, set())
    with pytest.raises(InputError, match="seconds"):
        add(short, NewVoice("A", "CC0-1.0"), bank, set())
    with pytest.raises(UsageError, match="af_heart"):
        add(recording, NewVoice("AF heart", "CC0-1.0"), bank, {"af_heart"})
    with pytest.raises(UsageError, match="licence"):
        add(recording, NewVoice("A", " "), bank, set())
    with pytest.raises(UsageError, match="name"):
        add(recording, NewVoice("!!", "CC0-1.0"), bank, set())
    assert own(bank) == ()


SYLLABLE = np.asarray(0.4 * hum(210, 0.4) * np.hanning(round(0.4 * SAMPLE_RATE)), np.float32)
TALK = np.concatenate([np.concatenate([SYLLABLE, np.zeros(SAMPLE_RATE // 5, np.float32)])] * 5)
RECORDED: dict[str, tuple[Sound, int, str | None]] = {
    "clean": (TALK, SAMPLE_RATE, None),
    "clipped": (np.clip(9 * TALK, -0.1, 0.1), SAMPLE_RATE, "cut off at the top"),
    "hiss": (
        TALK + 0.1 * np.random.default_rng(1).standard_normal(len(TALK)).astype(np.float32),
        SAMPLE_RATE,
        "never grows quiet",
    ),
    "telephone": (TALK[::6], SAMPLE_RATE // 6, "nothing above 4000 Hz"),
}


@pytest.mark.parametrize("name", RECORDED)
def test_what_every_copy_of_a_recording_would_have_is_said(tmp_path: Path, name: str) -> None:
    sound, rate, said = RECORDED[name]
    soundfile.write(tmp_path / "me.wav", sound, rate)
    told = remarks(tmp_path / "me.wav")
    assert [said in remark for remark in told] == [True] if said else told == ()


@pytest.mark.parametrize("right", [-1.0, 0.0, 0.3, 1.0])
def test_a_recording_in_stereo_is_heard_even_where_its_channels_cancel_out(tmp_path: Path, right: float) -> None:
    soundfile.write(tmp_path / "me.wav", np.stack([TALK, right * TALK], axis=1), SAMPLE_RATE)
    heard = load_recording(tmp_path / "me.wav")
    assert float(np.abs(heard).max()) > 0.45 * float(np.abs(TALK).max())


def test_a_blend_of_the_users_is_a_voice_and_a_broken_file_is_named(tmp_path: Path) -> None:
    listed = {"id": "mine", "name": "Mine", "language": "en", "sex": "male", "licence": "x", "source": "y"}
    text = "".join(f'{key} = "{value}"\n' for key, value in listed.items()) + 'engine = "am_adam+am_puck@-2"\n'
    assert tomllib.loads(text)
    (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
    assert [voice.engine for voice in own(tmp_path)] == ["am_adam+am_puck@-2"]
    (tmp_path / "mine.toml").write_text(text.replace('sex = "male"', 'sex = "x"'), encoding="utf-8")
    with pytest.raises(UsageError, match=r"mine\.toml"):
        own(tmp_path)
