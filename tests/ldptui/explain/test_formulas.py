"""Formulas with their numbers: each value is what the simulator computes with."""

from __future__ import annotations

import dataclasses
import itertools
import math
from functools import cache

import pytest
from rich.cells import cell_len
from support.cases import cell, deviation_of
from support.codes import CODES
from support.formulas import recomputed
from support.kinds import task_of

from ldptui.core import Cell, theory
from ldptui.core.law.pure import item_variance
from ldptui.core.protocols import CENTRAL, PROTOCOLS
from ldptui.core.protocols import KINDS as EVERY
from ldptui.explain.attack_formulas import COMPARED, kind_of
from ldptui.explain.equation_list import equations
from ldptui.explain.formula import Formula
from ldptui.explain.formula_list import cell_formulas

KINDS = tuple(PROTOCOLS)
FAKES = [None, *(kind_of(law) for law in COMPARED)]


@cache
def bound(
    kind: str, fakes: str | None, d: int = 200, n: int = 50_000, r: int = 4, epsilon: float = 1.0
) -> Cell:
    population = {"kind": "zipf", "items": d, "users": n, "exponent": 1.0}
    targets = {"pick": "random", "count": r}
    table = None if fakes is None else {"kind": fakes, "share": 0.0517, "targets": targets}
    return cell(population, {"kind": kind, "epsilon": epsilon}, table, **task_of(kind))


def value(of: tuple[Formula, ...], formula: str) -> float:
    """The value of the only formula that starts so."""
    (found,) = [live for live in of if live.formula.startswith(formula)]
    return found.value


PAIRS = list(itertools.product(KINDS, FAKES))
OTHERS = [kind for kind in EVERY if kind not in (*KINDS, *CENTRAL)]
"""The local protocols whose closed forms are not those of pure ones."""


@pytest.mark.every(3)
@pytest.mark.parametrize(("kind", "fakes"), PAIRS)
def test_values_are_those_of_the_core(kind: str, fakes: str | None) -> None:
    one = bound(kind, fakes)
    of, protocol = cell_formulas(one), one.protocol
    n, truth = one.users, one.population.frequencies
    v = int(one.targets[0]) if fakes else int(truth.argmax())
    assert value(of, "p = ") == protocol.p
    assert value(of, "q = ") == protocol.q
    assert value(of, "ε = ") == pytest.approx(1.0, rel=1e-12)
    assert value(of, "f~ᵥ = ") == pytest.approx(truth[v], rel=1e-9)
    assert value(of, "Var*[c~ᵥ] / n = ") == theory.count_variance(protocol)
    assert value(of, "Var*[f~ᵥ] = ") == item_variance(protocol, n)
    exact = theory.item_variances(one.pure, n, truth)[v]
    assert value(of, "Var[f~ᵥ] = ") == exact
    assert value(of, "σᵥ = ") == math.sqrt(exact)
    expected = theory.expected_metrics(one)
    mse = [live.value for live in of if live.formula.startswith("MSE")]
    assert mse == [expected["mse_clean"], expected["mse"]][: len(mse)]
    assert len(mse) == (2 if fakes else 1)
    if fakes is None:
        return
    assert one.attack is not None
    law, beta, held = theory.fake_support(one), one.share, one.target_frequency
    assert law is not None
    supported = law.rates[one.targets].sum()
    assert value(of, "m = ") == one.malicious
    assert value(of, "β = ") == beta
    assert value(of, "f_T = ") == held
    assert value(of, "S = ") == pytest.approx(supported)
    assert value(of, "G = ") == expected["gain"]
    assert value(of, "(G + f_T) / f_T") == expected["normalised_gain"]
    assert value(of, "σ_G = ") == pytest.approx(deviation_of(one, law))
    gap = protocol.p - protocol.q
    assert expected["gain"] == pytest.approx(beta * supported / gap - value(of, "c = "))


@pytest.mark.every(3)
@pytest.mark.parametrize(("kind", "fakes"), [*PAIRS, *itertools.product(OTHERS, (None, "mga"))])
def test_substituted_numbers_give_the_result(kind: str, fakes: str | None) -> None:
    """The line on the screen, computed with a pocket calculator, gives the number beside it."""
    checked = 0
    for live in cell_formulas(bound(kind, fakes)):
        result = recomputed(live.substituted_text)
        if result is not None:
            assert result == pytest.approx(live.value, rel=0.02), live
            checked += 1
    assert checked >= (8 if kind in KINDS else 5)


@pytest.mark.every(4)
@pytest.mark.parametrize(("kind", "fakes"), PAIRS)
def test_lines_fit_at_the_edges_of_what_is_allowed(kind: str, fakes: str | None) -> None:
    numbers = {equation.number for equation in equations()}
    edges = [(2, 1, 1, 0.001), (2, 9 * 10**12, 2, 20.0), (50_000, 9 * 10**12, 60, 0.001)]
    for d, n, r, epsilon in edges:
        large = hasattr(PROTOCOLS[kind], "hash_range") or kind in CODES
        epsilon = min(epsilon, 13.0 if large else 20.0)
        for live in cell_formulas(bound(kind, fakes, d, n, r, epsilon)):
            assert cell_len(live.substituted_text) <= 100
            assert cell_len(live.formula) <= 76
            assert live.result
            assert live.result != "–"
            assert live.number is None or live.number in numbers


def test_hash_range_says_where_it_comes_from() -> None:
    population = {"kind": "zipf", "items": 50, "users": 1000, "exponent": 1.0}
    for rule, g, formula in [
        ("nearest", 4, "g = integer nearest to e^ε + 1"),
        ("ceil", 4, "g = ⌈e^ε + 1⌉"),
        ("floor", 3, "g = ⌊e^ε + 1⌋"),
        (7, 7, "g = as given"),
    ]:
        table = {"kind": "olh", "epsilon": 1.0, "hash_range": rule}
        first = cell_formulas(cell(population, table))[0]
        assert (first.formula, first.result) == (formula, str(g))


def test_a_protocol_of_another_family_has_none() -> None:
    one = dataclasses.replace(bound("oue", "mga"), protocol=object())  # type: ignore[arg-type]
    assert cell_formulas(one) == ()


def test_nothing_is_divided_by_a_total_of_zero() -> None:
    targets = {"items": [2]}
    one = cell([10, 5, 0], {"kind": "oue", "epsilon": 1.0},
               {"kind": "mga", "share": 0.0, "targets": targets})  # fmt: skip
    of = cell_formulas(one)
    assert not [live for live in of if live.formula.startswith("(G + f_T)")]
    assert value(of, "G = ") == 0


@pytest.mark.parametrize("form", ["basic", "basic-one-time"])
def test_rappors_letters_differ_from_wangs(form: str) -> None:
    population = {"kind": "zipf", "items": 20, "users": 1000, "exponent": 1.0}
    one = cell(population, {"kind": "rappor", "form": form, "f": 0.5}, None)
    of = cell_formulas(one)
    assert value(of, "q* = ") == one.protocol.noise.q_star == pytest.approx(one.pure.p)
    assert value(of, "p* = ") == one.protocol.noise.p_star == pytest.approx(one.pure.q)
    assert not [live for live in of if live.formula.startswith(("p = ", "q = "))]
