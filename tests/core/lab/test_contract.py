"""The contract of a protocol: our own ones keep it, and each clause rejects one that does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ldptui
from ldptui.core.lab import contract as tested
from ldptui.core.lab.contract import contract
from ldptui.core.protocols import PROTOCOLS

ITEMS, USERS = 5, 400


def clauses(protocol: Any, seed: int = 0) -> list[bool]:
    found = contract(protocol, ITEMS, np.random.default_rng(seed), USERS)
    assert all(np.isfinite(clause.worst) for clause in found if clause.holds)
    return [clause.holds for clause in found]


@pytest.mark.parametrize("kind", PROTOCOLS)
def test_every_pure_protocol_keeps_the_contract(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tested, "INPUTS", 2)
    assert all(clauses(ldptui.protocol(kind, ITEMS, epsilon=1.0)))


class Changed:
    """GRR, but for one thing."""

    def __init__(self, **changes: Any) -> None:
        self._whole, self._changes = ldptui.protocol("grr", ITEMS, epsilon=1.0), changes

    def __getattr__(self, name: str) -> Any:
        return self._changes.get(name, getattr(self._whole, name))


GRR = ldptui.protocol("grr", ITEMS, epsilon=1.0)


def still(histogram: Any, rng: Any) -> Any:
    """The right means, without the noise."""
    others = histogram.sum(axis=1, keepdims=True) - histogram
    return histogram * GRR.p + others * GRR.q


def apart(histogram: Any, rng: Any) -> Any:
    """The right means and variances of each item; but nothing keeps the sum."""
    others = histogram.sum(axis=1, keepdims=True) - histogram
    return rng.binomial(histogram, GRR.p) + rng.binomial(others, GRR.q)


MORE = np.array([9, 0, 0, 0, 0])
WRONG = [
    ({"p": GRR.p + 0.02}, 0),
    ({"q": GRR.q - 0.02}, 1),
    ({"sample_counts": lambda held, rng: GRR.sample_counts(held, rng) + MORE}, 2),
    ({"sample_counts": still}, 3),
    ({"sample_counts": apart}, 3),
    ({"estimates": lambda counts, users: GRR.estimates(counts + 9, users)}, 4),
    ({"supports": lambda reports: ~GRR.supports(reports)}, 5),
    ({"validate_reports": lambda reports, count: reports}, 6),
]


@pytest.mark.parametrize(("changes", "clause"), WRONG)
def test_each_clause_rejects_what_breaks_it(changes: dict[str, Any], clause: int) -> None:
    kept = clauses(Changed(**changes))
    assert not kept[clause]
    assert sum(kept) == len(kept) - 1
