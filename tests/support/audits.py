"""Audits that are run to their end."""

from __future__ import annotations

from ldptui.core.lab.audit import Inspection, Inspector


def ended(inspector: Inspector) -> Inspection:
    """The result of an audit that is run to its end."""
    steps = inspector.steps()
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Inspection = end.value
            return found
