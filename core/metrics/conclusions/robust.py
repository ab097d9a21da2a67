"""The metrics of what is still concluded if as many reports may be fake as are: `core.bounds`."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from ...base.arms import ATTACKED, ATTACKED_DEFENDED
from ...base.sampling import Floats
from ...bounds.fakes import floors_of_ordered
from ..conclusion import Metric, Robust
from .frequencies import FrequencyConclusion


def _coverage(outcome: Any) -> Floats:
    covered = outcome.covered
    return np.asarray(np.count_nonzero(covered, axis=1) / covered.shape[1])


def _overturning(outcome: FrequencyConclusion) -> Floats:
    """β* of the claim that the item with the largest estimate is the most frequent one."""
    second, first = outcome.ballot.means(outcome.ordered[:, -2:]).T
    return np.asarray((first - second) / outcome.ballot.reach)


def _certified(outcome: FrequencyConclusion) -> Floats:
    """What sets of items prove where the reports are read for that, else what counts prove."""
    made = outcome.estimates.get(ATTACKED_DEFENDED)
    if made is not None and made.flags is not None:
        proved = made.flags.certified
        if not np.isnan(proved).all():
            return proved
    assert outcome.protocol is not None
    reports = outcome.users + outcome.malicious
    return floors_of_ordered(outcome.protocol, outcome.ordered, reports) / reports


_row = partial(Metric, of=(FrequencyConclusion,), supports=True)
_any = partial(_row, of=(Robust,))

METRICS: Final = (
    _any("robust_low", lambda o: o.robust_ends[0].mean(axis=1), (ATTACKED,), targets=True),
    _any("robust_high", lambda o: o.robust_ends[1].mean(axis=1), (ATTACKED,), targets=True),
    _any("robust_coverage", _coverage, (ATTACKED,)),
    _row("overturning_share", _overturning, (ATTACKED,)),
    _row("certified_fakes", _certified, (ATTACKED,)),
)  # fmt: skip
"""The metrics in the order of columns, after those of all other conclusions."""

COLUMNS = ((4, METRICS),)
