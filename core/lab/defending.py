"""Filters at work on the reports of real users: verdicts, the reports that stay, the estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.pulse import Pulse
from ..base.sampling import Floats
from ..defences import Filter, Received, Verdict, given_the_rest
from ..law.pure import BoolArray, Items, Reports, Rng


@dataclass(frozen=True, eq=False)
class Left:
    """The reports of N that filters, one after the other, leave.

    kept : bool[N], the reports that stay. told : whether any filter tells fakes at all.
    verdicts : one a filter, about the reports that those before it kept. dropped : the reports
    that each of them dropped. users : the reports behind the estimates.
    frequencies : float64[d], the estimates from these; None where no report is left.
    named : the items that the last filter which names any takes for targets.
    """

    kept: BoolArray
    told: bool
    verdicts: tuple[Verdict, ...]
    dropped: tuple[int, ...]
    users: int
    frequencies: Floats | None
    named: Items

    @property
    def alarm(self) -> bool | None:
        """True where a filter claims an attack; None where none of the filters can tell."""
        claims = [each.alarm for each in self.verdicts if each.alarm is not None]
        return any(claims) if claims else None


def left_of(
    steps: Sequence[Filter], protocol: Any, reports: Reports, rng: Rng, pulse: Pulse
) -> Left:
    """The reports that these filters leave."""
    kept = np.ones(len(reports), dtype=np.bool_)
    verdicts, dropped = list[Verdict](), list[int]()
    removed: Any = 0
    for step in steps:
        here = reports[kept] if dropped and any(dropped) else reports
        verdict = step.sift(Received(protocol, here, rng, pulse))
        before = int(kept.sum())
        if verdict.kept is not None:
            kept[np.flatnonzero(kept)[~verdict.kept]] = False
        removed = removed + (0 if verdict.removed is None else verdict.removed)
        verdicts.append(verdict)
        dropped.append(before - int(kept.sum()))
    users = int(kept.sum()) - sum(each.fewer for each in verdicts)
    told = any(each.kept is not None for each in verdicts)
    names = [each.named for each in verdicts if each.named.size]
    named = names[-1] if names else np.empty(0, dtype=np.int64)
    values = None
    if users > 0:
        counts = protocol.support_counts(reports if kept.all() else reports[kept]) - removed
        values = given_the_rest(protocol.estimates(counts[None], users).frequencies[0], named)
    return Left(kept, told, tuple(verdicts), tuple(dropped), users, values, named)
