"""A collection whose reports are verified: what arrives of it in the defended arms.

Filters read those reports in `.sifting`; here none does, and on the counts path none is made.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..base.arms import ATTACKED_DEFENDED, CLEAN_DEFENDED, Arm
from ..base.pulse import Pulse
from ..base.sampling import Counts
from ..cell import Cell
from .counts import drawn_trials, genuine_counts, sent_counts
from .reports import ALONE, Past
from .sifting import Sifted


def verified_counts(
    cell: Cell,
    number: int,
    trials: int,
    pulse: Pulse,
    clean: Counts,
    past: Past = ALONE,
) -> Mapping[Arm, Sifted]:
    """The reports that arrive before and after the attack; nothing where no defence verifies them.

    clean : the genuine users' counts [trials, d] without a defence. They are shared where users are
    asked by the same protocol.
    """
    if cell.verifier is None:
        return {}
    asked = cell.sifted
    drawn = drawn_trials(cell, trials)
    if cell.asked is not None:
        clean = genuine_counts(asked, number, drawn, pulse)[:trials]
    nobody = (np.empty(0, dtype=np.int64),) * trials
    before = Sifted(clean, np.full(trials, cell.users), nobody, None)
    if cell.attack is None:
        return {CLEAN_DEFENDED: before, ATTACKED_DEFENDED: before}
    fakes, senders = sent_counts(asked, number, drawn, pulse, past)
    after = Sifted(clean + fakes[:trials], cell.users + senders[:trials], nobody, None)
    return {CLEAN_DEFENDED: before, ATTACKED_DEFENDED: after}
