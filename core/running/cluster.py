"""Computes on a cluster of Dask: an executor as `core.running.runner.run` takes it.

Needs the extra `cluster`. Populations of large domains travel once; Dask computes the batches of a
worker that was lost again, elsewhere. What comes from a cluster is data: outcomes are bytes that
`crossing` reads, and no pickle of anybody is loaded, but by the scheduler of a "local" cluster,
which is a part of this process.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
import logging
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from ..base.errors import FileError, RunError, ScenarioError, got, reason_of
from ..base.pulse import Pulse, warn
from ..base.ranges import Range
from ..base.versions import versions
from ..population import Population
from .crossing import as_bytes, error_as_bytes, outcomes_in
from .workers import Batch, Computed, LostError

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

DIED: Final = "was one killed, or is memory short?"

GARBAGE: Final = "the cluster sent what is no result"

PLAIN: Final = frozenset({
    ("builtins", "bytes"), ("builtins", "OSError"), ("builtins", "TimeoutError"),
    ("distributed.comm.core", "CommClosedError"),
})  # fmt: skip
"""What a pickle of a cluster may name: the type of outcomes, and errors of connections."""

FAMILIES: Final = ("dask", "msgpack", "error")
"""The ways to write a value that Dask is asked for: all that it has but pickle."""


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
        refused: list[str] = []
        if place.partition(":")[0] != "local":
            ends.enter_context(_unpickling_nothing(refused))
        client = ends.enter_context(_client(distributed, place, ends))
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise RunError(f"the cluster at {place} has no workers") from None
        except OSError:
            raise LostError(LOST) from None
        _check_versions(client, place)
        yield Cluster(client, refused)


@contextlib.contextmanager
def _unpickling_nothing(refused: list[str]) -> Iterator[None]:
    """Inside, Dask loads no pickle in this process that names more than PLAIN; says which it did.

    Dask loads some whatever its serializers are: the types and the errors of tasks, parts of
    messages, warnings. All of them come to these two modules.
    """

    class Reader(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if (module, name) not in PLAIN:
                refused.append(f"{module}.{name}")
                raise pickle.UnpicklingError(f"a pickle that names {module}.{name}")
            return super().find_class(module, name)

    def loads(data: bytes, *, buffers: Any = ()) -> Any:
        return Reader(io.BytesIO(data), buffers=buffers).load()

    reading = SimpleNamespace(**{**vars(pickle), "loads": loads})
    modules = [import_module(f"distributed.{name}") for name in ("protocol.pickle", "client")]
    for module in modules:
        module.__dict__["pickle"] = reading
    try:
        yield
    finally:
        for module in modules:
            module.__dict__["pickle"] = pickle


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
        address = _address_in(Path(place))
    elif "://" in place:
        address = place
    else:
        rule = f"must be an address as tcp://HOST:PORT, a FILE.json, or local[:N], {got(place)}"
        raise ScenarioError(rule, key="cluster")
    try:
        return distributed.Client(
            address, timeout=PATIENCE, set_as_default=False, deserializers=FAMILIES
        )
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error) or type(error).__name__
        raise RunError(f"no scheduler answers at {place}: {why}") from None


def _address_in(file: Path) -> str:
    """The address in a scheduler's file; raises FileError."""
    try:
        address = json.loads(file.read_bytes())["address"]
    except OSError as error:
        why = reason_of(error)
        raise FileError(f"{file} cannot be read: no such scheduler file: {why}") from error
    except (ValueError, TypeError, KeyError, RecursionError):
        address = None
    if not isinstance(address, str) or "://" not in address:
        raise FileError(f"{file} is no file of a scheduler")
    return address


def _local(distributed: Any, place: str) -> Any:
    _, _, count = place.partition(":")
    if count and not (count.isdecimal() and int(count) in LOCAL):
        raise ScenarioError(f"must be local:N with N {LOCAL}, {got(place)}", key="cluster")
    try:
        return distributed.LocalCluster(
            n_workers=int(count) if count else None,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
    except (OSError, RuntimeError):
        raise RunError(f"a worker of {place} ended while it started; {DIED}") from None


def _versions() -> dict[str, str | int]:
    return versions(importlib.metadata.version("ldptui"))


def _check_versions(client: Any, place: str) -> None:
    """Refuse workers whose numbers might be others than those here; one that ended is passed over.

    Raises RunError, and LostError where the scheduler is gone.
    """
    here = _versions()
    try:
        there: Mapping[str, Any] = client.run(_versions, on_error="return")
    except OSError:
        raise LostError(LOST) from None
    known = {worker: told for worker, told in there.items() if not isinstance(told, OSError)}
    if not known:
        raise RunError(f"the workers of {place} ended while they started; {DIED}")
    for worker, told in known.items():
        if isinstance(told, Exception):  # Dask tells some of its workers' errors in words alone
            lacks = re.search(r"No module named \W*([\w.]+)", str(told))
            what = f"lack the package {lacks[1]}" if lacks else f"cannot start: {told}"
            raise RunError(f"the workers of {place} {what}")
        for name in ("ldptui", "numpy", "machine", "simulator"):
            if not isinstance(told, dict) or told.get(name) != here[name]:
                version = told.get(name) if isinstance(told, dict) else told
                raise RunError(
                    f"worker {worker} has {name} {version}, here it is {here[name]}: "
                    "both must be the same"
                )


class Cluster(Executor):
    """An executor whose batches are computed by the workers of a client of Dask.

    refused : what pickles of the cluster named that were not loaded.
    batch_s : seconds that a call should take a worker; it takes this process 5 ms.
    """

    batch_s: Final = 1.0

    def __init__(self, client: Any, refused: list[str]) -> None:
        self._client, self._refused = client, refused
        self._held: dict[int, tuple[Population, Any]] = {}
        self._deserted = False

    @property
    def _max_workers(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except (OSError, RuntimeError):
            raise LostError(LOST) from None

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Compute `call(batch)` on a worker, with the outcomes of `workers.compute`."""
        (batch,) = args
        packed = io.BytesIO()
        pickler = _Pickler(packed, self._scattered)
        try:
            pickler.dump((call, args, kwargs))
            inner = self._client.submit(_call, packed.getvalue(), pickler.met, pure=False)
        except (OSError, RuntimeError):
            raise LostError(LOST) from None
        outer: Future[Any] = Future()
        outer.add_done_callback(lambda done: inner.cancel() if done.cancelled() else None)
        inner.add_done_callback(lambda _: _pass_on(inner, outer, batch))
        return outer

    def watch(self, pulse: Pulse) -> None:
        """Say once that all workers are gone, and once that there are some again.

        Raises FileError where messages of the cluster were refused, and LostError.
        """
        if self._refused:
            raise FileError(f"{GARBAGE}: a pickle that names {self._refused[0]}")
        deserted = not self._max_workers
        if deserted != self._deserted:
            gone = "all workers of the cluster are gone: the run goes on when there are new ones"
            warn(pulse, gone if deserted else "the cluster has workers again: the run goes on")
        self._deserted = deserted

    def _scattered(self, population: Population) -> Any:
        """The population as the cluster holds it."""
        held = self._held.get(id(population))
        if held is None:
            remote = self._client.scatter(population, hash=False)
            held = self._held[id(population)] = (population, remote)
        return held[1]


def _pass_on(inner: Any, outer: Future[Any], batch: Batch) -> None:
    """Hand on an outcome of Dask as one of an executor of the standard library."""
    if not outer.set_running_or_notify_cancel():
        return
    try:
        outer.set_result(_outcome(inner, batch))
    except BaseException as error:
        outer.set_exception(error)


def _outcome(inner: Any, batch: Batch) -> Computed:
    """The outcomes of a batch that Dask says is done; raises LdpError, BrokenProcessPool."""
    try:
        error = inner.exception() if inner.status == "error" else None
        body = inner.result() if error is None else None
    except (pickle.UnpicklingError, ValueError, TypeError, LookupError, AttributeError) as wrong:
        raise FileError(f"{GARBAGE}: {wrong}") from None
    except BaseException:  # Dask cancels what it cannot get any more, or says that it is cut off
        raise LostError(LOST) from None
    if error is None:
        return outcomes_in(body, batch)
    if "KilledWorker" in f"{type(error).__name__} {error}":  # or in the bytes of its pickle
        raise BrokenProcessPool(str(error))
    if isinstance(error, OSError):
        raise LostError(LOST)
    raise RunError(f"the cluster cannot compute this: {error}")


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
    """Compute a packed batch, on a worker; its outcomes or its error as bytes."""
    try:
        call, args, kwargs = _Unpickler(io.BytesIO(packed), held).load()
        return as_bytes(call(*args, **kwargs))
    except Exception as error:
        return error_as_bytes(error)
