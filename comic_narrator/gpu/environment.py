"""Environments of their own for the servers: vLLM's and Fish Speech's pins clash with ours and with each other's."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from comic_narrator.errors import InputError, MissingToolError

VLLM = "vllm==0.20.2"
FISH = "fish-speech[stable]==0.1.0"
"""The package is of the generation after 1.5 and serves S1-mini; a checkout of v1.5.1 serves the weights of 1.5."""
PYTHONS = ("python3.12", "python3.11", "python3.10")
"""vLLM's and Fish Speech's pins have no wheels for later ones."""
FISH_LAUNCHER = "fish-speech-server"

FISH_LICENCE = (
    "Fish Speech is no part of this program. Its code is under Apache-2.0 up to 1.5 and in the pinned package, under "
    "the Fish Audio Research Licence later; the weights of 1.5 and of S1-mini are under CC-BY-NC-SA-4.0: nothing "
    "that is made with them may be sold, and the name of their makers goes with it."
)

Say = Callable[[str], None]


@dataclass(frozen=True)
class Place:
    """The data folder at `root`: an environment a server, and the launchers that serve finds before PATH."""

    root: Path

    @property
    def bin(self) -> Path:
        """The folder of the launchers."""
        return self.root / "bin"

    def environment(self, name: str) -> Path:
        """The folder of a server's environment."""
        return self.root / "environments" / name


def set_up_vllm(place: Place, python: str | None, say: Say) -> Path:
    """An environment with the pinned vLLM, and a launcher for it; MissingToolError when it cannot be installed."""
    home = place.environment("vllm")
    launcher = place.bin / "vllm"
    if not launcher.is_file():
        _install(home, python, (VLLM,), say)
        _launch(launcher, f'exec {shlex.quote(str(home / "bin" / "vllm"))} "$@"')
    say(f"vLLM: {launcher}")
    return launcher


def set_up_fish(place: Place, python: str | None, checkout: Path | None, weights: Path, say: Say) -> Path:
    """An environment with Fish Speech, from the pinned package or the user's checkout, and a launcher for it.

    `weights` is the folder of the weights, which the user has fetched. InputError: no weights or no checkout there;
    MissingToolError: it cannot be installed.
    """
    model = _checked_weights(weights.absolute())
    if checkout is not None and not (checkout / "tools" / "api_server.py").is_file():
        raise InputError(
            f"{checkout} is no checkout of Fish Speech.", "Name the folder that holds tools/api_server.py."
        )
    home = place.environment("fish")
    wanted = ("-e", f"{checkout.absolute()}[stable]") if checkout else (FISH,)
    _install(home, python, wanted, say)
    if checkout is None:
        # The package looks for the root of a checkout by this file, which it lacks.
        for packages in home.glob("lib/python3*/site-packages"):
            (packages / ".project-root").touch()
    start = shlex.join([str(home / "bin" / "python"), "-m", "tools.api_server", *model])
    launcher = place.bin / FISH_LAUNCHER
    _launch(launcher, f'cd {shlex.quote(str(checkout.absolute() if checkout else home))} || exit 1\nexec {start} "$@"')
    say(f"Fish Speech: {launcher}")
    return launcher


def _checked_weights(weights: Path) -> tuple[str, ...]:
    """What tells the server of these weights: S1-mini has codec.pth, 1.5 a firefly decoder."""
    decoders = [("modded_dac_vq", weights / "codec.pth")]
    decoders += [("firefly_gan_vq", file) for file in sorted(weights.glob("firefly*.pth"))]
    for config, decoder in decoders:
        if decoder.is_file():
            where = ("--llama-checkpoint-path", str(weights), "--decoder-checkpoint-path", str(decoder))
            return (*where, "--decoder-config-name", config)
    raise InputError(
        f"{weights} holds no weights of Fish Speech 1.5 or S1-mini.",
        "Fetch them from their makers, whose licence you accept so; their folder has codec.pth or firefly*.pth in it.",
    )


def _install(home: Path, python: str | None, wanted: tuple[str, ...], say: Say) -> None:
    own = home / "bin" / "python"
    if not own.exists():
        found = shutil.which(python) if python else next(filter(None, map(shutil.which, PYTHONS)), None)
        if found is None:
            raise MissingToolError(
                f"There is no {python or ' or '.join(PYTHONS)} to make the environment with.",
                "Install one, or name another with --python.",
            )
        say(f"making {home} with {found}")
        _passed([found, "-m", "venv", str(home)], f"{home} cannot be made.")
    say(f"installing {wanted[-1]} into {home}; this takes a while")
    _passed(
        [str(own), "-m", "pip", "install", "--disable-pip-version-check", *wanted],
        f"{wanted[-1]} cannot be installed into {home}.",
    )


def _passed(command: list[str], what: str) -> None:
    try:
        # What pip says is for the user, and results alone go to stdout.
        code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=2, check=False).returncode
    except OSError as error:
        raise MissingToolError(f"{what} {error.strerror}.", f"Check {command[0]}.") from error
    if code:
        raise MissingToolError(what, "The lines above say why; mend that and run the same command again.")


def _launch(launcher: Path, commands: str) -> None:
    """Written last: a launcher that is there leads to an environment that is whole."""
    launcher.parent.mkdir(parents=True, exist_ok=True)
    partial = launcher.with_name(f".partial-{launcher.name}")
    partial.write_text(f"#!/bin/sh\n# Written by `comic-narrator serve setup`.\n{commands}\n", encoding="utf-8")
    partial.chmod(0o755)
    partial.replace(launcher)
