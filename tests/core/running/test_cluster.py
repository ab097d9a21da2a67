"""A cluster of Dask, its scheduler and workers real processes: what it computes and loses."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.cases import attack, experiment
from support.clusters import scheduled

from ldptui import core
from ldptui.core.base.errors import FileError, RunError, ScenarioError
from ldptui.core.base.pulse import Pulse, no_pulse, warn
from ldptui.core.population import Population
from ldptui.core.running import cluster as cluster_module
from ldptui.core.running.cluster import Cluster, cluster
from ldptui.core.running.runner import Progress, run
from ldptui.core.running.workers import LostError, compute

pytest.importorskip("distributed")
# Dask forgets to close a socket now and then, where a connection is refused or a worker is gone.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

LACKS = "No module named 'core'"


def work(trials: int = 50, items: int = 20, **top: Any) -> core.Experiment:
    return experiment(
        {"kind": "zipf", "items": items, "users": 2000, "exponent": 1.0},
        {"kind": "oue", "epsilon": 1.0},
        attack("mga", 0.1, [3, 4], seeds=5),
        trials=trials,
        sweep={"attack.share": [0.01, 0.05, 0.1]},
        **top,
    )


@pytest.fixture(scope="module")
def there() -> Iterator[Cluster]:
    with cluster("local:1") as executor:
        yield executor


def digest_of(experiment: core.Experiment, executor: Cluster | None = None) -> str:
    *_, last = run(experiment, executor=executor)
    assert last.results.complete
    return last.results.digest


def test_a_cluster_gives_the_digest_of_one_machine(there: Cluster) -> None:
    assert there._max_workers == 1
    assert digest_of(work(), there) == digest_of(work())


def test_a_large_population_travels_once(there: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    travelled: list[object] = []
    scatter = there._client.scatter

    def spied(value: object, **options: Any) -> Any:
        travelled.append(value)
        return scatter(value, **options)

    monkeypatch.setattr(there._client, "scatter", spied)
    monkeypatch.setattr(cluster_module, "LARGE", 20)
    large = work()
    assert digest_of(large, there) == digest_of(large)
    populations = {id(cell.population) for cell in large.cells}
    assert {id(value) for value in travelled} == populations
    assert len(travelled) == len(populations)
    assert all(isinstance(value, Population) for value in travelled)


@pytest.mark.parametrize("name", ["distributed.client", "distributed.gc", "tornado.application"])
def test_dask_logs_nothing_of_its_own(there: Cluster, name: str) -> None:
    assert not logging.getLogger(name).isEnabledFor(logging.CRITICAL)


def test_an_error_of_a_worker_comes_through_as_a_sentence(there: Cluster) -> None:
    batch = [(replace(work().cells[0], protocol=None), 0, 3)]
    with pytest.raises(RunError, match=r"^a worker of the cluster failed: AttributeError: "):
        there.submit(compute, batch).result()


class Evil:
    """A value whose pickle makes a file where it is loaded, and in no other process."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        touch = f"pathlib.Path({str(self.mark)!r}).touch()"
        return exec, (f"import os, pathlib; os.getpid() == {os.getpid()} and {touch}",)


def test_no_door_of_dask_loads_a_strangers_pickle(tmp_path: Path) -> None:
    """What a scheduler or a worker may send in place of data: none of it runs here."""
    from distributed import client, core, protocol
    from distributed.protocol.serialize import ToPickle

    mark = tmp_path / "ran"
    evil = pickle.dumps(Evil(mark))
    written = protocol.serialize(Evil(mark))
    written[0]["type-serialized"] = evil
    error = {"exception": evil, "traceback": None}
    doors: dict[str, Callable[[], object]] = {
        "a value": lambda: protocol.deserialize(*protocol.serialize(Evil(mark))),
        "a type": lambda: protocol.deserialize({**written[0], "serializer": "dask"}, written[1]),
        "a message": lambda: protocol.loads(protocol.dumps({"op": ToPickle(Evil(mark))})),
        "an error": lambda: core.clean_exception(**error),
        "a warning": lambda: client._handle_warn((0, {"message": evil})),
    }
    refused: list[str] = []
    for name, door in doors.items():
        before = len(refused)
        with cluster_module._unpickling_nothing(refused), suppress(Exception):
            door()
        assert len(refused) == before + 1, name
        assert not mark.exists(), name
        with suppress(Exception):
            door()
        assert mark.exists(), name  # a mutant: Dask as it is
        mark.unlink()
    assert set(refused) == {"builtins.exec"}


def test_outcomes_pass_where_pickles_do_not() -> None:
    from distributed import protocol
    from distributed.comm.core import CommClosedError

    refused: list[str] = []
    with cluster_module._unpickling_nothing(refused):
        assert protocol.deserialize(*protocol.serialize(b"outcomes")) == b"outcomes"
        error = protocol.pickle.loads(protocol.pickle.dumps(CommClosedError("gone")))
        assert isinstance(error, CommClosedError)
    assert refused == []


class Told:
    """A client of Dask that knows nothing but the number of workers."""

    def __init__(self, *workers: int) -> None:
        self.workers = list(workers)

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(map(str, range(self.workers.pop(0))), 1)


def test_a_cluster_without_workers_says_so_once() -> None:
    told: list[str] = []

    def pulse() -> None:
        pass

    pulse.warn = told.append  # type: ignore[attr-defined]
    there = Cluster(Told(2, 0, 0, 0, 1, 1, 0), [])
    for _ in range(7):
        there.watch(pulse)
    gone, back = "all workers of the cluster are gone", "the cluster has workers again"
    assert [words.partition(":")[0] for words in told] == [gone, back, gone]


def test_a_cluster_whose_messages_are_refused_ends_the_run() -> None:
    refused: list[str] = []
    there = Cluster(Told(1, 1), refused)
    there.watch(no_pulse)
    refused.append("posix.system")
    words = "the cluster sent what is no result: a pickle that names posix.system"
    with pytest.raises(FileError, match=words):
        there.watch(no_pulse)


class Waiting(ThreadPoolExecutor):
    """Computes nothing until it was watched twice; says the second time why."""

    def __init__(self) -> None:
        super().__init__(1)
        self.watched, self.go = 0, threading.Event()

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return super().submit(lambda: (self.go.wait(), call(*args, **kwargs))[1])

    def watch(self, pulse: Pulse) -> None:
        self.watched += 1
        if self.watched == 2:
            warn(pulse, "nobody computes")
            self.go.set()


def test_an_executor_is_watched_while_nothing_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldptui.core.running.workers.WATCH_S", 0.01)
    told: list[str] = []

    class Beat:
        def __call__(self) -> None:
            pass

        tell = staticmethod(told.append)

    with Waiting() as executor:
        *_, last = run(work(), executor=executor, pulse=Beat())
    assert last.results.complete
    assert told == ["nobody computes"]


@pytest.mark.long
def test_blocks_of_a_lost_worker_are_computed_again() -> None:
    """One of the two is killed in the middle; Dask starts another one in its place."""
    longer = work(400)
    with cluster("local:2") as there:
        assert there._max_workers == 2
        pids: dict[str, int] = there._client.run(os.getpid)
        progress = run(longer, executor=there)
        for step in progress:
            if step.done:
                os.kill(min(pids.values()), signal.SIGKILL)
                break
        *_, last = progress
    assert last.results.digest == digest_of(longer)


@pytest.mark.parametrize("name", ["ldptui", "numpy", "machine", "simulator"])
def test_workers_of_another_version_are_refused(
    there: Cluster, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    here = {**cluster_module._versions(), name: "0.1.other"}
    monkeypatch.setattr(cluster_module, "_versions", lambda: here)

    class Client:
        def run(self, _: object, on_error: str) -> Any:
            return {"tcp://there": {**here, name: "9"}}

    with pytest.raises(RunError, match=f"worker tcp://there has {name} 9, here it is 0.1.other"):
        cluster_module._check_versions(Client(), "there")


def test_workers_without_the_package_are_refused() -> None:
    class Client:
        def run(self, _: object, on_error: str) -> Any:
            return {"tcp://there": Exception(pickle.dumps(ModuleNotFoundError(LACKS)))}  # as Dask

    with pytest.raises(RunError, match=r"the workers of there lack the package core$"):
        cluster_module._check_versions(Client(), "there")


def test_workers_that_end_while_they_start_are_told_as_such() -> None:
    """One of two is passed over: Dask starts another one, or goes on without it."""
    told: dict[str, Any] = {
        "tcp://there": OSError("Timed out"),
        "tcp://here": cluster_module._versions(),
    }

    class Client:
        def run(self, _: object, on_error: str) -> Any:
            assert on_error == "return"
            return told

    cluster_module._check_versions(Client(), "there")
    told["tcp://here"] = TimeoutError()
    with pytest.raises(
        RunError, match="the workers of there ended while they started; was one killed"
    ):
        cluster_module._check_versions(Client(), "there")


def test_a_worker_that_is_killed_while_it_starts_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import distributed

    def killed(**_: object) -> None:
        raise RuntimeError("Nanny failed to start.")

    monkeypatch.setattr(distributed, "LocalCluster", killed)
    words = r"^a worker of local:1 ended while it started; was one killed, or is memory short\?$"
    with pytest.raises(RunError, match=words), cluster("local:1"):
        pass


def test_a_scheduler_that_is_lost_while_versions_are_compared() -> None:
    class Client:
        def run(self, _: object, on_error: str) -> Any:
            raise OSError("Stream is closed")  # a CommClosedError, as Dask does

    with pytest.raises(LostError, match="the connection to the scheduler is lost"):
        cluster_module._check_versions(Client(), "there")


@pytest.mark.parametrize(
    ("place", "words"),
    [("here", "must be an address as"), ("local:0", "must be local:N"), ("local:x", "local:N")],
)
def test_what_is_no_place_is_refused(place: str, words: str) -> None:
    with pytest.raises(ScenarioError, match=words), cluster(place):
        pass


def test_a_missing_scheduler_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such scheduler file"), cluster(f"{tmp_path}/x.json"):
        pass


def test_an_address_without_a_scheduler_is_refused_in_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster_module, "PATIENCE", 1)
    words = r"no scheduler answers at tcp://127.0.0.1:9"
    with pytest.raises(RunError, match=words), cluster("tcp://127.0.0.1:9"):
        pass


@pytest.mark.long
def test_a_lost_scheduler_leaves_what_came_back(tmp_path: Path) -> None:
    seen = [0]
    with scheduled(tmp_path) as made:

        def watched(steps: Iterator[Progress]) -> None:
            for step in steps:
                if step.done and not seen[-1]:
                    made.processes[0].kill()
                seen.append(step.done)

        with cluster(str(made.place)) as executor:
            steps = run(work(20_000), executor=executor)
            with pytest.raises(LostError, match="the connection to the scheduler is lost"):
                watched(steps)
    assert 0 < seen[-1] < 60_000
