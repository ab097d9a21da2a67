"""Closed forms of defended metrics against the enumerated laws, and their absence elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.cases import CASES, attack, cell
from support.count_laws import Poisoned
from support.defences import table
from support.report_laws import Case

from ldptui.core.defences import CORRECTIONS
from ldptui.core.metrics import METRICS, metrics_of
from ldptui.core.theory import expected_metrics
from ldptui.core.theory.defended import correction_share, sum_variances

HISTOGRAM = [500, 300, 150, 50, 0]
DEFENDED = [name for name, metric in METRICS.items() if any(arm.defended for arm in metric.arms)]
AFFINE = [[], ["none"], ["norm"], ["none", "norm"], ["norm", "norm"]]


def defended(
    case: Case, kind: str, targets: list[int], steps: list[str], share: float = 0.3
) -> tuple[Any, Poisoned]:
    """A cell with an attack and these defences, and the exact law of its counts."""
    effort = {"seeds": 3} if kind == "mga" else {}
    there = cell(HISTOGRAM, case, attack(kind, share, targets, **effort),
                 defence=[table(step) for step in steps])  # fmt: skip
    fake = {
        "rpa": case.random,
        "ria": lambda: case.held(targets),
        "mga": lambda: case.crafted(targets, 3, "anchor"),
    }[kind]()
    return there, Poisoned(case, HISTOGRAM, fake, there.malicious, targets)


@pytest.mark.every(3)
@pytest.mark.parametrize("steps", AFFINE[1:], ids=str)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_affine_corrections_against_the_enumerated_law(case: Case, steps: list[str]) -> None:
    for kind, targets in (("mga", [1]), ("ria", [0, 4]), ("rpa", [0, 1, 2, 3, 4])):
        there, law = defended(case, kind, targets, steps)
        expected = expected_metrics(there)
        d = case.domain_size
        share = 1.0 if "norm" in steps else 0.0
        matrix = np.eye(d) - share / d
        made = {
            name: (matrix @ moments.mean + share / d, matrix @ moments.covariance @ matrix.T)
            for name, moments in (("before", law.before), ("after", law.after))
        }
        errors = {
            name: float(((mean - law.truth) ** 2 + np.diag(covariance)).mean())
            for name, (mean, covariance) in made.items()
        }
        reached = made["after"][0][targets].sum()
        scale = 1e-9 / (case.p - case.q)
        gain = reached - made["before"][0][targets].sum()
        assert expected["target_frequency_after"] == pytest.approx(reached, abs=scale)
        assert expected["gain_after"] == pytest.approx(gain, abs=scale)
        assert expected["mse_after"] == pytest.approx(errors["after"], rel=1e-9)
        assert expected["mse_clean_after"] == pytest.approx(errors["before"], rel=1e-9)
        added = errors["before"] - law.squared_error(law.before)[0]
        assert expected["collateral"] == pytest.approx(added, abs=1e-12)
        assert expected["targets_in_top_k_after"] is None
        sums = [moments.covariance.sum() for moments in (law.before, law.after)]
        assert sum_variances(there) == pytest.approx(sums, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("kind", CORRECTIONS)
def test_a_defence_that_bends_has_no_closed_form(kind: str) -> None:
    """Null, and never the number without the defence."""
    case = next(case for case in CASES if case.kind == "oue")
    there, _ = defended(case, "mga", [1, 2], [kind])
    expected = expected_metrics(there)
    known = [name for name in DEFENDED if expected[name] is not None]
    if CORRECTIONS[kind].spreads is not None:
        assert {"gain_after", "mse_after", "mse_clean_after"} <= set(known)
        return
    assert known == []
    assert expected["gain"] is not None
    assert correction_share(there) is None


def test_what_is_not_known_of_fakes_is_not_known_after_a_defence() -> None:
    there = cell(HISTOGRAM, {"kind": "oue", "epsilon": 1.0}, attack("reactive", 0.1, [3]),
                 campaign={"rounds": 3}, defence=[{"kind": "norm"}])  # fmt: skip
    expected = expected_metrics(there)
    assert expected["gain_after"] is expected["mse_after"] is None
    assert expected["mse_clean_after"] is not None


def test_nothing_is_removed_without_a_correction() -> None:
    case = next(case for case in CASES if case.one_item)
    there, _ = defended(case, "mga", [1, 2], ["none"])
    expected = expected_metrics(there)
    assert expected["recovered"] == expected["collateral"] == 0
    for name in ("gain", "mse", "mse_clean"):
        assert expected[f"{name}_after"] == pytest.approx(expected[name], rel=1e-12)
    nobody, _ = defended(case, "mga", [1, 2], ["none"], share=0.0)
    assert expected_metrics(nobody)["recovered"] is None


def test_the_means_of_a_curator_go_through_a_correction() -> None:
    there = cell(HISTOGRAM, {"kind": "laplace", "epsilon": 1.0}, attack("ria", 0.2, [1, 3]),
                 defence=[{"kind": "norm"}])  # fmt: skip
    expected = expected_metrics(there)["gain_after"]
    assert expected is not None
    assert expected_metrics(there)["mse_after"] is None
    values = np.concatenate([there.block(block).metrics["gain_after"] for block in range(10)])
    error = 7 * values.std(ddof=1) / values.size**0.5
    assert abs(values.mean() - expected) < error
    assert abs(values.mean() - 1.01 * expected) > error


def test_an_undefended_cell_has_none() -> None:
    there = cell(HISTOGRAM, None, attack("mga", 0.1, [3]))
    assert all(expected_metrics(there)[name] is None for name in DEFENDED)
    assert set(DEFENDED).isdisjoint(metrics_of(there.arms))
