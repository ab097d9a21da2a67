"""The defended arms of a collection: filters' counts, alarms, then corrections."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ...base.arms import ATTACKED, CLEAN, Arm
from ...base.errors import DefenceError
from ...base.flags import Flags
from ...base.sampling import Counts, Floats
from ...cell import Cell
from ...collection.sifting import Sifted
from ...defences import corrected, given_the_rest, is_alarm, known
from ...law.pure import Estimates

Conclusions = Mapping[Arm, Estimates]


def defended(
    cell: Cell, arm: Arm, made: Conclusions, sifted: Mapping[Arm, Sifted], previous: Conclusions
) -> Estimates:
    """The estimates in a defended arm.

    made : the arms without a defence. sifted : what filters left of the reports; empty without
    one. previous : all arms of the round before; empty where there is none.
    """
    raw = made[ATTACKED if arm.attacked else CLEAN]
    everyone = cell.users + cell.malicious * arm.attacked
    frequencies, users = raw.frequencies, np.full(len(raw.frequencies), everyone)
    flags = None
    if arm in sifted:
        left = sifted[arm]
        frequencies, users, flags = kept_frequencies(cell, left), left.users, left.flags
    if any(map(is_alarm, cell.defences)):
        before = previous.get(ATTACKED if arm.attacked else CLEAN)
        flags = _alarmed(cell, raw, before, everyone, flags)
    return Estimates(corrected_by_all(cell, frequencies, users), raw.detected, flags)


def kept_frequencies(cell: Cell, sifted: Sifted) -> Floats:
    """float64[trials, d], from the reports that filters kept; named targets get what is left of 1.

    Raises DefenceError where a trial has no report left.
    """
    if (sifted.users <= 0).any():
        kinds = " and ".join(step.kind for step in cell.filters)
        raise DefenceError(f"{kinds} keeps no report at all")
    made = [
        given_the_rest(
            cell.sifted.protocol.estimates(counts[None], int(users)).frequencies[0], named
        )
        for counts, users, named in zip(sifted.counts, sifted.users, sifted.named, strict=True)
    ]
    return np.stack(made)


def corrected_by_all(cell: Cell, frequencies: Floats, users: Counts) -> Floats:
    """The frequencies after all corrections; each trial by its own number of reports."""
    if not cell.corrections:
        return frequencies
    protocol = cell.sifted.protocol
    if (users == users[0]).all():
        return corrected(
            frequencies, cell.corrections, known(protocol, int(users[0]), cell.targets)
        )
    rows = [
        corrected(row[None], cell.corrections, known(protocol, int(count), cell.targets))
        for row, count in zip(frequencies, users, strict=True)
    ]
    return np.concatenate(rows)


def _alarmed(
    cell: Cell, raw: Estimates, before: Estimates | None, users: int, flags: Flags | None
) -> Flags:
    """The flags with what alarms claim of the estimates without a defence."""
    if flags is None:
        flags = Flags.nothing(cell.users, users - cell.users, len(raw.frequencies))
    past = None if before is None else before.frequencies
    about = replace(known(cell.protocol, users, cell.targets), before=past)
    alarm = flags.alarm
    for step in filter(is_alarm, cell.defences):
        claimed = step.alarmed(raw.frequencies, about)
        if claimed is not None:
            alarm = np.fmax(alarm, claimed.astype(float))
    return replace(flags, alarm=alarm)
