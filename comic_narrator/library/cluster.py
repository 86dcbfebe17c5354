"""Several machines: books as tasks of a Ray cluster, on a store that all of them share."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Any

from comic_narrator.errors import BackendDownError, MissingToolError
from comic_narrator.library.engines import Ended, Told, exit_code, listen, start

RESOURCES = {"reading": "gpu_reader", "script": "gpu_reader", "speech": "gpu_voice"}
"""The label of a node that a stage asks for, where any node of the cluster has it; filming asks for a core alone."""

TAKEN, TRIES = 8, 10
"""A book whose node was lost is held until its last sign of life is old enough: it is tried again so often."""

RETRIES = 3
"""How often a book is made again, elsewhere, when its node is lost."""


class Cluster:
    """A Ray cluster that is there, at `address`, or the one that Ray finds by itself.

    MissingToolError without the extra `cluster`, BackendDownError where no cluster answers.
    """

    def __init__(self, lanes: int, address: str | None) -> None:
        try:
            import ray
        except ImportError as error:
            raise MissingToolError(
                "Ray is not installed.", "Install it with pip install 'comic-narrator[cluster]', on every machine."
            ) from error
        try:
            ray.init(address=address or "auto", log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, OSError, ValueError, RuntimeError) as error:
            raise BackendDownError(
                f"No Ray cluster answers at {address or 'the usual places'}: {error}.",
                "Start one with `ray start --head`, and name it with --ray-address.",
            ) from error
        self._ray = ray
        self._labels = frozenset(ray.cluster_resources())
        self.lanes = lanes
        self.halts = tuple(stage for stage in ("script", "speech") if RESOURCES[stage] in self._labels)
        self._tasks: set[Any] = set()

    def run(self, arguments: Sequence[str], stage: str, told: Told) -> Ended:
        """Run the program on a node that has what the stage wants; another one takes over where that node is lost."""
        began = time.monotonic()
        label = RESOURCES.get(stage)
        asked = {label: 1} if label and label in self._labels else {}
        task = self._ray.remote(_book).options(
            num_cpus=1, resources=asked, max_retries=RETRIES, scheduling_strategy="SPREAD"
        )
        reference = task.remote(list(arguments))
        self._tasks.add(reference)
        try:
            code, said = self._ray.get(reference)
        except (self._ray.exceptions.RayError, self._ray.exceptions.TaskCancelledError) as error:
            code, said = 137, f"Its machines were lost {RETRIES + 1} times: {str(error).splitlines()[0]}"
        finally:
            self._tasks.discard(reference)
        told({"event": "done"})
        return Ended(code, said, time.monotonic() - began)

    def stop(self) -> None:
        """Cancel what runs; each run ends with its worker."""
        for reference in list(self._tasks):
            self._ray.cancel(reference, force=True)

    def close(self) -> None:
        """Leave the cluster."""
        self._ray.shutdown()


def _book(arguments: Sequence[str]) -> tuple[int, str]:
    """Run on a node: the exit code and error of one book."""
    for _ in range(TRIES):
        child = start(arguments)
        said = listen(child, lambda event: None)
        code = exit_code(child.wait())
        if code != TAKEN or "Another run" not in said:
            break
        time.sleep(2)
    return code, said
