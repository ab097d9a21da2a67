"""What a run of the worker tells: estimates, bits, closed forms, and what of large domains."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.cases import expecting
from support.told import news_in, told
from support.worker import (
    document,
    simulated,
)

from ldptui import core
from ldptui.core import theory
from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.base.errors import CellError
from ldptui.core.collection.counts import block_counts
from ldptui.core.export import to_json
from ldptui.core.law.pure import item_variance
from ldptui.core.theory import (
    attacked_variance,
    bit_count_variances,
    estimate_variances,
    expected_bit_counts,
)
from ldptui.core.view.estimated import MAX_ITEMS, chosen_items
from ldptui.core.view.redrawn import MAX_BITS
from ldptui.engine.child import RunSoFar
from ldptui.engine.worker.inbox import Inbox
from ldptui.engine.worker.run import RunningRequest
from ldptui.session.snapshot import Request


def test_frequencies_are_exact() -> None:
    last = told(document("olh"))[0]
    shown, results = last.frequencies, simulated(document("olh"))
    cell, measured = results.experiment.cells[0], results.cells[0]
    truth = cell.population.frequencies
    assert shown is not None
    assert shown.items == tuple(range(16))
    assert shown.labels == tuple(str(item) for item in range(16))
    assert shown.targets == tuple(cell.targets)
    assert (shown.trials, shown.domain_size) == (20, 16)
    assert shown.true == tuple(truth)
    assert shown.clean.mean == tuple(measured.arms[CLEAN].mean)
    assert shown.attacked_estimates.mean == tuple(measured.arms[ATTACKED].mean)
    assert shown.clean.std == tuple(measured.arms[CLEAN].std)
    assert shown.attacked_estimates.std == tuple(measured.arms[ATTACKED].std)
    assert shown.clean.sigma == tuple(np.sqrt(item_variance(cell.protocol, cell.users, truth)))
    assert shown.attacked_estimates.sigma == tuple(np.sqrt(attacked_variance(cell)))


def rappor(form: str = "full", cohorts: int = 8, **more: Any) -> Any:
    protocol = {"kind": "rappor", "form": form, "bits": 8, "hashes": 1, "cohorts": cohorts}
    return {**document(users=10**5, **more), "protocol": protocol}


def test_rappor_has_no_p_and_q_but_closed_forms() -> None:
    bloom = rappor()
    last = told(bloom)[0]
    view, shown = last.base_cell, last.frequencies
    assert view is not None
    results = simulated(bloom)
    assert estimate_variances(results.experiment.cells[0]) is None
    assert shown is not None
    assert (view.p, view.q, view.hash_range) == (None, None, None)
    exported = json.loads(to_json(results, {}))["cells"][0]
    assert view.bits is not None
    assert {"p_star", "q_star", "epsilon_one", "epsilon_infinity"} <= set(view.bits)
    assert all(exported[name] == value for name, value in view.bits.items())
    assert view.metrics["gain"].theory is not None
    assert view.metrics["detected"].mean == results.cells[0].estimate("detected").mean
    view = told(rappor("basic"))[0].base_cell
    assert (view.p, view.q) == (None, None)  # they would be Wang's


def test_the_detected_items_and_the_bit_counts_are_sent() -> None:
    bloom = rappor()
    last = told(bloom)[0]
    results = simulated(bloom)
    (cell,), (measured,) = results.experiment.cells, results.cells
    assert last.frequencies is not None
    assert last.frequencies.detected == tuple(measured.detected / measured.trials)
    assert 0 < sum(last.frequencies.detected) < 16
    bits, expected, variances = last.bits, expected_bit_counts(cell), bit_count_variances(cell)
    assert bits is not None
    drawn = block_counts(cell, 0, 20)[1][0]  # what the first trial of the run has counted
    assert (bits.cohorts, bits.bits, bits.cohort_count) == (8, 8, 8)
    assert bits.counts == tuple(drawn[:, :-1].ravel())
    assert bits.users == tuple(drawn[:, -1])
    assert bits.expected_counts == tuple(expected[:, :-1].ravel())
    assert bits.counts_std == tuple(np.sqrt(variances[:, :-1]).ravel())
    assert bits.expected_users == tuple(expected[:, -1])
    assert bits.users_std == tuple(np.sqrt(variances[:, -1]))
    assert (bits.p_star, bits.q_star) == (cell.protocol.noise.p_star, cell.protocol.noise.q_star)
    assert bits.counts[bits.of(3)] == tuple(drawn[3, :-1])
    plain = told(document("oue"))[0]
    assert plain.bits is None
    assert plain.frequencies is not None
    assert plain.frequencies.detected is None


def test_only_the_first_of_many_cohorts_are_sent() -> None:
    many = rappor(cohorts=4000, trials=1, attack={"kind": "none"})
    last = told(many)[0]
    assert last.bits is not None
    assert last.bits.cohorts == 4000
    assert last.bits.cohort_count == MAX_BITS // 9
    assert len(last.bits.counts) == 8 * last.bits.cohort_count


def test_closed_forms_are_computed_where_a_newer_request_may_interrupt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Some of them take longer than a silent worker is waited for."""
    inbox, out = Inbox(), io.BytesIO()
    met: list[str] = []

    def watched(name: str) -> Callable[[core.Cell], Any]:
        real = getattr(theory, name)

        def reckon(cell: core.Cell) -> Any:
            met.append(name)
            assert inbox._open, name
            return real(cell)

        return reckon

    expecting(monkeypatch, watched("expected_metrics"))
    for name in ("estimate_variances", "bit_count_variances"):
        monkeypatch.setattr(theory, name, watched(name))
    request = Request(1, rappor(), ".", interval=0)
    inbox._newest = request
    RunningRequest(request, inbox, out).work()
    last = news_in(out.getvalue())[-1].snapshot
    assert last is not None
    assert last.status == "done"
    assert set(met) == {"expected_metrics", "estimate_variances", "bit_count_variances"}
    assert met.count("expected_metrics") == 1


def test_a_cancel_while_closed_forms_are_computed_keeps_the_trials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inbox, out = Inbox(), io.BytesIO()

    def cancelled(cell: object) -> Any:
        inbox._cancelled = 1
        inbox.check_stop()

    expecting(monkeypatch, cancelled)
    request = Request(1, rappor(), ".", interval=0)
    inbox._newest = request
    RunningRequest(request, inbox, out).work()
    so_far = RunSoFar(request)
    for news in news_in(out.getvalue()):
        so_far.take(news)
    assert so_far.snapshot.status == "partial"
    view = so_far.snapshot.base_cell
    assert view.trials == 20
    assert view.metrics["gain"].mean is not None
    assert view.metrics["gain"].theory is None
    assert so_far.snapshot.frequencies is not None


def test_an_unexpected_error_comes_with_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by chance\nand more")

    monkeypatch.setattr("ldptui.engine.worker.run.bind", broken)
    out = io.BytesIO()
    inbox = Inbox()
    request = Request(1, document(), ".")
    inbox._newest = request
    RunningRequest(request, inbox, out).work()
    last = news_in(out.getvalue())[-1].snapshot
    assert last is not None
    assert (last.status, last.error) == ("failed", "ZeroDivisionError: by chance")
    assert "in broken" in last.details


def test_a_failure_is_said_while_other_cells_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def failed(*_: object, **__: object) -> None:
        raise CellError("out of luck")

    monkeypatch.setattr("ldptui.core.cell.Cell.block", failed)
    out, inbox = io.BytesIO(), Inbox()
    swept = document(sweep={"protocol.epsilon": [0.5, 1.0, 2.0]})
    request = Request(1, swept, ".", full=True, interval=0)
    inbox._newest = request
    RunningRequest(request, inbox, out).work()
    shots = [news.snapshot for news in news_in(out.getvalue()) if news.snapshot is not None]
    assert ("running", "out of luck") in [(shot.status, shot.note) for shot in shots]
    assert shots[-1].status == "failed"


def test_long_lists_are_sent_as_their_length() -> None:
    counts = document(population={"kind": "counts", "counts": [5] * 200})
    last = told(counts)[0]
    assert last.base_cell.parameters["population.counts"] == "200 values"


@pytest.mark.parametrize("r", [0, 10, 3000, 20_000])
def test_chosen_items(r: int) -> None:
    rng = np.random.default_rng(1)
    d = 20_000
    targets = rng.permutation(d)[:r]
    high, low = rng.random(d), rng.standard_normal(d)
    chosen = chosen_items(targets, (high,), (low,), MAX_ITEMS)
    assert (np.diff(chosen) > 0).all()
    assert MAX_ITEMS // 2 < chosen.size <= MAX_ITEMS
    assert {high.argmax(), low.argmin(), low.argmax()} <= set(chosen.tolist())
    assert np.isin(targets, chosen).sum() >= min(r, MAX_ITEMS // 2)
    if r == 10:
        assert np.diff(chosen, prepend=0, append=d - 1).max() <= 20  # no wide gap
