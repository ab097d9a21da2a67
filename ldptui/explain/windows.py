"""PM and SW: a report is near the number with a probability, else anywhere on a line."""

from __future__ import annotations

import math
from typing import Any, Final

from .formula import Entry, Formula
from .line import EVEN, FACTOR, ICDE, WORST, ours, story

SIGMOD: Final = "Li et al. 2020"

WINDOW: Final = (
    ours("How likely a report is anywhere, whatever the number", "λ = 1 / (1 + ω (e^ε − 1))"),
    Formula("A report in the window of 1, of who holds 1", "p = 1 − λ + λ ω", "by counting",
            entry=Entry("p", "p, in the window of 1 for t = 1", "by counting")),
    Formula("A report in the window of 1, of who holds −1", "q = λ ω", "by counting",
            entry=Entry("q", "q, in the window of 1 for t = −1", "by counting")),
    ours("n times the variance of the mean, where all numbers are 0",
          "n Var[μ~] = C² (λ + (1 − λ) ω²) / 3", entry=EVEN),
    ours("n times the variance of the mean, where all numbers are 1 or −1",
          "n Var[μ~] = C² (λ + (1 − λ) ω²) / 3 + λ / (1 − λ)", entry=WORST),
)  # fmt: skip
"""A window of a part ω of the line, in which a place is e^ε times as likely as elsewhere."""


PIECEWISE: Final = (
    Formula("The square root of e^ε", "s = e^(ε/2)", ICDE),
    Formula("The end of the line of reports", "C = (s + 1) / (s − 1)", ICDE, entry=FACTOR),
    Formula("The window, a part of the line", "ω = 1 / (s + 1)", ICDE),
    *WINDOW,
)
"""PM."""

WAVE: Final = (
    Formula("Half the window, for numbers of [0, 1]",
            "b = (ε e^ε − e^ε + 1) / (2 e^ε (e^ε − 1 − ε))", SIGMOD,
            entry=Entry("half_window", "b, half the window in [0, 1]", "Li20")),
    ours("The window, a part of the line", "ω = 2 b / (1 + 2 b)"),
    ours("What the end of the line says to a server that wants the mean",
         "C = (1 + 2 b) / (1 − (1 − 1/e^ε) / ε)", entry=FACTOR),
    *WINDOW,
)  # fmt: skip
"""SW."""


def _known(protocol: Any) -> dict[str, float]:
    own = {"C": protocol.size, "ω": protocol.width, "λ": protocol.base, **protocol.symbols}
    return own if "b" in own else {**own, "s": math.exp(protocol.epsilon / 2)}


STORY: Final = story(
    lambda protocol: WAVE if "b" in protocol.symbols else PIECEWISE, _known, ("half_window",)
)
