"""Numbers (SR): a report is one end of the range, and the server takes the mean of the reports."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, cast

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.numbers import NumericProtocol
from ldptui.core.law.pure import Reports, Supports
from ldptui.core.protocols.sr import SR
from ldptui.core.task.numbers import OfNumbers, clean_spread, fakes_told

from ..text.format import short
from .citations import cited
from .family_explanation import Story
from .formula import CJG, Crowd, Entry, Formula, Numbers, listed, told
from .formula_inputs import Setting
from .pure_formulas import PROTOCOL
from .report_story import LAWS, ReportStory
from .report_values import Step, StepOutcome

DJW: Final = "Duchi, Jordan, Wainwright 2018"
_row = partial(Formula, source=DJW)
_ours = partial(Formula, source="ours")

ROWS: Final = (
    _row("A report says c or −c", "c = (e^ε + 1) / (e^ε − 1)",
         entry=Entry("size", "c, what a report says", "DJW")),
    _row("A report of 1, for the number 1", "p = e^ε / (e^ε + 1)",
         entry=Entry("p", "p, of a report of 1 for t = 1", "DJW")),
    _row("A report of 1, for the number −1", "q = 1 / (e^ε + 1)",
         entry=Entry("q", "q, of a report of 1 for t = −1", "DJW")),
    _row("n times the variance of the mean, at most: all numbers are 0", "n Var[μ~] = c²",
         entry=Entry("variance_per_user", "n Var[μ~] where all t are 0", "DJW")),
    listed("variance_worst", "n Var[μ~] for the worst numbers", "c²", "DJW"),
    _ours("Shift of the mean for each fake who says c, where μ = 0", "shift/β = c",
          entry=Entry("gain_factor", "shift/β by mga, where μ is 0", "ours")),
    listed("report_bits", "bits of a report", "1", "by counting"),
    _row("Standard deviation of the mean, at most", "σ ≤ c / √n",
         entry=Entry("mean_std", "standard deviation of μ~, at most", "DJW")),
    _ours("Shift of the mean by fakes who say c", "Δ = β(c − μ)",
          put="{β:5} · ({c} − {(μ):5})", entry=Entry("shift", "shift of μ~ by mga", "ours")),
    _ours("The most that no defence sees: the mean of all reports is at most 1",
          "Δ = min(β(c − μ), 1 − μ)", put="min({β:5} · ({c} − {(μ):5}), 1 − {(μ):5})",
          entry=Entry("undetectable_shift", "shift of μ~ that no defence sees", "ours")),
)  # fmt: skip

ESTIMATE: Final = (
    _row("True mean of the users' numbers", "μ = Σ fᵥ tᵥ", put="{μ:5}"),
    _row("Variance of the clean estimate", "Var[μ~] = ({c}² − E[t²]) / n"),
)

ATTACK: Final = (
    Formula("Share of fake users", "β = m / (n + m)", CJG),
    _ours("What a fake report says, on average", "E[y], by the law of the attack"),
    _ours("Shift of the mean, and its bias", "{β:5} · ({E[y]:5} − {(μ):5})"),
    _ours("The same in numbers of the range",
          "{w:5} · {β:5} · ({E[y]:5} − {(μ):5}), where w is half the range"),
    _ours("Standard deviation of the shift in one run",
          "√[ {β:5}² · Var[μ~] + m · Var[y] / (n + m)² ]"),
)  # fmt: skip


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: SR = setting.protocol
    c, cell = protocol.size, setting.cell
    known: dict[str, float] = {
        "ε": protocol.epsilon, "c": c, "p": protocol.p, "q": protocol.q,
        "variance_per_user": c**2, "variance_worst": c**2, "gain_factor": c,
        "report_bits": protocol.report_bits,
    }  # fmt: skip
    if setting.users is not None:
        known |= {"n": Crowd(setting.users), "mean_std": c / math.sqrt(setting.users)}
    mean = setting.mean if cell is None else float(cell.population.frequencies @ protocol.values)
    if mean is not None and setting.share:
        most = setting.share * (c - mean)
        known |= {"β": setting.share, "μ": mean, "shift": most}
        known["undetectable_shift"] = min(most, 1 - mean)
    yield from told(ROWS, known, PROTOCOL)
    if cell is None:
        return
    squared = c**2 - clean_spread(cell)
    yield from told_of_cell(cell, known | {"μ": mean or 0.0, "E[t²]": squared}, ESTIMATE)


def told_of_cell(cell: Cell, known: Numbers, estimate: Sequence[Formula]) -> Iterator[Formula]:
    """The estimate of the mean of a cell, and what its fakes do to it."""
    task: Any = cell.task
    spread = clean_spread(cell)
    known = {**known, "E[σ²]": spread, "Var[μ~]": spread / cell.users, "w": task.half}
    known |= {"n": Crowd(cell.users)}
    low, high = short(task.low), short(task.high)
    yield from told(estimate, known, f"Estimate, in [−1, 1] for [{low}, {high}]")
    fakes = fakes_told(cell)
    if cell.attack is not None and fakes is not None:
        known |= {"β": cell.share, "m": Crowd(cell.malicious)}
        known |= {"E[y]": fakes.mean, "Var[y]": fakes.variance}
        yield from told(ATTACK, known, f"Attack: {cell.attack.kind.upper()}")


ESTIMATES: Final = {
    "mean": "the mean of what all reports say is the estimate",
    "distribution": "the distribution that makes all reports likely is the estimate",
}
"""The server's estimate, by task."""


class NumberStory(ReportStory):
    """The story of a report that says a number, in [-1, 1] or beyond."""

    laws = LAWS | dict.fromkeys(("crafted", "avoided"), "the largest number, on the wanted side")

    def read_number(self, protocol: Any, report: int) -> float:
        """The number that a report says."""
        raise NotImplementedError

    def name_report(self, protocol: Any, report: int) -> str:
        """A report in words."""
        raise NotImplementedError

    def describe(self, cell: Cell, report: Reports) -> tuple[str, ...]:
        protocol: Any = cell.local
        bits = short(protocol.report_bits, 3)
        return self.name_report(protocol, int(report[0])), f"{bits} bit{'s' * (bits != '1')}"

    def show_value(self, cell: Cell, item: int | None, attack: Strategy | None) -> Step:
        step = super().show_value(cell, item, attack)
        if item is not None:
            task, protocol = cast("OfNumbers", cell.task), cast("NumericProtocol", cell.local)
            number = short(float(task.number(protocol.values[item])))
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

    def support(self, cell: Cell, report: Reports) -> Supports | None:  # noqa: ARG002
        return None

    def weigh(self, cell: Cell, report: Reports) -> tuple[float, str]:
        says = self.read_number(cell.local, int(report[0]))
        return says, f"takes it for the number {short(says)}, where the range is [−1, 1]"

    def show_server(
        self,
        cell: Cell,
        report: Reports,
        item: int | None,  # noqa: ARG002
        attack: Strategy | None,  # noqa: ARG002
    ) -> Iterator[Step]:
        detail = ESTIMATES.get(cell.task.kind, ESTIMATES["mean"])
        yield Step("Server", self.weigh(cell, report)[1], detail=(detail,))


class RoundingStory(NumberStory):
    """The story of a report that is an end of the range."""

    def encode(self, cell: Cell, report: Reports, item: int) -> tuple[str, ...]:  # noqa: ARG002
        return (f"t = {_number(cell, item)} becomes 1 or −1, 1 with probability (1 + t)/2",)

    def show_noise(
        self,
        cell: Cell,
        report: Reports,  # noqa: ARG002
        item: int,  # noqa: ARG002
        answer: Reports | None,  # noqa: ARG002
    ) -> Iterator[Step]:
        protocol: Any = cell.protocol
        outcome = StepOutcome("the end is told as it is", "p", protocol.p, HIDDEN)
        yield Step("Perturbation", "the other end is told now and then", (outcome,))

    def read_number(self, protocol: Any, report: int) -> float:
        return float((2 * report - 1) * protocol.size)

    def name_report(self, protocol: Any, report: int) -> str:  # noqa: ARG002
        return f"{report}: the {'upper' if report else 'lower'} end of the range"


HIDDEN: Final = "not told by the report"
"""The outcome of a coin that a report does not show."""


def _number(cell: Cell, item: int) -> str:
    """The number of an item on the line from −1 to 1."""
    return short(float(cast("NumericProtocol", cell.local).values[item]))


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:  # noqa: ARG001
    yield "numbers are those of [−1, 1]; a range [low, high] is (high − low)/2 times as wide"
    yield from cited({"DJW"})


STORY: Final = Story(
    formulas=_formulas,
    reports=RoundingStory(),
    table=(
        "size",
        "p",
        "q",
        "variance_per_user",
        "gain_factor",
        "report_bits",
        "mean_std",
        "shift",
        "undetectable_shift",
    ),
    fields=("size", "mean_std", "variance_worst", "shift", "undetectable_shift"),
    brief=("size", "p"),
    notes=_notes,
)
