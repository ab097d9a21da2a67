"""Defended arms from the scenario to every output: the same reports, one step more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.cases import alike, attack, experiment, results_of

from ldptui import core
from ldptui.core.base.arms import ARMS, ATTACKED_DEFENDED, CLEAN_DEFENDED, UNDEFENDED
from ldptui.core.base.errors import ScenarioError
from ldptui.core.collection.counts import block_counts
from ldptui.core.defences import CORRECTIONS, project
from ldptui.core.metrics import metrics_of

DEFENCE = [{"kind": "norm-sub"}]
CASES: dict[str, dict[str, Any]] = {
    "counts": {},
    "reports": {"simulate": {"path": "reports"}, "trials": 2},
    "no attack": {"table": {"kind": "none"}},
    "campaign": {"campaign": {"rounds": 3, "churn": 0.2}, "trials": 25},
    "reacting": {"campaign": {"rounds": 3}, "table": attack("reactive", 0.1, [3, 4])},
    "curator": {"protocol": {"kind": "laplace", "epsilon": 1.0}, "table": {"kind": "none"}},
    "rappor": {"protocol": {"kind": "rappor", "f": 0.5, "bits": 8, "hashes": 1, "cohorts": 4}},
}
"""Collections that a defence is added to, by name."""
UNSEEN = [name for name in CASES if name != "reacting"]
"""The cases in which the fakes do not react to what a defence changes."""


def work(name: str, **more: Any) -> core.Experiment:
    case = {"table": attack("mga", 0.1, [3, 4]), **CASES[name], **more}
    table = case.pop("table")
    users = {"kind": "zipf", "items": 10, "users": 3000, "exponent": 1.0}
    protocol = case.pop("protocol", {"kind": "oue", "epsilon": 1.0})
    return experiment(users, protocol, table, **case)


@pytest.mark.parametrize("name", UNSEEN)
def test_a_defence_changes_nothing_of_the_other_arms(name: str) -> None:
    plain, defended = results_of(work(name)), results_of(work(name, defence=DEFENCE))
    assert defended.digest == plain.digest
    for without, there in zip(plain.cells, defended.cells, strict=True):
        assert tuple(without.arms) == UNDEFENDED
        assert tuple(there.arms) == ARMS
        for metric in metrics_of(UNDEFENDED):
            assert alike(there.metrics[metric], without.metrics[metric])
        for arm in UNDEFENDED:
            assert np.array_equal(there.arms[arm].mean, without.arms[arm].mean)
        for arm in (CLEAN_DEFENDED, ATTACKED_DEFENDED):
            assert there.arms[arm].mean.sum() == pytest.approx(1)
            assert (there.arms[arm].mean >= 0).all()
        assert np.isfinite(there.metrics["mse_after"]).all()
        assert np.isnan(without.metrics["mse_after"]).all()


def test_who_reacts_sees_what_the_server_publishes() -> None:
    """The first round knows of nothing yet; then it matters whether the server corrects."""
    plain = results_of(work("reacting"))
    same = results_of(work("reacting", defence=[{"kind": "norm"}]))  # keeps the order of items
    assert same.digest == plain.digest
    # What is cut to 0 ties, and targets of high index drop out of the top.
    rare = {"table": attack("reactive", 0.005, [7, 8]), "simulate": {"top_k": 6}}
    plain = results_of(work("reacting", **rare))
    other = results_of(work("reacting", **rare, defence=[{"kind": "base-cut", "alpha": 0.1}]))
    assert other.digest != plain.digest
    gains = [results.cells[0].rounds.metrics["gain"] for results in (plain, other)]  # type: ignore[union-attr]
    assert alike(gains[0][:, 0].copy(), gains[1][:, 0].copy())


def test_the_metrics_are_those_of_the_corrected_estimates() -> None:
    cell = work("counts", defence=DEFENCE).cells[0]
    clean, attacked = block_counts(cell, 0, 20)
    before, after = (
        project(cell.protocol.estimates(counts, users).frequencies)
        for counts, users in ((clean, cell.users), (attacked, cell.users + cell.malicious))
    )
    block = cell.block(0)
    change = after[:, cell.targets] - before[:, cell.targets]
    assert block.metrics["gain_after"] == pytest.approx(change.sum(axis=1), abs=1e-14)
    for metric, made in (("mse_after", after), ("mse_clean_after", before)):
        error = ((made - cell.population.frequencies) ** 2).mean(axis=1)
        assert block.metrics[metric] == pytest.approx(error, rel=1e-12)
    assert block.arms[ATTACKED_DEFENDED].mean == pytest.approx(after.mean(axis=0), abs=1e-14)


def test_a_sweep_over_defences_is_paired() -> None:
    every = {"kind": "none", "eta": 0.1}
    made = work("counts", defence=[every], sweep={"defence.0.kind": [*CORRECTIONS]})
    cells = results_of(made).cells
    assert len({str(cell.fingerprints.tolist()) for cell in cells}) == 1
    assert [cell.parameters["defence.0.kind"] for cell in made.cells] == [*CORRECTIONS]


@pytest.mark.parametrize("written", [{"defence.kind": ["none", "norm"]},
                                     {"defence": {"kind": ["none", "norm"]}}])  # fmt: skip
@pytest.mark.parametrize("listed", [{}, {"defence": DEFENCE}])
def test_the_only_defence_needs_no_number(listed: dict[str, Any], written: dict[str, Any]) -> None:
    made = work("counts", sweep=written, **listed)
    assert [cell.parameters["defence.0.kind"] for cell in made.cells] == ["none", "norm"]
    assert list(made.scenario.sweep) == ["defence.0.kind"]
    single = made.scenario.with_value("defence.kind", "ml")
    assert single.document["defence"] == [{"kind": "ml"}]
    assert single.sweep == {}
    assert made.scenario.without("defence.kind").sweep == {}


@pytest.mark.parametrize(
    ("defence", "rule"),
    [
        ([{"kind": "none"}, {"kind": "norms"}], "defence.1.kind must be one of"),
        ([{}], "defence.0.kind is required, one of"),
        ([{"kind": "norm-sub", "strength": 2}], "defence.0.strength is not a known key"),
        ({"kind": "norm-sub"}, "defence must be a list"),
        ([{"kind": "ldprecover"}], "defence.0.eta is required"),
        ([{"kind": "ldprecover", "eta": -1.0}], "defence.0.eta must be"),
        ([{"kind": "none"}, {"kind": "base-cut", "alpha": 9.0}], "defence.1.alpha must be at most"),
        ([{"kind": "significance", "alpha": 1.0}], "defence.0.alpha must be"),
        ([{"kind": "ibu", "iterations": 0}], "defence.0.iterations must be"),
    ],
)
def test_a_bad_defence_is_refused(defence: Any, rule: str) -> None:
    with pytest.raises(ScenarioError, match=rule.replace(".", r"\.")):
        work("counts", defence=defence)


def test_a_defence_that_the_protocol_cannot_have_is_refused_at_its_key() -> None:
    rule = r'defence\.1\.kind must not be "ml" with a protocol whose reports do not support items'
    for name in ("rappor", "curator"):
        with pytest.raises(ScenarioError, match=rule):
            work(name, defence=[*DEFENCE, {"kind": "ml"}])


def test_a_cell_of_whose_estimates_nothing_is_left_fails_and_the_others_go_on() -> None:
    values = ["norm-sub", "norm-cut"]
    made = work("counts", defence=DEFENCE, protocol={"kind": "grr", "epsilon": 0.05},
                sweep={"defence.0.kind": values})  # fmt: skip
    results = results_of(made)
    (failure,) = results.failures
    assert failure.cell == 1
    assert failure.error.startswith("norm-cut leaves nothing of an estimate: ")
    assert results.cells[0].trials == 20
