"""An audit finds clients whose doubles tell their items."""

from __future__ import annotations

from typing import Any

from support.audits import audited

import ldptui
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.protocols import KINDS

LOCAL = [kind for kind, spec in KINDS.items() if is_a(spec.mechanism, LocalMechanism)]


def test_doubles_of_a_simulation_are_found() -> None:
    """Every kind that is simulated alone is so for a reason."""
    for kind in LOCAL:
        protocol: Any = ldptui.protocol(kind, 4, epsilon=0.1)
        if protocol.simulated_only:
            assert audited(protocol, 4, 0.1, 80_000, 0.999).is_broken
