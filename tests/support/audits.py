"""An audit of a mechanism in Python, as `ldptui check` asks for it."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ldptui.core.lab.audit import (
    AuditReport,
    Client,
    ClientClaim,
    Effort,
    audit_client,
    report_blocks,
)
from ldptui.questions.question import finish

SURE = 1 - 1e-9
"""The confidence of an audit of a correct protocol."""


def audited(
    mechanism: Any, items: int, epsilon: float, samples: int = 240_000, sure: float = SURE,
    **claimed: Any,
) -> AuditReport:  # fmt: skip
    """The audit of whether reports of a few items spend ε at most. mechanism : has `perturb`."""
    watched = np.unique([0, 1, items // 2, items - 1])
    claim = ClientClaim(items, epsilon, **{"looked": mechanism, "watched": watched, **claimed})
    client = Client("client", partial(report_blocks, "client", mechanism.perturb, None))
    return finish(audit_client(client, claim, Effort(samples, sure)))
