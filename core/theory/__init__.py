"""Closed forms: variance, gain, expected error, privacy, the choice of a protocol.

Everything uses the protocol's own p, q (the actual integer g) and the realised share and f_T. What
is expected of a whole cell, whatever its protocol, is in `expected`; the other modules say it of
one kind: estimates of pure protocols (`variance`, `gains`), RAPPOR's bits (`bits`) and frequencies
(`decoding`), a trusted curator's release (`release`).
"""

from __future__ import annotations

from .bits import (
    bit_count_std,
    bit_count_variances,
    bit_gain,
    bit_support_gain,
    cohort_share,
    count_std,
    expected_bit_counts,
    ideal_bit_support_gain,
    learnable_items,
)
from .expected import estimate_variances, expected_estimate, expected_metrics, expected_mse
from .gains import cell_gain, gain, gain_std, item_shift, rates_gain, safer_domain_size
from .privacy import (
    denial,
    epsilon_of_direct,
    epsilon_of_rounds,
    epsilon_of_unary,
    false_attribution,
    naive_epsilon_of_rounds,
    permanent_false_attribution,
    privacy_spent,
    signal_lost,
)
from .release import release_gain
from .support import fake_support, support_of
from .variance import attacked_variance, clean_variance, count_variance, frequency_std, recommended

__all__ = [
    "attacked_variance",
    "bit_count_std",
    "bit_count_variances",
    "bit_gain",
    "bit_support_gain",
    "cell_gain",
    "clean_variance",
    "cohort_share",
    "count_std",
    "count_variance",
    "denial",
    "epsilon_of_direct",
    "epsilon_of_rounds",
    "epsilon_of_unary",
    "estimate_variances",
    "expected_bit_counts",
    "expected_estimate",
    "expected_metrics",
    "expected_mse",
    "fake_support",
    "false_attribution",
    "frequency_std",
    "gain",
    "gain_std",
    "ideal_bit_support_gain",
    "item_shift",
    "learnable_items",
    "naive_epsilon_of_rounds",
    "permanent_false_attribution",
    "privacy_spent",
    "rates_gain",
    "recommended",
    "release_gain",
    "safer_domain_size",
    "signal_lost",
    "support_of",
]
