"""Trust: whom users trust, as a value beside the protocol. A kind is a row of `kinds.TRUSTS`."""

from __future__ import annotations

from .trust_kinds import (
    TRUSTS,
    Aggregated,
    Local,
    Shuffled,
    Trust,
    TrustedCurator,
    TrustRequest,
    Verified,
    budgets,
)
