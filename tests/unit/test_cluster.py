"""A library's books on a Ray cluster, against a stand-in for Ray that notes what is asked of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from comic_narrator.errors import BackendDownError, MissingToolError
from comic_narrator.library.cluster import RETRIES, Cluster


class RayError(Exception):
    pass


class TaskCancelledError(RayError):
    pass


@dataclass
class Ray:
    """What of Ray is used; `answer` is what a task comes to."""

    labels: Mapping[str, float] = field(default_factory=dict)
    answer: object = (0, "")
    down: bool = False
    asked: list[dict[str, Any]] = field(default_factory=list)
    cancelled: list[object] = field(default_factory=list)
    exceptions: Any = field(
        default_factory=lambda: SimpleNamespace(RayError=RayError, TaskCancelledError=TaskCancelledError)
    )

    def init(self, **options: object) -> None:
        if self.down:
            raise ConnectionError("nobody there")

    def cluster_resources(self) -> Mapping[str, float]:
        return self.labels

    def remote(self, function: Callable[..., object]) -> Any:
        def options(**wanted: object) -> Any:
            self.asked.append(wanted)
            return SimpleNamespace(remote=lambda arguments: tuple(arguments))

        return SimpleNamespace(options=options)

    def get(self, reference: object) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def shutdown(self) -> None:
        """Nothing is held."""


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Ray:
    there = Ray()
    monkeypatch.setitem(sys.modules, "ray", there)
    return there


def test_stages_ask_for_the_labels_that_the_cluster_has(ray: Ray) -> None:
    ray.labels = {"CPU": 8.0, "gpu_reader": 1.0}
    cluster = Cluster(4, None)
    assert cluster.halts == ("script",)
    for stage in ("script", "speech", "film"):
        assert cluster.run(("book",), stage, lambda event: None).exit == 0
    assert [asked["resources"] for asked in ray.asked] == [{"gpu_reader": 1}, {}, {}]
    assert {asked["max_retries"] for asked in ray.asked} == {RETRIES}


def test_a_book_whose_machines_are_lost_again_and_again_is_named_and_the_rest_goes_on(ray: Ray) -> None:
    ray.answer = RayError("The node died.\nMore of it.")
    ended = Cluster(1, None).run(("book",), "film", lambda event: None)
    assert ended.exit == 137
    assert ended.said == f"Its machines were lost {RETRIES + 1} times: The node died."


def test_a_book_that_fails_brings_its_exit_code_and_words_home(ray: Ray) -> None:
    ray.answer = (3, "It is broken. Fetch it again.")
    ended = Cluster(1, None).run(("book",), "film", lambda event: None)
    assert (ended.exit, ended.said) == (3, "It is broken. Fetch it again.")


def test_a_cluster_that_is_not_there_is_told(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    ray.down = True
    with pytest.raises(BackendDownError, match=r"here:6379"):
        Cluster(1, "here:6379")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingToolError, match="Ray"):
        Cluster(1, None)
