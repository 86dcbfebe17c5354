"""Boot logs: what a server says is understood line by line, and a refusal is told with its cause and what would fit."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from comic_narrator.gpu.bootlog import BootLog, read_log
from comic_narrator.gpu.needs import GIB
from comic_narrator.gpu.plan import Room
from comic_narrator.gpu.refusals import Account, Refusal
from comic_narrator.gpu.shape import read_shape

TESTS = Path(__file__).resolve().parents[1]
LOGS = TESTS / "records" / "boot"
H200 = Room(int(139.8 * GIB), int(139.8 * GIB))


def text(name: str) -> str:
    return (LOGS / f"{name}.log").read_text(encoding="utf-8")


def refused(name: str, model: str | None = None, room: Room | None = None) -> Refusal:
    refusal = read_log(text(name), read_shape(TESTS / "models" / model) if model else None, room).refusal
    assert refusal
    return refusal


def test_a_boot_is_read_to_the_end() -> None:
    account = read_log(text("c5_30b_fp8"))
    assert account.version == (0, 20, 2)
    assert account.flags
    assert (account.flags.max_num_seqs, account.flags.max_num_batched_tokens) == (16, 8192)
    assert (account.weights_gib, account.activation_gib, account.non_torch_gib) == (29.88, 1.08, 0.24)
    assert (account.graphs_gib, account.kv_gib, account.kv_tokens) == (0.07, 24.65, 269_248)
    assert (account.compile_seconds, account.init_seconds, account.total_gib) == (56.37, 85.48, 139.8)
    assert account.ready
    assert account.refusal is None
    assert account.over_its_share(139.8) == 0


def test_the_log_of_a_later_release_is_read_as_well() -> None:
    account = read_log(text("cpu_0.32.0"))
    assert (account.version, account.kv_tokens, account.concurrency) == ((0, 32, 0), 524_288, 256.0)
    assert account.address == "http://127.0.0.1:8032"
    assert account.ready


def test_a_boot_is_followed_as_it_goes() -> None:
    log = BootLog()
    seen = [log.feed(line).milestones for line in text("b6_light_graphs").splitlines()]
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(seen))
    assert seen[-1] == (
        "vLLM 0.20.2 starts",
        "its settings are accepted",
        "loading weights",
        "16.69 GiB of weights are loaded",
        "profiling with 4 pictures",
        "compiled in 45 s",
        "10.41 GiB are left for the KV cache",
        "75,776 tokens fit into the KV cache",
        "CUDA graphs are captured",
        "the engine is up",
        "ready",
    )
    assert log.account.sleeping_gib == 1.44


def test_the_gate_is_explained_with_the_share_that_fits() -> None:
    refusal = refused("b5_cotenant", "qwen3vl_8b")
    assert refusal.cause == "free_memory"
    assert "asks for 27.96 GiB" in refusal.what
    assert "23.77 are free" in refusal.what
    assert refusal.hint.startswith("Util 0.2 -> 0.17; or free 4.2 GiB")


def test_a_given_cache_size_is_no_way_through_the_gate() -> None:
    refusal = refused("c6_kvbytes_default_util", "qwen3vl_8b")
    assert refusal.cause == "free_memory"
    assert "0.92 -> 0.17 and lower max_model_len 32768 -> 7168" in refusal.hint


def test_a_context_too_long_is_explained_with_what_fits() -> None:
    refusal = refused("b2_heavy_eager", "qwen3vl_8b", H200)
    assert refusal.cause == "kv_too_small"
    assert refusal.what == (
        "One request of 131,072 tokens needs 18.00 GiB of KV cache, and 8.57 are left. 62,416 tokens fit."
    )
    assert refusal.hint == "Util 0.2 -> 0.27; or lower max_model_len 131072 -> 61440."
    # What helps without being enough is there as well, computed from what this very log measured.
    step = next(change for change in refusal.changes if change.flag == "max_num_batched_tokens")
    assert not step.fits
    assert step.frees / GIB == pytest.approx(2.2, abs=0.2)


def test_no_cache_at_all_is_explained() -> None:
    refusal = refused("b3_too_small", "qwen3vl_8b", H200)
    assert refusal.cause == "no_kv"
    assert "0.71 GiB are missing" in refusal.what
    assert refusal.hint == "Util 0.12 -> 0.16."


def test_memory_that_another_process_gave_back_is_explained() -> None:
    """Recorded: 35 GiB of the card were given back while this server loaded."""
    refusal = read_log((TESTS / "records" / "boots" / "profile_race.log").read_text(encoding="utf-8")).refusal
    assert refusal is not None
    assert refusal.cause == "profile_race"
    assert "103.58 GiB were free, then 122.27" in refusal.what


def test_a_server_that_took_what_another_gave_back_is_known_by_its_share() -> None:
    """Recorded: 14 GiB given back, fewer than the weights take, are no error for vLLM: its cache is larger by them."""
    account = read_log((TESTS / "records" / "boots" / "measured_wrong.log").read_text(encoding="utf-8"))
    assert account.ready
    assert account.over_its_share(139.8) == pytest.approx(13.87, abs=0.02)


def test_without_the_shape_the_log_alone_explains() -> None:
    refusal = refused("b2_heavy_eager", None, H200)
    assert refusal.hint == "Util 0.2 -> 0.27; or lower max_model_len 131072 -> 61440."
    assert refused("b2_heavy_eager").hint == "Lower max_model_len 131072 -> 61440."
    assert refused("b3_too_small").hint.startswith("Raise gpu_memory_utilization")


def test_a_smaller_step_is_proposed_where_it_is_enough() -> None:
    """The recorded heavy boot, asked for a context that misses by less than a smaller step frees."""
    log = text("b2_heavy_eager").replace("131072", "70000").replace("18.0 GiB KV", "9.61 GiB KV")
    shaped = read_log(log, read_shape(TESTS / "models" / "qwen3vl_8b"), H200).refusal
    plain = read_log(log, None, H200).refusal
    assert shaped
    assert plain
    for refusal in (shaped, plain):
        assert refusal.hint.startswith("Lower batched tokens 16384 -> ")
        assert "; or util 0.2 -> 0.21" in refusal.hint


def test_a_symptom_is_not_taken_for_the_cause() -> None:
    refusal = refused("fail_enginecore_cpu_0.20.2")
    assert refusal.cause == "engine"
    assert refusal.what == "The engine did not start: IndexError: list index out of range."


def test_what_is_said_after_the_server_was_ready_is_no_refusal() -> None:
    log = text("b1_light_eager") + "(EngineCore pid=1) ERROR 11-30 08:30:08 [core.py:1] CUDA out of memory. Tried to"
    assert read_log(log + " allocate 2.00 GiB").refusal is None


SAID = [
    # Format strings of the releases named, filled in; one of each cause that is not recorded.
    ("ValueError: Free memory on device (24.02/31.36 GiB) on startup is less than desired GPU memory utilization "
     "(0.82, 25.72 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.",
     "free_memory", "25.72"),
    ("ValueError: To serve at least one request with the model's max seq len (32768), (4.5 GiB KV cache is needed, "
     "which is larger than the available KV cache memory (1.1 GiB). Based on the available memory, the estimated "
     "maximum model length is 8000. Try increasing `gpu_memory_utilization` (which also controls CPU memory on the CPU "
     "backend) or decreasing `max_model_len` when initializing the engine.", "kv_too_small", "8,000 tokens fit"),
    ("AssertionError: Error in memory profiling. Initial free memory 28.4 GiB, current free memory 28.9 GiB. This "
     "happens when other processes sharing the same container release GPU memory while vLLM is profiling during "
     "initialization.", "profile_race", "28.4"),
    ("ValueError: max_num_seqs (512) exceeds available Mamba cache blocks (180). Each decode sequence requires one "
     "Mamba cache block.", "mamba_blocks", "180"),
    ("NotImplementedError: No NvFp4 MoE backend supports the deployment configuration.", "nvfp4", "NVFP4"),
    ("ValueError: moe_backend='triton' is not supported for NvFP4 MoE.", "nvfp4", "NVFP4"),
    ("Failed to load model - not enough GPU memory. Try lowering --gpu-memory-utilization to free memory for weights, "
     "or using --quantization. (original error: CUDA out of memory. Tried to allocate 112.00 MiB. GPU 0 has a total "
     "capacity of 31.36 GiB of which 53.06 MiB is free.", "load_oom", "weights"),
    ("RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy requests. Please try lowering "
     "`max_num_seqs` or `gpu_memory_utilization`", "sampler_oom", "256"),
    ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has", "cuda_oom", "2.00 GiB"),
    ("RuntimeError: CUDA error: no kernel image is available for execution on the device", "no_kernel", "kernels"),
    ("RuntimeError: Failed to infer device type, please set the environment variable", "no_card", "no GPU"),
    ("Value error, User-specified max_model_len (262144) is greater than the derived max_model_len "
     "(max_position_embeddings=128000 or model_max_length=None in model's config.json).",
     "too_long_for_model", "128000"),
    ("OSError: [Errno 98] Address already in use", "port_taken", "port"),
    ("OSError: Qwen/Nothing is not a local folder and is not a valid model identifier listed on", "no_model", "model"),
    ("vllm: error: unrecognized arguments: --max-num-queued-reqs 4", "unknown_flag", "--max-num-queued-reqs"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "cause", "number"), SAID, ids=[f"{i}-{said[1]}" for i, said in enumerate(SAID)])
def test_each_known_cause_is_named_with_its_numbers(line: str, cause: str, number: str) -> None:
    prefix = "(EngineCore pid=1014) ERROR 11-30 08:29:05 [core.py:1136] "
    for log in (line, prefix + line):
        refusal = read_log(f"{log}\nRuntimeError: Engine core initialization failed. See root cause above.").refusal
        assert refusal
        assert refusal.cause == cause
        assert number in refusal.what
        assert refusal.hint.endswith(".")


def test_what_memory_ran_out_for_is_said_later_and_counts() -> None:
    log = f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n{SAID[7][0]}"
    refusal = read_log(log).refusal
    assert refusal
    assert refusal.cause == "sampler_oom"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(
            "Model loading took 20.9012 GiB and 41.305911 seconds", {"weights_gib": 20.9012}, id="weights-0.10"
        ),
        pytest.param("Available KV cache memory: 1.10 GiB", {"kv_gib": 1.1}, id="kv"),
        pytest.param(
            "GPU KV cache size: 294,912 tokens, Maximum concurrency for 32,768 tokens per request: 9.00x",
            {"kv_tokens": 294_912, "concurrency": 9.0},
            id="one-line-0.28",
        ),
        pytest.param(
            "Actual usage is 21.32 GiB for consumed memory (weights + non-torch), 2.9 GiB for peak activation, and "
            "0.31 GiB for CUDAGraph memory.",
            {"activation_gib": 2.9, "graphs_gib": 0.31},
            id="usage-0.33",
        ),
        pytest.param("Graph capturing finished in 6 secs, took 0.31 GiB", {"graphs_gib": 0.31}, id="graphs-0.10"),
        pytest.param(
            "Estimated CUDA graph memory: 0.28 GiB total\n"
            "CUDA graph pool memory: 0.31 GiB (actual), 0.28 GiB (estimated), difference: 0.03 GiB (9.7%).",
            {"graphs_gib": 0.31},
            id="graphs-0.20",
        ),
        pytest.param("Starting vLLM API server 0 on http://0.0.0.0:8000", {"address": "http://0.0.0.0:8000"}, id="at"),
    ],
)
def test_lines_of_other_releases_are_read(line: str, expected: dict[str, object]) -> None:
    account = read_log(line)
    assert {key: vars(account)[key] for key in expected} == expected


def test_every_recorded_log_is_read_without_a_fault(shared: Path) -> None:
    for log in [*shared.glob("records/vllm_0.20.2_h200/*.log"), *shared.glob("records/boot_cpu/*.log")]:
        account = read_log(log.read_text(errors="replace"))
        assert isinstance(account, Account)
        assert account.ready != bool(account.refusal), log.name
