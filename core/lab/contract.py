"""The contract of a pure protocol, tested on samples: properties that server and simulator rely on.

For a protocol of a plug-in. Samples are drawn in batches, so that means and variances have known
errors for any distribution of reports. All comparisons together reject a protocol that keeps the
contract with probability FALSE_ALARM.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import stdtrit

from ..base.sampling import Counts, Floats
from ..law.pure import PureProtocol, Rng

BATCHES: Final = 64
FALSE_ALARM: Final = 1e-6
INPUTS: Final = 8
"""Items whose own reports are looked at, at most: the first ones and the last."""


CONTRACT: Final = (
    "p", "q", "perturb", "validate_reports", "supports", "support_counts", "sample_counts",
    "estimates",
)  # fmt: skip
"""The members that a protocol must have for its contract to be tested."""


@dataclass(frozen=True)
class Clause:
    """One property of the contract, tested on a protocol.

    worst : the largest deviation, in standard errors.
    """

    promise: str
    worst: float
    holds: bool


def contract(protocol: PureProtocol, items: int, rng: Rng, users: int) -> list[Clause]:
    """The clauses of the contract, tested on a pure protocol over `items` items. users : of one
    batch.
    """
    tests = list(_tests(protocol, items, rng, users))
    comparisons = sum(deviations.size for _, deviations in tests)
    most = -float(stdtrit(BATCHES - 1, FALSE_ALARM / (2 * comparisons)))
    return [
        Clause(promise, float(np.abs(deviations).max()), bool((np.abs(deviations) <= most).all()))
        for promise, deviations in tests
    ]


def _tests(
    protocol: PureProtocol, items: int, rng: Rng, users: int
) -> Iterator[tuple[str, Floats]]:
    """Each promise, with the deviations of samples from it in standard errors."""
    inputs = np.unique(np.linspace(0, items - 1, min(items, INPUTS)).round().astype(np.int64))
    own, others = [], []
    for item in inputs.tolist():
        rates = _by_reports(protocol, np.full(users, item), rng) / users
        supported = np.arange(items) == item
        own.append(_from(rates[:, supported], protocol.p))
        others.append(_from(rates[:, ~supported], protocol.q))
    yield "a report supports its own item with probability p", np.concatenate(own)
    yield "and any other item with probability q", np.concatenate(others)

    held = np.bincount(np.arange(users) ** 2 * items // users**2, minlength=items)
    reported = _by_reports(protocol, np.repeat(np.arange(items), held), rng)
    drawn = protocol.sample_counts(np.tile(held, (BATCHES, 1)), rng)
    first, second = _with_sums(reported), _with_sums(drawn)
    yield "drawn counts have the mean of counted ones", _between(first, second)
    yield "and their variances and covariances", _spreads(first, second)
    estimates = protocol.estimates(reported, users).frequencies
    yield "estimates are unbiased", _from(estimates, held / users)

    reports = protocol.perturb(np.arange(items), rng)
    counted = np.asarray(protocol.supports(reports), dtype=np.int64).sum(axis=0)
    same = (protocol.support_counts(reports) == counted).all()
    accepted = len(protocol.validate_reports(reports, items)) == items and _refuses(
        protocol, reports
    )
    yield "counts are those of the supports", np.where([same], 0.0, np.inf)
    yield "reports are received, and no others", np.where([accepted], 0.0, np.inf)


def _refuses(protocol: PureProtocol, reports: object) -> bool:
    """True if a number of reports that is wrong is refused."""
    try:
        protocol.validate_reports(reports, len(reports) + 1)  # type: ignore[arg-type]
    except ValueError:
        return True
    return False


def _by_reports(protocol: PureProtocol, values: Counts, rng: Rng) -> Counts:
    """int64[BATCHES, d]: the support counts of users who hold these items, report by report."""
    batches = [protocol.support_counts(protocol.perturb(values, rng)) for _ in range(BATCHES)]
    return np.array(batches)


def _with_sums(counts: Counts) -> Floats:
    """The counts, their sum and two sums with signs, whose variances tell covariances."""
    items = counts.shape[1]
    signs = np.stack(
        [np.ones(items), (-1.0) ** np.arange(items), np.where(np.arange(items) < items / 2, 1, -1)]
    )
    return np.hstack([counts, counts @ signs.T])


def _from(samples: Floats, expected: float | Floats) -> Floats:
    """The means of batches [BATCHES, k] less what is expected, in standard errors."""
    return _errors(samples.mean(axis=0) - expected, samples.var(axis=0, ddof=1) / BATCHES)


def _between(first: Floats, second: Floats) -> Floats:
    squares = first.var(axis=0, ddof=1) + second.var(axis=0, ddof=1)
    return _errors(first.mean(axis=0) - second.mean(axis=0), squares / BATCHES)


def _spreads(first: Floats, second: Floats) -> Floats:
    """The logarithms of the ratios of variances, in their standard errors."""
    one, other = first.var(axis=0, ddof=1), second.var(axis=0, ddof=1)
    still = (one < 1e-9) & (other < 1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.log(one) - np.log(other)
    return np.where(still, 0.0, ratios / np.sqrt(4 / (BATCHES - 1)))


def _errors(differences: Floats, squares: Floats) -> Floats:
    """Differences in standard errors; where nothing varies, 0 for none and else infinity."""
    near = np.abs(differences) < 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(near, 0.0, differences / np.sqrt(squares))
