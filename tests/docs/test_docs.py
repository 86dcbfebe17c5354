"""The documents name what there is: every option, command, setting, exit code, dependency and file they speak of."""

from __future__ import annotations

import inspect
import re
import shlex
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import typer

from comic_narrator import errors
from comic_narrator.cli import COMMANDS, every_command
from comic_narrator.gpu.profiles import load_profile
from comic_narrator.gpu.refusals import CAUSES
from comic_narrator.settings import known_keys, profile_names
from scripts.document_settings import page
from tests.unit.test_bootlog import SAID

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "THIRD_PARTY.md", "docs/voices.md")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def options() -> list[str]:
    film = typer.main.get_command(every_command()).commands["film"]  # type: ignore[attr-defined]
    return [name for parameter in film.params for name in parameter.opts if name.startswith("-")]


@pytest.mark.parametrize("option", options())
def test_every_option_is_in_the_readme(option: str) -> None:
    assert re.search(rf"`[^`\n]*(?<![\w-]){re.escape(option)}(?![\w-])", text("README.md"))


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - {"film"}))
def test_every_command_is_in_the_readme(command: str) -> None:
    assert f"`comic-narrator {command}" in text("README.md")


def test_every_command_is_found_by_its_name() -> None:
    registered = every_command()
    commands = {command.name for command in registered.registered_commands}
    assert commands | {group.name for group in registered.registered_groups} == set(COMMANDS)


def test_the_page_of_settings_is_what_the_settings_say() -> None:
    assert text("docs/settings.md") == page(), "run python -m scripts.document_settings"


@pytest.mark.parametrize("key", sorted(known_keys()))
def test_every_setting_says_what_it_means(key: str) -> None:
    assert known_keys()[key].endswith(".")


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_is_in_the_readme(name: str) -> None:
    assert f"`{name}`" in text("README.md")


def exit_codes() -> set[int]:
    kinds = (kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.NarratorError))
    return {kind.exit_code for kind in kinds if kind is not errors.NarratorError} | {0, errors.INTERRUPTED}


@pytest.mark.parametrize("code", sorted(exit_codes()))
def test_every_exit_code_is_in_the_readme(code: int) -> None:
    assert re.search(rf"^\| {code} \|", text("README.md"), re.MULTILINE)


def test_every_dependency_is_listed_with_its_licence() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["ears"], *extras["dev"]]
    names = {re.split(r"[<>=\[]", line)[0] for line in wanted} - {"comic-narrator"}
    assert not {name for name in names if name not in text("THIRD_PARTY.md")}


def test_everything_that_the_package_imports_is_installed_with_it() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["ears"]]
    lines += project["optional-dependencies"]["cluster"]
    installed = {re.split(r"[<>=\[; ]", line)[0].lower().replace("_", "-") for line in lines}
    imports = {
        name
        for file in (ROOT / "comic_narrator").rglob("*.py")
        for name in re.findall(r"^\s*(?:from|import) (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    makers = packages_distributions()
    foreign = {name for name in imports if name in makers and name not in sys.stdlib_module_names}
    missing = {name for name in foreign if not {maker.lower().replace("_", "-") for maker in makers[name]} & installed}
    assert missing - {"comic_narrator"} == set()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_a_document_links_to_is_there(document: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", text(document)):
        assert target.startswith("http") or ((ROOT / document).parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_place_in_the_code_a_document_names_is_there(document: str) -> None:
    for target in re.findall(r"`((?:comic_narrator|tests|benchmarks|scripts|samples)/[\w/.]+)`", text(document)):
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("cause", [*CAUSES, "engine"])
def test_every_refusal_of_a_server_is_in_the_gpu_page(cause: str) -> None:
    assert f"\n`{cause}`. " in text("docs/gpu.md")


@pytest.mark.parametrize(("line", "cause"), [said[:2] for said in SAID], ids=[said[1] for said in SAID])
def test_whoever_searches_the_gpu_page_for_a_line_of_the_log_finds_it(line: str, cause: str) -> None:
    page = text("docs/gpu.md")
    section = page[: page.index("\n\n", page.index(f"\n`{cause}`. "))].rpartition("\n### ")[2]
    words = re.split(r"\.\.\.|\(\.\.\.\)| / |[\n`,]", section)
    assert any(len(part.strip()) > 15 and part.strip(" .()") in line for part in words), section


@pytest.mark.parametrize(
    "words",
    [
        "Available KV cache memory: -",
        "moe_backend='triton' is not supported for NvFP4",
        "EngineCore failed to start",
        "Engine core initialization failed",
    ],
)
def test_what_a_log_says_beside_the_cause_is_a_heading_as_well(words: str) -> None:
    headings = [line for line in text("docs/gpu.md").splitlines() if line.startswith("### ")]
    assert any(words in heading for heading in headings)


def test_the_compose_file_has_the_flags_of_the_profile() -> None:
    vision = load_profile("agent-24g").tenant.vision
    assert vision
    block = re.search(r"command: >\n((?: {10}.+\n)+)", text("docs/gpu.md"))
    assert block
    # A container answers on an address of its own, and the image starts `vllm serve`.
    theirs = [word for word in vision.argv() if word not in ("vllm", "serve", "--host", "127.0.0.1", "--port", "8000")]
    assert shlex.split(block[1]) == theirs


@pytest.mark.parametrize("name", profile_names())
def test_every_profile_is_in_the_gpu_page(name: str) -> None:
    assert f"`{name}`" in text("docs/gpu.md")


@pytest.mark.parametrize("name", [name for name in profile_names() if load_profile(name).tenant.vision])
def test_the_table_of_the_gpu_page_says_what_the_profile_says(name: str) -> None:
    vision = load_profile(name).tenant.vision
    assert vision
    row = next(line for line in text("docs/gpu.md").splitlines() if line.startswith(f"| `{name}` |"))
    flags = vision.flags
    said = f"{flags.max_model_len:,} / {flags.max_num_seqs} / {flags.max_num_batched_tokens:,}"
    for part in (vision.model, said, f"| {flags.gpu_memory_utilization} |"):
        assert part in row


def test_the_changelog_has_this_version() -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert f"## {version}" in text("CHANGELOG.md")
