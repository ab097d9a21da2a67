"""The genuine users of a collection in rounds: who stays, who leaves, and the items of newcomers.

Like a population, the users of all rounds are drawn once for each seed: all trials have the same
users.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..base.sampling import Counts, binomial
from ..base.streams import stream
from .population import Population


@dataclass(frozen=True, eq=False)
class Turnover:
    """The genuine users of R rounds, of constant number; a user who stays keeps the same item.

    populations : the users of each round, in order.
    left : int64[d] for each round, the number of users of each item who have left since the round
    before; 0 in the first. Each of the item's users is equally likely to leave.
    """

    populations: tuple[Population, ...]
    left: tuple[Counts, ...]


def turnover(
    first: Population,
    rounds: int,
    churn: float = 0.0,
    second: Population | None = None,
    seed: int = 0,
) -> Turnover:
    """The users of all rounds, each round drawn from the one before.

    Parameters
    ----------
    first : the users of the first round.
    churn : the probability that a user is replaced by a new one between two rounds.
    second : a population to which users drift, or None: in round t = 0, …, R-1 a user is from it
        with probability t / (R-1), since users of `first` are replaced, besides churn.

    Notes
    -----
    Users leave independently: by churn, and users of the first population also to be replaced by
    one of the second, with probability 1 / (R-t) before round t. A user with item u in the first
    round is in round t one with item v, with probability
    s(1-c)^t [u = v] + s(1 - (1-c)^t) w_v + (1-s) w'_v, where s = 1 - t/(R-1), c is `churn`, and w,
    w' are the distributions of the two populations; users are independent.
    """
    nobody = np.zeros(first.domain_size, dtype=np.int64)
    if rounds == 1 or (churn == 0 and second is None):
        return Turnover(_name_rounds(first, [first.histogram] * rounds, ""), (nobody,) * rounds)
    # Where nothing drifts, more rounds change no earlier one.
    drift = "" if second is None else f" drift={second.address} of {rounds}"
    address = f"{first.address} churn={churn!r}{drift}"
    rng = stream(seed, address, "population")
    old, new = first.histogram, nobody
    histograms, left = [first.histogram], [nobody]
    for number in range(1, rounds):
        old_stay, new_stay = (binomial(held, 1 - churn, rng) for held in (old, new))
        newcomers = first.users - int(old_stay.sum() + new_stay.sum())
        of_second = 0
        if second is not None:
            swapped = binomial(old_stay, 1 / (rounds - number), rng)
            old_stay = old_stay - swapped
            of_second = int(rng.binomial(newcomers, number / (rounds - 1)))
            new = new_stay + rng.multinomial(of_second + int(swapped.sum()), second.law)
        left.append(histograms[-1] - old_stay - new_stay)
        old = old_stay + rng.multinomial(newcomers - of_second, first.law)
        histograms.append(old + new)
    return Turnover(
        _name_rounds(first, histograms, address.removeprefix(first.address)), tuple(left)
    )


def _name_rounds(
    first: Population, histograms: Sequence[Counts], changes: str
) -> tuple[Population, ...]:
    """One population a round, each with streams of its own even where the users are the same."""
    return tuple(
        replace(first, histogram=held, address=f"{first.address}{changes} round={number}")
        for number, held in enumerate(histograms)
    )
