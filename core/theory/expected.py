"""The expectations of a cell, whatever its protocol: its estimate, the variances, its metrics.

A protocol that has closed forms of its own is asked for them; those of a pure one follow from its
(p, q) and from what the fakes support. Others have none.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..base.sampling import Floats
from ..cell import Cell
from ..law.capabilities import foretells
from ..law.linear import cancelled
from ..metrics import METRICS
from .asked import asked_metrics
from .defended import Moments, defended_metrics
from .gains import cell_gain
from .robust import robust_metrics
from .sifted import sifted_metrics
from .support import collected, fake_support, sent_share
from .variance import attacked_variance, clean_variance


@lru_cache(maxsize=4)
def _means(cell: Cell) -> Moments | None:
    if foretells(cell.protocol):
        return cell.protocol.means(collected(cell))
    if not cell.is_pure:
        return None
    truth = cell.population.frequencies
    if cell.attack is None:
        return truth, truth
    p, q = cell.pure.p, cell.pure.q
    supported = fake_support(cell)
    if supported is None:
        return truth, None
    return truth, np.asarray(truth + sent_share(cell) * ((supported.rates - q) / (p - q) - truth))


@lru_cache(maxsize=4)
def _variances(cell: Cell) -> Moments | None:
    if foretells(cell.protocol):
        return cell.protocol.variances(collected(cell))
    return (clean_variance(cell), attacked_variance(cell)) if cell.is_pure else None


def expected_estimate(cell: Cell) -> Floats | None:
    """Expectation of the attacked estimate: float64[d]; the true frequencies without an attack.

    None where there is no closed form, as where a lasso selects among candidates, and
    where it is not known what the fakes send.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("quickstart").cells[5]  # β = 0.05
    >>> round(float(ldptui.theory.expected_estimate(cell)[40]), 2)  # a target
    0.16
    """
    means = _means(cell)
    return None if means is None else means[1]


def estimate_variances(cell: Cell) -> tuple[Floats, Floats] | None:
    """Variance of each item's estimate in one trial, before and after the attack: float64[d] each.

    None where there is no closed form, or none of the fakes' reports. For Bloom filters it is exact
    to first order in m/n, as if the cohorts were as large as expected.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> before, after = ldptui.theory.estimate_variances(ldptui.compile("quickstart").cells[5])
    >>> bool(after[40] < before[40])  # the fakes' reports of a target are all alike
    True
    """
    variances = _variances(cell)
    if variances is None or variances[1] is None:
        return None
    return variances[0], variances[1]


def expected_mse(cell: Cell) -> float | None:
    """Expected mean squared error of the attacked estimate, over the items: bias² + variance.

    None where it is not known what the fakes support.

    Parameters
    ----------
    cell
        A cell of an experiment, of a pure protocol.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.expected_mse(ldptui.compile("quickstart").cells[5]), 5)
    0.00065
    """
    estimate, variance = expected_estimate(cell), attacked_variance(cell)
    if estimate is None or variance is None:
        return None
    return _mean_square(cell, estimate, variance)


def _mean_square(cell: Cell, estimate: Floats, variance: Floats) -> float:
    """The mean squared error over the items: bias² + variance."""
    return float(((estimate - cell.population.frequencies) ** 2 + variance).mean())


def expected_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed form of each metric of a cell, by its name; None where there is none.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> expected = ldptui.theory.expected_metrics(ldptui.compile("quickstart").cells[5])
    >>> round(expected["gain"], 4), expected["gain_after"]
    (0.4742, None)
    """
    expected = dict.fromkeys([*METRICS, *cell.metrics]) | _undefended_metrics(cell)
    expected |= defended_metrics(cell, expected, _means(cell.sifted), _variances(cell.sifted))
    return expected | sifted_metrics(cell) | asked_metrics(cell)


def _undefended_metrics(cell: Cell) -> dict[str, float | None]:
    """The closed forms of the metrics that no defence touches."""
    if not cell.is_pure:
        return _metrics_of_estimates(cell)
    expected: dict[str, float | None] = {}
    expected["mse_clean"] = float(clean_variance(cell).mean())
    expected["mse"] = expected_mse(cell)
    supported = fake_support(cell) if cell.targets.size else None
    if supported is not None:
        gained = cell_gain(cell, supported)
        expected |= _promotion(cell, gained, cell.target_frequency + gained)
    if cell.targets.size:
        expected["target_frequency_clean"] = cell.target_frequency
    estimate, variances = expected_estimate(cell), estimate_variances(cell)
    if estimate is not None and variances is not None and not cell.rounds:
        expected |= robust_metrics(cell, estimate, variances[1])
    return expected


def _promotion(cell: Cell, gained: float, reached: float) -> dict[str, float | None]:
    """The metrics of targets that gain `gained`, up to the estimate `reached`."""
    held = cell.target_frequency
    return {
        "gain": gained,
        "normalised_gain": (gained + held) / held if held > 0 else None,
        "target_frequency": reached,
    }


def _metrics_of_estimates(cell: Cell) -> dict[str, float | None]:
    """The closed forms of the metrics, from those of the estimates, which may be biased."""
    means, variances = _means(cell), _variances(cell)
    if means is None:
        return {}
    expected: dict[str, float | None] = {}
    clean, attacked = means
    if variances is not None:
        expected["mse_clean"] = _mean_square(cell, clean, variances[0])
        if attacked is not None and variances[1] is not None:
            expected["mse"] = _mean_square(cell, attacked, variances[1])
    if cell.targets.size:
        before = float(clean[cell.targets].sum())
        expected["target_frequency_clean"] = before
        if attacked is not None:
            reached = float(attacked[cell.targets].sum())
            size = float(np.abs(clean[cell.targets]).sum() + np.abs(attacked[cell.targets]).sum())
            expected |= _promotion(cell, cancelled(reached - before, size), reached)
    return expected
