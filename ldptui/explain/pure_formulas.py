"""The formulas that hold for every pure protocol: its p and q, the estimates, which one to take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np

from ldptui.core import theory
from ldptui.core.cell import Cell
from ldptui.core.law.pure import gain_factor, item_variance
from ldptui.core.protocols import PROTOCOLS

from ..text.format import short
from .attack_formulas import Laws, list_attack_formulas
from .formula import Formula, KnownNumbers, list_formula
from .formula_inputs import FormulaSetting

PROTOCOL: Final = "Protocol"

OWN: Final = "A report supports the own item"
OTHER: Final = "A report supports any other item"

P_AND_Q: Final = (
    Formula(OWN, "p", "W17", "p", name="p", put="as the protocol has it"),
    Formula(OTHER, "q", "W17", "q", name="q", put="as the protocol has it"),
)
"""p and q of a protocol whose family has no formula of them."""

VARIANCE: Final = Formula(
    "Var* of a count, for one user", "Var*[c~ᵥ] / n = q{(1 − q)} / {(p − q)}²", "W17 th. 2",
    "variance_per_user", 41, "variance per user",
)  # fmt: skip
"""In terms of p and q; a family may have it in terms of its own."""

LEAST: Final = (
    Formula(
        "Which protocol has the least variance", "d < 3 e^ε + 2 ⇒ GRR, else OUE or OLH",
        "W17 section 5", number=32, put="d = {d}, threshold 3 · {e^ε} + 2 = {3 e^ε + 2}",
    ),
    Formula(
        "Which protocol has the least mean squared error",
        "d < e^ε + 1.5 + √[ (e^ε + 1.5)² + e^2ε − 1 ] ⇒ GRR, else OUE or OLH", "W17 exact",
        put="d = {d}, threshold ({e^ε} + 1.5) + √[ ({e^ε} + 1.5)² + {e^2ε} − 1 ] = {border}",
    ),
    Formula("The error of SS, the least of all, as a part of that", "ratio = MSE_SS / MSE", "YB"),
)  # fmt: skip
"""The protocols with the least variance and with the least mean squared error, and how much less
that of SS is.
"""

RECOMMENDED: Final = list_formula("recommended", "", "", "")

REACH: Final = (
    Formula("Gain factor: fakes that all support a target lift it by β(a − f)",
            "a = {(1 − q)} / {(p − q)}", "CJG eq. 7", "gain_factor", name="a, gain factor"),
    list_formula("report_bits", "bits of a report", "log₂ of the number of reports", "by counting"),
)  # fmt: skip
"""The most that a report does for one item, and its size."""

DEVIATION: Final = list_formula("frequency_std", "frequency std", "√Var*[c~ᵥ]/n", "W17 th. 2")

ESTIMATES: Final = (
    Formula("Reports that support v, on average", "E[Cᵥ] = n (fᵥ {(p − q)} + q)", "CJG", number=5),
    Formula("The estimate from that count: unbiased", "f~ᵥ = (Cᵥ/n − q) / (p − q)", "W17",
            number=4, put="({Cᵥ:8} / {n} − {q:8}) / {(p − q):8}"),
    Formula("Variance of the estimate of an item that nobody holds",
            "Var*[f~ᵥ] = q{(1 − q)} / (n {(p − q)}²)", "W17", number=41),
    Formula("Variance of the estimate of v",
            "Var[f~ᵥ] = q{(1 − q)} / (n {(p − q)}²) + fᵥ {(1 − p − q)} / (n {(p − q)})", "W17",
            number=40),
    Formula("Standard deviation of the estimate of v", "σᵥ = √Var[f~ᵥ]", "W17"),
    Formula("Expected mean squared error without attack",
            "MSE = [ d {q(1 − q) / (p − q)²} + {(1 − p − q) / (p − q)} ] / (d n)", "W17"),
)  # fmt: skip
"""The expected count of an item of frequency fᵥ, the estimate from it, and its errors."""


def add_spread(known: KnownNumbers) -> None:
    """Add the variance of one user's estimate, the gain factor and, if n is known, σ to the
    numbers.
    """
    protocol, users = known.setting.protocol, known.setting.users
    known |= {
        "p": protocol.p, "q": protocol.q, "variance_per_user": theory.count_variance(protocol),
        "gain_factor": gain_factor(protocol),
    }  # fmt: skip
    if users is not None:
        known["frequency_std"] = theory.frequency_std(protocol, users)


def choose(known: KnownNumbers) -> Iterator[Formula]:
    """Yields the formulas of the protocols with the least variance and the least mean squared
    error.
    """
    d, epsilon = known.setting.protocol.domain_size, known.setting.protocol.epsilon
    best = theory.least_error(d, epsilon)
    names = {"grr": "GRR", "oue": "OUE, or OLH"}
    known["border"] = theory.exact_border(epsilon)
    known["MSE_SS"], known["MSE"] = errors_of_the_best(d, epsilon)
    words = names[theory.recommended_protocol(d, epsilon)], names[best], ""
    rows = (replace(row, said=said) for row, said in zip(LEAST, words, strict=True))
    yield from known.fill((*rows, replace(RECOMMENDED, said=best)), PROTOCOL)


@lru_cache
def errors_of_the_best(d: int, epsilon: float) -> tuple[float, float]:
    """n times the mean squared error of SS, and of the better of GRR and OUE."""
    best = theory.least_error(d, epsilon)
    pair = theory.least_of_all(d, epsilon), PROTOCOLS[best](best, epsilon).bind(d)
    least, other = (float(item_variance(protocol, 1, 1 / d)) for protocol in pair)
    return least, other


def shown_item(cell: Cell, items: slice = slice(None)) -> tuple[int, str]:
    """The item that the formulas of a cell are about, and a description.

    items : the items to choose from: the first target among them, else the most frequent item.
    """
    start, stop, _ = items.indices(cell.population.domain_size)
    targets = cell.targets[(start <= cell.targets) & (cell.targets < stop)]
    if targets.size:
        return int(targets[0]), "the first target"
    return start + int(cell.population.frequencies[items].argmax()), "the most frequent item"


def of_one_item(cell: Cell, items: slice = slice(None)) -> tuple[str, float]:
    """The heading of the formulas about the item of `shown_item`, and its frequency."""
    v, what = shown_item(cell, items)
    f = float(cell.population.frequencies[v])
    return f"Estimates, for v = {cell.population.label(v)}, {what}, fᵥ = {short(f)}", f


def _estimates(known: KnownNumbers) -> Iterator[Formula]:
    """Yields the estimate of one item of a cell, and its errors."""
    cell = known.setting.cell
    if cell is None:
        return
    protocol, n, truth = cell.pure, cell.users, cell.population.frequencies
    part, f = of_one_item(cell)
    left = 1 - protocol.p - protocol.q
    known |= {
        "fᵥ": f,
        "Cᵥ": n * (f * (protocol.p - protocol.q) + protocol.q),
        "f~ᵥ": f,
        "1 − p − q": left if abs(left) > 1e-12 else 0.0,  # SUE: exactly 0
        "Var*[f~ᵥ]": float(item_variance(protocol, n)),
        "Var[f~ᵥ]": float(item_variance(protocol, n, f)),
        "MSE": float(np.asarray(item_variance(protocol, n, truth)).mean()),
    }
    yield from known.fill(ESTIMATES, part)


def pure(
    rows: Iterable[Formula],
    laws: Laws,
    unit: Formula = VARIANCE,
    crafting: Sequence[Formula] = (),
    own: Callable[[FormulaSetting], Mapping[str, float]] = lambda _: {},
    estimates: Callable[[KnownNumbers], Iterator[Formula]] = _estimates,
    std: Formula = DEVIATION,
) -> Callable[[FormulaSetting], Iterator[Formula]]:
    """A function that yields the formulas of a family of pure protocols: parameters, estimate, and
    gains.

    laws : the formula of S by the distribution of the fakes' reports.
    unit : Var*/n in the family's parameters.
    std : the standard deviation of a frequency.
    crafting : the formulas of crafted reports.
    own : returns the family's own numbers.
    estimates : yields the formulas about one item of a cell.
    """

    def formulas(setting: FormulaSetting) -> Iterator[Formula]:
        known = KnownNumbers(setting, **own(setting))
        add_spread(known)
        yield from known.fill(rows, PROTOCOL)
        yield from choose(known)
        yield from known.fill((unit, *REACH, std), PROTOCOL)
        yield from estimates(known)
        yield from list_attack_formulas(known, laws, crafting)

    return formulas
