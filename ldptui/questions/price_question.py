"""how many more users local privacy needs for a curator's error"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import USERS

from ..text import format as text
from .options import Blank
from .parameters import (
    CuratorKind,
    LocalBudget,
    Neighbours,
    ScenarioName,
    Slack,
    name_of,
    read_cell,
    users_of,
)
from .question import Steps, question
from .question_answer import HIDDEN, QuestionAnswer, Row

if TYPE_CHECKING:
    from ..charts.series import Plot
    from .prices import Estimand
    from .sheet import Figure

BESIDE = "laplace"
"""The curator whose error is the measure of the charts."""
Axis = Literal["users", "epsilon"]


@dataclass(frozen=True)
class LocalReport:
    """A report of a local protocol: its gain factor a, and its bits."""

    gain_factor: float
    bits: float


@dataclass(frozen=True)
class Cost:
    """The users with whom a local protocol has a curator's error, also as a multiple of n."""

    users: float
    factor: float


@dataclass(frozen=True)
class ErrorCurves:
    """Errors over x, and the factor of users of each local protocol beside BESIDE."""

    x: Sequence[float]
    errors: Mapping[str, Sequence[float | None]]
    factor: Mapping[str, Sequence[float | None]]


@dataclass(frozen=True)
class PriceAnswer(QuestionAnswer):
    """Errors and prices on one population.

    what : what is estimated. errors : of each kind. reports : of each local protocol. price : of
    each local protocol beside each curator. break_even : the number of users up to which a local
    protocol is as good as BESIDE. over : along n and along ε. None where this ε allows none.
    mechanism : the curator that the sentence is about. axis : the x of the charts.
    """

    scenario: str
    what: str
    items: int
    users: int
    epsilon: float
    delta: float
    neighbours: str
    errors: Mapping[str, float | None]
    reports: Mapping[str, LocalReport]
    price: Mapping[str, Mapping[str, Cost | None]]
    break_even: Mapping[str, float | None]
    over: Mapping[Axis, ErrorCurves]
    mechanism: str = dataclasses.field(default=BESIDE, metadata=HIDDEN)
    axis: Axis = dataclasses.field(default="users", metadata=HIDDEN)

    @property
    def title(self) -> str:
        return (
            f"The price of locality, {self.scenario or 'your population'}: "
            f"ε = {text.short(self.epsilon)}, d = {text.count(self.items)}, "
            f"n = {text.count(self.users)}"
        )

    @property
    def sentences(self) -> Iterator[str]:
        """The cost of locality beside one curator, and the border below which it costs nothing."""
        beside, n = self.mechanism, text.count(self.users)
        known = {
            kind: cost for kind, costs in self.price.items() if (cost := costs[beside]) is not None
        }
        best = min(known, key=lambda kind: known[kind].factor)
        cost, even = known[best], self.break_even[best]
        if not math.isfinite(cost.factor):
            yield f"With n = {n} users {beside} makes no error at all."
            return
        if cost.factor < 1:
            yield (
                f"With n = {n} users {best.upper()} is better than {beside}: it would reach that "
                f"error with {text.count(cost.users)}."
            )
        else:
            yield (
                f"For the error that {beside} has with n = {n} users, local privacy needs "
                f"{text.count(cost.users, 12)} at least: × {text.short(cost.factor, 3)} "
                f"({best.upper()})."
            )
        if beside == BESIDE and even is not None:
            upto = text.count(even, 12)
            yield f"Up to n = {upto} users {best.upper()} would cost nothing beside {beside}."

    def quantities(self) -> Iterator[Row]:
        from ldptui.core.protocols import KINDS

        from ..explain.curator_formulas import words_of

        local = "ours" if self.what == "the mean" else "W17 th. 2"
        for kind, error in self.errors.items():
            if error is None:
                continue
            if (sent := self.reports.get(kind)) is None:
                source = words_of(KINDS[kind].mechanism).error
                yield Row(f"{kind.upper()}: error", error, f"√MSE of {self.what}", source)
                continue
            factor, bits = text.short(sent.gain_factor, 3), text.short(sent.bits, 3)
            about = f"√MSE; a {factor}; {bits} bit" + "s" * (bits != "1")
            yield Row(f"{kind.upper()}: error", error, about, local)
        for name in dict.fromkeys(name for costs in self.price.values() for name in costs):
            if name not in _alike():
                for kind, costs in self.price.items():
                    if (cost := costs[name]) is not None:
                        factor = f"{text.short(cost.factor, 3)} × n"
                        yield Row(f"{kind.upper()} as {name}: users", cost.users, factor, local)
        for kind, even in self.break_even.items():
            if even is not None:
                name = f"{kind.upper()}: no price up to n"
                yield Row(name, even, "then laplace is better", local)

    @property
    def notes(self) -> Iterator[str]:
        yield f"{self.neighbours} neighbours, δ = {text.short(self.delta)} of stability alone"
        yield "users: for the error that the curator has with n"
        yield "a local error falls with 1/√n, a curator's with 1/n: the price grows with n"

    def figures(self) -> Iterator[Figure]:
        """√MSE along n or ε, and the factor of users for the error of Laplace."""
        from .sheet import curves

        along, over = "n" if self.axis == "users" else "ε", self.over[self.axis]
        title = f"Error of {self.what}"
        yield curves(
            self._plot(title, "root of the mean squared error", over.errors), "√MSE", along
        )
        title = "Price of locality: users for the error of laplace"
        plot = self._plot(title, "users needed, × n", over.factor, ((1.0, "as many"),))
        yield curves(plot, "users × n", along, levels=False)

    def _plot(
        self,
        title: str,
        label: str,
        columns: Mapping[str, Sequence[float | None]],
        levels: tuple[tuple[float, str], ...] = (),
    ) -> Plot:
        """Curves of the kinds that a chart has room for; those of curators are dotted."""
        from ..charts import series

        by_users, shown = self.axis == "users", _shown(self.errors)
        fixed = f"ε = {text.short(self.epsilon)}" if by_users else f"n = {text.count(self.users)}"
        lines = tuple(
            series.Series(
                kind.upper(),
                self.over[self.axis].x,
                [math.nan if y is None else y for y in columns[kind]],
                tone,
                "line" if kind in self.price else "dotted",
            )
            for kind, tone in zip(filter(columns.__contains__, shown), series.TONES, strict=False)
        )
        x = "number of users n" if by_users else "privacy budget ε"
        note = f"closed forms, {fixed}, d = {text.count(self.items)}"
        axes = series.Axis(x, log=True), series.Axis(label, log=True)
        return series.Plot(title, *axes, lines, levels, note=note)


def _alike() -> set[str]:
    """The curators that are much as BESIDE: they are left out of charts and of prices in words."""
    from .mechanisms import CURATORS, has

    return {kind for kind in CURATORS if kind != BESIDE and not has(kind, "delta")}


def _shown(errors: Mapping[str, Any]) -> list[str]:
    """The kinds that the charts show: of a frequency those that a chart has room for."""
    from .mechanisms import CURATORS, DRAWN

    wanted = [*DRAWN, *(kind for kind in CURATORS if kind not in _alike())]
    shown = [kind for kind in wanted if kind in errors]
    return shown if len(shown) == len(wanted) else [*errors]


@question(
    "Price",
    "What does local privacy cost?",
    group="Curator",
    place=2,
    hint="--format json has the errors over n and over ε",
)
def price(
    scenario: ScenarioName,
    *,
    epsilon: LocalBudget | None = None,
    users: Annotated[int | None, USERS, "N", Blank(10_000, users_of, steps="ladder")] = None,
    mechanism: CuratorKind = BESIDE,
    over: Annotated[Axis, Blank(choices=(("users", "over n"), ("epsilon", "over ε")))] = "users",
    delta: Slack = 1e-6,
    neighbours: Neighbours = "change-one",
) -> Steps[PriceAnswer]:
    """Print the price of locality on a scenario's population: the error of each local protocol
    beside a trusted curator's, and how many times the users it needs for the same error; at
    the scenario's ε and n, and over both.

    Parameters
    ----------
    scenario : a TOML file, or a bundled scenario
    epsilon : privacy budget ε (the scenario's, or 1)
    users : users n (the scenario's)
    mechanism : the curator that the sentence is about
    over : the x of the charts
    delta : δ of the stability mechanism
    neighbours : tables that must look alike: one row changed, or one more

    Examples
    --------
    ldptui price quickstart --epsilon 1
    """
    from ldptui.core.lab.locality import central_mse, grown
    from ldptui.core.law.numbers import NumericProtocol
    from ldptui.core.protocols.curators.accuracy import require_delta

    from .mechanisms import budget_of, curator
    from .prices import factors, frequencies_of, mean_of, spaced

    cell = read_cell(scenario).first
    histogram: Any = cell.population.histogram
    n, budget = users or cell.population.users, budget_of(cell, epsilon)
    require_delta(delta)
    yield f"comparing protocols with up to {text.count(min(n * 1e3, USERS.high))} users"
    if n != cell.population.users:
        histogram = grown(histogram, n)
    protocol: Any = cell.protocol
    about = (
        mean_of(protocol)
        if isinstance(protocol, NumericProtocol)
        else frequencies_of(histogram.size)
    )
    if mechanism not in about.curators:
        rule = f"must be {', '.join(about.curators)} where the scenario is about a mean"
        raise ScenarioError(f"{rule}, {got(mechanism)}", key="mechanism")

    n = round(float(histogram.sum()))
    errors = about.errors(histogram, n, budget, delta, neighbours)
    central = {
        kind: central_mse(curator(kind, histogram.size, budget, delta, neighbours), histogram)
        for kind in about.curators
    }
    reports, costs, even = _compare_local(about, histogram, budget, errors, central)
    sizes = dict.fromkeys(round(x) for x in spaced(max(10, n / 1e3), min(n * 1e3, USERS.high)))
    points: dict[Axis, list[tuple[float, float]]] = {
        "users": [(size, budget) for size in sizes],
        "epsilon": [(n, each) for each in spaced(min(0.1, budget), max(10, budget))],
    }
    curves = {}
    for axis, places in points.items():
        along = [about.errors(histogram, *place, delta, neighbours) for place in places]
        columns = {kind: [each[kind] for each in along] for kind in errors}
        x = [place[axis != "users"] for place in places]
        curves[axis] = ErrorCurves(x, columns, factors(about.local, along))
    return PriceAnswer(
        name_of(scenario), about.what, histogram.size, n, budget, delta, neighbours, errors,
        reports, costs, even, curves, mechanism, over,
    )  # fmt: skip


def _compare_local(
    about: Estimand,
    histogram: Any,
    epsilon: float,
    errors: Mapping[str, float | None],
    central: Mapping[str, float],
) -> tuple[dict[str, LocalReport], dict[str, Mapping[str, Cost | None]], dict[str, float | None]]:
    """What each local protocol reports and costs, and up to how many users it costs nothing."""
    import numpy as np

    from ldptui.core.lab.locality import price as price_of

    reports: dict[str, LocalReport] = {}
    costs: dict[str, Mapping[str, Cost | None]] = {}
    even: dict[str, float | None] = {}
    for kind in about.local:
        costs[kind], even[kind] = dict.fromkeys(about.curators), None
        if errors[kind] is None:
            continue
        made = about.bind(kind, epsilon)
        reports[kind] = LocalReport(about.factor(made), made.report_bits)
        local = about.squared(made, np.asarray(histogram, dtype=np.float64))
        found = {name: price_of(local, beside, histogram) for name, beside in central.items()}
        costs[kind] = {name: Cost(cost.users, cost.factor) for name, cost in found.items()}
        # Its error falls with 1/n, the curator's with 1/n².
        even[kind] = round(float(histogram.sum())) / found[BESIDE].factor
    return reports, costs, even
