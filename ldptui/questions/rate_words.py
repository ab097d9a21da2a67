"""The words for the rates of a screen or a step on simulated collections."""

from __future__ import annotations

from typing import Any, Final

from ldptui.core.base.proportions import clopper_pearson
from ldptui.core.base.summary import Estimate
from ldptui.core.reports.rates import Rates, StepVerdict

from ..text import format as text

HEADS: Final = ("false alarms", "power", "cost", "error", "caught")
"""The heads of the cells of rates."""

ALARM: Final = {True: "ALARM", False: "no", None: "–"}
"""The words for a verdict."""

LEGEND: Final = (
    "k of N: simulated collections, ± standard error; power: alarms where 1 % of the users are MGA "
    "on 5 rare items; cost: the share of honest reports dropped where nobody attacks; error: the "
    "mean squared error of all estimates then beside that without; caught: the share of those "
    "fakes dropped"
)


def rate_cells(step: StepVerdict) -> list[str]:
    """The simulated rates of a defence as table cells with the columns of HEADS; ≤ marks proved
    bounds.
    """
    if step.proved is not None:
        false, power, cost = (f"{value:.3g}" for value in step.proved)
        return [f"≤ {false}", power, f"≤ {cost}" if step.proved[2] else cost, "–", "–"]
    if (rates := step.rates) is None:
        return ["–"] * len(HEADS)
    return [
        _alarms(rates.false_alarms, rates),
        _alarms(rates.alarms, rates),
        _share(rates.cost),
        f"× {_share(rates.error)}",
        _share(rates.caught),
    ]


def _alarms(number: int | None, rates: Rates) -> str:
    """The collections that a step alarms about, of all: k of N."""
    return "–" if number is None else f"{number} of {rates.trials}"


def _share(estimate: Estimate | None) -> str:
    """A mean share with its standard error."""
    if estimate is None or estimate.mean is None:
        return "–"
    return text.estimate(estimate.mean, estimate.standard_error or None)


def rate_document(rates: Rates | None) -> dict[str, Any] | None:
    """The simulated rates of a defence as plain values for JSON; None if none were simulated.

    `false_alarm` and `power` are [k, low, high]: the collections that alarm, and the exact interval
    (Clopper, Pearson) that holds the rate with 95 %. `cost`, `error`, `caught` are a mean and its
    standard error.
    """
    if rates is None:
        return None
    made: dict[str, Any] = {"users": rates.users, "trials": rates.trials}
    for name, number in (("false_alarm", rates.false_alarms), ("power", rates.alarms)):
        made[name] = None
        if number is not None:
            low, high = clopper_pearson(number, rates.trials, 0.025)
            made[name] = [number, float(low), float(high)]
    for name in ("cost", "error", "caught"):
        estimate: Estimate | None = getattr(rates, name)
        made[name] = None if estimate is None else [estimate.mean, estimate.standard_error]
    return made
