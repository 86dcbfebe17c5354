"""What every artefact is made of, and how its JSON is read."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from comic_narrator.errors import InputError


class Part(BaseModel):
    """A frozen piece of an artefact; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Artefact(Part):
    """A named JSON file of the work folder; its `schema` field says what it is and in which version."""

    def to_json(self) -> str:
        """The artefact as indented UTF-8 JSON with a final newline, `schema` first."""
        return self.model_dump_json(by_alias=True, exclude_none=True, indent=1) + "\n"


ArtefactT = TypeVar("ArtefactT", bound=Artefact)


def parse_artefact(kind: type[ArtefactT], text: str | bytes, where: Path) -> ArtefactT:
    """Read `text` as an artefact of `kind`; `where` names the file in the InputError that a misfit raises."""
    try:
        return kind.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise InputError(
            f"{where} is not a valid {_file_name(kind)}: {place}: {first['msg']}.",
            "Mend the named field; a file that the program made can also be deleted, and is then made again.",
        ) from error


def _file_name(kind: type[Artefact]) -> str:
    # The schema's default reads "comic_narrator.page/1".
    return str(kind.model_fields["schema_"].default).partition(".")[2].partition("/")[0] + ".json"
