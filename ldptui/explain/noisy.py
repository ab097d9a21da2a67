"""Laplace noise on each number: a report is a point of a grid, the ends stand for all beyond."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from .formula import Formula, listed
from .line import FACTOR, ours, story

ROWS: Final = (
    Formula("From a number of the grid to the next", "h = 2 / (K − 1)", "by counting"),
    Formula("The ratio of the noise of one step to the next", "a = 1 / e^(ε h / 2)", "GRS"),
    ours("What the end says: the mean of all that is beyond", "E[max] = 1 + h a / (1 − a)",
         entry=FACTOR),
    listed("p", "p, the upper end for t = 1", "1/(1 + a)", "GRS"),
    listed("q", "q, the same for t = −1", "1/(e^ε (1 + a))", "GRS"),
    listed("variance_per_user", "n Var[μ~] where all t are 0", "from the law of reports", "ours"),
    listed("variance_worst", "n Var[μ~] for the worst numbers", "the same, below 8/ε²", "ours"),
)  # fmt: skip


def _known(protocol: Any) -> dict[str, float]:
    return {
        "h": protocol.step, "a": 1 - protocol.rest, "K": protocol.bins,
        "variance_per_user": float(protocol.spread_at(np.zeros(1))[0]),
        "variance_worst": protocol.worst,
    }  # fmt: skip


STORY: Final = story(lambda _: ROWS, _known, near="at an end, of who holds it")
