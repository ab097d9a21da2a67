"""Closed forms of a trusted curator's release, with and without fake users.

A release is what `Curator.moments` says of each bin, as shares of all users. What a fake user
supports is what it tells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..cell import Cell
from ..protocols.curators import Curator
from ..pure import Support
from ..sampling import Counts, Floats
from .support import each_support


def clean_release(cell: Cell, curator: Curator) -> tuple[Floats, Floats]:
    """Mean and variance of each estimate without the attack: float64[d] each."""
    if cell.rounds:
        return _pooled([clean_release(one, curator) for one in cell.rounds],
                       np.array([one.users for one in cell.rounds]))  # fmt: skip
    moments = curator.moments(cell.population.histogram)
    assert moments is not None  # without fakes there is always a closed form
    return moments[0] / cell.users, moments[1] / cell.users**2


def released(cell: Cell, curator: Curator) -> tuple[Floats, Floats] | None:
    """The same with the attack; None where what fakes tell is not known, or the sum too long."""
    if cell.rounds:
        each = [released(one, curator) for one in cell.rounds]
        known = [one for one in each if one is not None]
        users = np.array([one.users + one.malicious for one in cell.rounds])
        return _pooled(known, users) if len(known) == len(each) else None
    kinds = []
    for count, told in each_support(cell):
        if told is None:
            return None
        kinds.append((count, told.rates))
    moments = curator.moments(cell.population.histogram, kinds)
    everyone = cell.users + cell.malicious
    return None if moments is None else (moments[0] / everyone, moments[1] / everyone**2)


def _pooled(rounds: Sequence[tuple[Floats, Floats]], users: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the mean over releases, by their users; their noise is independent."""
    weights = users / users.sum()
    means, variances = (np.array([one[at] for one in rounds]) for at in (0, 1))
    return weights @ means, weights**2 @ variances


def release_gain(
    curator: Curator, support: Support, held: Counts, users: int, malicious: int
) -> float:
    """The gain where items may be withheld, of targets that so many genuine users hold, int64[r].

    NaN where there are too many terms to add up.
    """
    told = [(malicious, np.full(held.size, support.target))]
    before, after = curator.moments(held), curator.moments(held, told)
    if before is None or after is None:
        return math.nan
    return float(after[0].sum()) / (users + malicious) - float(before[0].sum()) / users
