"""Estimates from reports of real users behind steps of a server, by the names of scenarios."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..base.errors import DefenceError, ScenarioError, got
from ..base.files import Piped, Source
from ..base.pulse import no_pulse
from ..base.sampling import Floats
from ..base.streams import stream
from ..defences import (
    ALARMS,
    CORRECTIONS,
    FILTERS,
    Known,
    Load,
    correct_estimates,
    known,
)
from ..lab.defending import (
    SIFTED,
    Foe,
    Left,
    Rates,
    left_of,
    of_alarm,
    of_correction,
    of_filter,
    trials_of,
)
from ..lab.screening import HELD as LOOKED_AT
from ..law.moments import Unbiased
from ..law.pure import Items, LocalMechanism, Reports
from .files import read_rows
from .layout import nobody
from .memory import bounded_batches, check_memory, expected_reports
from .points import step_of
from .sources import check_rows


@dataclass(frozen=True, eq=False)
class StepVerdict:
    """The verdict of one step on reports of real users.

    alarm : None where it claims nothing. dropped : the reports that it drops, of those that the
    steps before it kept; None of one that reads no reports. named : the items that it takes for
    targets. certified : the share of fakes that it proves at least; None where it proves none.
    rates : what it does by itself on simulated collections; None where nobody asked for that, and
    of a protocol whose noise has no closed form.
    """

    kind: str
    alarm: bool | None = None
    dropped: int | None = None
    named: tuple[str, ...] = ()
    certified: float | None = None
    rates: Rates | None = None


@dataclass(frozen=True, eq=False)
class DefendedEstimates:
    """Estimates from reports of real users behind steps of a server.

    values : float64[d], the estimates after all of them. steps : their verdicts, in order.
    rows : int64[k], the reports that filters drop, by their place from 0 on. reports : N.
    """

    values: Floats
    steps: tuple[StepVerdict, ...]
    rows: Items
    reports: int

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(step.kind for step in self.steps)


def steps_of(kinds: Sequence[str], protocol: LocalMechanism) -> list[Any]:
    """The filters and alarms, then the corrections, of these kinds; raises ScenarioError."""
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
    batches: Iterable[Reports],
    protocol: LocalMechanism,
    kinds: Sequence[str],
    labels: Sequence[str],
    trials: int = SIFTED,
) -> DefendedEstimates:
    """The estimates after these steps, with what each says and what it costs.

    All reports are held at once where filters read them. labels : the names of the items. trials :
    the simulated collections that the rates of each step come from, at most; 0 leaves them out.
    Raises ScenarioError where the reports are too many, or a kind makes no sense here; DefenceError
    where a step leaves nothing.
    """
    steps = steps_of(kinds, protocol)
    filters = [step for step in steps if step.kind in FILTERS]
    raw, users, left = _received(batches, protocol, filters)
    frequencies, kept = raw, users
    if left is not None:
        if left.frequencies is None:
            raise DefenceError(f"{' and '.join(kinds)} keeps no report at all")
        frequencies, kept = left.frequencies[None], left.users
    nothing = np.empty(0, dtype=np.int64)
    everyone, about = known(protocol, users, nothing), known(protocol, kept, nothing)
    corrections = [step for step in steps if step.kind in CORRECTIONS]
    for step in corrections:
        step.check(about)
    values = correct_estimates(frequencies.copy(), corrections, about)[0]
    verdicts = iter(() if left is None else zip(left.verdicts, left.dropped, strict=True))
    made = []
    for step in steps:
        rates = _rates(step, protocol, users, raw[0], trials)
        if step.kind in CORRECTIONS:
            made.append(StepVerdict(step.kind, rates=rates))
        elif step.kind in ALARMS:
            made.append(StepVerdict(step.kind, _alarm(step, raw, everyone), rates=rates))
        else:
            verdict, dropped = next(verdicts)
            named = tuple(labels[item] for item in verdict.named)
            proved = None if math.isnan(verdict.certified) else verdict.certified
            drops = None if verdict.kept is None else dropped
            made.append(StepVerdict(step.kind, verdict.alarm, drops, named, proved, rates))
    rows = np.empty(0, dtype=np.int64) if left is None else np.flatnonzero(~left.kept)
    return DefendedEstimates(values, tuple(made), rows, users)


def read_defended(
    reports: Reports | Sequence[Source], protocol: LocalMechanism, kinds: Sequence[str],
    labels: Sequence[str], trials: int,
) -> DefendedEstimates:  # fmt: skip
    """`defend_reports` of an array or of files, of which none is standard input."""
    if isinstance(reports, np.ndarray):
        return defend_reports([reports], protocol, kinds, labels, trials)
    check_rows(reports, "defend")
    for source in reports:
        if isinstance(source, Piped):
            raise ScenarioError(f"needs files of reports, got {source}", key="defend")
    need = partial(defending_memory, protocol, kinds)
    check_memory(expected_reports(reports) or 0, need, "defend")
    batches = (rows.reports for rows in read_rows(reports, protocol))
    return defend_reports(batches, protocol, kinds, labels, trials)


def defending_memory(protocol: LocalMechanism, kinds: Sequence[str], users: int) -> int:
    """The bytes that these steps need for N reports, about; 0 where none of them reads reports.

    The reports are held twice while their batches are put in one array. Raises ScenarioError.
    """
    filters = [step for step in steps_of(kinds, protocol) if step.kind in FILTERS]
    report = nobody(protocol)
    size = report.dtype.itemsize * math.prod(report.shape[1:])
    load = Load(protocol.domain_size, users)
    return max((2 * users * size + step.memory(load) for step in filters), default=0)


def _received(
    batches: Iterable[Reports], protocol: LocalMechanism, filters: Sequence[Any]
) -> tuple[Floats, int, Left | None]:
    """float64[1, d], the estimates from all reports; N; and what filters leave of them."""
    if not filters:
        counts, users = protocol.support_counts(nobody(protocol)), 0
        for batch in batches:
            counts, users = counts + protocol.support_counts(batch), users + len(batch)
        return protocol.estimates(counts[None], users).frequencies, users, None
    kinds = [step.kind for step in filters]
    need = partial(defending_memory, protocol, kinds)
    reports = np.concatenate([*bounded_batches(batches, need, "defend")])
    raw = protocol.estimates(protocol.support_counts(reports)[None], len(reports)).frequencies
    rng = stream(0, f"defend {kinds!r} {protocol!r}", "defence", "reports")
    return raw, len(reports), left_of(filters, protocol, reports, rng, no_pulse)


def _alarm(step: Any, raw: Floats, about: Known) -> bool:
    """True where an alarm claims an attack; raises ScenarioError where it makes no sense here."""
    step.check(about)
    return bool(step.alarmed(raw, about)[0])


def _rates(
    step: Any, protocol: LocalMechanism, users: int, estimates: Floats, trials: int
) -> Rates | None:
    """The rates of a step by itself on simulated collections."""
    if not trials or not isinstance(protocol, Unbiased):
        return None
    if step.kind not in FILTERS:
        foe = Foe(protocol, users, estimates)
        return of_alarm(step, foe) if step.kind in ALARMS else of_correction(step, foe, trials)
    foe = Foe(protocol, min(users, max(1, LOOKED_AT // protocol.domain_size)), estimates)
    return of_filter(step, foe, trials_of(foe, trials), no_pulse)
