"""The formulas that hold for every pure protocol: its p and q, the estimates, which one to take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.law.pure import gain_factor, item_variance
from ldptui.core.protocols import PROTOCOLS

from ..text.format import short
from .attack_formulas import Laws, attacked
from .family_explanation import NOT_TOLD
from .formula import CJG, W17, Crowd, Entry, Formula, Numbers, listed, told
from .formula_inputs import Setting

PROTOCOL: Final = "Protocol"
HAS: Final = f"{PROTOCOL}: its own formulas are {NOT_TOLD}"

OWN: Final = "A report supports the own item"
OTHER: Final = "A report supports any other item"

P_AND_Q: Final = (
    Formula(OWN, "p", W17, entry=Entry("p", "p", "W17"), put="as the protocol has it"),
    Formula(OTHER, "q", W17, entry=Entry("q", "q", "W17"), put="as the protocol has it"),
)
"""p and q of a protocol whose family has no formula of them."""

VARIANCE: Final = Formula(
    "Var* of a count, for one user", "Var*[c~ᵥ] / n = q{(1 − q)} / {(p − q)}²", W17, 41
)
"""In terms of p and q; a family may have it in terms of its own."""

LEAST: Final = (
    Formula(
        "Which protocol has the least variance", "d < 3 e^ε + 2 ⇒ GRR, else OUE or OLH",
        f"{W17}, section 5", 32, put="d = {d}, threshold 3 · {e^ε} + 2 = {3 e^ε + 2}",
    ),
    Formula(
        "Which protocol has the least mean squared error",
        "d < e^ε + 1.5 + √[ (e^ε + 1.5)² + e^2ε − 1 ] ⇒ GRR, else OUE or OLH", f"{W17}, exact",
        put="d = {d}, threshold ({e^ε} + 1.5) + √[ ({e^ε} + 1.5)² + {e^2ε} − 1 ] = {recommended}",
        entry=Entry("recommended"),
    ),
    Formula(
        "The error of SS, the least of all, as a part of that",
        "ratio = MSE_SS / MSE, where a report may name w items", "Ye, Barg 2018",
    ),
)  # fmt: skip
"""The protocols with the least variance and with the least mean squared error."""

REACH: Final = (
    Formula(
        "Gain factor: fakes that all support a target lift it by β(a − f)",
        "a = {(1 − q)} / {(p − q)}", CJG, entry=Entry("gain_factor", "a, gain factor", "CJG eq. 7"),
    ),
    listed("report_bits", "bits of a report", "log₂ of the number of reports", "by counting"),
)  # fmt: skip
"""The most that a report does for one item, and its size."""

SPREAD: Final = (
    listed("variance_per_user", "variance per user", "Var*/n = q(1 − q)/(p − q)²", "W17 th. 2"),
    *REACH,
    listed("frequency_std", "frequency std", "√(Var*/n / n)", "W17 th. 2"),
)
"""The spread of the estimates of a pure protocol, for the table."""

COUNT: Final = (
    Formula("Reports that support v, on average", "E[Cᵥ] = n (fᵥ {(p − q)} + q)", CJG, 5),
    Formula("The estimate from that count: unbiased", "f~ᵥ = (Cᵥ/n − q) / (p − q)", W17, 4,
            put="({Cᵥ:8} / {n} − {q:8}) / {(p − q):8}"),
)  # fmt: skip
"""The expected count of an item of frequency fᵥ, and the estimate from it."""

ERRORS: Final = (
    Formula("Variance of the estimate of an item that nobody holds",
            "Var*[f~ᵥ] = q{(1 − q)} / (n {(p − q)}²)", W17, 41),
    Formula("Variance of the estimate of v",
            "Var[f~ᵥ] = q{(1 − q)} / (n {(p − q)}²) + fᵥ {(1 − p − q)} / (n {(p − q)})", W17, 40),
    Formula("Standard deviation of the estimate of v", "σᵥ = √Var[f~ᵥ]", W17),
    Formula("Expected mean squared error without attack",
            "MSE = [ d {q(1 − q) / (p − q)²} + {(1 − p − q) / (p − q)} ] / (d n)", W17),
)  # fmt: skip
"""The variances of the estimate of frequency fᵥ, and the mean squared error."""


def numbers_of(setting: Setting) -> dict[str, float]:
    """The numbers of a protocol whose reports support items, by their symbols and fields."""
    protocol, users = setting.protocol, setting.users
    known = {
        "ε": protocol.epsilon,
        "d": protocol.domain_size,
        "p": protocol.p,
        "q": protocol.q,
        "variance_per_user": theory.count_variance(protocol),
        "gain_factor": gain_factor(protocol),
        "report_bits": protocol.report_bits,
    }
    if users is None:
        return known
    return known | {"n": Crowd(users), "frequency_std": theory.frequency_std(protocol, users)}


def choice(domain_size: int, epsilon: float) -> Iterator[Formula]:
    """The protocols with the least variance and with the least mean squared error."""
    rule, best = theory.recommended(domain_size, epsilon), theory.least_error(domain_size, epsilon)
    least, other = errors_of_the_best(domain_size, epsilon)
    border = theory.exact_border(epsilon)
    known = {"d": domain_size, "ε": epsilon, "recommended": border, "MSE_SS": least, "MSE": other}
    names = {"grr": "GRR", "oue": "OUE, or OLH"}
    variance, error, ratio = told(LEAST, known, PROTOCOL)
    yield replace(variance, said=names[rule])
    yield replace(error, said=names[best], entry=Entry("recommended", field=best))
    yield ratio


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


def estimates(setting: Setting, known: Numbers, unit: Formula = VARIANCE) -> Iterator[Formula]:
    """The spread of the estimates of a pure protocol: in the table, and of one item of a cell.

    unit : Var*/n of a count in a family's own terms.
    """
    yield from told(SPREAD, known, PROTOCOL)
    if setting.cell is None:
        return
    protocol, n, truth = setting.cell.pure, setting.cell.users, setting.cell.population.frequencies
    part, f = of_one_item(setting.cell)
    left = 1 - protocol.p - protocol.q
    of_item = {
        "fᵥ": f,
        "Cᵥ": n * (f * (protocol.p - protocol.q) + protocol.q),
        "f~ᵥ": f,
        "1 − p − q": left if abs(left) > 1e-12 else 0.0,  # SUE: exactly 0
        "Var*[c~ᵥ] / n": theory.count_variance(protocol),
        "Var*[f~ᵥ]": float(item_variance(protocol, n)),
        "Var[f~ᵥ]": float(item_variance(protocol, n, f)),
        "MSE": float(np.asarray(item_variance(protocol, n, truth)).mean()),
    }
    yield from told((*COUNT, unit, *ERRORS), {**known, **of_item}, part)


def shown_item(cell: Cell) -> tuple[int, str]:
    """The item that the formulas of a cell are about, and which one that is."""
    if cell.targets.size:
        return int(cell.targets[0]), "the first target"
    return int(cell.population.frequencies.argmax()), "the most frequent item"


def of_one_item(cell: Cell) -> tuple[str, float]:
    """The heading of the formulas about that item, and its frequency."""
    v, what = shown_item(cell)
    f = float(cell.population.frequencies[v])
    return f"Estimates, for v = {cell.population.label(v)}, {what}, fᵥ = {short(f)}", f


def pure(
    rows: Iterable[Formula],
    laws: Laws,
    unit: Formula = VARIANCE,
    crafting: Sequence[Formula] = (),
    own: Callable[[Setting], Numbers] = lambda _: {},
    part: str = PROTOCOL,
) -> Callable[[Setting], Iterator[Formula]]:
    """The formulas of a family of pure protocols: its rows, the estimates, and what fakes gain.

    laws : S by the law of the fakes' reports. unit : Var*/n in terms of the family. crafting : the
    rows of crafted reports. own : the family's numbers besides those of `numbers_of`.
    """

    def formulas(setting: Setting) -> Iterator[Formula]:
        known = {**numbers_of(setting), **own(setting)}
        yield from told(rows, known, part)
        yield from choice(setting.protocol.domain_size, setting.protocol.epsilon)
        yield from estimates(setting, known, unit)
        yield from attacked(setting, known, laws, crafting)

    return formulas
