"""Freesound's API, version 2 (https://freesound.org/docs/api/): sounds that may be used by anybody, found by words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import TracebackType
from urllib.parse import urlencode, urlsplit

from pydantic import BaseModel, ValidationError

from comic_narrator.errors import BackendAnswerError
from comic_narrator.http import Patience, Server
from comic_narrator.sound.library import Kind

SECONDS: dict[Kind, tuple[float, float]] = {"effect": (0.1, 8), "ambience": (8, 120), "music": (20, 120)}
"""How long what is looked for may be."""
LARGEST_BYTES = 8_000_000
"""More than two minutes of a preview: it is coded with 128 kbit/s."""
AT_ONCE = 5
"""Sounds asked for at once: where the first is broken, another is taken."""
PATIENCE = Patience(connect=5, read=15, total=40, attempts=2)
HOME = "freesound.org"
PREVIEWS = (("preview-hq-mp3", ".mp3"), ("preview-hq-ogg", ".ogg"))


class _Result(BaseModel):
    """What we read of one sound in an answer; whatever else stands there may change."""

    id: int
    name: str
    username: str
    license: str
    url: str
    previews: dict[str, str]


class _Results(BaseModel):
    results: list[_Result]


@dataclass(frozen=True)
class Found:
    """A sound of Freesound that is CC0 or CC-BY: whose it is, and where its preview lies, with that file's ending."""

    number: int
    licence: str
    source: str
    attribution: str
    preview: str
    suffix: str


class Freesound:
    """Freesound at an address, asked with a key that goes to it alone; close it after use."""

    def __init__(self, url: str, key: str) -> None:
        self._server = Server(url, key=key, scheme="Token", largest=LARGEST_BYTES, patience=PATIENCE)
        self._home = urlsplit(self._server.url)

    def __enter__(self) -> Freesound:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    def find(self, words: str, kind: Kind) -> tuple[Found, ...]:
        """What fits these words, best first; an error of BackendDownError, BackendAnswerError or UsageError."""
        least, most = SECONDS[kind]
        asked = {
            # Its own marks for wanted and unwanted words are no part of ours.
            "query": " ".join(re.findall(r"[^\W_]+", words)),
            "filter": f'license:("Creative Commons 0" OR "Attribution") duration:[{least:g} TO {most:g}]',
            "fields": "id,name,username,license,url,previews",
            "page_size": AT_ONCE,
        }
        answer = self._server.get(f"/apiv2/search/?{urlencode(asked)}")
        try:
            told = _Results.model_validate(answer.json())
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise BackendAnswerError(
                f"{self._server.url} answered otherwise than Freesound does ({where}: {first['msg']}).",
                "Check sound.freesound_url.",
            ) from error
        return tuple(found for result in told.results if (found := self._found(result)))

    def fetch(self, found: Found) -> bytes:
        """The preview's bytes; errors as those of `find`."""
        place = urlsplit(found.preview)
        with Server(f"{place.scheme}://{place.netloc}", largest=LARGEST_BYTES, patience=PATIENCE) as previews:
            return previews.get(f"{place.path}?{place.query}" if place.query else place.path).data

    def _found(self, result: _Result) -> Found | None:
        """The sound, where its licence is one of ours and its preview lies where Freesound keeps them."""
        licence, previews = (
            licence_of(result.license),
            [(result.previews[name], suffix) for name, suffix in PREVIEWS if name in result.previews],
        )
        if licence is None or not previews or not self._is_at_home(previews[0][0]):
            return None
        author, title = _one_line(result.username), _one_line(result.name)
        # What CC BY asks for: title, author, where it is from, its licence, and that it was changed.
        attribution = f"“{title}” by {author} ({HOME}), {_one_line(result.license)}; shortened and mixed"
        return Found(result.id, licence, _one_line(result.url), attribution, *previews[0])

    def _is_at_home(self, url: str) -> bool:
        """Whether an address that the answer names is its server's own, or one of Freesound's: no other is called."""
        place = urlsplit(url)
        if (place.scheme, place.netloc) == (self._home.scheme, self._home.netloc):
            return True
        return place.scheme == "https" and f".{place.netloc}".endswith(f".{HOME}")


def licence_of(address: str) -> str | None:
    """CC0-1.0 or CC-BY-VERSION for the address of such a licence; None for any other, known or not."""
    where = r"https?://(?:www\.)?creativecommons\.org"
    if re.fullmatch(rf"{where}/publicdomain/zero/1\.0/?", address):
        return "CC0-1.0"
    by = re.fullmatch(rf"{where}/licenses/by/(\d\.\d)/?", address)
    return f"CC-BY-{by[1]}" if by else None


def _one_line(text: str) -> str:
    """What a stranger wrote, as text that stays on its line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:200]
