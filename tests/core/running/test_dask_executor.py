"""A cluster of Dask, its scheduler and workers real processes: what it computes and loses."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import pytest
from support.cases import attack, experiment

from ldptui import core
from ldptui.core.base.errors import FileError, RunError, ScenarioError
from ldptui.core.running import dask_executor
from ldptui.core.running.dask_executor import ClusterExecutor, cluster
from ldptui.core.running.runner import run
from ldptui.core.running.workers import LostError, compute_batch

pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")  # which comes with it
# Dask forgets to close a socket now and then, where a connection is refused or a worker is gone.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def work(trials: int = 50) -> core.Experiment:
    return experiment(
        {"kind": "zipf", "items": 20, "users": 2000, "exponent": 1.0},
        {"kind": "oue", "epsilon": 1.0},
        attack("mga", 0.1, [3, 4], seeds=5),
        trials=trials,
        sweep={"attack.share": [0.01, 0.05, 0.1]},
    )


@pytest.fixture(scope="module")
def there() -> Iterator[ClusterExecutor]:
    with cluster("local:1") as executor:
        yield executor


def digest_of(experiment: core.Experiment, executor: ClusterExecutor | None = None) -> str:
    *_, last = run(experiment, executor=executor)
    assert last.results.complete
    return last.results.digest


def test_a_cluster_gives_the_digest_of_one_machine(there: ClusterExecutor) -> None:
    assert there._max_workers == 1
    assert digest_of(work(), there) == digest_of(work())
    assert not logging.getLogger("distributed.client").isEnabledFor(logging.CRITICAL)


def test_an_error_of_a_worker_is_a_sentence(there: ClusterExecutor) -> None:
    batch = [(replace(work().cells[0], protocol=None), 0, 3)]
    with pytest.raises(RunError, match=r"^a worker of the cluster failed: AttributeError: "):
        there.submit(compute_batch, batch).result()


def test_what_dask_raises_is_known_by_the_runner() -> None:
    from distributed.scheduler import KilledWorker

    raised = {KilledWorker("batch", None, 3): BrokenProcessPool, OSError("closed"): LostError}
    for error, expected in raised.items():
        inner, outer = Future[int](), Future[int]()
        inner.set_exception(error)
        dask_executor._set_outcome(inner, outer)
        assert isinstance(outer.exception(), expected)
    inner, outer = Future[int](), Future[int]()
    inner.cancel()
    dask_executor._set_outcome(inner, outer)
    assert isinstance(outer.exception(), LostError)


@pytest.mark.long
def test_blocks_of_a_lost_worker_are_computed_again() -> None:
    """One of the two is killed in the middle; Dask starts another one in its place."""
    longer = work(400)
    with cluster("local:2") as there:
        pids: dict[str, int] = there._client.run(os.getpid)
        for process in (psutil.Process(), *psutil.Process().children(recursive=True)):
            sockets = process.net_connections()
            heard = {each.laddr.ip for each in sockets if each.status == psutil.CONN_LISTEN}
            assert heard <= {"127.0.0.1"}, "it listens to this machine alone"
        progress = run(longer, executor=there)
        for step in progress:
            if step.done:
                os.kill(min(pids.values()), signal.SIGKILL)
                break
        *_, last = progress
    assert last.results.digest == digest_of(longer)


@pytest.mark.parametrize("name", ["ldptui", "numpy", "machine", "simulator"])
def test_workers_of_another_version_are_refused(name: str) -> None:
    here = dask_executor._versions()
    dask_executor._check_versions({"tcp://there": here})
    with pytest.raises(RunError, match=f"tcp://there has {name} 9, here it is {here[name]}: both"):
        dask_executor._check_versions({"tcp://there": {**here, name: "9"}})


@pytest.mark.parametrize(
    ("place", "words"),
    [("here", "must be an address as"), ("local:0", "must be local:N"), ("local:x", "local:N")],
)
def test_what_is_no_place_is_refused(place: str, words: str) -> None:
    with pytest.raises(ScenarioError, match=words), cluster(place):
        pass


def test_a_place_where_nobody_is_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FileError, match="no such scheduler file"), cluster(f"{tmp_path}/x.json"):
        pass
    (tmp_path / "x.json").write_text('{"type": "Scheduler"}')
    with pytest.raises(FileError, match="must be a scheduler file"), cluster(f"{tmp_path}/x.json"):
        pass
    monkeypatch.setattr(dask_executor, "CONNECT_S", 1)
    words = r"no scheduler answers at tcp://127.0.0.1:9"
    with pytest.raises(RunError, match=words), cluster("tcp://127.0.0.1:9"):
        pass
