"""Closed forms of a trusted curator's release, with and without fake users.

A release is what `Curator.moments` says of each bin, as shares of all users. What a fake user
supports is what it tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np

from ...base.sampling import Counts, Floats
from ...law.capabilities import Collection


class Releases(Protocol):
    """A curator, as far as its closed forms need it."""

    def __hash__(self) -> int: ...

    def moments(
        self, histogram: Counts, fakes: Sequence[tuple[int, Floats]] = ()
    ) -> tuple[Floats, Floats] | None:
        """Mean and variance of each released count; see `Curator.moments`."""
        ...


def clean_release(curator: Releases, collection: Collection) -> tuple[Floats, Floats]:
    """Mean and variance of each estimate without the attack: float64[d] each."""
    if collection.rounds:
        return _pooled([clean_release(curator, part) for part in collection.rounds],
                       np.array([part.users for part in collection.rounds]))  # fmt: skip
    moments = curator.moments(collection.histogram)
    assert moments is not None  # without fakes there is always a closed form
    return moments[0] / collection.users, moments[1] / collection.users**2


@lru_cache(maxsize=4)
def released(curator: Releases, collection: Collection) -> tuple[Floats, Floats] | None:
    """Mean and variance of each estimate with the attack: float64[d] each.

    None where what fakes tell is not known, or the sum is too long.
    """
    if collection.rounds:
        rounds = [released(curator, part) for part in collection.rounds]
        known = [moments for moments in rounds if moments is not None]
        users = np.array([part.users + part.malicious for part in collection.rounds])
        return _pooled(known, users) if len(known) == len(rounds) else None
    if not collection.foreseen:
        return None
    fakes = [(count, law.rates) for count, law in collection.fakes]
    moments = curator.moments(collection.histogram, fakes)
    everyone = collection.users + collection.malicious
    return None if moments is None else (moments[0] / everyone, moments[1] / everyone**2)


def _pooled(rounds: Sequence[tuple[Floats, Floats]], users: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the mean over releases, by their users; their noise is independent."""
    weights = users / users.sum()
    means, variances = (np.array([moments[at] for moments in rounds]) for at in (0, 1))
    return weights @ means, weights**2 @ variances
