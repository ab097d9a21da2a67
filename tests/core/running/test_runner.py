"""Running: here, in processes, in any executor; stopping; and what is left then."""

import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.cases import alike, attack, experiment
from support.kinds import CAO_PROTOCOLS

from ldptui import core
from ldptui.core.base.arms import ATTACKED
from ldptui.core.base.errors import AttackError, RunError
from ldptui.core.running import runner, workers
from ldptui.core.running.runner import Progress, run, units
from ldptui.core.running.workers import Failure


def work(trials: int = 50, path: str = "counts", users: int = 2000) -> core.Experiment:
    return experiment(
        {"kind": "zipf", "items": 20, "users": users, "exponent": 1.0},
        {"kind": "oue", "epsilon": 1.0},
        attack("mga", 0.1, [3, 4], seeds=5),
        trials=trials,
        simulate={"path": path},
        sweep={"protocol.kind": list(CAO_PROTOCOLS), "attack.share": [0.1, 0.2]},
    )


def finished(progress: Iterator[Progress]) -> Progress:
    *_, last = progress
    return last


def marks(results: core.RunResults) -> list[list[int]]:
    return [cell.fingerprints.tolist() for cell in results.cells]


class Inline(Executor):
    """Computes at once, in the caller."""

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(call(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


class Backwards(Executor):
    """Computes nothing until several units wait, then the last of them first."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.left = 18

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.waiting.append((future, lambda: call(*args, **kwargs)))
        self.left -= len(args[0])
        if len(self.waiting) == 4 or not self.left:
            while self.waiting:
                last, compute = self.waiting.pop()
                last.set_result(compute())
        return future


def test_units_cover_every_trial_once() -> None:
    parts = [(cell.index, number, trials) for cell, number, trials in units(work(50))]
    assert parts == [(c, b, t) for c in range(6) for b, t in enumerate((20, 20, 10))]


def test_any_executor_gives_the_same_results() -> None:
    here = finished(run(work()))
    assert here.results.complete
    assert (here.done, here.total) == (300, 300)
    for executor in (Inline(), Backwards(), ThreadPoolExecutor(2)):
        there = finished(run(work(), executor=executor))
        assert there.results.digest == here.results.digest
        for one, other in zip(here.results.cells, there.results.cells, strict=True):
            assert alike(one.metrics, other.metrics)
            assert np.array_equal(one.arms[ATTACKED].mean, other.arms[ATTACKED].mean)
            assert np.array_equal(one.arms[ATTACKED].squares, other.arms[ATTACKED].squares)
        if isinstance(executor, ThreadPoolExecutor):
            assert executor.submit(int).result() == 0  # it was not shut down
            executor.shutdown()


def test_two_processes_give_the_same_results_and_leave_nobody_behind() -> None:
    before = set(multiprocessing.active_children())
    here = finished(run(work(path="reports", users=500)))
    there = finished(run(work(path="reports", users=500), workers=2))
    assert there.results.digest == here.results.digest
    assert set(multiprocessing.active_children()) == before


def test_a_killed_worker_costs_the_blocks_under_way_alone() -> None:
    one = work(path="reports", users=500, trials=100)
    before = set(multiprocessing.active_children())
    progress, killed = run(one, workers=2), []
    for step in progress:
        if 0 < step.done < step.total and not killed:
            killed = [*set(multiprocessing.active_children()) - before]
            killed[0].kill()
    assert killed
    assert step.results.digest == finished(run(one)).results.digest
    assert step.done == step.total


def test_a_block_that_every_worker_dies_of_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    pools = []

    def dying(batches: workers.Batches, _: int) -> Iterator[Any]:
        pools.append(batches.take())
        yield from ()
        return pools[-1], ""

    monkeypatch.setattr(workers, "_compute_in_pool", dying)
    with pytest.raises(RunError, match="worker process died"):
        finished(run(work(), workers=2))
    assert len(pools) == workers.TRIES


def test_closing_the_generator_leaves_no_process_behind() -> None:
    before = set(multiprocessing.active_children())
    work = experiment(
        {"kind": "uniform", "items": 20, "users": 500},
        trials=20,
        simulate={"path": "reports"},
        sweep={"population.users": [500, 10**8, 10**8 + 1]},
    )
    progress = run(work, workers=2)
    while not next(progress).done:
        pass
    # Both processes are at a block now that would take a minute: nobody waits for it.
    workers = set(multiprocessing.active_children()) - before
    assert len(workers) == 2
    progress.close()  # type: ignore[attr-defined]
    assert set(multiprocessing.active_children()) == before
    assert {worker.exitcode for worker in workers} == {-signal.SIGKILL}


def test_progress_only_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PAUSE", 0.0)
    seen = list(run(work()))
    assert seen[0].done == 0
    assert seen[0].results.trials == 0
    assert not seen[0].results.complete
    assert all(one.total == 300 and one.done == one.results.trials for one in seen)
    done = [one.done for one in seen]
    assert done == sorted(done)
    assert done[-1] == 300
    last = marks(seen[-1].results)
    for one in seen:  # earlier results are a part of later ones, and stay as they were
        for part, whole in zip(marks(one.results), last, strict=True):
            assert part == whole[: len(part)]


class Stopped(Exception):  # noqa: N818
    pass


def test_a_stop_leaves_a_prefix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "PAUSE", 0.0)
    whole = marks(finished(run(work())).results)
    compute, left = core.Cell.block, iter(range(5))

    def stopped(*given: Any) -> Any:
        if next(left, None) is None:
            raise Stopped
        return compute(*given)

    monkeypatch.setattr(core.Cell, "block", stopped)
    seen: list[Progress] = []
    with pytest.raises(Stopped):
        seen.extend(run(work()))
    last = seen[-1]
    assert 0 < last.done < 300
    assert not last.results.complete
    found = marks(last.results)
    assert sum(map(len, found)) == last.done
    assert all(part == full[: len(part)] for part, full in zip(found, whole, strict=True))


class Failing(Executor):
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def submit(self, call: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(self.error)
        return future


def test_a_dead_worker_is_explained() -> None:
    with pytest.raises(RunError, match="worker process died"):
        finished(run(work(), executor=Failing(BrokenProcessPool())))


def test_an_error_of_a_worker_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        finished(run(work(), executor=Failing(ZeroDivisionError())))


# Cells that fail.


class Broken:
    """An attack that makes honest reports until it is asked `calls` times, then raises."""

    kind, cohort = "broken", None

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __repr__(self) -> str:
        return "Broken()"

    def among(self, population: Any, count: int) -> Any:
        return self

    def reports(self, protocol: Any, view: Any, count: int, rng: Any) -> Any:
        self.calls -= count > 0
        if self.calls < 0:
            raise AttackError('attack "broken" failed', "Traceback:\n  line 1")
        return protocol.perturb(np.zeros(count, dtype=np.int64), rng)


def with_broken(calls: int = 0) -> core.Experiment:
    """Six cells on the reports path; the attack of the third one fails after some trials."""
    whole = work(trials=30, path="reports", users=100)
    attack: Any = Broken(calls)
    cells = [replace(cell, attack=attack) if cell.index == 2 else cell for cell in whole.cells]
    return core.Experiment(whole.scenario, tuple(cells))


FAILED = Failure(2, 'attack "broken" failed', "Traceback:\n  line 1")


@pytest.mark.parametrize(("calls", "trials"), [(0, 0), (25, 20)])
def test_a_cell_that_fails_leaves_the_others_alone(calls: int, trials: int) -> None:
    last = finished(run(with_broken(calls)))
    results = last.results
    assert results.failures == (FAILED,)
    assert results.error == 'cell 2 failed: attack "broken" failed'
    assert [cell.trials for cell in results.cells] == [30, 30, trials, 30, 30, 30]
    assert (last.done, last.total) == (150 + trials, 180)
    assert results.has_ended
    assert not results.complete
    whole = finished(run(work(trials=30, path="reports", users=100))).results
    assert [marks(results)[at] for at in (0, 1, 3, 4, 5)] == [
        marks(whole)[at] for at in (0, 1, 3, 4, 5)
    ]


def test_a_cell_fails_once_in_an_executor() -> None:
    """Blocks of it may be under way already; each of them fails as well."""
    for executor in (Inline(), ThreadPoolExecutor(2)):
        results = finished(run(with_broken(), executor=executor)).results
        assert results.failures == (FAILED,)
        assert [cell.trials for cell in results.cells] == [30, 30, 0, 30, 30, 30]


def test_an_attack_error_comes_whole_out_of_another_process() -> None:
    error = pickle.loads(pickle.dumps(AttackError("it\nfailed", "line 1\nline 2")))
    assert (str(error), error.details) == ("it?failed", "line 1\nline 2")


def test_any_other_error_ends_the_run() -> None:
    experiment = with_broken()
    experiment.cells[2].attack.calls = "no number"  # type: ignore[union-attr, misc]
    with pytest.raises(TypeError):
        finished(run(experiment))


def test_a_worker_that_imports_its_script_again_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocessing.current_process(), "_inheriting", True, raising=False)
    with pytest.raises(SystemExit, match='under `if __name__ == "__main__":`'):
        list(run(experiment(), workers=2))
