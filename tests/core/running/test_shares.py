"""A large trial of the reports path, counted in shares: any order, the same numbers."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from support.cases import attack, experiment
from support.kinds import CAO_PROTOCOLS

from ldptui import core
from ldptui.core.base.errors import AttackError
from ldptui.core.collection import counts
from ldptui.core.collection.counts import shares_of
from ldptui.core.collection.reports import USER_BLOCK
from ldptui.core.running.runner import run
from ldptui.core.running.workers import Failure

USERS = 3 * USER_BLOCK + 5


def work(kind: str = "olh", trials: int = 2, **top: Any) -> core.Experiment:
    return experiment(
        {"kind": "zipf", "items": 4, "users": USERS, "exponent": 1.0},
        {"kind": kind, "epsilon": 1.0},
        attack("rpa", 0.3, [2]),
        trials=trials,
        simulate={"path": "reports"},
        **top,
    )


@pytest.fixture(autouse=True)
def small_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares of one block of users: here they are worth it for less."""
    monkeypatch.setattr(counts, "SHARE_PAIRS", USER_BLOCK * 4)


def test_shares_hold_every_user_once() -> None:
    (cell,) = work().cells
    shares = shares_of(cell, 0, 2)
    blocks = Counter((share.trial, share.role, at) for share in shares for at in share.blocks)
    fakes = -(-cell.malicious // USER_BLOCK)
    assert blocks == Counter(
        (trial, role, at)
        for trial in (0, 1)
        for role, count in (("genuine", 4), ("malicious", fakes))
        for at in range(count)
    )


class Counting(Executor):
    """Says that it has two workers, and counts the calls."""

    _max_workers = 2

    def __init__(self) -> None:
        self.pieces = 0
        self.pool = ThreadPoolExecutor(1)

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.pieces += 1
        return self.pool.submit(call, *args, **kwargs)


@pytest.mark.parametrize("kind", CAO_PROTOCOLS)
def test_shares_have_the_digest_of_the_whole(kind: str) -> None:
    *_, whole = run(work(kind))
    executor = Counting()
    *_, shared = run(work(kind), executor=executor)
    assert executor.pieces > 8
    assert shared.results.digest == whole.results.digest
    one, other = whole.results.cells[0], shared.results.cells[0]
    assert all(np.array_equal(one.arms[arm].squares, other.arms[arm].squares) for arm in one.arms)


def test_what_needs_all_reports_at_once_is_not_shared() -> None:
    for whole in (work("oue", defence=[{"kind": "fiad"}]), work("she")):
        (cell,) = whole.cells
        assert not shares_of(cell, 0, 2)
    (corrected,) = work("oue", defence=[{"kind": "norm-sub"}]).cells
    assert shares_of(corrected, 0, 2)


def test_a_share_that_fails_fails_its_cell_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise AttackError("on purpose", "where")

    monkeypatch.setattr("ldptui.core.running.workers.count_share", fails)
    *_, last = run(work(), executor=Counting())
    assert last.results.failures == (Failure(0, "on purpose", "where"),)
    assert last.results.has_ended


class Stuck(Executor):
    """Two workers: one computes what comes first, the other one gets to nothing."""

    _max_workers = 2

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, call: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.futures.append(Future())
        if len(self.futures) == 1:
            self.futures[0].set_result(call(*args, **kwargs))
        return self.futures[-1]


def test_after_a_failure_the_other_shares_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise AttackError("on purpose", "where")

    monkeypatch.setattr("ldptui.core.running.workers.count_share", fails)
    executor = Stuck()
    *_, last = run(work(), executor=executor)
    assert last.results.has_ended
    others = executor.futures[1:]
    (cell,) = work().cells
    assert 0 < len(others) < len(shares_of(cell, 0, 2)) - 1  # some never went
    assert all(future.cancelled() for future in others)
