"""A Dask cluster as an executor for batches of blocks.

Needs the extra `cluster`. A cluster must be trusted: Dask exchanges pickles, so that everyone who
reaches its scheduler can run code in this process. The batches of a lost worker are computed again
by another.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Final

from ..base.errors import FileError, LdpError, RunError, ScenarioError, got
from ..base.files import is_file
from ..base.ranges import Range
from ..base.versions import versions
from .workers import LostError

CONNECT_S: Final = 10
"""Seconds to wait for a scheduler, and for its first worker."""

LOCAL_WORKERS: Final = Range(1, 1000)

LOST: Final = "the connection to the scheduler is lost"


@contextlib.contextmanager
def cluster(place: str) -> Iterator[ClusterExecutor]:
    """A context manager of an executor on a Dask cluster, released at the end.

    place : an address of a scheduler such as "tcp://HOST:PORT", a scheduler file that ends in
    ".json", or "local" or "local:N" for N processes started here.

    Raises ScenarioError without Dask or for an invalid place, FileError for a missing or invalid
    scheduler file, RunError if no scheduler or worker answers or versions differ.
    """
    try:
        from distributed import Client
    except ImportError:
        rule = "needs Dask: pip install 'ldptui[cluster]'"
        raise ScenarioError(rule, key="cluster") from None
    for name in ("distributed", "tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # here it is a sentence
    options = _client_options(place)
    try:
        make_client: Callable[..., Any] = Client
        client = make_client(set_as_default=False, timeout=CONNECT_S, **options)
    except (OSError, TimeoutError, ValueError, RuntimeError) as error:
        why = str(error) or type(error).__name__
        raise RunError(f"no scheduler answers at {place}: {why}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECT_S)
            worker_versions = client.run(_versions)
        except TimeoutError:
            raise RunError(f"the cluster at {place} has no workers") from None
        except Exception as error:  # an error of a worker, as it lacks a package
            raise RunError(f"the workers of {place} cannot start: {error}") from None
        _check_versions(worker_versions)
        yield ClusterExecutor(client)


def _client_options(place: str) -> dict[str, Any]:
    """The arguments of `distributed.Client` for a place; raises ScenarioError, FileError."""
    kind, _, count = place.partition(":")
    if kind == "local":
        if count and not (count.isdecimal() and int(count) in LOCAL_WORKERS):
            raise ScenarioError(f"must be local:N with N {LOCAL_WORKERS}, {got(place)}", "cluster")
        workers = {"n_workers": int(count) if count else None, "threads_per_worker": 1}
        # Its HTTP server is there even without a dashboard: on a free port that none else reaches.
        http = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
        here = {"host": "127.0.0.1", "scheduler_kwargs": http}
        return {**workers, **here, "processes": True, "dashboard_address": None}
    if place.endswith(".json"):
        if not is_file(place):
            raise FileError(f"{place} cannot be read: no such scheduler file")
        try:
            return {"address": str(json.loads(Path(place).read_bytes())["address"])}
        except (OSError, ValueError, KeyError, TypeError):
            raise FileError(f"{place} must be a scheduler file of Dask, with an address") from None
    if "://" not in place:
        rule = f"must be an address as tcp://HOST:PORT, a FILE.json, or local[:N], {got(place)}"
        raise ScenarioError(rule, key="cluster")
    return {"address": place}


def _versions() -> dict[str, str | int]:
    return versions(importlib.metadata.version("ldptui"))


def _check_versions(worker_versions: dict[str, dict[str, str | int]]) -> None:
    """Raise RunError if a worker's numbers might be others than those here."""
    here = _versions()
    for worker, there in worker_versions.items():
        for name in ("ldptui", "numpy", "machine", "simulator"):
            if there.get(name) != here[name]:
                raise RunError(
                    f"worker {worker} has {name} {there.get(name)}, here it is {here[name]}: "
                    "both must be the same"
                )


class ClusterExecutor(Executor):
    """A `concurrent.futures` executor on a cluster, whose errors are one-sentence LdpErrors.

    batch_s : seconds that a batch should take a worker; each costs this process 5 ms.
    """

    batch_s: Final = 1.0

    def __init__(self, client: Any) -> None:
        self._client, self._executor = client, client.get_executor(pure=False)

    @property
    def _max_workers(self) -> int:
        return sum(self._client.nthreads().values())

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future of a call on a worker, which raises LdpError or BrokenProcessPool.

        Raises LostError if the connection to the scheduler is lost.
        """
        try:
            inner: Future[Any] = self._executor.submit(call, *args, **kwargs)
        except (OSError, RuntimeError):
            raise LostError(LOST) from None
        outer: Future[Any] = Future()
        outer.add_done_callback(lambda done: inner.cancel() if done.cancelled() else None)
        inner.add_done_callback(lambda done: _set_outcome(done, outer))
        return outer


def _set_outcome(inner: Future[Any], outer: Future[Any]) -> None:
    if not outer.set_running_or_notify_cancel():
        return
    try:
        outer.set_result(inner.result())
    except (CancelledError, OSError):  # Dask cancels what it cannot get any more
        outer.set_exception(LostError(LOST))
    except Exception as error:
        name, known = type(error).__name__, isinstance(error, LdpError)
        if known:
            outer.set_exception(error)
        elif name == "KilledWorker":
            outer.set_exception(BrokenProcessPool(name))
        else:
            outer.set_exception(RunError(f"a worker of the cluster failed: {name}: {error}"))
