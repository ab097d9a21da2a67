"""Price: local protocols beside a trusted curator, on one population; what locality costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import USERS
from ldptui.core.base.sampling import Counts, Floats
from ldptui.core.lab.locality import central_mse, grown, local_mse, mean_mse, price
from ldptui.core.law.numbers import TellsNumbers, tells_numbers
from ldptui.core.law.pure import gain_factor
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.curators import Neighbours
from ldptui.core.protocols.curators.accuracy import require_delta

from ..charts.series import TONES, Axis, Plot, Series
from ..explain.curators import words_of
from ..text import format as text
from .answer import curves
from .asking import Ask, Row, Steps, answer_of, row
from .mechanisms import (
    BESIDE,
    CURATORS,
    DRAWN,
    LOCAL,
    bound,
    budget_of,
    curator,
    has,
    subject,
    telling,
)
from .questions.curators import PriceOptions
from .questions.offered import numbers as kinds_of_numbers

Over: TypeAlias = Literal["users", "epsilon"]
Errors: TypeAlias = dict[str, float | None]
"""√MSE of a frequency by kind; None where this ε allows none."""

POINTS: Final = 33
"""Points of a curve."""
NEAR: Final = tuple(kind for kind in CURATORS if kind != BESIDE and not has(kind, "delta"))
"""The curators that are much as BESIDE: they are left out of charts and of prices in words."""
APART: Final = tuple(kind for kind in CURATORS if kind not in NEAR)
SHOWN: Final = (*DRAWN, *APART)
"""The kinds that a chart has room for: the other local ones are between these."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What is estimated of a population, and the kinds that do it.

    bound : the local protocol of a kind and an ε. squared : its mean squared error on a histogram.
    factor : the most that one of its reports says, as often as what is estimated.
    half : the unit of the errors.
    """

    what: str
    local: tuple[str, ...]
    curators: tuple[str, ...]
    bound: Callable[[str, float], Any]
    squared: Callable[[Any, Floats], float]
    factor: Callable[[Any], float]
    half: float = 1.0


def of_frequencies(items: int) -> Asked:
    """The frequencies of items, by every pure protocol."""
    bind = lambda kind, epsilon: bound(kind, items, epsilon)  # noqa: E731
    return Asked("a frequency", LOCAL, CURATORS, bind, local_mse, gain_factor)


def of_mean(protocol: TellsNumbers) -> Asked:
    """The mean of the numbers that this protocol is about, by every protocol of numbers."""
    values, kinds = protocol.values, kinds_of_numbers()
    return Asked(
        "the mean",
        kinds,
        (BESIDE,),
        telling,
        lambda made, histogram: mean_mse(made, values, histogram),
        lambda made: float(made.factor),
        (protocol.high - protocol.low) / 2,
    )


@dataclass(frozen=True)
class Sent:
    """A report of a local protocol: its gain factor a, and its bits."""

    gain_factor: float
    bits: float


@dataclass(frozen=True)
class Cost:
    """The users with whom a local protocol has a curator's error, also as a multiple of n."""

    users: float
    factor: float


@dataclass(frozen=True)
class Along:
    """Errors over x, and the factor of users of each local protocol beside BESIDE."""

    x: Sequence[float]
    errors: Mapping[str, Sequence[float | None]]
    factor: Mapping[str, Sequence[float | None]]


@dataclass(frozen=True)
class Prices:
    """Errors and prices on one population.

    what : what is estimated. errors : of each kind. reports : of each local protocol. price : of
    each local protocol beside each curator. break_even : the number of users up to which a local
    protocol is as good as BESIDE. over : along n and along ε. None where this ε allows none.
    """

    scenario: str
    what: str
    items: int
    users: int
    epsilon: float
    delta: float
    neighbours: Neighbours
    errors: Errors
    reports: Mapping[str, Sent]
    price: Mapping[str, Mapping[str, Cost | None]]
    break_even: Mapping[str, float | None]
    over: Mapping[Over, Along]


def answer(options: PriceOptions, ask: Ask) -> Steps:
    """The errors and the prices on a scenario's population."""
    cell = ask.cell(options.scenario).first
    histogram: Counts | Floats = cell.population.histogram
    users = options.users or cell.population.users
    require_delta(options.delta)
    yield f"comparing protocols with up to {text.count(min(users * 1e3, USERS.high))} users"
    if users != cell.population.users:
        histogram = grown(histogram, users)
    protocol: Any = cell.protocol
    asked = of_mean(protocol) if tells_numbers(protocol) else of_frequencies(histogram.size)
    if options.mechanism not in asked.curators:
        rule = f"must be {', '.join(asked.curators)} where the scenario is about a mean"
        raise ScenarioError(f"{rule}, {got(options.mechanism)}", key="mechanism")
    values = prices(
        histogram,
        budget_of(cell, options.epsilon),
        options.delta,
        options.neighbours,
        options.scenario,
        asked,
    )
    along = "n" if options.over == "users" else "ε"
    return answer_of(
        f"The price of locality, {subject(options.scenario)}: ε = {text.short(values.epsilon)}, "
        f"d = {text.count(values.items)}, n = {text.count(values.users)}",
        _rows(values),
        values=values,
        verdict=_verdict(values, options.mechanism),
        notes=(
            f"{values.neighbours} neighbours, δ = {text.short(values.delta)} of stability alone",
            "users: for the error that the curator has with n",
            "a local error falls with 1/√n, a curator's with 1/n: the price grows with n",
        ),
        figures=(
            curves(error_chart(values, options.over), "√MSE", along),
            curves(factor_chart(values, options.over), "users × n", along, levels=False),
        ),
    )


def prices(
    histogram: Counts | Floats,
    epsilon: float,
    delta: float = 1e-6,
    neighbours: Neighbours = "change-one",
    scenario: str = "",
    asked: Asked | None = None,
) -> Prices:
    """Errors and prices on the users of a histogram, [d]; raises ScenarioError.

    asked : what is estimated; None: the frequencies.
    """
    asked = asked or of_frequencies(histogram.size)
    users = round(float(histogram.sum()))
    central = {kind: curator(kind, histogram.size, epsilon, delta, neighbours)
               for kind in asked.curators}  # fmt: skip

    def errors_of(users: float, epsilon: float) -> Errors:
        return _errors(asked, grown(histogram, users), epsilon, delta, neighbours)

    errors = errors_of(users, epsilon)
    reports: dict[str, Sent] = {}
    costs: dict[str, Mapping[str, Cost | None]] = {}
    even: dict[str, float | None] = {}
    for kind in asked.local:
        if errors[kind] is None:
            costs[kind], even[kind] = dict.fromkeys(asked.curators), None
            continue
        protocol = asked.bound(kind, epsilon)
        reports[kind] = Sent(asked.factor(protocol), protocol.report_bits)
        local = asked.squared(protocol, np.asarray(histogram, dtype=np.float64))
        each = {name: price(local, central_mse(beside, histogram), histogram)
                for name, beside in central.items()}  # fmt: skip
        costs[kind] = {name: Cost(cost.users, cost.factor) for name, cost in each.items()}
        # Its error is in proportion to 1/n, the curator's to 1/n².
        even[kind] = users / each[BESIDE].factor
    numbers = _whole(max(10, users / 1e3), min(users * 1e3, USERS.high))
    budgets = _spaced(min(0.1, epsilon), max(10, epsilon))
    return Prices(
        scenario,
        asked.what,
        histogram.size,
        users,
        epsilon,
        delta,
        neighbours,
        errors,
        reports,
        costs,
        even,
        {
            "users": _along(asked, numbers, [errors_of(n, epsilon) for n in numbers]),
            "epsilon": _along(asked, budgets, [errors_of(users, e) for e in budgets]),
        },
    )


def _errors(
    asked: Asked, held: Floats, epsilon: float, delta: float, neighbours: Neighbours
) -> Errors:
    """√MSE of each kind with the users of a histogram, [d]."""
    errors: Errors = {}
    for kind in asked.local:
        try:
            errors[kind] = asked.half * math.sqrt(asked.squared(asked.bound(kind, epsilon), held))
        except ScenarioError:
            errors[kind] = None  # e^ε + 1 is no usable hash range
    for kind in asked.curators:
        mechanism = curator(kind, held.size, epsilon, delta, neighbours)
        errors[kind] = asked.half * math.sqrt(central_mse(mechanism, held))
    return errors


def _along(asked: Asked, x: Sequence[float], errors: Sequence[Errors]) -> Along:
    columns = {kind: [each[kind] for each in errors] for kind in (*asked.local, *asked.curators)}
    factor = {
        kind: [
            None if local is None or not central else (local / central) ** 2
            for local, central in zip(columns[kind], columns[BESIDE], strict=True)
        ]
        for kind in asked.local
    }
    return Along(x, columns, factor)


def _spaced(low: float, high: float) -> list[float]:
    return [float(f"{x:.6g}") for x in np.geomspace(low, high, POINTS)]


def _whole(low: float, high: float) -> list[int]:
    return list(dict.fromkeys(round(x) for x in _spaced(low, high)))


# Charts.


def error_chart(values: Prices, over: Over) -> Plot:
    """√MSE of a frequency along n or ε: local protocols and curators."""
    columns = {kind: values.over[over].errors[kind] for kind in _shown(values)}
    title = f"Error of {values.what}"
    return _chart(values, over, columns, title, "root of the mean squared error")


def factor_chart(values: Prices, over: Over) -> Plot:
    """The factor of users that local protocols need for the error of Laplace."""
    factors = values.over[over].factor
    columns = {kind: factors[kind] for kind in _shown(values) if kind in factors}
    title = "Price of locality: users for the error of laplace"
    return _chart(values, over, columns, title, "users needed, × n", ((1.0, "as many"),))


def _shown(values: Prices) -> Sequence[str]:
    """The kinds that the charts show: of a frequency those that a chart has room for."""
    shown = [kind for kind in SHOWN if kind in values.errors]
    return shown if len(shown) == len(SHOWN) else [*values.errors]


def _chart(
    values: Prices,
    over: Over,
    columns: Mapping[str, Sequence[float | None]],
    title: str,
    label: str,
    levels: tuple[tuple[float, str], ...] = (),
) -> Plot:
    series = tuple(
        Series(
            kind.upper(),
            values.over[over].x,
            [math.nan if y is None else y for y in column],
            tone,
            # Curators are dotted: one sees at once which is which.
            "line" if kind in values.price else "dotted",
        )
        for (kind, column), tone in zip(columns.items(), TONES, strict=False)
    )
    fixed = f"ε = {text.short(values.epsilon)}" if over == "users" else (
        f"n = {text.count(values.users)}")  # fmt: skip
    x = "number of users n" if over == "users" else "privacy budget ε"
    return Plot(
        title,
        Axis(x, log=True),
        Axis(label, log=True),
        series,
        levels,
        note=f"closed forms, {fixed}, d = {text.count(values.items)}",
    )


# In words.


def _rows(values: Prices) -> Iterator[Row]:
    sources = {kind: words_of(KINDS[kind].mechanism).error for kind in CURATORS}
    for kind, error in values.errors.items():
        if error is not None:
            source, about = sources.get(kind, _source(values)), f"√MSE of {values.what}"
            if (sent := values.reports.get(kind)) is not None:
                factor, bits = text.short(sent.gain_factor, 3), text.short(sent.bits, 3)
                about = f"√MSE; a {factor}; {bits} bit" + "s" * (bits != "1")
            yield row(f"{kind.upper()}: error", error, about, source)
    for name in APART:
        for kind, costs in values.price.items():
            if (cost := costs.get(name)) is not None:
                factor = f"{text.short(cost.factor, 3)} × n"
                yield row(f"{kind.upper()} as {name}: users", cost.users, factor, _source(values))
    for kind, even in values.break_even.items():
        if even is not None:
            name = f"{kind.upper()}: no price up to n"
            yield row(name, even, "then laplace is better", _source(values))


def _source(values: Prices) -> str:
    """The source of a local error."""
    return "ours" if values.what == "the mean" else "W17 th. 2"


def _verdict(values: Prices, beside: str) -> tuple[str, ...]:
    """The cost of locality beside one curator, and the border below which it costs nothing."""
    known = {kind: cost for kind, costs in values.price.items()
             if (cost := costs[beside]) is not None}  # fmt: skip
    best = min(known, key=lambda kind: known[kind].factor)
    cost, n = known[best], text.count(values.users)
    if not math.isfinite(cost.factor):
        return (f"With n = {n} users {beside} makes no error at all.",)
    if cost.factor < 1:
        first = (
            f"With n = {n} users {best.upper()} is better than {beside}: it would reach that "
            f"error with {text.count(cost.users)}."
        )
    else:
        first = (
            f"For the error that {beside} has with n = {n} users, local privacy needs "
            f"{text.count(cost.users, 12)} at least: × {text.short(cost.factor, 3)} "
            f"({best.upper()})."
        )
    even = values.break_even[best]
    if beside != BESIDE or even is None:
        return (first,)
    upto = text.count(even, 12)
    return first, f"Up to n = {upto} users {best.upper()} would cost nothing beside {beside}."
