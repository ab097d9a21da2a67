"""The law of each bit of one report, whoever sends it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...base.sampling import Floats
from ...law.enumeration import CELLS, ReportLaw, bits_name, independent_bits, item_name
from ...law.law import BitLaw
from ...law.pure import BoolArray, Items
from .filters import Filters


def random_bits(protocol: Filters) -> BitLaw:
    """A uniformly random report."""
    rates = np.full((protocol.cohorts, protocol.bits), 0.5)
    return BitLaw(protocol.cohort_law, rates, _random_scatter)


def _random_scatter(_: int, pull: Floats) -> Floats:
    return np.asarray((pull**2).sum(axis=0) / 4)


def honest_bits(protocol: Filters, frequencies: Floats) -> BitLaw:
    """An honest report of an item that is drawn with these probabilities, float64[d]."""
    noise = protocol.noise
    rates = np.asarray(noise.p_star + noise.gap * protocol.design.bits_of(frequencies))
    return BitLaw(protocol.cohort_law, rates, partial(_honest_scatter, protocol, frequencies))


def _honest_scatter(protocol: Filters, frequencies: Floats, cohort: int, pull: Floats) -> Floats:
    p, q = protocol.noise.p_star, protocol.noise.q_star
    set_bits = protocol.design.bits_of(frequencies)[cohort]
    noise = set_bits * q * (1 - q) + (1 - set_bits) * p * (1 - p)
    scatter = _unperturbed_scatter(protocol, frequencies, cohort, pull)
    return np.asarray(noise @ pull**2 + protocol.noise.gap**2 * scatter)


def unperturbed_bits(protocol: Filters, frequencies: Floats) -> BitLaw:
    """The Bloom filter of an item that is drawn with these probabilities, float64[d]."""
    rates = protocol.design.bits_of(frequencies)
    return BitLaw(protocol.cohort_law, rates, partial(_unperturbed_scatter, protocol, frequencies))


def _unperturbed_scatter(
    protocol: Filters, frequencies: Floats, cohort: int, pull: Floats
) -> Floats:
    values = np.flatnonzero(frequencies)
    moved = protocol.encode(values, np.full(values.size, cohort)) @ pull
    held = frequencies[values]
    return np.asarray(held @ moved**2 - (held @ moved) ** 2)


def made_bits(
    protocol: Filters, targets: Items, filled: Callable[[Items], Items], own: float
) -> BitLaw:
    """A report with every bit of these targets (`own` 1) or none (0), and others at random.

    filled : gives int64[m], the number of other bits, a uniform subset of them.
    """
    aimed, padding = protocol.aimed(targets), filled(targets)
    others = np.maximum(protocol.bits - aimed.sum(axis=1), 1)
    rates = np.where(aimed, own, (padding / others)[:, None])
    return BitLaw(protocol.cohort_law, rates, partial(_made_scatter, aimed, padding))


def _made_scatter(aimed: BoolArray, padding: Items, cohort: int, pull: Floats) -> Floats:
    others = pull[~aimed[cohort]]
    count, pad = len(others), int(padding[cohort])
    if count < 2 or pad in (0, count):
        return np.zeros(pull.shape[1])
    each = pad * (count - pad) / (count * (count - 1))
    return np.asarray(each * ((others**2).sum(axis=0) - others.sum(axis=0) ** 2 / count))


def every_report(protocol: Filters) -> ReportLaw | None:
    """The law of every report, over all cohorts; None where there are too many."""
    d, k, m = protocol.domain_size, protocol.bits, protocol.cohorts
    if k > 20 or d * m << k > CELLS:
        return None
    noise, parts = protocol.noise, []
    for cohort in range(m):
        filters = protocol.encode(np.arange(d), np.full(d, cohort))
        parts.append(independent_bits(np.where(filters, noise.q_star, noise.p_star)) / m)
    return ReportLaw(
        np.concatenate(parts, axis=1),
        item_name,
        lambda y: f"cohort {y >> k}, bits {bits_name(y & (1 << k) - 1, k)}",
    )
