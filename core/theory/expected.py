"""What is expected of a cell, whatever its protocol: its estimate, the variances, its metrics."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..cell import Cell
from ..metrics import METRICS
from ..protocols import Rappor
from ..protocols.curators import Curator
from ..protocols.rappor.decoding import one_thread
from ..sampling import Floats
from .bits import attacked_shares, attacked_users
from .decoding import (
    clean_decoding_variance,
    decoded,
    decodes_linearly,
    decoding_variance,
    estimable,
)
from .gains import cell_gain
from .release import clean_release, released
from .support import fake_support
from .variance import attacked_variance, clean_variance


@lru_cache(maxsize=4)
def expected_estimate(cell: Cell) -> Floats | None:
    """Expectation of the attacked estimate: float64[d]; the true frequencies without an attack.

    None where it is not known what the fakes support. Of RAPPOR's Bloom filters only where
    `decodes_linearly`.
    """
    truth = cell.population.frequencies
    if isinstance(cell.protocol, Rappor):
        users, shares = attacked_users(cell, cell.protocol), attacked_shares(cell, cell.protocol)
        with one_thread():
            return None if shares is None else decoded(cell.protocol, users, shares)
    if isinstance(cell.protocol, Curator):
        moments = released(cell, cell.protocol)
        return None if moments is None else moments[0]
    if cell.attack is None:
        return truth
    p, q = cell.pure.p, cell.pure.q
    supported = fake_support(cell)
    if supported is None:
        return None
    return np.asarray(truth + cell.share * ((supported.rates - q) / (p - q) - truth))


@lru_cache(maxsize=4)
def estimate_variances(cell: Cell) -> tuple[Floats, Floats] | None:
    """Variance of each item's estimate in one trial, before and after the attack: float64[d] each.

    None where there is no closed form of decoding, or of what the fakes do. Of Bloom filters to
    first order in m/n, as if the cohorts were as large as expected.
    """
    protocol = cell.protocol
    if isinstance(protocol, Curator):
        poisoned = released(cell, protocol)
        return None if poisoned is None else (clean_release(cell, protocol)[1], poisoned[1])
    if not isinstance(protocol, Rappor):
        after = attacked_variance(cell)
        return None if after is None else (clean_variance(cell), after)
    if cell.rounds or not decodes_linearly(protocol):
        return None
    with one_thread():
        return _decoding_variances(cell, protocol)


def _decoding_variances(cell: Cell, protocol: Rappor) -> tuple[Floats, Floats] | None:
    clean = clean_decoding_variance(cell.population, protocol)
    if clean is None or cell.attack is None:
        return None if clean is None else (clean, clean)
    estimate = expected_estimate(cell)
    return None if estimate is None else (clean, decoding_variance(cell, protocol, estimate))


def expected_mse(cell: Cell) -> float | None:
    """Expected mean squared error of the attacked estimate, over the items: bias² + variance.

    None where it is not known what the fakes support.
    """
    estimate, variance = expected_estimate(cell), attacked_variance(cell)
    if estimate is None or variance is None:
        return None
    return _mean_square(cell, estimate, variance)


def _mean_square(cell: Cell, estimate: Floats, variance: Floats) -> float:
    """Of the error, over the items: bias² + variance."""
    return float(((estimate - cell.population.frequencies) ** 2 + variance).mean())


def expected_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed form of each metric of a cell; None where there is none."""
    expected: dict[str, float | None] = dict.fromkeys(METRICS)
    if isinstance(cell.protocol, Rappor):
        return expected | _metrics_of_decoding(cell)
    if isinstance(cell.protocol, Curator):
        return expected | _metrics_of_release(cell, cell.protocol)
    expected["mse_clean"] = float(clean_variance(cell).mean())
    expected["mse"] = expected_mse(cell)
    supported = fake_support(cell) if cell.targets.size else None
    if supported is not None:
        gained = cell_gain(cell, supported)
        expected |= _promotion(cell, gained, cell.target_frequency + gained)
    if cell.targets.size:
        expected["target_frequency_clean"] = cell.target_frequency
    return expected


def _promotion(cell: Cell, gained: float, reached: float) -> dict[str, float | None]:
    """The metrics of targets that gain so much, up to this estimate."""
    held = cell.target_frequency
    return {
        "gain": gained,
        "normalised_gain": (gained + held) / held if held > 0 else None,
        "target_frequency": reached,
    }


def _metrics_of_decoding(cell: Cell) -> dict[str, float | None]:
    """The closed forms of the metrics of Bloom filters; none where decoding has none.

    Of several rounds together only those that need no variance: users keep cohort and bits.
    """
    variances = estimate_variances(cell)
    if variances is None and not (cell.rounds and estimable(cell.first)):
        return {}
    estimate = expected_estimate(cell)
    if estimate is None:
        return {}
    expected: dict[str, float | None] = {}
    if variances is not None:
        before, after = variances
        expected["mse_clean"] = float(before.mean())
        expected["mse"] = _mean_square(cell, estimate, after)
    if cell.targets.size:
        held, reached = cell.target_frequency, float(estimate[cell.targets].sum())
        expected |= _promotion(cell, reached - held, reached)
        expected["target_frequency_clean"] = held
    return expected


def _metrics_of_release(cell: Cell, curator: Curator) -> dict[str, float | None]:
    """The closed forms of the metrics of a curator; a stability histogram is biased."""
    mean, variance = clean_release(cell, curator)
    before = float(mean[cell.targets].sum())
    expected: dict[str, float | None] = {"mse_clean": _mean_square(cell, mean, variance)}
    if cell.targets.size:
        expected["target_frequency_clean"] = before
    after = released(cell, curator)
    if after is None:
        return expected
    expected["mse"] = _mean_square(cell, *after)
    if cell.targets.size:
        reached = float(after[0][cell.targets].sum())
        expected |= _promotion(cell, reached - before, reached)
    return expected
