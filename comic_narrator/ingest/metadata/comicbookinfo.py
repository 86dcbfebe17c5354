"""ComicBookInfo: JSON in the comment of an archive."""

from __future__ import annotations

from pydantic import BaseModel, Field, ValidationError

from comic_narrator.ingest.languages import language_tag
from comic_narrator.ingest.markup import MAX_BYTES, BrokenMetadataError, plain, plain_number
from comic_narrator.ingest.source import Metadata

NAME = "ComicBookInfo"
"""What the user knows it as; the key that holds it ends in its version."""


class _Info(BaseModel):
    title: str | None = None
    series: str | None = None
    issue: int | float | str | None = None
    language: str | None = None


class _Comment(BaseModel):
    info: _Info = Field(alias="ComicBookInfo/1.0")


def read_comment(comment: str) -> Metadata | None:
    """What the comment of an archive says of the book; None when it is of another kind, an error when it is broken."""
    if f"{NAME}/" not in comment[:MAX_BYTES]:
        return None
    try:
        info = _Comment.model_validate_json(comment[:MAX_BYTES]).info
    except ValidationError as error:
        raise BrokenMetadataError(NAME, error.errors()[0]["msg"]) from error
    return Metadata(
        origin=NAME,
        title=plain(info.title),
        series=plain(info.series),
        number=plain_number(None if info.issue is None else str(info.issue)),
        language=language_tag(info.language),
    )
