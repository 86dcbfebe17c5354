"""The planner: boots that a real vLLM made are foreseen, and no flag moves the plan the wrong way."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.plan_vs_boot import Compared, compare
from comic_narrator.errors import InputError
from comic_narrator.gpu.flags import MediaLimits, VllmFlags
from comic_narrator.gpu.kv import kv_layout
from comic_narrator.gpu.needs import CONTEXT, GIB, profiling_pass, weights
from comic_narrator.gpu.plan import BootPlan, Room, plan_boot
from comic_narrator.gpu.profiles import load_profile
from comic_narrator.gpu.remedy import in_words, what_fits
from comic_narrator.gpu.shape import ModelShape, read_shape

TESTS = Path(__file__).resolve().parents[1]
MODELS = sorted(path.name for path in (TESTS / "models").iterdir() if path.is_dir())


def shape(name: str) -> ModelShape:
    return read_shape(TESTS / "models" / name)


def room(total: float, free: float | None = None) -> Room:
    return Room(int(total * GIB), int((total if free is None else free) * GIB))


LIGHT = VllmFlags(
    max_model_len=32768,
    gpu_memory_utilization=0.2,
    limit_mm_per_prompt=MediaLimits(image=2, video=0),
    enforce_eager=True,
)

BOOTS = {compared.name: compared for compared in compare(TESTS / "records" / "boot", TESTS / "models")}


def test_twelve_boots_were_recorded() -> None:
    assert len(BOOTS) == 12


@pytest.mark.parametrize("name", sorted(BOOTS))
def test_a_recorded_boot_is_foreseen(name: str) -> None:
    boot = BOOTS[name]
    assert boot.foreseen == boot.happened
    plan, account = boot.plan, boot.account
    if account.weights_gib:
        assert plan.weights / GIB == pytest.approx(account.weights_gib, rel=0.05)
    if account.kv_gib and account.kv_gib > 0:
        assert plan.kv / GIB == pytest.approx(account.kv_gib, rel=0.03)
    if account.kv_tokens:
        assert plan.kv_tokens == pytest.approx(account.kv_tokens, rel=0.03)


def test_the_recorded_boots_are_foreseen_from_their_whole_logs(shared: Path) -> None:
    rows = compare(shared / "records" / "vllm_0.20.2_h200", TESTS / "models")
    assert [(row.name, row.foreseen) for row in rows] == [(row.name, row.happened) for row in rows]
    assert len(rows) == 12


def heavier(light: Compared, heavy: Compared) -> float:
    return (light.plan.kv - heavy.plan.kv) / GIB


def test_the_heavy_profile_costs_what_was_measured() -> None:
    assert heavier(BOOTS["b1_light_eager"], BOOTS["b2_heavy_eager"]) == pytest.approx(1.9, abs=0.1)


def test_one_pool_of_a_hybrid_model_has_two_sizes_in_the_log() -> None:
    profile = load_profile("agent-32g")
    vision = profile.tenant.vision
    assert vision
    assert vision.shape
    plan = plan_boot(vision.shape, vision.flags, room(31.36), vision.figures)
    assert plan.logged_tokens((0, 20, 0)) == 76_608
    assert plan.logged_tokens((0, 20, 1)) == plan.logged_tokens((0, 33, 0)) == 294_912
    assert plan.kv / GIB == pytest.approx(1.1, abs=0.01)


def test_the_longest_request_is_what_the_log_proposes() -> None:
    """The recorded refusals name 62,416 and 35,552 tokens."""
    assert BOOTS["b2_heavy_eager"].plan.longest == pytest.approx(62_416, rel=0.03)
    assert BOOTS["b4_len_too_long"].plan.longest == pytest.approx(35_552, rel=0.03)


@pytest.mark.parametrize(
    ("model", "quantization", "gib"),
    [
        # Parameters alone, as published; buffers and position tables come on top.
        pytest.param("qwen3vl_2b", None, 3.96, id="2b"),
        pytest.param("qwen3vl_4b", None, 8.27, id="4b"),
        pytest.param("qwen3vl_8b", None, 16.33, id="8b"),
        pytest.param("qwen25vl_7b", None, 15.45, id="qwen25-7b"),
    ],
)
def test_weights_follow_from_the_dimensions(model: str, quantization: str | None, gib: float) -> None:
    flags = LIGHT.model_copy(update={"quantization": quantization})
    assert 0 <= weights(shape(model), flags) / GIB - gib < 0.4


def test_the_pass_is_sized_by_the_step_the_pictures_and_the_seats() -> None:
    eyes = shape("qwen3vl_8b")
    assert profiling_pass(eyes, LIGHT).pictures == 4
    one = LIGHT.model_copy(update={"limit_mm_per_prompt": MediaLimits(image=1, video=0), "max_num_seqs": 1})
    assert profiling_pass(eyes, one).pictures == 1
    assert profiling_pass(eyes, LIGHT.model_copy(update={"max_num_batched_tokens": 16384})).pictures == 4
    none = LIGHT.model_copy(update={"limit_mm_per_prompt": MediaLimits(image=0, video=0)})
    assert profiling_pass(eyes, none).pictures == 0


def test_a_picture_larger_than_a_step_sizes_the_pass_alone() -> None:
    assert shape("qwen3vl_8b").vision
    eyes = shape("qwen3vl_8b")
    assert eyes.vision
    stock = eyes.model_copy(update={"vision": eyes.vision.model_copy(update={"max_pixels": 16_777_216})})
    assert profiling_pass(stock, LIGHT).picture_tokens == 16_384
    limited = LIGHT.model_copy(update={"max_pixels": 1_003_520})
    assert plan_boot(stock, limited, room(139.8)).kv > plan_boot(stock, LIGHT, room(139.8)).kv + GIB


def test_a_sliding_window_bounds_what_a_long_request_needs() -> None:
    gemma = shape("gemma3_27b_text")
    assert gemma.sliding
    assert (gemma.full, gemma.sliding.layers) == (10, 52)
    layout = kv_layout(gemma, LIGHT)
    # One group of layers that see everything, six of those that see a window (52 layers in tens, rounded up).
    assert [group.kind for group in layout.groups] == ["full"] + ["sliding"] * 6
    window = -(-(1023 + 4096) // 16) + 1
    assert layout.blocks_for(65536) == 65536 // 16 + 6 * window


def test_the_gate_counts_what_is_free_and_not_what_is_there() -> None:
    eyes = shape("qwen3vl_8b")
    assert plan_boot(eyes, LIGHT, room(139.8, 28.6)).up
    refused = plan_boot(eyes, LIGHT, room(139.8, 28.4))
    assert refused.refusal == "free_memory"
    assert refused.short == refused.requested - (refused.room.free - CONTEXT)


def test_a_given_cache_size_does_not_open_the_gate() -> None:
    flags = LIGHT.model_copy(update={"kv_cache_memory_bytes": GIB, "gpu_memory_utilization": 0.92})
    assert plan_boot(shape("qwen3vl_8b"), flags, room(139.8, 24)).refusal == "free_memory"
    assert plan_boot(shape("qwen3vl_8b"), flags, room(139.8)).kv == GIB


def test_more_seats_than_blocks_of_state_is_refused() -> None:
    flags = VllmFlags(
        max_model_len=4096, max_num_seqs=512, gpu_memory_utilization=0.6, kv_cache_memory_bytes=int(1.1 * GIB),
        kv_cache_dtype="fp8", mamba_ssm_cache_dtype="float16",
    )  # fmt: skip
    assert plan_boot(shape("nemotron3_nano_text"), flags, room(139.8)).refusal == "mamba_blocks"


FLAGS = st.builds(
    VllmFlags,
    max_model_len=st.integers(256, 262_144),
    max_num_seqs=st.integers(1, 64),
    max_num_batched_tokens=st.integers(64, 32_768),
    gpu_memory_utilization=st.integers(1, 100).map(lambda hundredths: hundredths / 100),
    limit_mm_per_prompt=st.builds(MediaLimits, image=st.integers(0, 16), video=st.just(0)),
    max_pixels=st.one_of(st.none(), st.integers(1024, 16_777_216)),
    kv_cache_dtype=st.sampled_from(["auto", "fp8"]),
    kv_cache_memory_bytes=st.one_of(st.none(), st.integers(1, 80 * GIB)),
    quantization=st.sampled_from([None, "fp8"]),
    enforce_eager=st.booleans(),
)
ROOMS = st.builds(
    lambda total, share: Room(total, int(total * share)), st.integers(4 * GIB, 192 * GIB), st.floats(0, 1)
)


@given(st.sampled_from(MODELS), FLAGS, ROOMS)
def test_nothing_in_a_plan_is_negative(model: str, flags: VllmFlags, card: Room) -> None:
    plan = plan_boot(shape(model), flags, card)
    sizes = (plan.requested, plan.weights, plan.activation, plan.non_torch, plan.graphs, plan.kv, plan.takes, plan.left)
    assert min(*sizes, plan.kv_tokens, plan.logged_tokens((0, 20, 0)), plan.longest, plan.seats) >= 0
    assert (plan.short > 0) == (not plan.up)
    if plan.up:
        assert plan.longest >= flags.max_model_len
        assert plan.concurrency >= 1


def kv_of(plan: BootPlan) -> int:
    return plan.kv


def larger(flags: VllmFlags, name: str, step: int) -> VllmFlags:
    if name == "images":
        limits = flags.limit_mm_per_prompt
        return flags.model_copy(
            update={"limit_mm_per_prompt": limits.model_copy(update={"image": limits.image + step})}
        )
    return flags.model_copy(update={name: dict(flags)[name] + step})


@given(
    st.sampled_from(MODELS),
    FLAGS,
    ROOMS,
    st.sampled_from(["max_model_len", "max_num_seqs", "max_num_batched_tokens", "images"]),
    st.integers(1, 5000),
)
def test_asking_for_more_never_leaves_more_cache(
    model: str, flags: VllmFlags, card: Room, name: str, step: int
) -> None:
    less, more = (plan_boot(shape(model), which, card) for which in (flags, larger(flags, name, step)))
    assert more.kv <= less.kv
    assert more.longest <= less.longest
    if more.up and name != "max_num_seqs":
        assert less.up


@given(st.sampled_from(MODELS), FLAGS, ROOMS, st.integers(0, 64 * GIB))
def test_freeing_memory_never_stops_a_boot(model: str, flags: VllmFlags, card: Room, freed: int) -> None:
    before = plan_boot(shape(model), flags, card)
    after = plan_boot(shape(model), flags, replace(card, free=min(card.total, card.free + freed)))
    assert after.up or not before.up
    assert after.left >= before.left


@given(st.sampled_from(MODELS), FLAGS, ROOMS, st.integers(1, 99))
def test_a_larger_share_never_leaves_less_cache(model: str, flags: VllmFlags, card: Room, more: int) -> None:
    share = min(1.0, flags.gpu_memory_utilization + more / 100)
    before, after = (
        plan_boot(shape(model), which, card)
        for which in (flags, flags.model_copy(update={"gpu_memory_utilization": share}))
    )
    assert after.kv >= before.kv
    assert after.requested >= before.requested


@given(st.sampled_from(MODELS), FLAGS, ROOMS, st.integers(1024, 16_777_216), st.integers(0, 16_777_216))
def test_a_larger_picture_never_leaves_more_cache(
    model: str, flags: VllmFlags, card: Room, pixels: int, more: int
) -> None:
    # One at a time: of several, vLLM profiles as many as fit into a step, and of larger ones fewer fit.
    one = flags.model_copy(update={"limit_mm_per_prompt": MediaLimits(image=1, video=0), "max_num_seqs": 1})
    small, large, unbounded = (
        plan_boot(shape(model), one.model_copy(update={"max_pixels": most}), card)
        for most in (pixels, pixels + more, None)
    )
    assert large.kv <= small.kv
    assert unbounded.kv <= small.kv or pixels >= 16_777_216


@given(st.sampled_from(MODELS), FLAGS, ROOMS)
def test_no_graphs_never_leave_less_cache(model: str, flags: VllmFlags, card: Room) -> None:
    eager, graphs = (
        plan_boot(shape(model), flags.model_copy(update={"enforce_eager": which}), card) for which in (True, False)
    )
    assert eager.kv >= graphs.kv
    assert eager.up or not graphs.up


@given(st.sampled_from(MODELS), FLAGS, ROOMS, st.integers(1, 80 * GIB), st.integers(0, 80 * GIB))
def test_a_larger_cache_that_is_asked_for_never_holds_less(
    model: str, flags: VllmFlags, card: Room, size: int, more: int
) -> None:
    small, large = (
        plan_boot(shape(model), flags.model_copy(update={"kv_cache_memory_bytes": which}), card)
        for which in (size, size + more)
    )
    assert large.kv >= small.kv
    assert large.longest >= small.longest


@given(st.sampled_from(MODELS), FLAGS, ROOMS)
def test_smaller_numbers_in_the_cache_never_hold_fewer_tokens(model: str, flags: VllmFlags, card: Room) -> None:
    wide, narrow = (
        plan_boot(shape(model), flags.model_copy(update={"kv_cache_dtype": kind}), card) for kind in ("auto", "fp8")
    )
    assert narrow.longest >= wide.longest


@settings(max_examples=60)
@given(st.sampled_from(MODELS), FLAGS, ROOMS)
def test_a_change_that_is_said_to_fit_fits(model: str, flags: VllmFlags, card: Room) -> None:
    for change in what_fits(plan_boot(shape(model), flags, card), shape(model)):
        assert plan_boot(shape(model), change.flags, card).up == change.fits


def test_the_change_that_would_fit_is_computed() -> None:
    """16384 tokens a step cost about 1.9 GiB more than 4096: measured."""
    eyes = shape("qwen3vl_8b")
    flags = VllmFlags(
        max_model_len=32768,
        max_num_seqs=2,
        max_num_batched_tokens=16384,
        gpu_memory_utilization=0.78,
        limit_mm_per_prompt=MediaLimits(image=8, video=0),
    )
    plan = plan_boot(eyes, flags, room(28.8))
    assert plan.refusal == "kv_too_small"
    said = in_words(what_fits(plan, eyes))
    assert said
    assert said.startswith("lower batched tokens 16384 -> 4096 (frees about 1.9 GiB); or util 0.78 -> 0.8")


def test_a_folder_without_a_model_is_an_error_of_the_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no readable config"):
        read_shape(tmp_path)
    (tmp_path / "config.json").write_text('{"model_type": "clip"}')
    with pytest.raises(InputError, match="no model that the planner knows"):
        read_shape(tmp_path)


@pytest.mark.parametrize(
    ("told", "stored"),
    [
        pytest.param({"quant_method": "fp8"}, "fp8", id="fp8"),
        pytest.param({"quant_method": "awq", "bits": 4}, "w4", id="awq"),
        pytest.param({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4", id="nvfp4"),
        pytest.param(
            {"quant_method": "compressed-tensors", "config_groups": {"0": {"weights": {"num_bits": 4, "type": "int"}}}},
            "w4",
            id="compressed",
        ),
    ],
)
def test_the_checkpoint_says_how_it_is_stored(told: dict[str, object], stored: str, tmp_path: Path) -> None:
    config = json.loads((TESTS / "models" / "qwen3vl_8b" / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "quantization_config": told}))
    assert read_shape(tmp_path).format == stored
