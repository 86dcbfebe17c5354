"""The commands that bring the model servers of a profile up and take them down."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

import typer

from comic_narrator.cli.app import AsJson, Verbose, app
from comic_narrator.cli.tenants import landlord, place, state
from comic_narrator.console import Watch, print_table, result
from comic_narrator.errors import BackendDownError, InputError, UsageError
from comic_narrator.gpu.boot import LogLines, condition
from comic_narrator.gpu.cards import read_cards
from comic_narrator.gpu.environment import FISH_LAUNCHER, FISH_LICENCE, set_up_fish, set_up_vllm
from comic_narrator.gpu.fit import fit_profile, profile_for
from comic_narrator.gpu.orders import orders
from comic_narrator.gpu.profiles import GpuProfile, load_profile

serve = typer.Typer(
    no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]}, rich_markup_mode="rich"
)
app.add_typer(serve, name="serve", help="Bring the model servers of a profile up and down.")

Which = Annotated[
    Literal["vision", "speech"] | None, typer.Argument(help="Just this tenant.", show_default="all of them")
]
ProfileName = Annotated[
    str | None, typer.Option("--profile", help="Profile whose tenants are meant.", show_default="the one for the card")
]


def _wanted(profile: str | None) -> str:
    """The profile that was named, else the one that is up, else the one for this machine's card."""
    if profile is not None:
        return str(Path(profile).absolute()) if profile.endswith(".toml") else profile
    tenancy = state().tenancy()
    return tenancy.profile if tenancy else profile_for(read_cards().rooms())


@serve.command("up")
def up(
    tenant: Which = None,
    profile: ProfileName = None,
    wait: Annotated[float, typer.Option(min=0.01, help="Minutes that each tenant may take until it answers.")] = 20,
    settle: Annotated[
        float, typer.Option(min=0, help="Seconds for which the card must hold still before the next one boots.")
    ] = 4,
    verbose: Verbose = 0,
) -> None:
    """Start the tenants of a profile, one after another, and wait until each answers; what is up stays up."""
    watch = Watch(verbose)
    name = _wanted(profile)
    gpu = load_profile(name)
    wanted = orders(gpu, place().bin, os.environ.get("PATH", ""), tenant)
    if not wanted:
        raise _no_tenant(gpu, profile, tenant)
    watch.say(f"profile {gpu.name}: {', then '.join(order.name for order in wanted)} ({gpu.gpu.share})")
    if state().tenancy() is None:
        _say_what_is_foreseen(gpu, watch)
    tenancy = landlord(watch, wait * 60, settle).up(name, gpu, wanted)
    _say_what_is_left(watch)
    if gpu.gpu.share == "two-pass":
        watch.say("Two passes: run with --vision-only first; it then says how to go on.")
    for there in tenancy.tenants:
        result(f"{there.name} {there.url}")


def _no_tenant(gpu: GpuProfile, asked: str | None, tenant: str | None) -> UsageError:
    seen = "" if read_cards().cards or asked else " No GPU is seen here, or one that is too small."
    return UsageError(
        f"Profile {gpu.name} has no {tenant or 'tenant'}.{seen}",
        "Name one that has; docs/gpu.md lists them by card. Without a GPU, --profile cpu needs no servers.",
    )


def _say_what_is_foreseen(gpu: GpuProfile, watch: Watch) -> None:
    """Say beforehand what a boot of some minutes will most likely end with; it is tried all the same."""
    # A model whose dimensions nothing tells is not foreseen.
    with suppress(UsageError):
        fit = fit_profile(gpu, read_cards().rooms())
        if fit.problem:
            watch.say(f"Foreseen: {fit.problem} {fit.hint or ''}".rstrip())


def _say_what_is_left(watch: Watch) -> None:
    for card in read_cards().cards:
        watch.say(f"GPU {card.index}, {card.name}: {card.free_mib} of {card.total_mib} MiB are left")


@serve.command("down")
def down(tenant: Which = None, verbose: Verbose = 0) -> None:
    """Stop the tenants that `serve up` started, and nothing else."""
    watch = Watch(verbose)
    stopped = landlord(watch).down(tenant)
    if not stopped:
        watch.say("Nothing that was started here runs.")
    _say_what_is_left(watch)


@serve.command("status")
def status(as_json: AsJson = False) -> None:
    """How each tenant stands: up, asleep, booting, silent (busy, or it hangs) or dead; leaves with 5 if one is dead."""
    tenancy = state().tenancy()
    tenants = tenancy.tenants if tenancy else ()
    told = landlord(Watch())
    rows = [(tenant, condition(tenant), told.held_mib(tenant.name)) for tenant in tenants]
    if as_json:
        listed = [
            {"name": t.name, "state": how, "pid": t.pid, "url": t.url, "gpu": t.gpu, "mib": held, "log": t.log}
            for t, how, held in rows
        ]
        result(json.dumps({"profile": tenancy.profile if tenancy else None, "tenants": listed}, indent=1))
    elif tenancy is None:
        result("Nothing is up.")
    else:
        result(f"profile {tenancy.profile}")
        print_table(
            ("tenant", "state", "PID", "address", "GPU", "MiB", "log"),
            [(t.name, how, str(t.pid), t.url, str(t.gpu), str(held or "-"), t.log) for t, how, held in rows],
        )
    dead = [tenant.name for tenant, how, _ in rows if how == "dead"]
    if dead:
        raise BackendDownError(
            f"{' and '.join(dead)} died.",
            "`comic-narrator serve logs` shows why; `comic-narrator serve up` starts it anew.",
        )


@serve.command("logs")
def logs(
    tenant: Which = None,
    lines: Annotated[int, typer.Option("-n", "--lines", min=1, help="Lines of each log.")] = 40,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Go on with what comes; Ctrl-C leaves.")] = False,
) -> None:
    """The last lines of the tenants' logs."""
    files = [state().log_of(name) for name in ([tenant] if tenant else ["vision", "speech"])]
    there = {file: LogLines(file) for file in files if file.is_file()}
    if not there:
        raise InputError(f"There is no log in {files[0].parent}.", "`comic-narrator serve up` writes one.")
    for file, log in there.items():
        if len(there) > 1:
            result(f"==> {file} <==")
        for line in deque(log.new(), lines):
            result(line)
    while follow:
        for file, log in there.items():
            for line in log.new():
                result(f"{file.stem}: {line}" if len(there) > 1 else line)
        time.sleep(0.25)


@serve.command("setup")
def setup(
    tenant: Which = None,
    profile: ProfileName = None,
    checkout: Annotated[
        Path | None, typer.Option(help="Checkout of Fish Speech, instead of the pinned package.")
    ] = None,
    weights: Annotated[
        Path | None, typer.Option(help="Folder of Fish Speech's weights, which you have fetched.")
    ] = None,
    python: Annotated[
        str | None, typer.Option(help="Python for the environments.", show_default="3.12, 3.11 or 3.10 on PATH")
    ] = None,
) -> None:
    """Set up what a profile's tenants need: vLLM and Fish Speech, each in an environment of its own."""
    watch, where = Watch(), place()
    gpu = load_profile(_wanted(profile))
    wanted = orders(gpu, where.bin, os.environ.get("PATH", ""), tenant, both=True)
    if not wanted:
        raise _no_tenant(gpu, profile, tenant)
    for order in wanted:
        program = Path(order.argv[0]).name
        # Other weights or another checkout are for Fish Speech alone, and set that up once more.
        anew = order.name == "speech" and (checkout is not None or weights is not None)
        if Path(order.argv[0]).is_absolute() and not anew:
            result(f"{order.name} {order.argv[0]}")
        elif program == "vllm":
            result(f"vision {set_up_vllm(where, python, watch.say)}")
        elif program == FISH_LAUNCHER:
            _say_licence_once(watch)
            if weights is None:
                raise UsageError(
                    "The weights of Fish Speech are not named.",
                    "Fetch them from their makers, whose licence you accept so, and give their folder with --weights.",
                )
            result(f"speech {set_up_fish(where, python, checkout, weights, watch.say)}")
        else:
            raise UsageError(f"{program} is not known here.", "Install it as its makers say, and put it on PATH.")


def _say_licence_once(watch: Watch) -> None:
    told = state().root / "fish-licence-told"
    if not told.exists():
        watch.say(FISH_LICENCE)
        told.parent.mkdir(parents=True, exist_ok=True)
        told.touch()
