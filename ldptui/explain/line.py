"""Protocols of numbers whose report is a bin of a line: what is the same for all of them.

A bin says a number. `windows`, `hybrid` and `noisy` have the formulas of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from ldptui.core.bounds.numbers import least_shift
from ldptui.core.cell import Cell
from ldptui.core.task.numbers import clean_spread, fakes_told

from ..text.format import short
from .closed_forms import PROTOCOL
from .expression import Crowd
from .formula import Entry, Formula, cited, listed, told
from .numbers import ATTACK, NumberReports
from .report import Chance, Step
from .setting import Setting
from .story import Story

ICDE: Final = "Wang et al. 2019"
ours = partial(Formula, source="ours")

FACTOR: Final = Entry("gain_factor", "largest value of a report", "ours")
WORST: Final = Entry("variance_worst", "n Var[μ~] for the worst numbers", "ours")
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

HIDDEN: Final = (
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


def story(
    rows: Callable[[Any], Iterable[Formula]],
    known: Callable[[Any], Mapping[str, float]],
    table: tuple[str, ...] = (),
    near: str = "in the window around t",
) -> Story:
    """The story of a family of such protocols.

    rows : its own formulas, of a protocol. known : the numbers that they are over, by symbol.
    table : the fields of its own. near : where a report is with probability p.
    """

    def formulas(setting: Setting) -> Iterator[Formula]:
        protocol, cell = setting.protocol, setting.cell
        numbers: dict[str, float] = {
            "ε": protocol.epsilon, "p": protocol.p, "q": protocol.q, "E[max]": protocol.factor,
            "gain_factor": protocol.factor, "report_bits": protocol.report_bits,
            "worst": protocol.worst, **known(protocol),
        }  # fmt: skip
        yield from told(rows(protocol), numbers, PROTOCOL)
        if setting.users is not None:
            numbers["n"] = Crowd(setting.users)
            yield from told(USERS, numbers, PROTOCOL)
        mean = (
            setting.mean if cell is None else float(cell.population.frequencies @ protocol.values)
        )
        if mean is not None and setting.share:
            numbers |= {"β": setting.share, "μ": mean}
        yield from told(SHIFT, numbers, PROTOCOL)
        if cell is None:
            yield from told(HIDDEN, numbers, PROTOCOL)
        else:
            yield from _of_cell(cell, numbers | {"μ": mean or 0.0})

    fields = (*table, "mean_std", "variance_worst", "shift", "lie_shift", "undetectable_least",
              "undetectable_shift")  # fmt: skip
    shown = ("p", "q", *table, "gain_factor", "variance_per_user", "variance_worst", "report_bits",
             "mean_std", "shift", "lie_shift", "undetectable_least",
             "undetectable_shift")  # fmt: skip
    return Story(
        formulas=formulas,
        reports=NumberReports(partial(_honest, near), _said, _shown),
        table=shown,
        fields=fields,
        brief=("gain_factor", "variance_worst"),
        notes=_notes,
    )


def _of_cell(cell: Cell, numbers: dict[str, float]) -> Iterator[Formula]:
    """The estimate of a cell, and what its fakes do to it."""
    task: Any = cell.task
    spread = clean_spread(cell)
    numbers |= {"E[σ²]": spread, "Var[μ~]": spread / cell.users, "w": task.half}
    numbers |= {"n": Crowd(cell.users)}
    low, high = short(task.low), short(task.high)
    if cell.share:
        protocol: Any = cell.local
        values, mean = protocol.values, numbers["μ"]
        held = cell.population.frequencies
        least = least_shift(protocol.epsilon, values, held, cell.share)
        moved = min(cell.share / math.expm1(protocol.epsilon), 1 - cell.share)
        numbers |= {"L": moved, "ν": 1 - (least - cell.share * (1 - mean)) / moved}
        numbers |= {"β": cell.share}
    yield from told(HERE, numbers, PROTOCOL)
    yield from told(ESTIMATE, numbers, f"Estimate, in [−1, 1] for [{low}, {high}]")
    fakes = fakes_told(cell)
    if cell.attack is not None and fakes is not None:
        numbers |= {"β": cell.share, "m": Crowd(cell.malicious)}
        numbers |= {"E[y]": fakes.mean, "Var[y]": fakes.variance}
        yield from told(ATTACK, numbers, f"Attack: {cell.attack.kind.upper()}")


def _honest(near: str, cell: Cell, item: int) -> tuple[Step, ...]:
    """The step of an honest report: its number, told with noise."""
    protocol: Any = cell.local
    chance = Chance(near, "p", protocol.p, "not told by the report")
    number = short(float(protocol.values[item]))
    return (Step("Perturbation", f"t = {number} is told as a bin of a line", (chance,)),)


def _said(protocol: Any, report: int) -> float:
    return float(protocol.said[report])


def _shown(protocol: Any, report: int) -> str:
    return f"bin {report} of {protocol.said.size}"


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:  # noqa: ARG001
    yield "numbers are those of [−1, 1]; a range [low, high] is (high − low)/2 times as wide"
    sources = {row.entry.source for row in rows.values() if row.entry is not None}
    yield from cited(sources | {"Wang19"})
