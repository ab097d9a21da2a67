"""Exact samplers of counts: the same distributions as counting user by user, without the users."""

from __future__ import annotations

from .laws import (
    ColumnCounts,
    Counts,
    Floats,
    binomial,
    binomial_law,
    binomial_range,
    binomials,
    hypergeometric_law,
    multinomial,
    random_subsets,
    uniform_multinomial,
)
from .picking import subset_counts, subset_counts_beside_own
from .subsets import (
    PackedBernoulli,
    flip_bits,
    packed_bernoulli,
    packed_picks,
    packed_subsets,
    set_bits,
    without_padding,
)
