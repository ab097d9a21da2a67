"""What an observer knows of users beforehand, from a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.sampling import Floats
from ldptui.core.lab.guessing import Prior

from .inputs import columns_of

FREQUENCY: Final = "frequency"
"""The column of a table that has a row for each item, and not for each user."""


def read_prior(table: str | None, column: str, given: str | None, items: int) -> Prior:
    """An observer's prior distribution over d items; raises LdpError.

    table : a CSV file; None if every item is equally likely.
    column : the column of the items.
    given : the column of what the observer knows of each user; None if it knows nothing.
    """
    if not table:
        if given is not None:
            raise ScenarioError("goes with a table of users, --prior", key="given")
        return [(1.0, np.full(items, 1 / items))]
    path = Path(table)
    if given is None:
        try:
            item, weight = columns_of(path, [column, FREQUENCY])
        except ScenarioError:
            (item,) = columns_of(path, [column])
            return [(1.0, _fit(np.bincount(item.codes), items))]
        if len(item.values) != item.codes.size:
            raise ScenarioError(f"must name each item once in {item.name!r}", key="column")
        weights = weight.numbers()
        if not (weights >= 0).all() or not weights.sum() > 0:
            raise ScenarioError("must have frequencies of at least 0, not all 0", key="prior")
        return [(1.0, _fit(weights, items))]
    item, other = columns_of(path, [column, given])
    groups = []
    for code in range(len(other.values)):
        held = item.codes[other.codes == code]
        counts = np.bincount(held, minlength=len(item.values))
        groups.append((held.size / item.codes.size, _fit(counts, items)))
    return groups


def _fit(weights: Any, items: int) -> Floats:
    """The frequencies of all items, those that no row has with 0; raises ScenarioError."""
    if weights.size > items:
        rule = f"must be at least {weights.size}, the items of the table"
        raise ScenarioError(f"{rule}, {got(items)}", key="items")
    prior = np.zeros(items)
    prior[: weights.size] = weights / weights.sum()
    return prior
