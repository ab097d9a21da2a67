"""Every family of the table of kinds has an explanation; a family without one is still shown."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from support.cases import cell
from support.kinds import CAO_ATTACKS, attack_table, task_of

from ldptui.commands.theory_command import bind_setting, print_theory
from ldptui.core import Cell, theory
from ldptui.core.attacks import ATTACKS
from ldptui.core.law.pure import SeedSearch
from ldptui.core.protocols import GRR, KINDS, NAMED, family_of
from ldptui.explain.example_users import fake_report, genuine_report
from ldptui.explain.family_explanation import (
    NOT_TOLD,
    FamilyExplanation,
    find_family_explanation,
    reports_of,
)
from ldptui.explain.formula_inputs import bound
from ldptui.explain.formula_list import cell_formulas, entries, formulas

POPULATION = {"kind": "zipf", "items": 40, "users": 5000, "exponent": 1.0}
LAWS = {getattr(spec, "report_law", "unknown"): kind for kind, spec in ATTACKS.items()}


class MadeUp(GRR):
    """A pure protocol of a family that nobody has written a explanation of."""

    family: ClassVar[str] = "made_up"


@dataclass(frozen=True)
class MadeUpSpec:
    kind: str
    epsilon: float
    mechanism: ClassVar[type[Any]] = MadeUp

    def bind(self, domain_size: int, labels: tuple[str, ...] | None = None) -> MadeUp:
        return MadeUp(domain_size, self.epsilon)


class Opaque:
    """A mechanism that is not pure, of a family without a explanation."""

    family: ClassVar[str] = "opaque"
    domain_size = 40
    epsilon = 1.0


def untold(fakes: str = "mga") -> Cell:
    attack = {"kind": fakes, "share": 0.1, "targets": {"items": [1, 2, 5]}}
    one = cell(POPULATION, {"kind": "grr", "epsilon": 1.0}, attack)
    return dataclasses.replace(one, protocol=MadeUp(40, 1.0))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_an_explanation_and_a_table(kind: str) -> None:
    """Of each field there is one row, which the table shows with its name and its source."""
    assert isinstance(find_family_explanation(family_of(kind)), FamilyExplanation)
    numbers = {"users": 9000, "share": 0.05, "r": 1, "held": 0.02, "mean": 0.3}
    setting = bound(KINDS[kind](kind=kind, epsilon=1.0), 40, **numbers)
    keys = [row.key for row in formulas(setting) if row.key]
    assert len(set(keys)) == len(keys)
    rows = [row for row in entries(setting).values() if row.label]
    assert all(row.source and row.brief and row.result for row in rows)
    assert len(rows) >= 6
    assert ("recommended" in keys) == (not task_of(kind))  # of frequencies alone


@pytest.mark.every(7)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("law", [law for law in LAWS if law != "unknown"])
def test_a_report_of_every_law_that_makes_sense(
    kind: str, law: str, rng: np.random.Generator
) -> None:
    attack = attack_table(LAWS[law], targets={"items": [1, 2, 5]}, subset=2, size=3)
    try:
        one = cell(POPULATION, {"kind": kind, "epsilon": 1.0}, attack, **task_of(kind))
    except Exception as error:
        assert "must not be" in str(error)  # noqa: PT017 - refused in words
        return
    reports = reports_of(one)
    if isinstance(reports, str):
        assert reports != NOT_TOLD
        return
    told = [genuine_report(one, 3, rng), fake_report(one, rng)]
    texts = [step.text for life in told for step in life.steps]
    assert NOT_TOLD not in texts


@pytest.mark.parametrize("fakes", CAO_ATTACKS)
def test_a_family_without_an_explanation_has_its_closed_forms(fakes: str) -> None:
    one = untold(fakes)
    values = {row.formula.split(" ")[0]: row.value for row in cell_formulas(one)}
    expected = theory.expected_metrics(one)
    assert (values["p"], values["q"]) == (one.pure.p, one.pure.q)
    assert values["Var*[c~ᵥ]"] == theory.count_variance(one.pure)
    assert values["G"] == expected["gain"]
    assert any(NOT_TOLD in row.part for row in cell_formulas(one))


def test_a_family_without_an_explanation_shows_no_report(rng: np.random.Generator) -> None:
    assert reports_of(untold()) == NOT_TOLD
    with pytest.raises(ValueError, match=NOT_TOLD):
        genuine_report(untold(), 0, rng)
    with pytest.raises(ValueError, match=NOT_TOLD):
        fake_report(untold(), rng)


def test_theory_of_a_family_without_an_explanation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(NAMED, "made-up", MadeUpSpec)
    for form in ("table", "json"):
        setting = bind_setting(
            "made-up", {"epsilon": 1.0}, 64, SeedSearch(), users=9999, share=0.05, r=3, held=0.01
        )
        assert print_theory(setting, form) == 0
    text, _, document = capsys.readouterr().out.partition("{")
    assert text.startswith("MADE-UP, ε = 1, d = 64, n = 9999")
    assert NOT_TOLD in text
    assert "gain of MGA" in text
    values = json.loads("{" + document)
    protocol = MadeUp(64, 1.0)
    assert values["frequency_std"] == theory.frequency_std(protocol, 9999)
    support = protocol.find_support("crafted", 3, SeedSearch())
    assert values["gain"]["mga"] == theory.gain(protocol, support, 3, 0.05, 0.01)


def test_a_mechanism_that_is_not_pure_and_has_no_explanation_has_no_formulas() -> None:
    one: Any = dataclasses.replace(untold(), protocol=Opaque())  # type: ignore[arg-type]
    assert cell_formulas(one) == ()
    assert reports_of(one) == NOT_TOLD
