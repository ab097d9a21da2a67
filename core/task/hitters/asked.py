"""One group as a collection of its own, whose items are the prefixes that it reports."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...cell import Cell
from ...population import Population
from ...protocols import ProtocolSpec
from .codes import code_text
from .collection import Hunt


def asked_of(hunt: Hunt, spec: ProtocolSpec, number: int) -> Cell:
    """The cell of the group that a user of this number joins, one group after the other.

    An oracle that hashes knows the prefixes that items have, any other one all of the level. Fakes
    who aim at other targets than the cell keep their items: then it is the cell as it is.
    """
    cell, groups = hunt.cell, len(hunt.prefixes.lengths)
    if any(not np.array_equal(part.targets, cell.targets) for part in cell.fakes):
        return cell
    level = hunt.prefixes.levels[number % groups]
    known = level.held
    if hunt.oracle.whole(level.number) is not None:
        known = np.arange(2**level.length, dtype=np.uint64)
    users = level.of(level.users(cell.population.histogram), known)
    place = f"group {level.number + 1} of {groups}"
    labels = tuple(f"{code_text(int(prefix), level.length)}, {place}" for prefix in known)
    address = f"{cell.population.address} of {place}"
    targets = np.searchsorted(known, hunt.prefixes.cut(hunt.prefixes.codes[cell.targets],
                                                       level.number))  # fmt: skip
    return replace(
        cell,
        population=Population(users, labels, address, users / users.sum()),
        protocol=spec.bind(max(2, known.size)),
        targets=np.unique(targets),
    )
