"""Protocols of numbers whose report is a bin of a line: what is the same for all of them.

A bin says a number. Each kind has formulas of its own, and one symbol that no other has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core.bounds.numbers import least_shift
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports

from ..text.format import short
from .citations import cited
from .family_explanation import Story
from .formula import Crowd, Entry, Formula, listed, told
from .formula_inputs import Setting
from .numbers_formulas import HIDDEN, NumberStory, told_of_cell
from .pure_formulas import PROTOCOL
from .report_values import Step, StepOutcome

ICDE: Final = "Wang et al. 2019"
ours = partial(Formula, source="ours")

FACTOR: Final = Entry("gain_factor", "E[max], largest value of a report", "ours")
WORST: Final = Entry("variance_worst", "n Var[μ~], for the worst numbers", "ours")
EVEN: Final = Entry("variance_per_user", "n Var[μ~] where all t are 0", "ours")

USERS: Final = (
    Formula("Standard deviation of the mean, at most", "σ ≤ √(worst / n)", "ours",
            put="√({worst} / {n})",
            entry=Entry("mean_std", "standard deviation of μ~, at most", "ours")),
)  # fmt: skip

SHIFT: Final = (
    listed("report_bits", "bits of a report", "log₂ of the number of bins", "by counting"),
    ours("Shift of the mean by fakes who say the largest value", "Δ = β (E[max] − μ)",
          put="{β:5} · ({E[max]:5} − {(μ):5})", entry=Entry("shift", "shift of μ~ by mga", "ours")),
    ours("Shift of the mean by fakes who lie about their number alone", "Δ = β (1 − μ)",
          put="{β:5} · (1 − {(μ):5})", entry=Entry("lie_shift", "shift of μ~ by input", "ours")),
    ours("A shift that no defence sees, of any protocol", "Δ = β (1 − μ) e^ε / (e^ε − 1)",
          put="{β:5} · (1 − {(μ):5}) · {e^ε} / ({e^ε} − 1)",
          entry=Entry("undetectable_least", "shift of μ~ that can be hidden, at least", "ours")),
)  # fmt: skip

AT_THE_ENDS: Final = (
    ours("The most that no defence sees, of users who all hold an end of the range",
         "Δ = min(β((e^ε + 1)/(e^ε − 1) − μ), 1 − μ)",
         entry=Entry("undetectable_shift", "the most hidden of users at the ends", "ours")),
)  # fmt: skip
"""Of a population of the numbers −1 and 1 alone, whatever the protocol (tested by programme)."""

HERE: Final = (
    ours(
        "The same among these numbers, of which the lowest L of all have the mean ν",
        "Δ = β (1 − μ) + L (1 − ν), L = β / (e^ε − 1)",
        put="{β:5} · (1 − {(μ):5}) + {L:5} · (1 − {(ν):5})",
    ),
)
"""Of the numbers of a cell, whatever the protocol (tested by programme)."""

ESTIMATE: Final = (
    Formula("True mean of the users' numbers", "μ = Σ fᵥ tᵥ", ICDE, put="{μ:5}"),
    ours("Variance of the clean estimate: what reports say spreads",
          "Var[μ~] = E[σ²] / n, where σ² is the variance of a report", put="{E[σ²]} / {n}"),
)  # fmt: skip


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

HYBRID: Final = (
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
    listed("variance_worst", "n Var[μ~], for the worst numbers",
           "the same for all t, or c²", "Wang19"),
)  # fmt: skip
"""HM."""

NOISE: Final = (
    Formula("From a number of the grid to the next", "h = 2 / (K − 1)", "by counting"),
    Formula("The ratio of the noise of one step to the next", "a = 1 / e^(ε h / 2)", "GRS"),
    ours("What the end says: the mean of all that is beyond", "E[max] = 1 + h a / (1 − a)",
         entry=FACTOR),
    listed("p", "p, the upper end for t = 1", "1/(1 + a)", "GRS"),
    listed("q", "q, the same for t = −1", "1/(e^ε (1 + a))", "GRS"),
    listed("variance_per_user", "n Var[μ~] where all t are 0", "from the law of reports", "ours"),
    listed("variance_worst", "n Var[μ~], for the worst numbers", "the same, below 8/ε²", "ours"),
)  # fmt: skip
"""Laplace noise."""

OWN: Final = {
    "b": (WAVE, "in the window around t"),
    "α": (HYBRID, "near t, or at its end"),
    "ω": (PIECEWISE, "in the window around t"),
    "h": (NOISE, "at an end, of who holds it"),
}
"""The formulas of a kind by a symbol that it has, the first that fits, and where its reports are
with probability p."""

BY_LAW: Final[dict[str, Callable[[Any], float]]] = {
    "variance_per_user": lambda protocol: float(protocol.spread_at(np.zeros(1))[0]),
    "variance_worst": lambda protocol: protocol.worst,
}
"""The numbers that come from the law of reports, where a kind has no formula of them."""


def _own(protocol: Any) -> tuple[tuple[Formula, ...], str]:
    """The formulas of a protocol's own, and where its reports are with probability p."""
    return next(OWN[symbol] for symbol in OWN if symbol in protocol.symbols)


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol, cell = setting.protocol, setting.cell
    rows, _ = _own(protocol)
    numbers: dict[str, float] = {
        "ε": protocol.epsilon, "p": protocol.p, "q": protocol.q, "E[max]": protocol.factor,
        "gain_factor": protocol.factor, "report_bits": protocol.report_bits,
        "worst": protocol.worst, **protocol.symbols,
    }  # fmt: skip
    untold = [row.key for row in rows if not row.title and row.key in BY_LAW]
    numbers |= {key: BY_LAW[key](protocol) for key in untold}
    yield from told(rows, numbers, PROTOCOL)
    if setting.users is not None:
        numbers["n"] = Crowd(setting.users)
        yield from told(USERS, numbers, PROTOCOL)
    mean = setting.mean if cell is None else float(cell.population.frequencies @ protocol.values)
    if mean is not None and setting.share:
        numbers |= {"β": setting.share, "μ": mean}
    yield from told(SHIFT, numbers, PROTOCOL)
    if cell is None:
        yield from told(AT_THE_ENDS, numbers, PROTOCOL)
    else:
        yield from _of_cell(cell, numbers | {"μ": mean or 0.0})


def _of_cell(cell: Cell, numbers: dict[str, float]) -> Iterator[Formula]:
    """The formulas of a cell: what no defence sees, the estimate, and what the fakes do to it."""
    if cell.share:
        protocol: Any = cell.local
        values, mean = protocol.values, numbers["μ"]
        held = cell.population.frequencies
        least = least_shift(protocol.epsilon, values, held, cell.share)
        moved = min(cell.share / math.expm1(protocol.epsilon), 1 - cell.share)
        numbers |= {"L": moved, "ν": 1 - (least - cell.share * (1 - mean)) / moved}
        numbers |= {"β": cell.share}
    yield from told(HERE, numbers, PROTOCOL)
    yield from told_of_cell(cell, numbers, ESTIMATE)


class BinStory(NumberStory):
    """The story of a report that is a bin of a line."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:  # noqa: ARG002
        protocol: Any = cell.local
        return (f"t = {short(float(protocol.values[item]))} is told as a bin of a line",)

    def show_noise(
        self,
        cell: Cell,
        report: Reports,  # noqa: ARG002
        item: int,  # noqa: ARG002
        answer: Reports | None,  # noqa: ARG002
    ) -> Iterator[Step]:
        protocol: Any = cell.local
        outcome = StepOutcome(_own(protocol)[1], "p", protocol.p, HIDDEN)
        yield Step("Perturbation", "the bin is near the number, or anywhere", (outcome,))

    def read_number(self, protocol: Any, report: int) -> float:
        return float(protocol.said[report])

    def name_report(self, protocol: Any, report: int) -> str:
        return f"bin {report} of {protocol.said.size}"


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:  # noqa: ARG001
    yield "numbers are those of [−1, 1]; a range [low, high] is (high − low)/2 times as wide"
    sources = {row.entry.source for row in rows.values() if row.entry is not None}
    yield from cited(sources | {"Wang19"})


OF_KIND: Final = ("half_window", "claimed_factor")
BOUNDS: Final = ("shift", "lie_shift", "undetectable_least", "undetectable_shift")

STORY: Final = Story(
    formulas=_formulas,
    reports=BinStory(),
    table=("p", "q", *OF_KIND, "gain_factor", "variance_per_user", "variance_worst", "report_bits",
           "mean_std", *BOUNDS),
    fields=(*OF_KIND, "mean_std", "variance_worst", *BOUNDS),
    brief=("gain_factor", "variance_worst"),
    notes=_notes,
)  # fmt: skip
