"""Price: local protocols beside a trusted curator, on one population; what locality costs."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import USERS
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.lab.locality import central_mse, grown, local_mse, price
from ldptui.core.law.pure import gain_factor
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.curators import Neighbours
from ldptui.core.protocols.curators.accuracy import require_delta

from ..charts.series import TONES, Axis, Plot, Series
from ..explain.curators import words_of
from ..terminal import exits
from ..text import format as text
from .asking import Ask, Steps, answer_of
from .figure import curves
from .mechanisms import BESIDE, CURATORS, DRAWN, LOCAL, bound, curator, has
from .output import Report, Row, laid_out, row, show
from .scenarios import current

Over: TypeAlias = Literal["users", "epsilon"]
Values: TypeAlias = dict[str, Any]
"""The values that `prices` returns."""

POINTS: Final = 33
"""Points of a curve."""
NEAR: Final = tuple(kind for kind in CURATORS if kind != BESIDE and not has(kind, "delta"))
"""The curators that are much as BESIDE: they are left out of charts and of prices in words."""
APART: Final = tuple(kind for kind in CURATORS if kind not in NEAR)
SHOWN: Final = (*DRAWN, *APART)
"""The kinds that a chart has room for: the other local ones are between these."""


def run(options: Namespace) -> int:
    """Print the errors and the prices."""
    cell, epsilon = current(options.scenario, options.epsilon)
    histogram: Counts | Floats = cell.population.histogram
    if options.users is not None:
        histogram = grown(histogram, options.users)
    values = prices(histogram, epsilon, options.delta, options.neighbours)
    show(
        options,
        {"scenario": options.scenario, **values},
        laid_out(*report(options.scenario, values)),
    )
    return exits.DONE


def prices(
    histogram: Counts | Floats,
    epsilon: float,
    delta: float = 1e-6,
    neighbours: Neighbours = "change-one",
) -> dict[str, Any]:
    """Errors and prices on the users of a histogram, [d]; raises ScenarioError.

    errors : for each kind, the root of the mean squared error of a frequency; None where this ε
    allows none. reports : the gain factor a and the bits of a report of each local protocol.
    price : for each local protocol and each curator, the number of users with
    which it has the curator's error, and that as a multiple of n. break_even : the number of users
    up to which a local protocol is as good as the Laplace mechanism. over : the same along n and ε,
    `factor` beside the Laplace mechanism.
    """
    users = round(float(histogram.sum()))
    errors = _errors(histogram, users, epsilon, delta, neighbours)
    curators = {kind: curator(kind, histogram.size, epsilon, delta, neighbours)
                for kind in CURATORS}  # fmt: skip
    costs: dict[str, dict[str, Any]] = {}
    even: dict[str, float | None] = {}
    for kind in LOCAL:
        if errors[kind] is None:
            costs[kind], even[kind] = dict.fromkeys(CURATORS), None
            continue
        protocol = bound(kind, histogram.size, epsilon)
        each = {name: price(protocol, central, histogram) for name, central in curators.items()}
        costs[kind] = {
            name: {"users": cost.users, "factor": cost.factor} for name, cost in each.items()
        }
        # Its error is in proportion to 1/n, the curator's to 1/n².
        even[kind] = users / each[BESIDE].factor
    return {
        "items": histogram.size,
        "users": users,
        "epsilon": epsilon,
        "delta": delta,
        "neighbours": neighbours,
        "errors": errors,
        "reports": _reports(
            [kind for kind in LOCAL if errors[kind] is not None], histogram.size, epsilon
        ),
        "price": costs,
        "break_even": even,
        "over": {
            "users": _along(
                [
                    (n, _errors(histogram, n, epsilon, delta, neighbours))
                    for n in _whole(max(10, users / 1e3), min(users * 1e3, USERS.high))
                ]
            ),
            "epsilon": _along(
                [
                    (e, _errors(histogram, users, e, delta, neighbours))
                    for e in _spaced(min(0.1, epsilon), max(10, epsilon))
                ]
            ),
        },
    }


def _reports(kinds: Iterable[str], items: int, epsilon: float) -> dict[str, dict[str, float]]:
    """The gain factor and the bits of a report of each local protocol."""
    protocols = {kind: bound(kind, items, epsilon) for kind in kinds}
    return {
        kind: {"gain_factor": gain_factor(protocol), "bits": protocol.report_bits}
        for kind, protocol in protocols.items()
    }


def _errors(
    histogram: Counts | Floats, users: int, epsilon: float, delta: float, neighbours: Neighbours
) -> dict[str, float | None]:
    """√MSE of each kind with `users` users of these frequencies."""
    items = histogram.size
    held = grown(histogram, users)
    errors: dict[str, float | None] = {}
    for kind in LOCAL:
        try:
            errors[kind] = math.sqrt(local_mse(bound(kind, items, epsilon), held))
        except ScenarioError:
            errors[kind] = None  # e^ε + 1 is no usable hash range
    for kind in CURATORS:
        mechanism = curator(kind, items, epsilon, delta, neighbours)
        errors[kind] = math.sqrt(central_mse(mechanism, held))
    return errors


def _along(points: Sequence[tuple[float, dict[str, float | None]]]) -> dict[str, Any]:
    """Columns: x, each kind's error, and each local protocol's price beside Laplace."""
    kinds = (*LOCAL, *CURATORS)
    columns = {kind: [errors[kind] for _, errors in points] for kind in kinds}
    factor = {
        kind: [
            None if local is None or not central else (local / central) ** 2
            for local, central in zip(columns[kind], columns[BESIDE], strict=True)
        ]
        for kind in LOCAL
    }
    return {"x": [x for x, _ in points], "errors": columns, "factor": factor}


def _spaced(low: float, high: float) -> list[float]:
    return [float(f"{x:.6g}") for x in np.geomspace(low, high, POINTS)]


def _whole(low: float, high: float) -> list[int]:
    return list(dict.fromkeys(round(x) for x in _spaced(low, high)))


# Charts.


def error_chart(values: dict[str, Any], over: Over) -> Plot:
    """√MSE of a frequency along n or ε: local protocols and curators, from `prices`."""
    return _chart(
        values,
        over,
        "errors",
        SHOWN,
        "Error of a frequency",
        "root of the mean squared error",
    )


def factor_chart(values: dict[str, Any], over: Over) -> Plot:
    """The factor of users that local protocols need for the error of Laplace, from `prices`."""
    shown = [kind for kind in SHOWN if kind in LOCAL]
    chart = "Price of locality: users for the error of laplace", "users needed, × n"
    return _chart(values, over, "factor", shown, *chart)


def _chart(
    values: dict[str, Any], over: Over, what: str, kinds: Sequence[str], title: str, label: str
) -> Plot:
    columns = values["over"][over]
    series = tuple(
        Series(
            kind.upper(),
            columns["x"],
            [math.nan if y is None else y for y in columns[what][kind]],
            tone,
            # Curators are dotted: one sees at once which is which.
            "line" if kind in LOCAL else "dotted",
        )
        for kind, tone in zip(kinds, TONES, strict=False)
    )
    fixed = f"ε = {text.short(values['epsilon'])}" if over == "users" else (
        f"n = {text.count(values['users'])}")  # fmt: skip
    x = "number of users n" if over == "users" else "privacy budget ε"
    levels = ((1.0, "as many"),) if what == "factor" else ()
    return Plot(
        title,
        Axis(x, log=True),
        Axis(label, log=True),
        series,
        levels,
        note=f"closed forms, {fixed}, d = {text.count(values['items'])}",
    )


# The table.


def report(scenario: str, values: Values) -> Report:
    """The errors and prices for people."""
    rows: list[Row] = []
    sources = {kind: words_of(KINDS[kind].mechanism).error for kind in CURATORS}
    for kind, error in values["errors"].items():
        if error is not None:
            source, about = sources.get(kind, "W17 th. 2"), "√MSE of a frequency"
            if kind in values["reports"]:
                report = values["reports"][kind]
                factor, bits = (text.short(report[key], 3) for key in ("gain_factor", "bits"))
                about = f"√MSE; a {factor}; {bits} bit" + "s" * (bits != "1")
            rows.append(row(f"{kind}: error", error, about, source))
    for name in APART:
        for kind in LOCAL:
            cost = values["price"][kind][name]
            if cost is not None:
                factor = f"{text.short(cost['factor'], 3)} × n"
                rows.append(row(f"{kind} as {name}: users", cost["users"], factor, "W17 th. 2"))
    for kind in LOCAL:
        even = values["break_even"][kind]
        if even is not None:
            rows.append(
                row(f"{kind}: no price up to n", even, "then laplace is better", "W17 th. 2")
            )
    title = (
        f"The price of locality, {scenario}: ε = {text.short(values['epsilon'])}, "
        f"d = {text.count(values['items'])}, n = {text.count(values['users'])}"
    )
    notes = [
        f"{values['neighbours']} neighbours, δ = {text.short(values['delta'])} of stability alone",
        "users: for the error that the curator has with n",
        "a local error falls with 1/√n, a curator's with 1/n: the price grows with n",
        "--format json has the errors over n and over ε",
    ]
    return Report(title, rows, notes)


# The tab.


def work(ask: Ask) -> Steps:
    population = ask.cell.first.population
    options, users = ask.given, ask.given.users
    require_delta(options.delta)
    yield f"comparing protocols with up to {text.count(min(users * 1e3, USERS.high))} users"
    histogram: Counts | Floats = population.histogram
    if users != population.users:
        histogram = grown(histogram, users)
    values = prices(histogram, options.epsilon, options.delta, options.neighbours)
    table = report("your population", values)
    notes = [note for note in table.notes if not note.startswith("--")]  # of the command's options
    along = "n" if options.over == "users" else "ε"
    return answer_of(
        table._replace(notes=notes),
        curves(error_chart(values, options.over), "√MSE", along),
        curves(factor_chart(values, options.over), "users × n", along, levels=False),
        words=_verdict(values, options.mechanism),
    )


def _verdict(values: Values, beside: str) -> tuple[str, ...]:
    """The cost of locality beside one curator, and the border below which it costs nothing."""
    prices = {kind: values["price"][kind][beside] for kind in LOCAL}
    known = {kind: cost for kind, cost in prices.items() if cost is not None}
    best = min(known, key=lambda kind: known[kind]["factor"])
    factor, users = known[best]["factor"], known[best]["users"]
    n = text.count(values["users"])
    if not math.isfinite(factor):
        return (f"With n = {n} users {beside} makes no error at all.",)
    if factor < 1:
        first = (
            f"With n = {n} users {best.upper()} is better than {beside}: it would reach that "
            f"error with {text.count(users)}."
        )
    else:
        first = (
            f"For the error that {beside} has with n = {n} users, local privacy needs "
            f"{text.count(users, 12)} at least: × {text.short(factor, 3)} ({best.upper()})."
        )
    if beside != BESIDE:
        return (first,)
    even = text.count(values["break_even"][best], 12)
    return first, f"Up to n = {even} users {best.upper()} would cost nothing beside {beside}."
