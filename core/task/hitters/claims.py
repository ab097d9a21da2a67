"""The alarms of steps that read the sizes of the groups, and how often they are expected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...base.arms import ATTACKED_DEFENDED, CLEAN_DEFENDED, Arm
from ...base.flags import Flags
from ...cell import Cell
from ...defences import reads_groups
from .collection import Hunt
from .growth import Tree


def claims_of(cell: Cell, clean: Sequence[Tree], attacked: Sequence[Tree]) -> Mapping[Arm, Flags]:
    """The claims in the defended arms, an alarm where any step raises one; none without a step."""
    steps = [step for step in cell.defences if reads_groups(step)]
    claims: dict[Arm, Flags] = {}
    for arm, trees in ((CLEAN_DEFENDED, clean), (ATTACKED_DEFENDED, attacked)):
        if steps:
            sizes = np.array([[level.users for level in tree] for tree in trees])
            alarm = np.any([step.uneven(sizes) for step in steps], axis=0)
            nothing = Flags.nothing(cell.users, cell.malicious * arm.attacked, len(trees))
            claims[arm] = replace(nothing, alarm=alarm.astype(np.float64))
    return claims


def expected_alarms(hunt: Hunt) -> dict[str, float | None]:
    """The chances that the step alarms, with the fakes and without; empty with several steps."""
    cell, groups = hunt.cell, len(hunt.prefixes.lengths)
    steps = [step for step in cell.defences if reads_groups(step)]
    if len(steps) != 1:
        return {}
    nobody = np.zeros(groups)
    by_chance = steps[0].power(cell.users, nobody)
    # Fakes in groups that the server draws are as even as everybody.
    chosen = nobody
    if hunt.weights is not None:
        chosen = np.asarray(hunt.weights) * cell.malicious
    return {"false_alarm_rate": by_chance, "alarm_rate": steps[0].power(cell.users, chosen)}
