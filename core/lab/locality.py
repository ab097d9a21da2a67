"""The price of locality: the users that a local protocol needs beyond a trusted curator's.

A curator's noise does not grow with the number of users: the squared error of a frequency falls as
1/n². A local protocol adds noise for every user, and its error falls as 1/n.
"""

from __future__ import annotations

import numpy as np

from ..base.sampling import Counts, Floats
from ..law.numeric_protocol import NumericProtocol
from ..law.pure import PureProtocol, Rng, estimate
from ..protocols.curators.curator import Curator
from ..theory import item_variances


def central_mse(curator: Curator, histogram: Counts | Floats, times: Counts | None = None) -> float:
    """A curator's mean squared error E(released - true frequency)², averaged over the items.

    times : int64 of the histogram's shape, the number of items with each of its counts; None for
    one each.
    """
    users = histogram.sum() if times is None else histogram @ times
    return float(np.average(curator.squared_error(histogram), weights=times)) / float(users) ** 2


def local_mse(protocol: PureProtocol, histogram: Counts | Floats) -> float:
    """A local protocol's mean squared error, averaged over the items.

    Wang et al. 2017, theorem 2. histogram : [d], users per item.
    """
    users = float(histogram.sum())
    return float(np.mean(item_variances(protocol, users, histogram / users)))


def mean_mse(protocol: NumericProtocol, values: Floats, histogram: Counts | Floats) -> float:
    """The variance of the estimated mean of numbers in [-1, 1], without fakes.

    values : float64[d], the number of each item. histogram : [d], users per item. The variance of a
    report is interpolated on a grid. A curator's error of the mean is that of a frequency: one user
    changes the sum of numbers by 2 at most, as the counts of a histogram.
    """
    users, grid = float(histogram.sum()), np.linspace(-1, 1, 129)
    spread = np.interp(values, grid, protocol.spread_at(grid))
    return float(histogram @ spread) / users**2


def grow_histogram(histogram: Counts | Floats, users: float) -> Floats:
    """float64[d]: the histogram of `users` users with the same frequencies; not integers."""
    return np.asarray(histogram * (users / histogram.sum()))


def local_success(protocol: PureProtocol, histogram: Counts, trials: int, rng: Rng) -> int:
    """The number of simulated trials in which a most frequent item has the highest local estimate.

    histogram : int64[d], users per item. Of equal estimates the first counts.
    """
    rows = np.broadcast_to(histogram, (trials, histogram.size))
    counts = protocol.sample_counts(rows, rng)
    best = estimate(counts, int(histogram.sum()), protocol).argmax(axis=1)
    return int((histogram[best] == histogram.max()).sum())
