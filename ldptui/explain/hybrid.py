"""HM: a report is one of PM with a probability, else one of SR."""

from __future__ import annotations

import math
from typing import Any, Final

from .formula import Entry, Formula, listed
from .line import EVEN, FACTOR, ICDE, ours, story

ROWS: Final = (
    Formula("The square root of e^ε", "s = e^(ε/2)", ICDE),
    Formula("What PM's largest report says", "C = (s + 1) / (s − 1)", ICDE),
    Formula("What SR's upper end says", "c = (e^ε + 1) / (e^ε − 1)", "DJW 2018"),
    Formula("The part of the reports that are PM's, 0 where ε is at most 0.60935",
            "α = 1 − 1/s", ICDE, put="1 − 1/{s}, else 0"),
    ours("Largest value of a report, of fakes who keep PM's part",
         "E[max] = α C + (1 − α) c", entry=FACTOR),
    ours("The most that a report says, of fakes whose part of PM's shows", "max(C, c)",
         entry=Entry("claimed_factor", "largest value that can be claimed", "ours")),
    listed("p", "p, up, or in the window of 1, for t = 1", "α p(PM) + (1 − α) p(SR)",
           "by counting"),
    listed("q", "q, the same for t = −1", "α q(PM) + (1 − α) q(SR)", "by counting"),
    Formula("n times the variance of the mean, where all numbers are 0",
            "n Var[μ~] = α (s + 3) / (3 (s − 1)²) + (1 − α) c²", ICDE, entry=EVEN),
    listed("variance_worst", "n Var[μ~] for the worst numbers",
           "the same for all t, or c²", "Wang19"),
)  # fmt: skip


def _known(protocol: Any) -> dict[str, float]:
    return {
        "s": math.exp(protocol.epsilon / 2), "C": protocol.pieces.size, "c": protocol.end_said,
        "α": protocol.part, "variance_worst": protocol.worst,
    }  # fmt: skip


STORY: Final = story(lambda _: ROWS, _known, ("claimed_factor",), "near t, or at its end")
