"""Several attributes: the budget of a part, the estimate of a value, what messages give away."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final, cast

import numpy as np

from ldptui.core.base.named import fields_of
from ldptui.core.cell import Cell
from ldptui.core.protocols.attribute_pair import AttributePair
from ldptui.core.protocols.attributes import SeveralAttributes
from ldptui.core.theory import estimate_variances

from .family_explanation import FamilyExplanation, TaskExplanation
from .formula import Formula, KnownNumbers
from .formula_inputs import FormulaSetting, setting_of
from .pure_formulas import of_one_item, shown_item

_paper, _ours = partial(Formula, source="ACX"), partial(Formula, source="derived")

BUDGETS: Final = {
    "spl": _paper("Budget of the report of an attribute: ε is shared out", "ε₁ = ε / k"),
    "smp": _paper("Budget of the report of an attribute: a user sends one", "ε₁ = ε"),
    "rs+fd": _paper(
        "Budget of the report of an attribute: it hides among k", "ε₁ = ln(k (e^ε − 1) + 1)"
    ),
}
ESTIMATE: Final = (
    _paper("Reports of the attribute, on average", "N = w n"),
    _ours("A report supports the value", "σ = b + a f"),
    _paper("Estimate", "f~ᵥ = (C / N − b) / a"),
    _ours("Variance of the clean estimate", "Var[f~ᵥ] = (σ (1 − σ) / (w {a}²) − f (1 − f)) / n"),
)
PAIRS: Final = (
    _ours("What a report says of a value, squared, on average: of who does not hold it",
          "o = q (1 − q) / (p − q)²"),
    _ours("Of who holds it", "s = o + (1 − 2q) / (p − q)"),
    _ours("The other attribute: of who does not hold its value", "o′ = q′ (1 − q′) / (p′ − q′)²"),
    _ours("Of who holds its value", "s′ = o′ + (1 − 2q′) / (p′ − q′)"),
    _ours("Estimate, from the messages that support both values, each and none",
          "f~ᵥ = (B − q′ C − q C′ + n q q′) / (n (p − q)(p′ − q′))"),
    _ours("Variance of the clean estimate", "Var[f~ᵥ] = (f (s s′ − 1) + (g − f) s o′ "
          "+ (g′ − f) o s′ + (1 − g − g′ + f) o o′) / n"),
)  # fmt: skip
LOSSES: Final = (
    _ours("ε between two records that differ in one attribute; x, s: how much likelier its part, "
          "and all others, are if they are true", "ε₂ = ln((e^ε₁ x + s) / (x + s))"),
    _ours("ε between two records that differ in every attribute", "ε₃ = ε₁"),
)  # fmt: skip


def _protocol(cell: Cell) -> SeveralAttributes:
    return cast("SeveralAttributes", cell.protocol)


def _setting(cell: Cell, spec: Any = None) -> FormulaSetting:
    """The setting of formulas for the attribute with most values, with the users who report it."""
    protocol = _protocol(cell)
    given = setting_of(cell).given
    if spec is not None:
        protocol = cast("SeveralAttributes", cell.task.bound(spec, cell.population))
        given = fields_of(spec)
    widest = max(protocol.oracles, key=lambda oracle: int(oracle.domain_size))
    return FormulaSetting(
        widest, given, users=max(1, round(cell.users * protocol.report_probability))
    )


def _formulas(cell: Cell) -> Iterator[Formula]:
    """Yields the budgets, the estimate of one value, and the privacy losses of RS+FD."""
    protocol, values = _protocol(cell), slice(int(_protocol(cell).sizes.sum()))
    (item, _), (part, f) = shown_item(cell, values), of_one_item(cell, values)
    gap, base = protocol.scale
    variances = estimate_variances(cell)
    known = KnownNumbers(_setting(cell), **{
        "k": len(protocol.oracles), "ε": protocol.epsilon, "n": cell.users, "f": f, "f~ᵥ": f,
        "w": protocol.report_probability, "a": float(gap[item]), "b": float(base[item]),
        "ε₁": protocol.oracles[0].epsilon,
    })  # fmt: skip
    yield from known.fill((BUDGETS[protocol.solution],), "Messages")
    known["C"] = known["w"] * cell.users * (known["b"] + known["a"] * f)
    if variances is not None:
        known["Var[f~ᵥ]"] = float(variances[0][item])
    yield from known.fill(ESTIMATE, part)
    if isinstance(protocol, AttributePair):
        yield from _pair_formulas(cell, protocol)
    if protocol.solution == "rs+fd":
        known["x"], known["s"] = protocol.worst_ratios
        yield from known.fill(LOSSES, "Privacy")


def _pair_formulas(cell: Cell, protocol: AttributePair) -> Iterator[Formula]:
    """Yields the estimate of one pair of values: the first target, or the most frequent pair."""
    pairs, n = slice(int(protocol.sizes.sum()), None), cell.users
    (pair, _), (part, f) = shown_item(cell, pairs), of_one_item(cell, pairs)
    places = np.unravel_index(pair - pairs.start, protocol.sizes[list(protocol.pair)])
    known = KnownNumbers(_setting(cell), **{"n": n, "f": f, "f~ᵥ": f})
    for at, place, mark in zip(protocol.pair, places, ("", "′"), strict=True):
        oracle, held = protocol.oracles[at], cell.population.frequencies[protocol.slices[at]][place]
        known |= {f"p{mark}": oracle.p, f"q{mark}": oracle.q, f"g{mark}": float(held)}
        known[f"C{mark}"] = n * float(oracle.q + (oracle.p - oracle.q) * held)
    p, q, p2, q2, g, g2 = (known[name] for name in ("p", "q", "p′", "q′", "g", "g′"))
    both = f * p * p2 + (g - f) * p * q2 + (g2 - f) * q * p2 + (1 - g - g2 + f) * q * q2
    known["B"], variances = n * both, estimate_variances(cell)
    if variances is not None:
        known["Var[f~ᵥ]"] = float(variances[0][pair])
    yield from known.fill(PAIRS, part)


def _remark(cell: Cell) -> str:
    """How users report their attributes, in a line."""
    k = len(_protocol(cell).oracles)
    return {
        "spl": f"every user reports all {k} attributes, with ε/{k} each",
        "smp": f"every user reports one of {k} attributes, and says which",
        "rs+fd": f"every user reports one of {k} attributes, hidden among made-up ones",
    }[_protocol(cell).solution]


TASK: Final = TaskExplanation(_setting, _formulas, _remark, "in the attribute with most values")
EXPLANATIONS: Final = {
    "attributes": FamilyExplanation(
        lambda _: iter(()), "a message of several attributes is not shown step by step"
    )
}
