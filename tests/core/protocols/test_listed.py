"""A protocol given by its tables: the laws of a known protocol follow from its tables alone."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ldptui.core.base.errors import ScenarioError
from ldptui.core.lab.contract import contract
from ldptui.core.law.law import Ask
from ldptui.core.law.pure import Rng, SeedSearch, Total
from ldptui.core.protocols import GRR, TableProtocol
from ldptui.core.protocols.hadamard import HadamardResponse
from ldptui.core.theory import item_variances

D = 6
LAWS = ("honest", "random", "unperturbed", "crafted", "avoided")


def listed(protocol: Any) -> TableProtocol:
    """The same protocol by its tables."""
    law = protocol.enumerate_reports().probabilities
    table = protocol.supports(np.arange(law.shape[1]))
    return TableProtocol(protocol.domain_size, protocol.epsilon, law, table)


@pytest.mark.parametrize("epsilon", [0.4, 1.5])
def test_tables_of_a_code_are_that_code(epsilon: float) -> None:
    """HR's supports are of both signs, and which items the targets are matters."""
    code = HadamardResponse(D, epsilon)
    tables = listed(code)
    assert (tables.p, tables.q) == pytest.approx((code.p, code.q), abs=1e-12)
    assert tables.worst == pytest.approx(epsilon)
    targets, counted = np.array([1, 4]), np.array([0, 1, 4])
    held = np.arange(1.0, D + 1) / 21
    for law in LAWS:
        mine, own = (each.find_law(Ask(law, targets)).support(counted) for each in (tables, code))
        assert mine is not None
        assert own is not None
        assert mine.rates == pytest.approx(own.rates)
        assert mine.variance == pytest.approx(own.variance)
        assert mine.variances == pytest.approx(own.variances)
    assert tables.placed_variances(held) == pytest.approx(code.placed_variances(held))
    mine, own = (each.placed_sum_variance(held, counted) for each in (tables, code))
    assert mine == pytest.approx(own)


def test_tables_of_grr_are_grr() -> None:
    grr, tables = GRR(D, 1.2), listed(GRR(D, 1.2))
    held = np.arange(1.0, D + 1) / 21
    assert item_variances(tables, 100, held) == pytest.approx(item_variances(grr, 100, held))
    assert tables.total_variance(Total(2, 0.3)) == pytest.approx(grr.total_variance(Total(2, 0.3)))
    for mine, own in (
        (tables.find_support("honest", 2), grr.find_support("honest", 2)),
        (tables.find_support("random", 2), grr.find_support("random", 2)),
        (
            tables.find_support("crafted", 2, SeedSearch()),
            grr.find_support("crafted", 2, SeedSearch()),
        ),
    ):
        assert (mine.target, mine.other) == pytest.approx((own.target, own.other))
        assert mine.variance == pytest.approx(own.variance, abs=1e-12)
    values, rng = np.array([0, 3, 3, 5]), np.random.default_rng(0)
    assert (tables.unperturbed(values, rng) == values).all()
    assert set(tables.craft(np.array([1, 4]), 50, SeedSearch(), rng)) == {1, 4}
    assert not {1, 4} & set(tables.avoid(np.array([1, 4]), 50, SeedSearch(), rng))


def test_counts_have_the_law_of_reports(rng: Rng) -> None:
    tables = listed(HadamardResponse(4, 1.0))
    assert all(clause.holds for clause in contract(tables, 4, rng, 2000))
    law = tables.law**1.3
    other = TableProtocol(4, 1.0, law / law.sum(axis=1, keepdims=True), tables.table)
    mutant = replace(tables)
    object.__setattr__(mutant, "sample_counts", other.sample_counts)
    assert not all(clause.holds for clause in contract(mutant, 4, rng, 2000))


@pytest.mark.parametrize(
    ("law", "table", "message"),
    [
        (np.ones((3, 2)), np.eye(2), r"law must be float64\[4, reports\]"),
        ("x", np.eye(4), "law must be numbers"),
        (np.eye(4) - 1, np.eye(4), "law must be probabilities, got -1.0"),
        (np.eye(4) * 0.9, np.eye(4), "law must add up to 1 for each item, got 0.9 for item 0"),
        (np.eye(4), np.eye(3), r"table must be bool\[4, 4\], a row for each report"),
        (np.eye(4), np.eye(4), "table must be true or false, or -1, 0 and 1"),
        (np.eye(4), np.eye(4, dtype=int) * 2, "table must be true or false"),
        (np.eye(4), np.triu(np.ones((4, 4), bool)), "table must support another item with the"),
        (np.full((4, 4), 0.25), np.eye(4, dtype=bool), "epsilon must be large enough"),
        (np.full((4, 2**18 + 1), 1.0), None, r"law must have at most 2\^20 probabilities"),
    ],
)
def test_tables_that_are_none_are_refused(law: Any, table: Any, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        TableProtocol(4, 1.0, law, table)


def test_a_leak_is_told() -> None:
    fair = listed(GRR(4, 2.0))
    assert fair.warnings == ()
    (warning,) = TableProtocol(4, 1.0, fair.law, fair.table).warnings
    assert warning == "its reports tell up to ε = 2, more than it says"
    open_one = TableProtocol(4, 1.0, np.eye(4), np.eye(4, dtype=bool))
    assert open_one.worst == np.inf
