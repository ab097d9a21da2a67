"""Estimates from reports of real users after defences, which are named as in scenarios."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ..base.errors import DefenceError, ScenarioError, got
from ..base.files import Source
from ..base.sampling import Floats
from ..base.streams import stream
from ..defences import (
    ALARMS,
    CORRECTIONS,
    FILTERS,
    Alarm,
    Filter,
    Load,
    TrialReports,
    Verdict,
    correct_estimates,
    given_the_rest,
    inform_server,
)
from ..law.moments import Unbiased
from ..law.pure import BoolArray, Items, LocalMechanism, Reports
from .column_layout import nobody
from .points import step_of
from .rates import SIFTED, SmallAttack, StepVerdict
from .reading import check_memory, reread

HELD: Final = 2**25
"""Items times users of the simulated collections of a filter, at most."""
NOBODY: Final = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class DefendedEstimates:
    """The estimates from reports of real users after the server's defences.

    values : float64[d]. steps : the defences' verdicts, in order. rows : int64[k], the positions,
    from 0, of the reports that filters drop. reports : N.
    """

    values: Floats
    steps: tuple[StepVerdict, ...]
    rows: Items
    reports: int

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(step.kind for step in self.steps)


def steps_of(kinds: Sequence[str], protocol: LocalMechanism) -> list[Any]:
    """The defences of these kinds: filters and alarms, then corrections.

    Raises ScenarioError for a kind that is unknown, needs two rounds or two reports of a user,
    cannot read the protocol's reports, or is in the wrong order.
    """
    every = {**FILTERS, **ALARMS, **CORRECTIONS}
    allowed = {
        kind: step for kind, step in every.items() if not (step.asks_twice or step.compares_rounds)
    }
    for kind in kinds:
        if kind in every and kind not in allowed:
            why = "compares two rounds" if every[kind].compares_rounds else "asks every user twice"
            raise ScenarioError(f'must not have "{kind}", which {why}', key="defend")
        if kind not in allowed:
            raise ScenarioError(f"must be of {', '.join(allowed)}, {got(kind)}", key="defend")
        reason = allowed[kind]().reads(protocol) if kind in FILTERS else None
        if reason is not None:
            raise ScenarioError(f'must not have "{kind}" with {reason}', key="defend")
    if [*kinds] != sorted(kinds, key=lambda kind: kind in CORRECTIONS):
        raise ScenarioError("must name filters before corrections", key="defend")
    return [step_of(kind, allowed, "defend") for kind in kinds]


def defend_reports(
    reports: Reports | Sequence[Source],
    protocol: LocalMechanism,
    kinds: Sequence[str],
    labels: Sequence[str],
    trials: int = SIFTED,
) -> DefendedEstimates:
    """The estimates after these defences, with each defence's verdict and cost.

    All reports are held in memory for filters. labels : the names of the items. trials : the number
    of simulated collections for the rates of each defence, at most; 0 for no rates.

    Raises ScenarioError for too many reports, or a kind that does not fit; DefenceError if a
    defence leaves nothing.
    """
    steps = steps_of(kinds, protocol)
    with reread(reports, protocol, "defend") as read:
        sifted = _sift(steps, protocol, read())
    if sifted.frequencies is None:
        raise DefenceError(f"{' and '.join(kinds)} keeps no report at all")
    users, raw = sifted.kept.size, sifted.raw
    everyone, about = (
        inform_server(protocol, users, NOBODY),
        inform_server(protocol, sifted.users, NOBODY),
    )
    corrections = [step for step in steps if step.kind in CORRECTIONS]
    for step in (*corrections, *(each for each in steps if isinstance(each, Alarm))):
        step.check(about if step.kind in CORRECTIONS else everyone)
    values = correct_estimates(sifted.frequencies[None].copy(), corrections, about)[0]
    made = list[StepVerdict]()
    for step in steps:
        at_once = max(1, HELD // protocol.domain_size) if isinstance(step, Filter) else users
        rates = None
        if trials and isinstance(protocol, Unbiased):
            rates = SmallAttack(protocol, min(users, at_once), raw).rates(step, trials)
        if isinstance(step, Filter):
            verdict = sifted.verdicts[len(made)]
            dropped = None if verdict.kept is None else int((~verdict.kept).sum())
            proved = None if math.isnan(verdict.certified) else verdict.certified
            named = tuple(labels[item] for item in verdict.named)
            made.append(StepVerdict(step.kind, verdict.alarm, users, rates, None, dropped, named,
                                    proved))  # fmt: skip
        else:
            claims = step.detect_attack(raw[None], everyone) if isinstance(step, Alarm) else None
            alarm = None if claims is None else bool(claims[0])
            made.append(StepVerdict(step.kind, alarm, users, rates))
    return DefendedEstimates(values, tuple(made), np.flatnonzero(~sifted.kept), users)


@dataclass(frozen=True, eq=False)
class _FilteredReports:
    """The reports of N that filters, one after the other, leave.

    raw : float64[d], the estimates from all of them. kept : bool[N], those that stay. verdicts :
    one a filter, by its place among the steps, about what those before it kept. users : the
    reports behind the frequencies, float64[d]; None where no report is left.
    """

    raw: Floats
    kept: BoolArray
    verdicts: dict[int, Verdict]
    users: int
    frequencies: Floats | None


def _sift(steps: Sequence[Any], protocol: Any, batches: Iterable[Reports]) -> _FilteredReports:
    """The reports that the filters among these steps leave; raises ScenarioError."""
    filters = {at: step for at, step in enumerate(steps) if isinstance(step, Filter)}
    counts, users, held = protocol.support_counts(nobody(protocol)), 0, list[Reports]()
    for batch in batches:
        counts, users = counts + protocol.support_counts(batch), users + len(batch)
        if filters:
            held.append(batch)
            load = Load(protocol.domain_size, users)
            size = 2 * users * batch.nbytes // max(1, len(batch))  # twice while they are put in one
            check_memory(users, max(size + step.memory(load) for step in filters.values()),
                         "defend")  # fmt: skip
    raw = protocol.estimates(counts[None], users).frequencies[0]
    kept, verdicts, named = np.ones(users, dtype=np.bool_), dict[int, Verdict](), NOBODY
    if not filters:
        return _FilteredReports(raw, kept, verdicts, users, raw)
    reports = np.concatenate(held)
    kinds = [step.kind for step in filters.values()]
    rng = stream(0, f"defend {kinds!r} {protocol!r}", "defence", "reports")
    for at, step in filters.items():
        here = reports if kept.all() else reports[kept]
        verdict = verdicts[at] = step.sift(TrialReports(protocol, here, rng))
        if verdict.kept is not None:
            kept[np.flatnonzero(kept)[~verdict.kept]] = False
        counts = counts - (0 if verdict.removed is None else verdict.removed)
        named = verdict.named if verdict.named.size else named
    left = int(kept.sum()) - sum(each.fewer for each in verdicts.values())
    values = None
    if left > 0:
        counts = counts - protocol.support_counts(reports[~kept])
        values = given_the_rest(protocol.estimates(counts[None], left).frequencies[0], named)
    return _FilteredReports(raw, kept, verdicts, left, values)
