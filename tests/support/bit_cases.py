"""The counts of RAPPOR's bits."""

from __future__ import annotations

from ldptui.core.view import BitCounts

# Two cohorts of two bits; p* = 0.5, q* = 0.75: half of 400 is the noise, 100 more are everybody.
BITS = BitCounts(
    cohorts=2,
    bits=2,
    p_star=0.5,
    q_star=0.75,
    users=(400.0, 0.0),
    counts=(250.0, 190.0, 0.0, 0.0),
    held=(0.5, 0.0, 0.25, 1.0),
    expected_users=(380.0, 20.0),
    users_std=(10.0, 4.0),
    expected_counts=(237.5, 190.0, 10.0, 15.0),
    counts_std=(5.0, 10.0, 1.0, 0.0),
)
