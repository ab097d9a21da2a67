"""Summation with histogram encoding (SHE): the report is a noisy number for each item."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from ldptui.core import theory
from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.she import Summation, honest_bound

from ..text import format as fmt
from ..text.format import count, short
from .attack import OF_PARTS, Laws, compared, gain_keys, supported_by
from .closed_forms import PROTOCOL, choice, shown_item
from .formula import CJG, DIGITS, W17, Entry, Formula, listed, numeric
from .lines import bound_keys, bounds
from .report import Step
from .report.summed import Added, SummedReports
from .report.words import plural, targets_of
from .setting import Setting
from .story import Story, Supported
from .table import advice


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol: Summation = setting.protocol
    yield from _noise(protocol, setting.users)
    yield from choice(protocol)
    if setting.cell is None:
        yield from compared(setting, _gain_in_words)
        return
    yield from _estimate(setting.cell, protocol)
    yield from _attack(setting.cell, protocol)


def _noise(protocol: Summation, users: int | None) -> Iterator[Formula]:
    e_, s_ = short(protocol.epsilon), short(protocol.scale)
    live = partial(numeric, PROTOCOL, source=W17)
    yield live("Scale of the noise of a cell: two items differ in two cells", "s = 2/ε",
               f"2 / {e_}", protocol.scale, entry=Entry("scale", "s", "W17 4.3"))  # fmt: skip
    yield live(
        "Variance of a cell, and of a count for one user", "2 s² = 8/ε²", f"2 · {s_}²",
        protocol.noise, entry=Entry("variance_per_user", "variance per user", "W17 4.3"),
    )  # fmt: skip
    d = protocol.domain_size
    yield live(
        "What one cell of an honest report reaches on average", "1 + (2/ε) · ln(d/2)",
        f"1 + 2 / {e_} · ln({count(d)} / 2)", honest_bound(d, protocol.epsilon),
    )  # fmt: skip
    yield listed(
        "cell_bound",
        "B, bound of a lifted cell",
        protocol.bound,
        "1 + (2/ε) ln(d/2), or given",
        "W17 4.3",
    )
    yield listed("report_bits", "bits of a report", protocol.report_bits, "64 d", "by counting")
    if users is not None:
        spread = (protocol.noise / users) ** 0.5
        yield listed("frequency_std", "frequency std", spread, "√(8/(ε² n))", "W17 4.3")


def _gain_in_words(law: str) -> str:
    supported = {"random": "0", "crafted": "r B"}.get(law, "1")
    return f"β(S − f_T), S = {supported}"


SUPPORTED: Final[Laws] = {
    "random": lambda _, __, ___: Supported("S = 0: noise alone", "0"),
    "honest": lambda _, __, ___: Supported("S = 1: one cell is a target's", "1"),
    "unperturbed": lambda _, __, ___: Supported("S = 1: one cell is a target's", "1"),
    "crafted": lambda protocol, r, _: Supported("S = r B", f"{r} · {short(protocol.bound)}"),
    "avoided": lambda protocol, r, _: Supported("S = −r B", f"−{r} · {short(protocol.bound)}"),
}
"""S, what one report adds to the targets' cells, in the place of their number."""


def _estimate(cell: Cell, protocol: Summation) -> Iterator[Formula]:
    v, what = shown_item(cell)
    f, n = float(cell.population.frequencies[v]), cell.users
    part = f"Estimates, for v = {cell.population.label(v)}, {what}, fᵥ = {short(f)}"
    live, spread = partial(numeric, part, source=W17), protocol.noise / n
    n_ = count(n, 9)
    yield live("The estimate, on average: unbiased", "E[f~ᵥ] = E[Σ of the cells] / n",
               f"{short(f * n, DIGITS)} / {n_}", f)  # fmt: skip
    yield live("Its variance, whatever the frequency", "Var[f~ᵥ] = 8/(ε² n)",
               f"{short(protocol.noise, DIGITS)} / {n_}", spread)  # fmt: skip
    yield live("Its standard deviation", "σᵥ = √Var[f~ᵥ]", f"√{short(spread)}", spread**0.5)


def _attack(cell: Cell, protocol: Summation) -> Iterator[Formula]:
    law = theory.fake_support(cell) if cell.attack is not None else None
    if cell.attack is None or law is None:
        return
    n, m, r = cell.users, cell.malicious, int(cell.targets.size)
    part = f"Attack: {cell.attack.kind.upper()}"
    live = partial(numeric, part, source=CJG)
    n_, m_ = count(n, 9), count(m, 9)
    hit = float(law.rates[cell.targets].sum())
    b_, s_, f_ = (short(number, DIGITS) for number in (cell.share, hit, cell.target_frequency))
    yield live("Share of fake users", "β = m / (n + m)", f"{m_} / ({n_} + {m_})", cell.share)
    kind = getattr(cell.attack, "report_law", "mixture")
    words = Supported(OF_PARTS, s_)
    if kind != "mixture":
        words = supported_by(kind, SUPPORTED, protocol, r, cell.attack)
    yield live("What one fake report adds to the targets' cells", words.formula,
               words.substituted, hit)  # fmt: skip
    gained = theory.expected_metrics(cell)["gain"]
    if gained is not None:
        yield live("Gain: the common formula with p = 1, q = 0", "G = β (S − f_T)",
                   f"{b_} · ({s_} − {f_})", gained)  # fmt: skip
    yield from bounds(cell, part)


def _honest(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
    protocol: Any = cell.protocol
    own = float(report[0, item])
    return (
        Step("Encoding", f"1 in one of {plural(protocol.domain_size, 'cell')}, 0 in the others"),
        Step(
            "Perturbation",
            f"every cell gets Laplace noise of scale {fmt.short(protocol.scale)}",
            detail=(f"the own cell: 1 + {fmt.short(own - 1)} = {fmt.short(own)}",),
        ),
        _sent(cell, report),
    )


def _sent(cell: Cell, report: Reports) -> Step:  # noqa: ARG001
    largest = int(report[0].argmax())
    text = f"{plural(report.shape[1], 'number')}, the largest {fmt.short(float(report.max()))}"
    return Step("Report", text, detail=(f"at item {largest}",))


def _crafting(cell: Cell, report: Reports, attack: Strategy) -> Step:  # noqa: ARG001
    to = fmt.short(float(report[0, cell.targets[0]]))
    text = f"{targets_of(cell)} set to {to}, the bound"
    return Step("Crafting", text, detail=("honest noise elsewhere",))


def _added(cell: Cell, report: Reports) -> Added:
    """The cells of the targets; no item is marked."""
    targets = np.sort(cell.targets)
    weight = float(report[0, targets].sum())
    words = f"{fmt.short(weight)} to the targets' total" if targets.size else "every cell"
    step = Step("Server adds", words, detail=("no item is supported: the cells are added up",))
    nothing = np.empty(0, dtype=np.int64)
    return Added(step, nothing, nothing, weight)


REPORTS: Final = SummedReports(_honest, _sent, "noise alone, for no item", _crafting, _added)
"""The reports: a number for each item."""


def _notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    yield "no item is supported: cells are added up, there are no p and q"
    yield "a fake may send any number: cells that it lifts are clipped at B, honest ones are not"
    yield from advice(setting, rows)


TABLE: Final = (
    "scale",
    "variance_per_user",
    "cell_bound",
    "report_bits",
    "frequency_std",
    *gain_keys(),
    *bound_keys(),
)

STORY: Final = Story(
    _formulas,
    REPORTS,
    table=TABLE,
    fields=("scale", "cell_bound"),
    notes=_notes,
    brief=("scale", "cell_bound"),
)
"""The formulas of SHE, one report step by step, and its table."""
