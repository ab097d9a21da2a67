"""A verified randomiser: what fakes can still send, and what is left of their gain."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, cast

import numpy as np
import pytest
from support import budget, cases
from support.cases import attack, bind, experiment, of_kind
from support.kinds import OF_NUMBERS, report_law

from ldptui import core
from ldptui.core.attacks import ATTACKS, View
from ldptui.core.attacks.hidden import sent_support
from ldptui.core.base.arms import ATTACKED_DEFENDED
from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.collection.counts import block_counts
from ldptui.core.collection.sifting import verified_counts
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.longitudinal import Memoising
from ldptui.core.law.mechanism import is_a
from ldptui.core.protocols import KINDS
from ldptui.core.task.frequencies.arm_estimates import kept_frequencies
from ldptui.core.theory import attacked_variance, expected_estimate, expected_metrics

ITEMS = [1, 3, 6]
HIDING = [
    *{
        spec.mechanism: kind
        for kind, spec in KINDS.items()
        if is_a(spec.mechanism, Exchangeable) and not is_a(spec.mechanism, Memoising)
    }.values()
]
"""A kind of each protocol whose reports can be kept back; chains are others, in one round."""
MIXED = {
    "share": 0.3,
    "targets": {"items": ITEMS},
    "mix": [{"kind": "mga", "weight": 2.0}, {"kind": "rpa", "weight": 1.0}],
}
"""Fakes of two kinds, which differ in what they hold."""


def work(protocol: str = "oue", made: str | dict[str, Any] = "mga", **more: Any) -> core.Experiment:
    users = {"kind": "zipf", "items": 9, "users": 400, "exponent": 1.0}
    step = {"kind": "verified-randomiser", **more.pop("step", {})}
    table = attack(made, 0.2, ITEMS) if isinstance(made, str) else made
    top = {"trials": 20, "defence": [step], **more}
    return experiment(users, {"kind": protocol, "epsilon": 1.0}, table, **top)


def needs(spec: type[Any]) -> set[str]:
    """The keys of an attack that have no default."""
    return {
        key.name
        for key in fields(spec)
        if key.default is MISSING and key.default_factory is MISSING
    }


AIMS = {"share", "targets"}


def estimates(cell: core.Cell, number: int) -> Floats:
    """float64[20, d], what is made of the verified reports of a block, fakes and all."""
    clean, _ = block_counts(cell, number, 20)
    arms = verified_counts(cell, number, 20, clean)
    return kept_frequencies(cell, arms[ATTACKED_DEFENDED])


def expected(cell: core.Cell) -> tuple[Floats, Floats]:
    """The mean and the variance of each of them, float64[d], in closed form."""
    mean, variance = expected_estimate(cell.sifted_cell), attacked_variance(cell.sifted_cell)
    assert mean is not None
    assert variance is not None
    return mean, variance


AIMING = [
    kind
    for kind, spec in ATTACKS.items()
    if needs(spec) == AIMS and report_law(kind) not in OF_NUMBERS
]


@pytest.mark.parametrize("kind", AIMING)
def test_fakes_choose_the_item_that_serves_them(kind: str) -> None:
    """A target, at random; any item for random reports, and any but a target to demote them."""
    (cell,) = work("sue", kind).cells
    (fakes,) = cell.sifted_cell.fakes
    aims = {"rpa": [*range(9)], "demote": [*({*range(9)} - {*ITEMS})]}.get(kind, ITEMS)
    law = fakes.strategy.claims(View(np.array(ITEMS)), 9)
    assert law == pytest.approx(np.isin(np.arange(9), aims) / len(aims))
    assert cell.fakes[0].strategy != fakes.strategy


def test_fakes_who_react_choose_among_the_targets_that_are_outside_the_top() -> None:
    (cell,) = work("sue", "reactive").cells
    published = np.array([[0.3, 0.2] + [0.0] * 7, [0.0] * 6 + [0.5, 0.4, 0.1]])
    view = View(np.array(ITEMS), published=published, top_k=2)
    law = cell.sifted_cell.fakes[0].strategy.claims(view, 9)
    assert [row.nonzero()[0].tolist() for row in law] == [[3, 6], [1, 3]]
    assert law.sum(axis=1) == pytest.approx(1)
    counts = cell.sifted_cell.fakes[0].strategy.counts(
        cell.protocol, view, np.array([10**6, 10**6]), np.random.default_rng(1)
    )
    assert counts[0, 3] > 1.2 * counts[0, 1]
    assert counts[1, 1] > 1.2 * counts[1, 6]


@pytest.mark.parametrize("kind", HIDING)
def test_a_report_that_is_sent_is_an_honest_one_that_supports_its_item(kind: str) -> None:
    """Means and variances against the enumerated law of honest reports, conditioned."""
    case = of_kind(kind, 5, 1.0)
    protocol = bind(case)
    bits = (np.arange(2**5)[:, None] >> np.arange(5) & 1).astype(float)
    chosen = np.array([0.0, 0.5, 0.0, 0.2, 0.3])
    law = sum(
        weight * case.honest(item) * bits[:, item] / (case.honest(item) @ bits[:, item])
        for item, weight in enumerate(chosen)
    )
    for counted in ([1], [1, 3], [0, 2, 4], [*range(5)]):
        found = sent_support(cast("Exchangeable", protocol), chosen, np.array(counted))
        assert found.rates == pytest.approx(law @ bits)
        number = bits[:, counted].sum(axis=1)
        assert found.variance == pytest.approx(law @ number**2 - (law @ number) ** 2)


@pytest.mark.every(2)
@pytest.mark.parametrize(("path", "blocks"), [("counts", 12), ("reports", 3)])
@pytest.mark.parametrize("drop_out", [False, True])
@pytest.mark.parametrize("kind", HIDING)
def test_the_defended_estimates_are_those_of_the_closed_form(
    kind: str, drop_out: bool, path: str, blocks: int
) -> None:
    """The mean and variance of each item, where fakes of two kinds send or drop out."""
    step = {"drop_out": drop_out}
    (cell,) = work(kind, MIXED, step=step, simulate={"path": path}).cells
    seen = np.concatenate([estimates(cell, number) for number in range(blocks)])
    mean, variance = expected(cell)
    assert budget.mean(seen, mean, variance) & budget.spread(seen, mean, variance)
    if path == "counts":
        (mutant,) = work(kind, MIXED, step={"drop_out": not drop_out}).cells
        assert not budget.mean(seen, *expected(mutant))


def test_the_metrics_are_those_of_the_estimates() -> None:
    (cell,) = work("grr", MIXED, step={"drop_out": True}, trials=400).cells
    theory, metrics = expected_metrics(cell), cases.metrics(cell, 20)
    for name in ("gain_after", "target_frequency_after", "mse_after", "mse_clean_after"):
        value, measured = theory[name], metrics(name)
        assert value is not None
        assert abs(measured.mean() - value) < 6.5 * measured.std() / 20, name
    assert theory["recovered"] is None
    assert theory["gain_after"] < theory["gain"] / 2  # type: ignore[operator]


def test_of_verified_fakes_the_gain_is_that_of_ria_whatever_they_would_do() -> None:
    held = work().cells[0].target_frequency
    for kind in ("mga", "hidden"):
        (cell,) = work("grr", kind).cells
        assert expected_metrics(cell)["gain_after"] == pytest.approx(cell.share * (1 - held))
    (cell,) = work("oue", "mga", step={"drop_out": True}).cells
    gain = expected_metrics(cell)["gain_after"]
    assert gain is not None
    # A share p of the accounts send; each accepted report supports S targets.
    p, q, m = 0.5, cell.pure.q, cell.malicious
    nearly = p * m / (cell.users + p * m) * ((1 + 2 * q - 3 * q) / (p - q) - held)
    assert gain == pytest.approx(nearly, rel=0.01)


def test_filters_and_corrections_come_after() -> None:
    """A filter reads verified reports, of which with drop-out fewer arrive."""
    steps = [{"kind": "verified-randomiser", "drop_out": True}, {"kind": "fiad"},
             {"kind": "norm-sub"}]  # fmt: skip
    (cell,) = work("oue", defence=steps, trials=6).cells
    (measured,) = cases.results_of(work("oue", defence=steps, trials=6)).cells
    kept = measured.metrics["reports_kept"]
    assert (kept <= cell.users + cell.malicious).all()
    assert kept.max() < cell.users + cell.malicious  # about half of the fakes drop out
    assert measured.arms[ATTACKED_DEFENDED].mean.sum() == pytest.approx(1)


@pytest.mark.parametrize("path", ["counts", "reports"])
def test_every_round_of_a_campaign_is_verified(path: str) -> None:
    made = work("grr", "reactive", campaign={"rounds": 3}, simulate={"path": path},
                step={"drop_out": True})  # fmt: skip
    (measured,) = cases.results_of(made).cells
    left, gain = measured.metrics["gain_after"], measured.metrics["gain"]
    assert left.mean() < gain.mean() / 2
    assert measured.rounds is not None
    made = work("oue", MIXED, campaign={"rounds": 3}, simulate={"path": path}, trials=40,
                step={"drop_out": True})  # fmt: skip
    theory = expected_metrics(made.cells[0])["gain_after"]
    values = cases.results_of(made).cells[0].metrics["gain_after"]
    assert theory is not None
    assert abs(values.mean() - theory) < 6.5 * values.std() / 40**0.5


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        ({"protocol": "laplace"}, 'defence.0.kind must not be "verified-randomiser" with Laplace'),
        ({"protocol": "hr", "step": {"drop_out": True}}, "kept back: leave out drop_out"),
        (
            {"defence": [{"kind": "norm-sub"}, {"kind": "verified-randomiser"}]},
            'defence.1.kind must stand before all others if it is "verified-randomiser"',
        ),
        (
            {"defence": [{"kind": "verified-randomiser"}] * 2},
            'defence.1.kind must stand before all others if it is "verified-randomiser"',
        ),
        (
            {"defence": [{"kind": "verified-randomiser"}, {"kind": "asd"}]},
            'must not be "asd" beside "verified-randomiser": it reads what is not verified',
        ),
        (
            {"defence": [{"kind": "verified-randomiser"}, {"kind": "ldpguard"}]},
            'must not be "ldpguard" beside "verified-randomiser": it asks every user twice',
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(made: dict[str, Any], rule: str) -> None:
    with pytest.raises(ScenarioError) as error:
        work(**made)
    assert rule in str(error.value)
