"""Trust models: whom users trust, chosen apart from the protocol. The kinds are
`trust_kinds.TRUSTS`.
"""

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
