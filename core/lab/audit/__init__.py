"""Checks of a mechanism's claim of privacy: enumeration, a Monte-Carlo audit, an audit of clients.

`check` goes through every report and every pair of inputs: a proof. `audit` sees samples alone, and
can refute a claim, not prove it. An `Inspector` audits somebody's client in rounds, every pair of
its items, and looks at its coins and its law as well.
"""

from __future__ import annotations

from .client import Client, made, program, recorded
from .coins import Published, published
from .evidence import Claim
from .found import Asked, Finding, Inspection, Progress, Verdict
from .inspection import Inspector
from .lens import Sampler
from .monte_carlo import (
    Audit,
    Perturbs,
    audit,
    audit_protocol,
    clopper_pearson,
    epsilon_at_least,
)
from .power import Power, Setting, power_of
from .process import Command, words_of
from .proof import Check, check
from .readings import reading
