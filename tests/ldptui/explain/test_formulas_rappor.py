"""RAPPOR's formulas with numbers: they are the core's, and what is shown gives the result."""

from __future__ import annotations

from typing import Any

import pytest
from support.cases import attack, cell

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.protocols import Rappor
from ldptui.core.protocols import rappor as bloom
from ldptui.explain.formula import Formula
from ldptui.explain.formula_list import cell_formulas

TABLE = {"kind": "rappor", "bits": 16, "hashes": 2, "cohorts": 4, "f": 0.5}


def bound(fakes: str | None = None, **more: Any) -> Cell:
    aimed = None if fakes is None else attack(fakes, 0.1, [1, 3])
    return cell([4000, 3000, 2000, 1000], {**TABLE, **more}, aimed)


def value(of: tuple[Formula, ...], start: str) -> float:
    (found,) = [live.value for live in of if live.formula.startswith(start)]
    return found


def test_every_number_is_the_cores() -> None:
    one = bound()
    assert isinstance(one.protocol, Rappor)
    noise, of = one.protocol.noise, cell_formulas(one)
    assert value(of, "ε₁ = ") == noise.epsilon_one(2)
    assert value(of, "ε∞ = ") == noise.epsilon_infinity(2)
    assert value(of, "q* = ") == noise.q_star
    assert value(of, "p* = ") == noise.p_star
    expected = theory.expected_bit_counts(one)
    assert expected is not None
    most = int(expected[0, :-1].argmax())
    assert value(of, "E[cᵢⱼ]") == pytest.approx(expected[0, most])
    share = one.protocol.bit_frequencies(expected)[0][0, most]
    assert value(of, "tᵢⱼ = ") == pytest.approx(share * expected[0, -1])
    assert value(of, "Var*[tᵢⱼ]") == pytest.approx(bloom.bit_count_std(noise, 2500) ** 2)
    exact = share * noise.q_star * (1 - noise.q_star) + (1 - share) * noise.p_star * (
        1 - noise.p_star
    )
    assert value(of, "Var[tᵢⱼ]") == pytest.approx(2500 * exact / noise.gap**2)
    assert value(of, "σ ≈ ") == bloom.count_std(noise, 2, 10_000)
    assert value(of, "√(h N) (q* − p*)") == bloom.learnable_items(noise, 10_000, 4, 2)
    assert {36, 37, 38, 39, 40, 41} == {live.number for live in of} - {None}


def test_too_many_filters_are_not_hashed_for_the_equations() -> None:
    of = cell_formulas(bound("mga", cohorts=2**15))
    assert not [live for live in of if "ᵢⱼ" in live.formula and live.formula.startswith("t")]
    assert value(of, "G = ") > 0
