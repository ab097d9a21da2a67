"""Every kind of attack is shown: by its formulas, and by the life of one fake report."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
from support.cases import cell
from support.chart_cases import along
from support.kinds import KNOWN_ATTACKS, OF_NUMBERS, report_law

from ldptui.charts.curves import closed_forms
from ldptui.core import Cell, theory
from ldptui.core.attacks import ATTACKS
from ldptui.core.base.errors import ScenarioError
from ldptui.core.protocols import PROTOCOLS
from ldptui.explain.example_users import fake_report

OF_ITEMS = [kind for kind in KNOWN_ATTACKS if report_law(kind) not in OF_NUMBERS]
OWN: dict[str, dict[str, Any]] = {
    "mga-a": {"subset": 2},
    "untargeted": {"size": 4},
    "input": {"distribution": [1, 2, 3, 4]},
}


def table(kind: str) -> dict[str, Any]:
    seeds = {"seeds": 1 if kind == "demote" else 4} if hasattr(ATTACKS[kind], "search") else {}
    aim = {} if kind == "untargeted" else {"targets": {"items": [1, 2, 3, 5]}}
    return {"kind": kind, "share": 0.1, **aim, **seeds, **OWN.get(kind, {})}


@cache
def bound(kind: str, protocol: str) -> Cell:
    population = {"kind": "zipf", "items": 40, "users": 5000, "exponent": 1.0}
    return cell(population, {"kind": protocol, "epsilon": 1.0}, table(kind))


def makes_sense(kind: str, protocol: str) -> bool:
    try:
        bound(kind, protocol)
    except ScenarioError:
        return False
    return True


PAIRS = [pair for pair in itertools.product(OF_ITEMS, PROTOCOLS) if makes_sense(*pair)]
every_pair = pytest.mark.parametrize(("kind", "protocol"), PAIRS)


REPORTS = 40


@pytest.mark.every(13)
@every_pair
def test_the_life_of_a_fake_report(kind: str, protocol: str, rng: np.random.Generator) -> None:
    one = bound(kind, protocol)
    assert one.attack is not None
    law = theory.fake_support(one)
    assert law is not None
    gap, weights = one.pure.p - one.pure.q, []
    for _ in range(REPORTS):
        of = fake_report(one, rng)
        names = [step.name for step in of.steps]
        assert (len(names), names[0], *names[3:]) == (6, "Value", "Report", "Support", "Weight")
        assert ((one.pure.supports(of.report)[0] > 0).nonzero()[0] == of.supports).all()
        if kind == "ria-unperturbed":
            assert of.item in of.supports
        weights.append(of.weight)
    hit = law.rates[one.targets].sum()
    mean, spread = (hit - 4 * one.pure.q) / gap, law.variance**0.5 / gap
    assert abs(np.mean(weights) - mean) <= 7 * spread / REPORTS**0.5 + 1e-9


GOAL = """\
format = 1

[population]
kind = "zipf"
items = 40
users = 5000
exponent = 1.0

[protocol]
kind = "oue"
epsilon = 1.0

[attack]
kind = "mga"
targets = { items = [1, 2] }

[goal]
metric = "gain"
at_least = 0.2

[sweep]
"protocol.kind" = ["grr", "oue"]
"""


def test_a_goal_has_the_gain_over_the_share_and_no_error_of_its_own() -> None:
    from ldptui.core.experiment import compile
    from ldptui.core.scenario import Scenario, parse

    made = parse(GOAL)
    (share,) = closed_forms(made).axes("gain")
    assert share.key == "attack.share"
    part = along(made, share)
    assert part is not None
    cells = compile(Scenario(part.document)).cells
    assert {cell.answer for cell in cells} == {None}
    grr, oue, *_ = closed_forms(made).curves("gain", share, log=False)
    assert grr.y[-1] > oue.y[-1] > 0
    whole = compile(Scenario(along(made, closed_forms(made).axes("error")[0], "error").document))
    assert all(cell.attack is None for cell in whole.cells)


def test_a_goal_keeps_its_share_open_in_the_form() -> None:
    from pathlib import Path

    from ldptui.core.experiment import compile
    from ldptui.session.cell_table import same_settings
    from ldptui.session.draft import draft_of, edit_key

    draft = edit_key(draft_of(GOAL, Path()), "attack.kind", "ria")
    assert not draft.problems
    assert "share" not in draft.text
    assert draft.cell is not None
    answered = compile(draft_of(GOAL, Path()).scenario).cells[-1]  # type: ignore[arg-type]
    unknown = draft_of(GOAL, Path()).cell
    assert unknown is not None
    assert answered.answer is not None
    assert same_settings(answered.parameters, {**unknown.parameters, "protocol.kind": "oue"})
