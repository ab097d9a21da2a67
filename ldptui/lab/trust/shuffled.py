"""One protocol behind a shuffler: the central ε, ε₀ or the users, one from the others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.bounds.shuffle.central import (
    central_at_least,
    central_at_most,
    closed_2021,
    closed_2023,
    least_users,
    local_for,
    variation_epsilon,
)
from ldptui.core.law.blanket import unshuffled
from ldptui.core.protocols import KINDS

from ...charts.series import Axis, Plot, Series
from ...text import format as text
from ..answer import Figure, curves
from ..asking import Row, Steps, answer_of, row
from ..mechanisms import LOCAL, bound
from ..questions.planning import ANY, TrustOptions

PROTOCOLS: Final = (*LOCAL, *(kind for kind in KINDS if kind not in LOCAL))
"""The kinds that can be named; those that no shuffler helps are refused with the reason."""
POINTS: Final = 5
"""Points of the curve over ε₀, besides the one that is asked for."""


@dataclass(frozen=True)
class Shuffled:
    """Budgets of shuffled reports.

    epsilon : ε₀ of a report. users : n. blending : the users whose reports hide others. at_least,
    central_epsilon : the central ε is between them. closed_2021, closed_2023 : bounds of the
    literature, of any protocol; None where they say nothing. variation : the variation ratio's
    number, which is no bound at few users; None where it is not known. solved : what was asked for.
    """

    protocol: str
    solved: str
    epsilon: float
    users: int
    blending: int
    delta: float
    central_epsilon: float
    at_least: float
    closed_2021: float | None
    closed_2023: float | None
    variation: float | None


def answer(options: TrustOptions) -> Steps:
    """The one of the central ε, ε₀ and the users that is not given; raises ScenarioError."""
    yield f"accounting for {options.protocol} behind a shuffler"
    values = _solved(options)
    return answer_of(
        _title(values),
        _rows(values),
        values=values,
        verdict=(_verdict(values),),
        notes=tuple(_notes(values)),
        figures=(curve(values, options) for curve in (_curve,)),
    )


def _protocol(options: TrustOptions, epsilon: float) -> Any:
    """The protocol of an ε₀; None for any."""
    if options.protocol == ANY:
        return None
    protocol = bound(options.protocol, options.items, epsilon)
    why = unshuffled(protocol)
    if why is not None:
        raise ScenarioError(f"must not be {why}", key="protocol")
    return protocol


def _solved(options: TrustOptions) -> Shuffled:
    central, epsilon, users = options.central, options.epsilon, options.users
    given = {"central": central, "epsilon": epsilon, "users": users}
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        rule = "must be given, and the third is computed"
        raise ScenarioError(f"two of central, epsilon and users {rule}, got {3 - len(missing)}")
    (solved,) = missing
    _protocol(options, epsilon or 1.0)  # which says why none is shuffled
    if users is not None:
        count = _whole(users)
        blending = math.floor(count * (1 - options.silent))
        if blending < 1:
            rule = "must leave a user whose report hides others"
            raise ScenarioError(f"{rule}, {got(options.silent)}", key="silent")
    if epsilon is None:
        assert central is not None
        epsilon = local_for(lambda e: _protocol(options, e), blending, options.delta, central)
    protocol = _protocol(options, epsilon)
    if users is None:
        assert central is not None
        blending = least_users(protocol, epsilon, options.delta, central)
        count = math.ceil(blending / (1 - options.silent))
    real: float = getattr(protocol, "epsilon", epsilon)
    most = central_at_most(protocol, real, blending, options.delta)
    return Shuffled(
        options.protocol, solved, real, count, blending, options.delta,
        most,
        central_at_least(protocol, real, blending, options.delta, most),
        closed_2021(real, blending, options.delta),
        closed_2023(real, blending, options.delta),
        variation_epsilon(protocol, real, blending, options.delta),
    )  # fmt: skip


def _whole(users: float) -> int:
    if users % 1:
        raise ScenarioError(f"must be a whole number, {got(users)}", key="users")
    return int(users)


def _title(values: Shuffled) -> str:
    name = "Any protocol" if values.protocol == ANY else values.protocol.upper()
    return f"{name}, shuffled among {text.count(values.users)} users"


def _rows(values: Shuffled) -> Iterator[Row]:
    yield row("ε₀ of a report", values.epsilon, "what the server could learn alone")
    yield row("δ", values.delta, "the chance that the promise fails")
    if values.blending != values.users:
        yield row("users who blend in", text.count(values.blending), "n(1 − silent)", "trust")
    yield row("central ε, at most", values.central_epsilon, "E[(X₁ + … + Xₙ)⁺] ≤ γnδ", "BBGN")
    if values.at_least > 0:
        yield row("central ε, at least", values.at_least, "two data sets, one statistic", "trust")
    for value, formula, name in (
        (values.closed_2023, "ln(1 + (e − 1)(4√(2 ln(4/δ)/((e + 1)n)) + 4/n))", "FMT23"),
        (values.closed_2021, "ln(1 + (e − 1)/(e + 1) (8√(e ln(4/δ)/n) + 8e/n))", "FMT21"),
    ):
        if value is not None:
            yield row("closed bound, any protocol", value, formula, name)
    if values.variation is not None:
        yield row("variation ratio", values.variation, "not a bound at small n", "VR24")


def _notes(values: Shuffled) -> Iterator[str]:
    if values.delta > 1 / values.users:
        yield (
            f"δ is above 1/n = {text.short(1 / values.users, 3)}: so weak a promise is kept by a "
            "server that publishes one report in full"
        )
    if values.central_epsilon >= values.epsilon * (1 - 1e-9):
        yield "shuffling so few users proves no more than the ε₀ of a report"
    yield (
        "fakes hide nobody: n is the number of honest users; several collections, shuffled apart, "
        "add up in ldptui ledger, and of groups of different users the largest ε counts"
    )


def _verdict(values: Shuffled) -> str:
    central = text.short(values.central_epsilon, 4)
    match values.solved:
        case "epsilon":
            return (
                f"Reports of ε₀ = {text.short(values.epsilon, 4)} are enough: shuffled among "
                f"{text.count(values.users)} users, central ε is at most {central}."
            )
        case "users":
            return f"The smallest batch is {text.count(values.users)} users."
    return f"Shuffled, what all reports tell of one user is worth ε = {central} at most."


def _curve(values: Shuffled, options: TrustOptions) -> Figure:
    """The central ε over ε₀: the bounds from both sides, and the closed one."""
    low, high = min(0.1, values.epsilon), min(20.0, max(8.0, 1.5 * values.epsilon))
    local = np.union1d(np.geomspace(low, high, POINTS), values.epsilon)
    most, least, closed = [], [], []
    for epsilon in local.tolist():
        protocol = _bounded(options, epsilon)
        if protocol is False:
            most.append(math.nan)
            least.append(math.nan)
        else:
            bound_above = central_at_most(protocol, epsilon, values.blending, values.delta)
            most.append(bound_above)
            least.append(
                central_at_least(protocol, epsilon, values.blending, values.delta, bound_above)
            )
        closed.append(closed_2023(epsilon, values.blending, values.delta) or math.nan)
    plot = Plot(
        "What shuffling makes of a report's ε₀",
        Axis("ε₀ of a report", log=True),
        Axis("central ε", log=True),
        (
            Series("ε₀ itself", local, local, "muted", "dotted"),
            Series("closed bound, any", local, closed, "theory"),
            Series("at most", local, most, "attacked"),
            Series("at least", local, [value or math.nan for value in least], "clean"),
            Series("here", (values.epsilon,), (values.central_epsilon,), "target", "points"),
        ),
        note=f"n = {text.count(values.users)}, δ = {text.short(values.delta, 3)}",
    )
    return curves(plot, "central ε", "ε₀")


def _bounded(options: TrustOptions, epsilon: float) -> Any:
    """The protocol of an ε₀; False where there is none."""
    try:
        return _protocol(options, epsilon)
    except ScenarioError:
        return False
