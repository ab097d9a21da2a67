"""Checks of a mechanism's claim of privacy: enumeration, and an audit of the reports of clients.

`check` goes through every report and every pair of inputs: a proof. `audit_client` sees samples
only: it can refute a claim, not prove it, and compares a client with the protocol that it claims
to follow.
"""

from __future__ import annotations

from .client import AuditReport, Client, ClientClaim, Effort, audit_client, report_blocks
from .program import Program, words_of
from .proof import Check, check
