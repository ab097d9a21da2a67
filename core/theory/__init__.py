"""Closed forms: variance, gain, expected error, privacy, the choice of a protocol.

Everything uses the protocol's own p, q (the actual integer g) and the realised share and f_T. The
closed form of each metric, with the reasons to doubt it, is a row of `closed_forms`. The moments of
estimates come from the protocol if it has its own (`core.law.moments.EstimateMoments`), or follow
from p and q (`expected`, `variance`, `gains`); those of the mean of numbers are in `mean_theory`.
"""

from __future__ import annotations

from .closed_forms import expected_metrics
from .differences import Difference, differences
from .doubts import annotate_estimate, compare_with_theory, normal_score
from .expected import (
    bit_count_variances,
    bit_gain,
    estimate_variances,
    expected_bit_counts,
    expected_estimate,
    expected_mse,
)
from .gains import (
    cell_gain,
    collection_parameters,
    fake_support,
    gain,
    gain_std,
    item_shift,
    rates_gain,
    safer_domain_size,
    sent_share,
    std_of_gain,
    support_of,
    target_sum_variance,
)
from .lines import HIDDEN, LINES, alike, gain_lines, gains_elsewhere, hidden_gain, mean_supports
from .misfit import ImpossibleEstimates, misfit
from .privacy import epsilon_of_direct, epsilon_of_unary, privacy_spent
from .variance import (
    attacked_variance,
    clean_variance,
    count_variance,
    exact_border,
    frequency_std,
    item_variances,
    least_error,
    least_of_all,
    recommended_protocol,
    simultaneous_confidence,
    simultaneous_width,
    top_confidence,
)
