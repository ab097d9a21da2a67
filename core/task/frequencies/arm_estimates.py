"""The estimates in each arm: of one collection, and pooled over the rounds of a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...base.arms import ATTACKED, ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED, DEFENDED, Arm
from ...base.errors import DefenceError
from ...base.flags import Flags, pool_flags
from ...base.sampling import Counts, Floats
from ...cell import Cell
from ...collection.sifting import FilteredReports
from ...defences import Alarm, correct_estimates, given_the_rest, inform_server
from ...law.pure import Estimates
from ...protocols.rappor import Rappor


def estimates_of(
    cell: Cell,
    clean: Counts,
    attacked: Counts,
    sifted: Mapping[Arm, FilteredReports],
    previous: Mapping[Arm, Estimates],
    everyone: Counts | None = None,
) -> Mapping[Arm, Estimates]:
    """The estimates in each arm (clean or attacked, without and with defences); equal counts are
    estimated once.

    clean, attacked : [trials, …], the support counts without and with the attack. sifted : the
    reports that filters keep. previous : the estimates of the previous round. everyone :
    int64[trials], the reports of the attacked arm; None for all users.
    """
    made = _estimate_undefended(cell, clean, attacked, everyone)
    if not cell.defences:
        return made
    before = defend_estimates(cell, CLEAN_DEFENDED, made, sifted, previous)
    same = attacked is clean and previous.get(CLEAN) is previous.get(ATTACKED)
    after = before if same else defend_estimates(cell, ATTACKED_DEFENDED, made, sifted, previous)
    return made | {CLEAN_DEFENDED: before, ATTACKED_DEFENDED: after}


def _estimate_undefended(
    cell: Cell, clean: Counts, attacked: Counts, everyone: Counts | None = None
) -> dict[Arm, Estimates]:
    before = cell.protocol.estimates(clean, cell.users)
    if attacked is clean:
        return {CLEAN: before, ATTACKED: before}
    if everyone is not None and (everyone != everyone[0]).any():  # some fakes send no report
        rows = zip(attacked, everyone.tolist(), strict=True)
        each = [cell.protocol.estimates(row[None], count).frequencies for row, count in rows]
        return {CLEAN: before, ATTACKED: Estimates(np.concatenate(each))}
    total = cell.users + cell.malicious if everyone is None else int(everyone[0])
    return {CLEAN: before, ATTACKED: cell.protocol.estimates(attacked, total)}


class Pool:
    """The estimates of a campaign's rounds, pooled: their mean, weighted by the rounds' users.

    For a pure protocol that is the estimate from all reports. RAPPOR's estimates come from the sum
    of the counts instead.
    """

    def __init__(self, cell: Cell) -> None:
        self._cell, self._by_counts = cell, isinstance(cell.protocol, Rappor)
        self._clean: Any = 0
        self._attacked: Any = 0
        self._left: dict[Arm, tuple[Floats, Counts]] = {}
        self._flags: dict[Arm, list[Flags]] = {arm: [] for arm in DEFENDED}

    def add(
        self,
        collection: Cell,
        clean: Counts,
        attacked: Counts,
        concluded: Mapping[Arm, Estimates],
        sifted: Mapping[Arm, FilteredReports],
    ) -> None:
        """Add one round: its counts before and after the attack, its estimates, and the reports
        that filters keep.
        """
        for arm, left in sifted.items():
            users = left.users
            sums, before = self._left.get(arm, (0.0, 0))
            made = kept_frequencies(collection, left) * users[:, None]
            self._left[arm] = sums + made, before + users
        for arm, flags in self._flags.items():
            raised = concluded[arm].flags if arm in concluded else None
            flags += [] if raised is None else [raised]
        if self._by_counts:
            self._clean, self._attacked = self._clean + clean, self._attacked + attacked
            return
        everyone = collection.users + collection.malicious
        self._clean = self._clean + collection.users * concluded[CLEAN].frequencies
        self._attacked = self._attacked + everyone * concluded[ATTACKED].frequencies

    def estimates(self, trials: int) -> Mapping[Arm, Estimates]:
        """The pooled estimates of all rounds in each arm, of the first `trials` trials."""
        cell, clean = self._cell, self._clean[:trials]
        attacked = clean if cell.attack is None else self._attacked[:trials]
        if self._by_counts:
            made = _estimate_undefended(cell, clean, attacked)
        else:
            before = Estimates(clean / cell.users)
            everyone = cell.users + cell.malicious
            after = before if cell.attack is None else Estimates(attacked / everyone)
            made = {CLEAN: before, ATTACKED: after}
        return made | self._pool_defended(made, trials) if cell.defences else made

    def _pool_defended(self, made: Mapping[Arm, Estimates], trials: int) -> dict[Arm, Estimates]:
        """The defended arms of all rounds together."""
        arms: dict[Arm, Estimates] = {}
        for arm in DEFENDED:
            raw = made[ATTACKED if arm.attacked else CLEAN]
            frequencies = raw.frequencies
            everyone = self._cell.users + self._cell.malicious * arm.attacked
            users = np.full(len(frequencies), everyone)
            if arm in self._left:
                sums, users = self._left[arm]
                frequencies = (sums / users[:, None])[:trials]
            flags = self._flags[arm]
            whole = pool_flags(flags).first(trials) if flags else None
            same = arm.attacked and raw is made[CLEAN]
            arms[arm] = (
                arms[arm.before]
                if same
                else Estimates(
                    corrected_by_all(self._cell, frequencies, users[:trials]), raw.detected, whole
                )
            )
        return arms


Conclusions = Mapping[Arm, Estimates]


def defend_estimates(
    cell: Cell,
    arm: Arm,
    made: Conclusions,
    sifted: Mapping[Arm, FilteredReports],
    previous: Conclusions,
) -> Estimates:
    """The estimates in a defended arm, after filters and corrections.

    made : the estimates of the arms without a defence. sifted : the reports that filters keep;
    empty without a filter. previous : the estimates of all arms of the previous round; empty in the
    first.
    """
    raw = made[ATTACKED if arm.attacked else CLEAN]
    everyone = cell.users + cell.malicious * arm.attacked
    frequencies, users = raw.frequencies, np.full(len(raw.frequencies), everyone)
    flags = None
    if arm in sifted:
        left = sifted[arm]
        frequencies, users, flags = kept_frequencies(cell, left), left.users, left.flags
    if any(isinstance(step, Alarm) for step in cell.defences):
        before = previous.get(ATTACKED if arm.attacked else CLEAN)
        flags = _flag_alarms(cell, raw, before, everyone, flags)
    return Estimates(corrected_by_all(cell, frequencies, users), raw.detected, flags)


def kept_frequencies(cell: Cell, sifted: FilteredReports) -> Floats:
    """float64[trials, d]: frequencies from the reports that filters kept; named targets share 1
    less the sum of the others.

    Raises DefenceError if a trial has no report left.
    """
    if (sifted.users <= 0).any():
        kinds = " and ".join(step.kind for step in cell.filters)
        raise DefenceError(f"{kinds} keeps no report at all")
    made = [
        given_the_rest(
            cell.sifted_cell.protocol.estimates(counts[None], int(users)).frequencies[0], named
        )
        for counts, users, named in zip(sifted.counts, sifted.users, sifted.named, strict=True)
    ]
    return np.stack(made)


def corrected_by_all(cell: Cell, frequencies: Floats, users: Counts) -> Floats:
    """float64[trials, d]: the frequencies after all corrections. users : int64[trials], the number
    of reports.
    """
    if not cell.corrections:
        return frequencies
    protocol = cell.sifted_cell.protocol
    if (users == users[0]).all():
        return correct_estimates(
            frequencies, cell.corrections, inform_server(protocol, int(users[0]), cell.targets)
        )
    rows = [
        correct_estimates(
            row[None], cell.corrections, inform_server(protocol, int(count), cell.targets)
        )
        for row, count in zip(frequencies, users, strict=True)
    ]
    return np.concatenate(rows)


def _flag_alarms(
    cell: Cell, raw: Estimates, before: Estimates | None, users: int, flags: Flags | None
) -> Flags:
    """The flags with what alarms claim of the estimates without a defence."""
    if flags is None:
        flags = Flags.nothing(cell.users, users - cell.users, len(raw.frequencies))
    history = None if before is None else before.frequencies
    about = replace(inform_server(cell.protocol, users, cell.targets), before=history)
    alarm = flags.alarm
    for step in (step for step in cell.defences if isinstance(step, Alarm)):
        claimed = step.detect_attack(raw.frequencies, about)
        if claimed is not None:
            alarm = np.fmax(alarm, claimed.astype(float))
    return replace(flags, alarm=alarm)
