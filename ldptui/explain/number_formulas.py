"""Protocols of numbers: a report is an end of the range (SR), or a bin of a line (PM, SW, HM)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

import numpy as np

from ldptui.core.attacks import Strategy
from ldptui.core.bounds.hidden_numbers import least_shift
from ldptui.core.cell import Cell
from ldptui.core.law.numeric_protocol import NumericProtocol
from ldptui.core.law.pure import Reports, Supports
from ldptui.core.theory.mean_theory import clean_spread, fake_report_moments, numeric_protocol

from ..text.format import short
from .family_explanation import FamilyExplanation
from .formula import Formula, KnownNumbers, list_formula
from .formula_inputs import FormulaSetting
from .pure_formulas import PROTOCOL
from .report_explanation import LAWS, ReportExplanation
from .report_values import ReportStep, StepOutcome

_ours = partial(Formula, source="ours")
_counted = partial(Formula, source="by counting")
_factor = partial(_ours, key="gain_factor", name="E[max], largest value of a report")
_worst = partial(_ours, key="variance_worst", name="n Var[μ~], for the worst numbers")
_even = partial(Formula, source="ours", key="variance_per_user", name="n Var[μ~] where all t are 0")

# Of all protocols of numbers.

MEAN: Final = Formula("True mean of the users' numbers", "μ = Σ fᵥ tᵥ", "Wang19", put="{μ:5}")

ATTACK: Final = (
    Formula("Share of fake users", "β = m / (n + m)", "CJG"),
    _ours("What a fake report says, on average", "E[y], by the law of the attack"),
    _ours("Shift of the mean, and its bias", "{β:5} · ({E[y]:5} − {(μ):5})"),
    _ours("The same in numbers of the range",
          "{w:5} · {β:5} · ({E[y]:5} − {(μ):5}), where w is half the range"),
    _ours("Standard deviation of the shift in one run",
          "√[ {β:5}² · Var[μ~] + m · Var[y] / (n + m)² ]"),
)  # fmt: skip


def _numbers_of(setting: FormulaSetting) -> KnownNumbers:
    """The numbers of a setting, with the mean and the share of the fakes if they are known."""
    cell, protocol = setting.cell, setting.protocol
    known = KnownNumbers(setting, p=protocol.p, q=protocol.q)
    mean = setting.mean if cell is None else float(cell.population.frequencies @ protocol.values)
    if mean is not None and setting.share:
        known |= {"β": setting.share, "μ": mean}
    elif cell is not None:
        known["μ"] = mean or 0.0
    return known


def _of_cell(known: KnownNumbers, estimate: Sequence[Formula]) -> Iterator[Formula]:
    """Yields the estimate of the mean of a cell, and the effect of its fakes."""
    cell = cast("Cell", known.setting.cell)
    protocol, spread = numeric_protocol(cell), clean_spread(cell)
    known |= {
        "E[σ²]": spread,
        "Var[μ~]": spread / cell.users,
        "w": protocol.half_range,
        "n": cell.users,
    }
    low, high = short(protocol.low), short(protocol.high)
    yield from known.fill((MEAN, *estimate), f"Estimate, in [−1, 1] for [{low}, {high}]")
    fakes = fake_report_moments(cell)
    if cell.attack is not None and fakes is not None:
        known |= {"β": cell.share, "m": cell.malicious}
        known |= {"E[y]": fakes.mean, "Var[y]": fakes.variance}
        yield from known.fill(ATTACK, f"Attack: {cell.attack.kind.upper()}")


# An end of the range: SR.

_sr = partial(Formula, source="DJW")

SR_ROWS: Final = (
    _sr("A report says c or −c", "c = (e^ε + 1) / (e^ε − 1)", key="size",
        name="c, what a report says"),
    _sr("A report of 1, for the number 1", "p = e^ε / (e^ε + 1)", key="p",
        name="p, of a report of 1 for t = 1"),
    _sr("A report of 1, for the number −1", "q = 1 / (e^ε + 1)", key="q",
        name="q, of a report of 1 for t = −1"),
    _sr("n times the variance of the mean, at most: all numbers are 0", "n Var[μ~] = c²",
        key="variance_per_user", name="n Var[μ~] where all t are 0"),
    list_formula("variance_worst", "n Var[μ~] for the worst numbers", "c²", "DJW"),
    _ours("Shift of the mean for each fake who says c, where μ = 0", "shift/β = c",
          key="gain_factor", name="shift/β by mga, where μ is 0"),
    list_formula("report_bits", "bits of a report", "1", "by counting"),
    _sr("Standard deviation of the mean, at most", "σ ≤ c / √n", key="mean_std",
        name="standard deviation of μ~, at most"),
    _ours("Shift of the mean by fakes who say c", "Δ = β(c − μ)", put="{β:5} · ({c} − {(μ):5})",
          key="shift", name="shift of μ~ by mga"),
    _ours("The most that no defence sees: the mean of all reports is at most 1",
          "Δ = min(β(c − μ), 1 − μ)", put="min({β:5} · ({c} − {(μ):5}), 1 − {(μ):5})",
          key="undetectable_shift", name="shift of μ~ that no defence sees"),
)  # fmt: skip
SR_ESTIMATE: Final = (_sr("Variance of the clean estimate", "Var[μ~] = ({c}² − E[t²]) / n"),)


def _sr_formulas(setting: FormulaSetting) -> Iterator[Formula]:
    known = _numbers_of(setting)
    if "β" in known:  # two shifts, both called Δ
        most = known["β"] * (setting.protocol.size - known["μ"])
        known |= {"shift": most, "undetectable_shift": min(most, 1 - known["μ"])}
    yield from known.fill(SR_ROWS, PROTOCOL)
    if setting.cell is not None:
        known["E[t²]"] = known["c"] ** 2 - clean_spread(setting.cell)
        yield from _of_cell(known, SR_ESTIMATE)


# A bin of a line. Each kind has formulas of its own, and one symbol that no other has.

STD: Final = _ours("Standard deviation of the mean, at most", "σ ≤ √(worst / n)",
                   key="mean_std", name="standard deviation of μ~, at most")  # fmt: skip

SHIFT: Final = (
    list_formula("report_bits", "bits of a report", "log₂ of the number of bins", "by counting"),
    _ours("Shift of the mean by fakes who say the largest value", "Δ = β (E[max] − μ)",
          put="{β:5} · ({E[max]:5} − {(μ):5})", key="shift", name="shift of μ~ by mga"),
    _ours("Shift of the mean by fakes who lie about their number alone", "Δ = β (1 − μ)",
          put="{β:5} · (1 − {(μ):5})", key="lie_shift", name="shift of μ~ by input"),
    _ours("A shift that no defence sees, of any protocol", "Δ = β (1 − μ) e^ε / (e^ε − 1)",
          put="{β:5} · (1 − {(μ):5}) · {e^ε} / ({e^ε} − 1)",
          key="undetectable_least", name="shift of μ~ that can be hidden, at least"),
)  # fmt: skip

AT_THE_ENDS: Final = _ours(
    "The most that no defence sees, of users who all hold an end of the range",
    "Δ = min(β((e^ε + 1)/(e^ε − 1) − μ), 1 − μ)", key="undetectable_shift",
    name="the most hidden of users at the ends",
)  # fmt: skip
"""Of a population of the numbers −1 and 1 alone, whatever the protocol (tested by programme)."""

HERE: Final = _ours(
    "The same among these numbers, of which the lowest L of all have the mean ν",
    "Δ = β (1 − μ) + L (1 − ν), L = β / (e^ε − 1)",
    put="{β:5} · (1 − {(μ):5}) + {L:5} · (1 − {(ν):5})",
)
"""Of the numbers of a cell, whatever the protocol (tested by programme)."""

BIN_ESTIMATE: Final = (
    _ours("Variance of the clean estimate: what reports say spreads",
          "Var[μ~] = E[σ²] / n, where σ² is the variance of a report", put="{E[σ²]} / {n}"),
)  # fmt: skip

WINDOW: Final = (
    _ours("How likely a report is anywhere, whatever the number", "λ = 1 / (1 + ω (e^ε − 1))"),
    _counted("A report in the window of 1, of who holds 1", "p = 1 − λ + λ ω", key="p",
             name="p, in the window of 1 for t = 1"),
    _counted("A report in the window of 1, of who holds −1", "q = λ ω", key="q",
             name="q, in the window of 1 for t = −1"),
    _even("n times the variance of the mean, where all numbers are 0",
          "n Var[μ~] = C² (λ + (1 − λ) ω²) / 3"),
    _worst("n times the variance of the mean, where all numbers are 1 or −1",
           "n Var[μ~] = C² (λ + (1 − λ) ω²) / 3 + λ / (1 − λ)"),
)  # fmt: skip
"""A window of a part ω of the line, in which a place is e^ε times as likely as elsewhere."""

_pm = partial(Formula, source="Wang19")
_ROOT: Final = _pm("The square root of e^ε", "s = e^(ε/2)")

PIECEWISE: Final = (
    _ROOT,
    _factor("The end of the line of reports", "C = (s + 1) / (s − 1)", source="Wang19"),
    _pm("The window, a part of the line", "ω = 1 / (s + 1)"),
    *WINDOW,
)
"""PM."""

WAVE: Final = (
    Formula("Half the window, for numbers of [0, 1]",
            "b = (ε e^ε − e^ε + 1) / (2 e^ε (e^ε − 1 − ε))", "Li20", "half_window",
            name="b, half the window in [0, 1]"),
    _ours("The window, a part of the line", "ω = 2 b / (1 + 2 b)"),
    _factor("What the end of the line says to a server that wants the mean",
            "C = (1 + 2 b) / (1 − (1 − 1/e^ε) / ε)"),
    *WINDOW,
)  # fmt: skip
"""SW."""

HYBRID: Final = (
    _ROOT,
    _pm("What PM's largest report says", "C = (s + 1) / (s − 1)"),
    Formula("What SR's upper end says", "c = (e^ε + 1) / (e^ε − 1)", "DJW"),
    _pm("The part of the reports that are PM's, 0 where ε is at most 0.60935", "α = 1 − 1/s",
        put="1 − 1/{s}, else 0"),
    _factor("Largest value of a report, of fakes who keep PM's part",
            "E[max] = α C + (1 − α) c"),
    _ours("The most that a report says, of fakes whose part of PM's shows", "max(C, c)",
          key="claimed_factor", name="largest value that can be claimed"),
    list_formula("p", "p, up, or in the window of 1, for t = 1", "α p(PM) + (1 − α) p(SR)",
           "by counting"),
    list_formula("q", "q, the same for t = −1", "α q(PM) + (1 − α) q(SR)", "by counting"),
    _even("n times the variance of the mean, where all numbers are 0",
          "n Var[μ~] = α (s + 3) / (3 (s − 1)²) + (1 − α) c²", source="Wang19"),
    list_formula("variance_worst", "n Var[μ~], for the worst numbers", "the same for all t, or c²",
           "Wang19"),
)  # fmt: skip
"""HM."""

NOISE: Final = (
    _counted("From a number of the grid to the next", "h = 2 / (K − 1)"),
    Formula("The ratio of the noise of one step to the next", "a = 1 / e^(ε h / 2)", "GRS"),
    _factor("What the end says: the mean of all that is beyond", "E[max] = 1 + h a / (1 − a)"),
    list_formula("p", "p, the upper end for t = 1", "1/(1 + a)", "GRS"),
    list_formula("q", "q, the same for t = −1", "1/(e^ε (1 + a))", "GRS"),
    list_formula("variance_per_user", "n Var[μ~] where all t are 0",
        "from the law of reports", "ours"),
    list_formula("variance_worst", "n Var[μ~], for the worst numbers",
        "the same, below 8/ε²", "ours"),
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
    """The formulas of a protocol's own, and where its reports fall with probability p."""
    return next(OWN[symbol] for symbol in OWN if symbol in protocol.symbols)


def _bin_formulas(setting: FormulaSetting) -> Iterator[Formula]:
    protocol, cell = setting.protocol, setting.cell
    rows, _ = _own(protocol)
    known = _numbers_of(setting)
    known |= {"E[max]": protocol.factor, "gain_factor": protocol.factor, "worst": protocol.worst}
    known.update(protocol.symbols)
    words = [row.key for row in rows if not row.title and row.key in BY_LAW]
    known |= {key: BY_LAW[key](protocol) for key in words}
    yield from known.fill((*rows, STD), PROTOCOL)
    yield from known.fill(SHIFT, PROTOCOL)
    if cell is None:
        yield from known.fill((AT_THE_ENDS,), PROTOCOL)
        return
    if cell.share:
        mean, held = known["μ"], cell.population.frequencies
        least = least_shift(protocol.epsilon, protocol.values, held, cell.share)
        moved = min(cell.share / math.expm1(protocol.epsilon), 1 - cell.share)
        known |= {"L": moved, "ν": 1 - (least - cell.share * (1 - mean)) / moved}
    yield from known.fill((HERE,), PROTOCOL)
    yield from _of_cell(known, BIN_ESTIMATE)


ESTIMATES: Final = {
    "mean": "the mean of what all reports say is the estimate",
    "distribution": "the distribution that makes all reports likely is the estimate",
}
"""The server's estimate, by task."""


class NumberReports(ReportExplanation):
    """Explains a report that stands for a number, in [-1, 1] or beyond."""

    laws = LAWS | dict.fromkeys(("crafted", "avoided"), "the largest number, on the wanted side")

    def read_number(self, protocol: Any, report: int) -> float:
        """The number that a report stands for."""
        raise NotImplementedError

    def name_report(self, protocol: Any, report: int) -> str:
        """A report in words."""
        raise NotImplementedError

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        protocol: Any = cell.local
        bits = short(protocol.report_bits, 3)
        return self.name_report(protocol, int(report[0])), f"{bits} bit{'s' * (bits != '1')}"

    def show_value(self, cell: Cell, item: int | None, attack: Strategy | None) -> ReportStep:
        step = super().show_value(cell, item, attack)
        if item is not None:
            protocol = numeric_protocol(cell)
            number = short(float(protocol.range_numbers(protocol.values[item])))
            return replace(step, text=f"{number}, {step.text}")
        if cell.targets.size and cell.task.of_items:
            return step
        wish = "a number of its choice"
        if cell.targets.size:
            protocol = cast("NumericProtocol", cell.local)
            law = cast("Strategy", attack).report_law
            up = (protocol.end(cell.targets) > 0) != (law == "avoided")
            wish = "high" if up else "low"
        return replace(step, detail=(f"wants the estimated mean to be {wish}",))

    def support(self, cell: Cell, report: Reports) -> Supports | None:
        return None

    def weigh(self, cell: Cell, report: Reports) -> tuple[float, str]:
        says = self.read_number(cell.local, int(report[0]))
        return says, f"takes it for the number {short(says)}, where the range is [−1, 1]"

    def show_server(
        self, cell: Cell, report: Reports, item: int | None, attack: Strategy | None
    ) -> Iterator[ReportStep]:
        detail = ESTIMATES.get(cell.task.kind, ESTIMATES["mean"])
        yield ReportStep("Server", self.weigh(cell, report)[1], detail=(detail,))


class RoundingReports(NumberReports):
    """Explains a report that is an end of the range (stochastic rounding)."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        return (f"t = {_number(cell, item)} becomes 1 or −1, 1 with probability (1 + t)/2",)

    def show_noise(
        self, cell: Cell, report: Reports, item: int, answer: Reports | None
    ) -> Iterator[ReportStep]:
        protocol: Any = cell.protocol
        outcome = StepOutcome("the end is told as it is", "p", protocol.p, HIDDEN)
        yield ReportStep("Perturbation", "the other end is told now and then", (outcome,))

    def read_number(self, protocol: Any, report: int) -> float:
        return float((2 * report - 1) * protocol.size)

    def name_report(self, protocol: Any, report: int) -> str:
        return f"{report}: the {'upper' if report else 'lower'} end of the range"


HIDDEN: Final = "not told by the report"
"""The outcome of a coin that a report does not show."""


def _number(cell: Cell, item: int) -> str:
    """The number of an item on the line from −1 to 1."""
    return short(float(cast("NumericProtocol", cell.local).values[item]))


class BinReports(NumberReports):
    """Explains a report that is a bin of the range."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:
        protocol: Any = cell.local
        return (f"t = {short(float(protocol.values[item]))} is told as a bin of a line",)

    def show_noise(
        self, cell: Cell, report: Reports, item: int, answer: Reports | None
    ) -> Iterator[ReportStep]:
        protocol: Any = cell.local
        outcome = StepOutcome(_own(protocol)[1], "p", protocol.p, HIDDEN)
        yield ReportStep("Perturbation", "the bin is near the number, or anywhere", (outcome,))

    def read_number(self, protocol: Any, report: int) -> float:
        return float(protocol.report_values[report])

    def name_report(self, protocol: Any, report: int) -> str:
        return f"bin {report} of {protocol.report_values.size}"


def _notes(_: FormulaSetting) -> Iterator[str]:
    yield "numbers are those of [−1, 1]; a range [low, high] is (high − low)/2 times as wide"


EXPLANATIONS: Final = {
    "numbers": FamilyExplanation(_sr_formulas, RoundingReports(), notes=_notes),
    "line": FamilyExplanation(_bin_formulas, BinReports(), notes=_notes),
}
