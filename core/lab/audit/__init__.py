"""Two checks of a mechanism's claim of privacy: enumeration, and a Monte-Carlo audit.

`check` goes through every report and every pair of inputs: a proof. `audit` sees samples alone, and
can refute a claim, not prove it.
"""

from __future__ import annotations

from .coins import Published, published
from .lens import Sampler
from .monte_carlo import (
    Audit,
    Perturbs,
    audit,
    audit_protocol,
    clopper_pearson,
    epsilon_at_least,
)
from .proof import Check, check

__all__ = [
    "Audit",
    "Check",
    "Perturbs",
    "Published",
    "Sampler",
    "audit",
    "audit_protocol",
    "check",
    "clopper_pearson",
    "epsilon_at_least",
    "published",
]
