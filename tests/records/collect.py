"""Carries over what tests need of ../shared/records: python -m tests.records.collect."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.records import HERE

SHARED = Path(__file__).resolve().parents[3] / "shared" / "records"
STREAMS = ("vllm_0.20.2/stream_usage", "vllm_0.20.2/stream_json_schema", "vllm_0.32.0/stream_usage")
ANSWERS = (
    "vllm_0.20.2/err_unknown_model",
    "vllm_0.20.2/err_prompt_too_long",
    "vllm_0.20.2/err_prompt_plus_max_tokens",
    "vllm_0.20.2/err_too_many_images",
    "vllm_0.20.2/err_bad_schema",
    "vllm_0.20.2/err_image_url_unreachable",
    "vllm_0.20.2/get_chat_wrong_method",
    "vllm_0.20.2/get_models",
    "vllm_0.20.2/get_notfound",
    "vllm_0.20.2/tokenize_chat",
    "vllm_0.32.0/err_bad_datauri",
    "vllm_0.32.0/err_prompt_too_long",
    "vllm_0.32.0/err_unknown_model",
    "vllm_0.32.0_qwen3vl/auth_wrong",
)
FISH = (
    "health_get",
    "not_found",
    "tts_bad_json",
    "tts_empty_text",
    "tts_json_flac",
    "tts_json_pcm",
    "tts_punct_only",
    "tts_reference_bad_audio",
    "tts_space_text",
    "tts_temperature_bad",
    "tts_text_too_long",
)
FISH_SOUNDS = ("tts_json_reference_b64", "tts_json_wav", "tts_reference_id_missing", "tts_seed_a", "tts_seed_b")
METRICS = ("num_requests_running", "num_requests_waiting", "kv_cache_usage_perc", "cache_config_info", "tokens_total")


def main() -> None:
    """Write vllm.json and the metrics beside this file."""
    carried = {name: answer(json.loads((SHARED / f"{name}.json").read_text())["response"]) for name in ANSWERS}
    for name in STREAMS:
        carried[name] = stream((SHARED / f"{name}.sse").read_text(encoding="utf-8"))
    death = json.loads((SHARED / "vllm_0.20.2/engine_death.json").read_text())
    carried["vllm_0.20.2/engine_death"] = stream("".join(death["stream"]["last_chunks"]))
    burst = json.loads((SHARED / "vllm_0.32.0_qwen3vl/burst_stream_rejected.json").read_text())
    rejected = next(r["raw_head"] for r in burst["results"] if "error" in r["raw_head"])
    carried["vllm_0.32.0_qwen3vl/rejected_in_stream"] = stream(rejected)
    (HERE / "vllm.json").write_text(json.dumps(carried, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for state in ("idle", "loaded"):
        lines = (SHARED / f"vllm_0.20.2/get_metrics_{state}.txt").read_text().splitlines(keepends=True)
        kept = [line for line in lines if any(f"vllm:{name}" in line for name in METRICS) and "_bucket" not in line]
        (HERE / f"metrics_{state}.txt").write_text("".join(kept))
    fish()


def fish() -> None:
    """Write fish.json, and one WAV, one MP3 and the head of a stream; of other sounds what they are, by digest."""
    folder = SHARED / "fish_1.5.1"
    carried: dict[str, Any] = {
        name: answer(json.loads((folder / f"{name}.json").read_text())["response"]) for name in FISH
    }
    for name in FISH_SOUNDS:
        response = json.loads((folder / f"{name}.json").read_text())["response"]
        sha256 = hashlib.sha256((folder / f"{name}.wav").read_bytes()).hexdigest()
        carried[name] = {"status": response["status"], "kind": response["headers"]["content-type"], "sha256": sha256}
    schemas = json.loads((folder / "openapi_json2.json").read_text())["response"]["body"]["components"]["schemas"]
    carried["schema"] = {name: schemas[name] for name in ("ServeTTSRequest", "ServeReferenceAudio")}
    carried["concurrency"] = json.loads((folder / "concurrency.json").read_text())
    (HERE / "fish.json").write_text(json.dumps(carried, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (HERE / "fish_speech.wav").write_bytes((folder / "tts_json_wav.wav").read_bytes())
    (HERE / "fish_speech.mp3").write_bytes((folder / "tts_json_mp3.mpeg").read_bytes())
    (HERE / "fish_stream_head.bin").write_bytes((folder / "tts_streaming.wav").read_bytes()[:16_384])


def answer(response: dict[str, Any]) -> dict[str, Any]:
    """An answer of JSON."""
    body = response["body"]
    kind = response["headers"].get("content-type", "application/json")
    return {"status": response["status"], "kind": kind, "body": body if isinstance(body, str) else json.dumps(body)}


def stream(sse: str) -> dict[str, Any]:
    """A stream of events."""
    return {"status": 200, "kind": "text/event-stream; charset=utf-8", "body": sse}


if __name__ == "__main__":
    main()
