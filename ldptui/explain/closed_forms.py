"""The formulas that hold for every pure protocol: its p and q, the estimates, which one to take."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.law.pure import PureProtocol, Supporting, estimate, gain_factor, item_variance
from ldptui.core.protocols import PROTOCOLS

from ..text.format import count, short
from .formula import CJG, DIGITS, FINE, W17, Entry, Formula, listed, numeric
from .setting import Setting
from .story import NOT_TOLD

PROTOCOL = "Protocol"

OWN = "A report supports the own item"
OTHER = "A report supports any other item"

Unit: TypeAlias = Callable[[PureProtocol], tuple[str, str, int | None]]
"""Var*/n of a count in a family's own terms, with its numbers, and the number of the equation."""


def probabilities(protocol: PureProtocol) -> Iterator[Formula]:
    """p and q of a protocol whose family has no formula of them."""
    live = partial(numeric, f"{PROTOCOL}: its own formulas are {NOT_TOLD}")
    yield live(OWN, "p", "as the protocol has it", protocol.p, W17, None, Entry("p", "p", "W17"))
    yield live(OTHER, "q", "as the protocol has it", protocol.q, W17, None, Entry("q", "q", "W17"))


def unit_variance(protocol: PureProtocol) -> tuple[str, str, int | None]:
    """Var*/n of a count in terms of p and q."""
    p, q = protocol.p, protocol.q
    return "q(1 − q) / (p − q)²", f"{short(q)} · {short(1 - q)} / {short(p - q)}²", 41


_BEST = {"grr": "GRR", "oue": "OUE, or OLH"}


def choice(protocol: Supporting) -> Iterator[Formula]:
    """The protocols with the least variance and with the least mean squared error."""
    d, epsilon, e = protocol.domain_size, protocol.epsilon, math.exp(protocol.epsilon)
    threshold = 3 * e + 2
    yield Formula(
        "Which protocol has the least variance",
        "d < 3 e^ε + 2 ⇒ GRR, else OUE or OLH",
        f"d = {count(d)}, threshold 3 · {short(e)} + 2 = {short(threshold)}",
        _BEST[theory.recommended(d, epsilon)], threshold, f"{W17}, section 5", 32, PROTOCOL,
    )  # fmt: skip
    border, best = theory.exact_border(epsilon), theory.least_error(d, epsilon)
    half = f"({short(e)} + 1.5)"
    yield Formula(
        "Which protocol has the least mean squared error",
        "d < e^ε + 1.5 + √[ (e^ε + 1.5)² + e^2ε − 1 ] ⇒ GRR, else OUE or OLH",
        f"d = {count(d)}, threshold {half} + √[ {half}² + {short(e * e)} − 1 ] = {short(border)}",
        _BEST[best], border, f"{W17}, exact", None, PROTOCOL, Entry("recommended", field=best),
    )  # fmt: skip
    least, other = errors_of_the_best(d, epsilon)
    yield numeric(
        PROTOCOL, "The error of SS, the least of all, as a part of that",
        "ratio = MSE_SS / MSE, where a report may name w items",
        f"{short(least)} / {short(other)}", least / other, "Ye, Barg 2018",
    )  # fmt: skip


@lru_cache
def errors_of_the_best(domain_size: int, epsilon: float) -> tuple[float, float]:
    """n times the mean squared errors of SS, and of the better of GRR and OUE."""
    best = theory.least_error(domain_size, epsilon)
    pair = (
        theory.least_of_all(domain_size, epsilon),
        PROTOCOLS[best](best, epsilon).bind(domain_size),
    )
    least, other = (float(item_variance(protocol, 1, 1 / domain_size)) for protocol in pair)
    return least, other


def estimates(setting: Setting, unit: Unit = unit_variance) -> Iterator[Formula]:
    """The spread of the estimates of a pure protocol: in the table, and of one item of a cell."""
    protocol, users = setting.protocol, setting.users
    yield listed(
        "variance_per_user", "variance per user", theory.count_variance(protocol),
        "Var*/n = q(1 − q)/(p − q)²", "W17 th. 2",
    )  # fmt: skip
    yield from reach(protocol)
    if users is not None:
        yield listed(
            "frequency_std", "frequency std", theory.frequency_std(protocol, users),
            "√(Var*/n / n)", "W17 th. 2",
        )  # fmt: skip
    if setting.cell is not None:
        yield from _of_one_item(setting.cell, unit)


def reach(protocol: PureProtocol) -> Iterator[Formula]:
    """The most that a report does for one item, and its size."""
    a = gain_factor(protocol)
    yield numeric(
        PROTOCOL, "Gain factor: fakes that all support a target lift it by β(a − f)",
        "a = (1 − q) / (p − q)", f"{short(1 - protocol.q)} / {short(protocol.p - protocol.q)}",
        a, CJG, entry=Entry("gain_factor", "a, gain factor", "CJG eq. 7"),
    )  # fmt: skip
    yield listed(
        "report_bits", "bits of a report", protocol.report_bits, "log₂ of the number of reports",
        "by counting",
    )  # fmt: skip


def shown_item(cell: Cell) -> tuple[int, str]:
    """The item that the formulas of a cell are about, and which one that is."""
    if cell.targets.size:
        return int(cell.targets[0]), "the first target"
    return int(cell.population.frequencies.argmax()), "the most frequent item"


def _of_one_item(cell: Cell, unit: Unit) -> Iterator[Formula]:
    """The estimate of the item that a cell's formulas are about: its count, then its errors."""
    v, what = shown_item(cell)
    f = float(cell.population.frequencies[v])
    part = f"Estimates, for v = {cell.population.label(v)}, {what}, fᵥ = {short(f)}"
    yield from _count(cell, f, part)
    yield from _errors(cell, f, unit, part)


def _count(cell: Cell, f: float, part: str) -> Iterator[Formula]:
    """The expected count of an item of frequency f, and the estimate from it."""
    protocol, n = cell.pure, cell.users
    q, gap = protocol.q, protocol.p - protocol.q
    n_ = count(n, 9)
    mean = n * (f * gap + q)
    back = float(estimate(np.array([mean]), n, protocol)[0])
    yield numeric(
        part, "Reports that support v, on average", "E[Cᵥ] = n (fᵥ (p − q) + q)",
        f"{n_} · ({short(f)} · {short(gap)} + {short(q)})", mean, CJG, 5,
    )  # fmt: skip
    yield Formula(
        "The estimate from that count: unbiased", "f~ᵥ = (Cᵥ/n − q) / (p − q)",
        f"({short(mean, FINE)} / {n_} − {short(q, FINE)}) / {short(gap, FINE)}",
        short(f, DIGITS), back, W17, 4, part,
    )  # fmt: skip


def _errors(cell: Cell, f: float, unit: Unit, part: str) -> Iterator[Formula]:
    """The variances of a count and of the estimate of frequency f, and the mean squared error."""
    protocol, n = cell.pure, cell.users
    p, q, gap = protocol.p, protocol.q, protocol.p - protocol.q
    n_, q_, gap_ = count(n, 9), short(q), short(gap)
    left = 1 - p - q if abs(1 - p - q) > 1e-12 else 0.0  # SUE: exactly 0
    live = partial(numeric, part)

    spread = theory.count_variance(protocol)
    formula, put, number = unit(protocol)
    yield live(
        "Var* of a count, for one user", f"Var*[c~ᵥ] / n = {formula}", put, spread, W17, number
    )
    yield live(
        "Variance of the estimate of an item that nobody holds",
        "Var*[f~ᵥ] = q(1 − q) / (n (p − q)²)",
        f"{q_} · {short(1 - q)} / ({n_} · {gap_}²)",
        float(item_variance(protocol, n)), W17, 41,
    )  # fmt: skip
    variance = float(item_variance(protocol, n, f))
    yield live(
        "Variance of the estimate of v",
        "Var[f~ᵥ] = q(1 − q) / (n (p − q)²) + fᵥ (1 − p − q) / (n (p − q))",
        f"{q_} · {short(1 - q)} / ({n_} · {gap_}²) + {short(f)} · {factor(left)} / ({n_} · {gap_})",
        variance, W17, 40,
    )  # fmt: skip
    yield live(
        "Standard deviation of the estimate of v", "σᵥ = √Var[f~ᵥ]", f"√{short(variance)}",
        theory.frequency_std(protocol, n, f), W17,
    )  # fmt: skip
    d_, mse = (
        count(protocol.domain_size),
        float(np.asarray(item_variance(protocol, n, cell.population.frequencies)).mean()),
    )
    yield live(
        "Expected mean squared error without attack",
        "MSE = [ d q(1 − q) / (p − q)² + (1 − p − q) / (p − q) ] / (d n)",
        f"[ {d_} · {short(spread)} + {factor(left / gap)} ] / ({d_} · {n_})",
        mse, W17,
    )  # fmt: skip


def factor(value: float) -> str:
    """A number as a factor: in brackets where it is negative."""
    return f"({short(value)})" if value < 0 else short(value)
