"""Trust: whom users trust, and what that does to privacy, error and poisoning."""

from __future__ import annotations

from ldptui.core.base.errors import ScenarioError, check_among, got

from ..asking import Ask, Steps
from ..questions.planning import ANY, LADDER, TrustOptions
from . import rungs, shuffled


def answer(options: TrustOptions, ask: Ask) -> Steps:
    """The ladder of trust, or the budgets of one protocol behind a shuffler."""
    if options.protocol == LADDER:
        if options.epsilon is not None:
            rule = "must be left out without a protocol: each rung has a budget of its own"
            raise ScenarioError(f"{rule}, {got(options.epsilon)}", key="epsilon")
        return (yield from rungs.answer(options, ask.tab))
    check_among(options.protocol, (ANY, *shuffled.PROTOCOLS), "protocol")
    return (yield from shuffled.answer(options))
