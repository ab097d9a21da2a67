"""Computes on a cluster of Dask: an executor as `core.running.runner.run` takes it.

Needs the extra `cluster`. Populations of large domains travel once; Dask computes the batches of a
worker that was lost again, elsewhere.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import logging
import pickle
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from ..base.errors import FileError, RunError, ScenarioError, got
from ..base.ranges import Range
from ..base.versions import versions
from ..population import Population
from .workers import LostError

PATIENCE: Final = 10
"""Seconds to wait for a scheduler, and for its first worker."""

LARGE: Final = 4096
"""Items of a domain from which on a population travels once, and not with each batch."""

LOCAL: Final = Range(1, 1000)

QUIET: Final = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
}
"""Dask looks at itself fifty times a second, which costs this process 4 % of a core and more."""

LOST: Final = "the connection to the scheduler is lost"


@contextlib.contextmanager
def cluster(place: str) -> Iterator[Cluster]:
    """The cluster at a place, ready to compute; this lets go of it in the end.

    place : "tcp://HOST:PORT" or another address of a scheduler, a scheduler file that ends in
        ".json", or "local" or "local:N" for N processes here, started for this.

    Raises ScenarioError for what is no place, RunError where nobody is there or where versions
    differ.
    """
    try:
        import distributed
    except ImportError:
        rule = "needs Dask: pip install 'ldptui[cluster]'"
        raise ScenarioError(rule, key="cluster") from None
    _silence("distributed", "tornado", "asyncio")
    with contextlib.ExitStack() as ends:
        client = ends.enter_context(_client(distributed, place, ends))
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise RunError(f"the cluster at {place} has no workers") from None
        except OSError:
            raise LostError(LOST) from None
        _check_versions(client, place)
        yield Cluster(client)


def _silence(*packages: str) -> None:
    """Log nothing of these: they tell of each broken connection at length, here it is a sentence.

    Dask gives some of its loggers a level of their own.
    """
    for name in (*packages, *logging.root.manager.loggerDict):
        if name.partition(".")[0] in packages:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _client(distributed: Any, place: str, ends: contextlib.ExitStack) -> Any:
    if place.partition(":")[0] == "local":
        ends.enter_context(import_module("dask.config").set(QUIET))
        return distributed.Client(ends.enter_context(_local(distributed, place)))
    if place.endswith(".json"):
        if not Path(place).is_file():
            raise FileError(f"{place} cannot be read: no such scheduler file")
        where = {"scheduler_file": place}
    elif "://" in place:
        where = {"address": place}
    else:
        rule = f"must be an address as tcp://HOST:PORT, a FILE.json, or local[:N], {got(place)}"
        raise ScenarioError(rule, key="cluster")
    try:
        return distributed.Client(**where, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error) or type(error).__name__
        raise RunError(f"no scheduler answers at {place}: {why}") from None


def _local(distributed: Any, place: str) -> Any:
    _, _, count = place.partition(":")
    if count and not (count.isdecimal() and int(count) in LOCAL):
        raise ScenarioError(f"must be local:N with N {LOCAL}, {got(place)}", key="cluster")
    return distributed.LocalCluster(
        n_workers=int(count) if count else None,
        threads_per_worker=1,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )


def _versions() -> dict[str, str | int]:
    return versions(importlib.metadata.version("ldptui"))


def _check_versions(client: Any, place: str) -> None:
    """Refuse workers whose numbers might be others than those here."""
    here = _versions()
    try:
        there: Mapping[str, dict[str, str | int]] = client.run(_versions)
    except OSError:
        raise LostError(LOST) from None
    except Exception as error:  # Dask tells some of its workers' errors in words alone
        if "No module named" not in str(error):
            raise
        package = str(error).partition("No module named")[2].strip(" '\")(")
        raise RunError(f"the workers of {place} lack the package {package}") from None
    for worker, known in there.items():
        for name in ("ldptui", "numpy", "machine", "simulator"):
            if known[name] != here[name]:
                raise RunError(
                    f"worker {worker} has {name} {known[name]}, here it is {here[name]}: "
                    "both must be the same"
                )


class Cluster(Executor):
    """An executor whose calls are computed by the workers of a client of Dask.

    batch_s : seconds that a call should take a worker; it takes this process 5 ms.
    """

    batch_s: Final = 1.0

    def __init__(self, client: Any) -> None:
        self._client = client
        self._held: dict[int, tuple[Population, Any]] = {}

    @property
    def _max_workers(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except (OSError, RuntimeError):
            raise LostError(LOST) from None

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Compute `call(*args, **kwargs)` on a worker."""
        packed = io.BytesIO()
        pickler = _Pickler(packed, self._scattered)
        try:
            pickler.dump((call, args, kwargs))
            inner = self._client.submit(_call, packed.getvalue(), pickler.met, pure=False)
        except (OSError, RuntimeError):
            raise LostError(LOST) from None
        outer: Future[Any] = Future()
        outer.add_done_callback(lambda done: inner.cancel() if done.cancelled() else None)
        inner.add_done_callback(lambda _: _pass_on(inner, outer))
        return outer

    def _scattered(self, population: Population) -> Any:
        """The population as the cluster holds it."""
        held = self._held.get(id(population))
        if held is None:
            remote = self._client.scatter(population, hash=False)
            held = self._held[id(population)] = (population, remote)
        return held[1]


def _pass_on(inner: Any, outer: Future[Any]) -> None:
    """Hand on an outcome of Dask as one of an executor of the standard library."""
    if not outer.set_running_or_notify_cancel():
        return
    try:
        error = inner.exception() if inner.status == "error" else None
        result = pickle.loads(inner.result()) if error is None else None
    except BaseException:  # Dask cancels what it cannot get any more, or says that it is cut off
        outer.set_exception(LostError(LOST))
        return
    name = type(error).__name__
    if name == "KilledWorker":
        outer.set_exception(BrokenProcessPool(str(error)))
    elif error is not None:
        outer.set_exception(LostError(LOST) if name == "CommClosedError" else error)
    else:
        outer.set_result(result)


class _Pickler(pickle.Pickler):
    """Leaves large populations out; met : those, as the cluster holds them, by their keys."""

    def __init__(self, file: io.BytesIO, scattered: Callable[[Population], Any]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._scattered = scattered
        self.met: dict[str, Any] = {}

    def persistent_id(self, value: object) -> str | None:
        if not isinstance(value, Population) or value.domain_size < LARGE:
            return None
        key = str(id(value))
        self.met[key] = self._scattered(value)
        return key


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, held: Mapping[str, Any]) -> None:
        super().__init__(file)
        self._held = held

    def persistent_load(self, key: str) -> Any:
        return self._held[key]


def _call(packed: bytes, held: Mapping[str, Any]) -> bytes:
    """Make a packed call, and pack its result: Dask would send every array of it by itself."""
    call, args, kwargs = _Unpickler(io.BytesIO(packed), held).load()
    return pickle.dumps(call(*args, **kwargs), pickle.HIGHEST_PROTOCOL)
