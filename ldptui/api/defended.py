"""Reports of real users behind filters and corrections, by the names that scenarios have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.pulse import no_pulse
from ldptui.core.base.sampling import Floats
from ldptui.core.base.streams import stream
from ldptui.core.defences import CORRECTIONS, FILTERS, Received, asks_twice, corrected, known
from ldptui.core.law.pure import LocalMechanism, Reports

from ..catalogue import in_order
from .by_name import defence

HELD: Final = 4 * 2**30
"""Bytes that reports, and what filters need besides, may take."""


def steps_of(kinds: Sequence[str], protocol: LocalMechanism) -> list[Any]:
    """The filters, then the corrections, of these kinds; raises ScenarioError."""
    allowed = {**FILTERS, **CORRECTIONS}
    for kind in kinds:
        if kind not in allowed or asks_twice(allowed[kind]):
            listed = ", ".join(name for name in in_order("defence", allowed) if name != "ldpguard")
            raise ScenarioError(f"must be of {listed}, {got(kind)}", key="defend")
        reason = allowed[kind]().reads(protocol) if kind in FILTERS else None
        if reason is not None:
            raise ScenarioError(f'must not have "{kind}" with {reason}', key="defend")
    if [*kinds] != sorted(kinds, key=lambda kind: kind not in FILTERS):
        raise ScenarioError("must name filters before corrections", key="defend")
    return [defence(kind) for kind in kinds]


def defended(
    batches: Iterable[Reports], protocol: LocalMechanism, kinds: Sequence[str]
) -> tuple[Floats, int]:
    """float64[d], the estimates after these filters and corrections; the reports they dropped.

    All reports are held at once. Raises ScenarioError where these are too many, or a kind makes no
    sense here; DefenceError where a correction leaves nothing.
    """
    steps, held, size = steps_of(kinds, protocol), list[Reports](), 0
    filters = [step for step in steps if step.kind in FILTERS]
    for batch in batches:
        held.append(batch)
        size += batch.nbytes
        users = sum(map(len, held))
        more = max((step.memory(protocol, users) for step in filters), default=0)
        if size + more > HELD:
            rule = f"needs more than 4.3 GB for more than {users} reports"
            raise ScenarioError(f"{rule}: filters hold all at once", key="defend")
    reports, dropped = np.concatenate(held), 0
    removed: Any = 0
    fewer, rng = 0, stream(0, f"defend {kinds!r} {protocol!r}", "defence", "reports")
    for step in filters:
        verdict = step.sift(Received(protocol, reports, rng, no_pulse))
        removed = removed + (0 if verdict.removed is None else verdict.removed)
        fewer += verdict.fewer
        if verdict.kept is not None:
            dropped += int((~verdict.kept).sum())
            reports = reports[verdict.kept]
    users = len(reports) - fewer
    values = protocol.estimates((protocol.support_counts(reports) - removed)[None], users)
    knowledge = known(protocol, users, np.empty(0, dtype=np.int64))
    corrections = [step for step in steps if step.kind not in FILTERS]
    for step in corrections:
        step.check(knowledge)
    return corrected(values.frequencies, corrections, knowledge)[0], dropped
