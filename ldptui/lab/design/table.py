"""The table of a design: the protocol that is found, with its formulas, and those beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ldptui.core.bounds.hardening import least_gain_factor
from ldptui.core.lab.designer import Demand, Design, Rated
from ldptui.core.protocols import DIALS

from ...catalogue import key_words
from ...text import format as text
from ...text.interval import mean_words
from ..output import Row, row

NAMES: Final = ("squared error", "gain", "attacker's success", "bits")
"""The things that are weighed, in order."""


def named(each: Rated) -> str:
    """A protocol by its kind and its dial: UE p = 0.96."""
    kind = str(each.table["kind"])
    key = DIALS[kind].name if kind in DIALS else ""
    value = each.table.get(key)
    if not isinstance(value, int | float):
        return kind.upper()
    return f"{kind.upper()} {key_words(f'protocol.{key}').short} = {text.short(value, 6)}"


def facts(each: Rated, design: Design) -> dict[str, Any]:
    """The ratings of a protocol as JSON has them."""
    return {
        "protocol": dict(each.table),
        "p": each.protocol.p,
        "q": each.protocol.q,
        "gain_factor": each.gain_factor,
        "variance": each.variance,
        "noise": math.sqrt(each.mse),
        "gain": each.gain,
        "worst": each.worst,
        "guessed": each.guessed,
        "bits": each.bits,
        "cost": cost_of(each, design),
    }


def cost_of(each: Rated, design: Design) -> float | None:
    """What is minimised, of a protocol; None where it weighs a success without a formula."""
    weighed = design.weights is not None and design.weights.guessed
    return None if weighed and each.guessed is None else design.cost(each)


def title(demand: Demand) -> str:
    """What is designed for."""
    fakes = f"β = {text.short(demand.share)}, r = {demand.targets}"
    return (
        f"A design: d = {text.count(demand.items)}, ε = {text.short(demand.epsilon)}, "
        f"n = {text.count(round(demand.users))}, {fakes}"
    )


def rows(
    demand: Demand, design: Design, beside: Rated, check: Mapping[str, float] | None
) -> list[Row]:
    """The design, the best of each kind and the protocol beside, and what a check measured."""
    return [*_rows(demand, design), *_others(design, beside), *_check_rows(check)]


def _rows(demand: Demand, design: Design) -> Iterator[Row]:
    best = design.found
    yield "protocol", named(best), "of all dials", ""
    yield row("p", best.protocol.p, "of the own item", "W17")
    yield row("q", best.protocol.q, "of any other one", "W17")
    yield row("gain factor a", best.gain_factor, "(1 − q)/(p − q)", "design")
    yield row("noise, Var*", best.variance, "q(1 − q)/(p − q)²", "W17 th. 2")
    yield row("error, no attack", math.sqrt(best.mse), "√(Var*/n)", "W17 th. 2")
    yield row(f"gain of {_items(demand)}", best.gain, "r β (s − q)/(p − q)", "design")
    yield row("worst-case error", best.worst, "√(β²a² + (1−β)²Var*/n)", "design")
    if best.guessed is not None:
        yield row("attacker's success", best.guessed, "one guess a report", "design")
    yield row("bits of a report", best.bits, "log₂ of all reports", "")


def _items(demand: Demand) -> str:
    return "1 target" if demand.targets == 1 else f"{demand.targets} targets"


def _others(design: Design, beside: Rated) -> Iterator[Row]:
    """The minimised value, of the best of each kind and of the protocol beside."""
    for each in (*design.best, beside):
        cost = cost_of(each, design)
        noise, gain = text.short(math.sqrt(each.mse), 3), text.short(each.gain, 3)
        shown = text.MISSING if cost is None else text.short(cost, 5)
        yield named(each), shown, f"√MSE {noise}, G {gain}", "design"


def _check_rows(check: Mapping[str, float] | None) -> Iterator[Row]:
    if check is None:
        return
    names = {"noise": "simulated, no attack", "gain": "simulated gain", "worst": "simulated worst"}
    for name, words in names.items():
        measured = text.estimate(check[name], check[f"{name}_standard_error"])
        yield words, measured, f"planned {text.short(check[f'{name}_planned'])}", ""


def notes(
    demand: Demand, weights: Sequence[float] | None, check: Mapping[str, float] | None
) -> list[str]:
    """What has to be said about the numbers."""
    notes = []
    if weights is None:
        notes.append("minimised: the error of one item of nobody that all fakes aim at")
    else:
        parts = " + ".join(
            f"{text.short(weight)} × {name}"
            for weight, name in zip(weights, NAMES, strict=True)
            if weight
        )
        notes.append(f"minimised: {parts}, each beside the least there is")
    if demand.targets > 1:
        notes.append("the gain of local hashing is that of the best of 1000 seeds for each fake")
    if check is not None:
        notes.append(mean_words([int(check["trials"])]))
    least = text.short(least_gain_factor(demand.epsilon), 4)
    notes.append(f"no pure protocol of this ε has a gain factor below {least}")
    notes.append("a dense report makes honest items go together: filters of itemsets see less")
    return notes
