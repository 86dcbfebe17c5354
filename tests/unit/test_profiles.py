"""GPU profiles: those that ship fit the card that they are for, and a mistake in one is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from comic_narrator.errors import UsageError
from comic_narrator.gpu.fit import fit_profile, profile_for
from comic_narrator.gpu.needs import GIB
from comic_narrator.gpu.plan import Room
from comic_narrator.gpu.profiles import load_profile
from comic_narrator.settings import load_settings, profile_names

GPU_PROFILES = [name for name in profile_names() if load_profile(name).tenant.vision]
WITHOUT = [name for name in profile_names() if name not in GPU_PROFILES]

GOOD = """
[reader]
backend = "embedded"

[gpu]
share = "co-resident"

[tenant.vision]
model = "Qwen/Qwen3-VL-8B-Instruct-FP8"
sources = ["a test"]

[tenant.vision.flags]
max_model_len = 32768
gpu_memory_utilization = 0.8
limit_mm_per_prompt = { image = 2, video = 0 }
"""


def write(folder: Path, text: str) -> str:
    (folder / "mine.toml").write_text(text)
    return str(folder / "mine.toml")


def test_the_profiles_that_were_promised_are_there() -> None:
    assert {
        "cpu", "draft", "shorts", "agent-8g", "agent-12g", "agent-16g", "agent-24g", "agent-32g", "agent-32g-qwen",
        "agent-48g", "agent-80g", "forensic-32g", "two-gpu",
    } <= set(profile_names())  # fmt: skip


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_is_one_of_settings_too(name: str) -> None:
    load_settings(name, {}, (), {})


@pytest.mark.parametrize("name", GPU_PROFILES)
def test_a_profile_fits_the_card_that_it_is_for(name: str) -> None:
    profile = load_profile(name)
    card = profile.gpu.card_gib
    assert card
    room = Room(int(card * GIB), int((card - profile.gpu.desktop_gib) * GIB))
    fit = fit_profile(profile, {0: room, 1: room})
    assert fit.fits, (fit.problem, fit.hint)
    assert fit.vision
    assert fit.vision.longest >= profile.tenant.vision.flags.max_model_len  # type: ignore[union-attr]
    assert profile.seats >= 1


@pytest.mark.parametrize("name", GPU_PROFILES)
def test_a_command_line_keeps_to_this_machine_and_shuts_out_videos(name: str) -> None:
    vision = load_profile(name).tenant.vision
    assert vision
    argv = vision.argv()
    assert argv[argv.index("--host") + 1] == "127.0.0.1"
    assert '"video":0' in argv[argv.index("--limit-mm-per-prompt") + 1]
    assert vision.sources


@pytest.mark.parametrize("name", WITHOUT)
def test_a_profile_without_tenants_has_none(name: str) -> None:
    profile = load_profile(name)
    assert (profile.gpu.share, profile.seats, profile.boot_order) == ("none", 0, ())


def test_the_seeds_command_line_is_written_exactly() -> None:
    vision = load_profile("agent-32g").tenant.vision
    assert vision
    assert " ".join(vision.argv()) == (
        "vllm serve nvidia/Nemotron-3-Nano-Omni-30B-A3B-Reasoning-NVFP4 --served-model-name reader --host 127.0.0.1 "
        "--port 8000 --max-model-len 32768 --max-num-seqs 2 --max-num-batched-tokens 4096 "
        '--gpu-memory-utilization 0.82 --limit-mm-per-prompt {"image":2,"video":0,"audio":0} --kv-cache-dtype fp8 '
        "--mamba-ssm-cache-dtype float16 --trust-remote-code"
    )


MISTAKES = [
    ("max_model_len", "max_modle_len", "Did you mean tenant.vision.flags.max_model_len?"),
    ("share =", "shares =", "Did you mean gpu.share?"),
    ("[tenant.vision.flags]", "[tenant.vision.flag]", "Did you mean tenant.vision.flags?"),
]


@pytest.mark.parametrize(("right", "wrong", "hint"), [pytest.param(*m, id=m[1]) for m in MISTAKES])
def test_a_wrong_key_names_the_near_miss(right: str, wrong: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load_profile(write(tmp_path, GOOD.replace(right, wrong)))
    assert hint in caught.value.hint


BROKEN = [
    ("triton", 'max_model_len', 'moe_backend = "triton"\nquantization = "modelopt_nvfp4"\nmax_model_len', "no kernels"),
    ("video", ", video = 0", "", "video"),
    ("util", "gpu_memory_utilization = 0.8", "kv_cache_memory_bytes = 1181116006", "does not lift the check"),
    ("nap", "gpu_memory_utilization", "enable_sleep_mode = true\ngpu_memory_utilization", "VLLM_SERVER_DEV_MODE"),
    ("level", '"co-resident"', '"co-resident"\nsleep_level = 2', "throws the weights away"),
    ("nap-off", '"co-resident"', '"nap"', "needs enable_sleep_mode"),
    ("share", '"co-resident"', '"none"', "names tenants"),
]  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "why"), [pytest.param(*b[1:], id=b[0]) for b in BROKEN])
def test_what_breaks_a_server_is_refused_with_the_reason(right: str, wrong: str, why: str, tmp_path: Path) -> None:
    assert load_profile(write(tmp_path, GOOD)).seats == 2
    with pytest.raises(UsageError, match=why):
        load_profile(write(tmp_path, GOOD.replace(right, wrong)))


def test_kernels_that_fail_on_consumer_blackwell_are_refused_there_only(tmp_path: Path) -> None:
    text = GOOD.replace("-FP8", "-NVFP4") + '[tenant.vision.environment]\nVLLM_USE_FLASHINFER_MOE_FP4 = "1"\n'
    profile = write(tmp_path, text)
    for capability in (None, (12, 0)):
        with pytest.raises(UsageError, match="SM120"):
            load_profile(profile, capability)
    assert load_profile(profile, (10, 0)).seats == 2


@pytest.mark.parametrize(
    ("gib", "name"),
    [(5.8, "cpu"), (7.6, "agent-8g"), (11.7, "agent-12g"), (15.6, "agent-16g"), (23.6, "agent-24g"),
     (31.4, "agent-32g"), (44.4, "agent-32g"), (47.4, "agent-48g"), (139.8, "agent-80g")],
)  # fmt: skip
def test_a_card_has_its_profile(gib: float, name: str) -> None:
    assert profile_for({0: Room(int(gib * GIB), 0)}) == name


def test_no_card_is_the_cpu_profile() -> None:
    assert profile_for({}) == "cpu"


def on(name: str, total: float, free: float) -> tuple[str, str]:
    fit = fit_profile(load_profile(name), {0: Room(int(total * GIB), int(free * GIB))})
    return fit.problem or "", fit.hint or ""


def test_what_does_not_fit_is_told_with_what_to_change() -> None:
    problem, hint = on("agent-24g", 23.5, 20.5)
    assert problem == "The tenants take 21.9 GiB of card 0, and 20.5 are free."
    assert hint.startswith("Lower gpu_memory_utilization by 0.06, free 1.4 GiB")
    problem, hint = on("agent-16g", 11.6, 11.0)
    assert "does not hold one request of full length" in problem
    assert hint.startswith("Util 0.7 -> ")
    assert "do not fit into the 23.0 GiB" in on("agent-48g", 23.5, 23.0)[0]
    assert "wants card 1" in on("two-gpu", 23.5, 23.0)[0]


def test_naps_and_two_passes_need_less_at_once(tmp_path: Path) -> None:
    """The same tenants on the same card: side by side they need the sum, in two passes the larger of both."""

    def takes(share: str) -> int:
        speech = '[tenant.speech]\nprogram = ["x"]\nexpected_gib = 1.0\nreserve_gib = 4.0\nsources = ["a test"]\n'
        flags = "enable_sleep_mode = true\ngpu_memory_utilization"
        shape = "[tenant.vision.shape]\nvocabulary = 151936\nhidden = 2048\nheads = 16\nkv_heads = 8\nhead_dim = 128\nfull = 28\ndense = 28\ninner = 6144\n"  # noqa: E501
        text = GOOD.replace('"co-resident"', f'"{share}"').replace("gpu_memory_utilization", flags)
        text += f'[tenant.vision.environment]\nVLLM_SERVER_DEV_MODE = "1"\n{shape}{speech}'
        room = Room(20 * GIB, 20 * GIB)
        return fit_profile(load_profile(write(tmp_path, text)), {0: room}).cards[0].takes

    assert takes("co-resident") - takes("two-pass") == 4 * GIB
    assert takes("nap") - takes("two-pass") == GIB
