"""LDPGuard: how often two reports coincide, the share of fakes, and what is taken out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support import budget, cases
from support.cases import attack, experiment

from ldptui import core
from ldptui.core.base.errors import ScenarioError
from ldptui.core.defences.guard import NOISE, Guard, Sender, Twice, coincidence, find_coincidences
from ldptui.core.law.pure import SeedSearch
from ldptui.core.protocols import BLH, GRR, OLH, OUE, SUE
from ldptui.core.protocols.hashing import LocalHashing
from ldptui.core.protocols.hst import PublicCoins, UserCoins
from ldptui.core.theory import expected_metrics

TARGETS = np.array([1, 3, 6])
SEARCH = SeedSearch(8)
ROWS = 40_000


def work(protocol: str = "grr", kind: str = "mga", **more: Any) -> core.Experiment:
    users = {"kind": "zipf", "items": 24, "users": 20_000, "exponent": 1.0}
    few = {"seeds": 8} if (protocol, kind) == ("olh", "mga") else {}
    table = attack(kind, 0.1, TARGETS.tolist(), **few) if kind != "none" else {"kind": "none"}
    step = {"kind": "ldpguard", **more.pop("step", {})}
    top = {"trials": 4, "defence": [step], **more}
    return experiment(users, {"kind": protocol, "epsilon": 2.0}, table, **top)


def results_of(made: core.Experiment) -> core.RunResults:
    results = cases.results_of(made)
    assert not results.error
    return results


@pytest.mark.every(3)
@pytest.mark.parametrize("compared", [1, 3])
@pytest.mark.parametrize(
    "protocol",
    [GRR(9, 0.7), OUE(20, 0.7), SUE(9, 0.7), OLH(9, 1.2), BLH(9, 0.7),
     PublicCoins(9, 0.7), UserCoins(9, 0.7)],
)  # fmt: skip
def test_two_reports_coincide_at_the_stated_rate(
    protocol: Any, compared: int, rng: np.random.Generator
) -> None:
    """Genuine users of all items, and fakes who draw afresh; over items drawn at random."""
    d, r = protocol.domain_size, TARGETS.size

    def rate(send: Any) -> float:
        first = send(protocol)
        second = send(protocol.again(first) if isinstance(protocol, LocalHashing) else protocol)
        hits = 0
        for part in np.array_split(np.arange(ROWS), 800):
            items = rng.choice(d, compared, replace=False)
            hits += int(find_coincidences(protocol, Twice(first[part], second[part], items)).sum())
        return hits

    def held(made: Any) -> Any:
        return made.perturb(TARGETS[rng.integers(0, r, ROWS)], rng)

    values = rng.integers(0, d, ROWS)
    expected = {
        coincidence(protocol, Sender(compared)): lambda made: made.perturb(values, rng),
        coincidence(protocol, Sender(compared, "honest", r)): held,
        coincidence(protocol, Sender(compared, "random", r)): lambda made: made.random_reports(
            ROWS, rng
        ),
        coincidence(protocol, Sender(compared, "crafted", r)): lambda made: made.craft(
            TARGETS, ROWS, SEARCH, rng
        ),
    }
    for chance, send in expected.items():
        hits = rate(send)
        # Users who are compared in the same items vary together: their variance is a bit larger.
        spread = 3 * ROWS * chance * (1 - chance) if hasattr(protocol, "padding") else 0.0
        if spread:
            assert budget.mean(np.array([hits]), ROWS * chance, spread)
        else:
            assert budget.proportion(hits, ROWS, chance)
        if 0 < chance < 1:
            assert not budget.mean(np.array([hits]), ROWS * (chance - 0.1), 3 * ROWS * 0.25)


def test_second_reports_keep_the_hash_function(rng: np.random.Generator) -> None:
    protocol = OLH(9, 1.2)
    first = protocol.craft(TARGETS, 50, SEARCH, rng)
    again = protocol.again(first)
    for made in (
        again.perturb(np.zeros(50, dtype=np.int64), rng),
        again.random_reports(50, rng),
        again.unperturbed(np.ones(50, dtype=np.int64), rng),
        again.craft(TARGETS, 50, SEARCH, rng),
    ):
        assert np.array_equal(made["seed"], first["seed"])
    assert again.supports(again.unperturbed(np.ones(50, dtype=np.int64), rng))[:, 1].all()


@pytest.mark.every(3)
@pytest.mark.parametrize(("protocol", "kind"), [("grr", "mga"), ("olh", "mga"), ("olh", "ria")])
def test_the_estimated_share_has_its_closed_form(protocol: str, kind: str) -> None:
    """Whatever the attack is really: the server assumes MGA."""
    made = work(protocol, kind, trials=8)
    (cell,), (measured,) = made.cells, results_of(made).cells
    theory = expected_metrics(cell)
    share, std = theory["share_estimate"], theory["share_estimate_std"]
    assert share is not None
    assert std is not None
    assert (share == pytest.approx(cell.share)) == (kind == "mga")
    assert (measured.metrics["share_estimate_std"] == std).all()
    assert budget.mean(measured.metrics["share_estimate"], share, 2 * std**2)
    assert not budget.mean(measured.metrics["share_estimate"], share + 0.1, 2 * std**2)


def test_the_deviation_is_that_of_genuine_users_alone() -> None:
    clean = work("olh", "none", trials=40, step={"assumed": "random"})
    step = Guard(assumed="random")
    std = step.deviation(clean.cells[0].sifted_cell.protocol, 0, 20_000)
    assert std < NOISE
    (measured,) = results_of(clean).cells
    values = measured.metrics["share_estimate"]
    assert budget.mean(values, 0.0, std**2)
    assert values.std() == pytest.approx(std, rel=0.5)


def test_taking_the_fakes_out_of_grr_recovers_the_truth() -> None:
    """On average MGA's gain is gone; with another attack assumed it stays."""
    made = work("grr", "mga", trials=6)
    (measured,) = results_of(made).cells
    left, gain = measured.metrics["gain_after"], measured.metrics["gain"]
    error = left.std() / math.sqrt(len(left))
    assert abs(left.mean()) < 5 * error < gain.mean() / 2
    assert np.isnan(measured.metrics["reports_kept"]).all()


def test_noise_alone_has_a_warning_and_takes_nothing_out() -> None:
    made = work("grr", "ria", step={"assumed": "honest"}, trials=2)
    (cell,), (measured,) = made.cells, results_of(made).cells
    (warning,) = cell.warnings
    assert "is only noise, with a standard deviation of" in warning
    assert np.isnan(measured.metrics["share_estimate"]).all()
    assert (measured.metrics["share_estimate_std"] > NOISE).all()
    assert expected_metrics(cell)["share_estimate"] is None
    one = work("olh", "ria", step={"assumed": "honest"}, trials=2)
    assert not one.cells[0].warnings
    users = {"kind": "zipf", "items": 24, "users": 20_000, "exponent": 1.0}
    alone = experiment(
        users, {"kind": "olh", "epsilon": 2.0}, attack("ria", 0.1, [3]),
        defence=[{"kind": "ldpguard", "assumed": "honest"}],
    )  # fmt: skip
    assert "cannot estimate the share of fakes" in alone.cells[0].warnings[0]


def test_corrections_follow_the_counts_that_are_left() -> None:
    (measured,) = results_of(
        work("grr", trials=2, defence=[{"kind": "ldpguard"}, {"kind": "norm-sub"}])
    ).cells
    assert all(
        moments.mean.sum() == pytest.approx(1)
        for arm, moments in measured.arms.items()
        if arm.defended
    )


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        (
            {"protocol": "she"},
            'defence.0.kind must not be "ldpguard" with SHE, whose reports of',
        ),
        ({"step": {"compared": 25}}, "defence.0.compared must be at most the number of items, 24"),
        ({"step": {"compared": 0}}, "defence.0.compared must be in [1, 64], got 0"),
        (
            {"step": {"assumed": "apa"}},
            'defence.0.assumed must be "crafted", "honest" or "random", got "apa"',
        ),
        ({"campaign": {"rounds": 2}}, 'must not be "ldpguard" with rounds: it asks every user'),
        (
            {"protocol": "oue", "defence": [{"kind": "fiad"}, {"kind": "ldpguard"}]},
            'defence.1.kind must be the only filter if it is "ldpguard"',
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(made: dict[str, Any], rule: str) -> None:
    with pytest.raises(ScenarioError) as error:
        work(**made)
    assert rule in str(error.value)
