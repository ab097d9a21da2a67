"""Checks of a mechanism's claim of privacy: enumeration, a Monte-Carlo audit, an audit of clients.

`check` goes through every report and every pair of inputs: a proof. `audit` sees samples alone, and
can refute a claim, not prove it. `audit_client` audits somebody's client, and compares it with the
protocol that it claims to follow.
"""

from __future__ import annotations

from .client import AuditReport, Claim, Client, Effort, audit_client
from .coins import Published, published
from .columns import Sampler
from .monte_carlo import (
    Audit,
    Perturbs,
    audit,
    audit_protocol,
    clopper_pearson,
    epsilon_at_least,
)
from .program import Program, words_of
from .proof import Check, check
