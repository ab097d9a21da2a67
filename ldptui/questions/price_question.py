"""how many more users local privacy needs for a curator's error"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, cast

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import USERS

from ..text import format as text
from .choices import numbers
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
from .question import BUDGETS, Curves, Steps, question, space_points
from .question_answer import QuantityRow, QuestionAnswer, hidden

BESIDE = "laplace"
"""The curator whose error is the measure of the charts."""


@dataclass(frozen=True)
class LocalReport:
    """The reports of a local protocol: the gain factor a, and the bits of one report."""

    gain_factor: float
    bits: float


@dataclass(frozen=True)
class Cost:
    """The users with whom a local protocol has a curator's error: their number, and as a multiple
    of n.
    """

    users: float
    factor: float


@dataclass(frozen=True)
class PriceAnswer(QuestionAnswer):
    """The answer of `price`: errors of local protocols and curators on one population.

    what : the estimated quantity.
    errors : of each kind.
    reports : of each local protocol.
    price : of each local protocol beside each curator.
    break_even : the number of users up to which a local protocol is as good as BESIDE. A value is
        None if the mechanism does not allow this ε.
    mechanism : the curator that the sentence compares with.
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
    mechanism: str = hidden(BESIDE)

    @property
    def title(self) -> str:
        return (
            f"The price of locality, {self.scenario or 'your population'}: "
            f"ε = {text.short(self.epsilon)}, d = {text.count(self.items)}, "
            f"n = {text.count(self.users)}"
        )

    @property
    def sentences(self) -> Iterator[str]:
        """Yields the cost of local reports beside one curator, and the n below which they cost
        nothing.
        """
        beside, n = self.mechanism, text.count(self.users)
        known = {
            kind: cost for kind, costs in self.price.items() if (cost := costs[beside]) is not None
        }
        best = min(known, key=lambda kind: known[kind].factor)
        cost, even = known[best], self.break_even[best]
        if not math.isfinite(cost.factor):
            yield f"With n = {n} users {beside} makes no error at all."
            return
        yield (
            f"For the error that {beside} has with n = {n} users, local privacy needs "
            f"{text.count(cost.users, 12)} at least: × {text.short(cost.factor, 3)} "
            f"({best.upper()})."
        )
        if beside == BESIDE and even is not None:
            upto = text.count(even, 12)
            yield f"Up to n = {upto} users {best.upper()} would cost nothing beside {beside}."

    def quantities(self) -> Iterator[QuantityRow]:
        from ldptui.core.protocols import KINDS

        from ..explain.curator_formulas import words_of

        local = "ours" if self.what == "the mean" else "W17 th. 2"
        for kind, error in self.errors.items():
            if error is None:
                continue
            if (sent := self.reports.get(kind)) is None:
                source = words_of(KINDS[kind].mechanism).error
                yield QuantityRow(f"{kind.upper()}: error", error, f"√MSE of {self.what}", source)
                continue
            factor, bits = text.short(sent.gain_factor, 3), text.short(sent.bits, 3)
            about = f"√MSE; a {factor}; {bits} bit" + "s" * (bits != "1")
            yield QuantityRow(f"{kind.upper()}: error", error, about, local)
        for kind, costs in self.price.items():
            for name in (BESIDE, "stability"):
                if (cost := costs.get(name)) is not None:
                    factor = f"{text.short(cost.factor, 3)} × n"
                    yield QuantityRow(f"{kind.upper()} as {name}: users", cost.users, factor, local)

    @property
    def notes(self) -> Iterator[str]:
        yield f"{self.neighbours} neighbours, δ = {text.short(self.delta)} of stability alone"
        yield "users: for the error that the curator has with n"
        yield "a local error falls with 1/√n, a curator's with 1/n: the price grows with n"


@question(
    "Price",
    "What does local privacy cost?",
    group="Curator",
    place=2,
    curves=[
        Curves(
            "Error of what is estimated",
            "users",
            space_points("users", 1000, 16, is_whole=True),
            {"": ("errors.*", "theory")},
            "number of users n",
            "√MSE",
            held={"epsilon": "epsilon"},
            is_log_y=True,
        ),
        Curves(
            f"Price of locality: users for the error of {BESIDE}",
            "epsilon",
            BUDGETS[::2],
            {"": (f"price.*.{BESIDE}.factor", "theory")},
            "privacy budget ε",
            "users × n",
            is_log_y=True,
        ),
    ],
)
def price(
    scenario: ScenarioName,
    *,
    epsilon: LocalBudget | None = None,
    users: Annotated[int | None, USERS, "N", Blank(10_000, users_of, steps="1-2-5")] = None,
    mechanism: CuratorKind = BESIDE,
    delta: Slack = 1e-6,
    neighbours: Neighbours = "change-one",
) -> Steps[PriceAnswer]:
    """Print the price of locality on a scenario's population: the error of each local protocol
    beside a trusted curator's, and how many times the users it needs for the same error; at
    the scenario's ε and n.

    Parameters
    ----------
    scenario : a TOML file, or a bundled scenario
    epsilon : privacy budget ε (the scenario's, or 1)
    users : users n (the scenario's)
    mechanism : the curator that the sentence is about
    delta : δ of the stability mechanism
    neighbours : tables that must look alike: one row changed, or one more

    Examples
    --------
    ldptui price quickstart --epsilon 1
    """
    from ldptui.core.lab.locality import central_mse, grow_histogram, local_mse, mean_mse
    from ldptui.core.law.numeric_protocol import NumericProtocol
    from ldptui.core.law.pure import gain_factor
    from ldptui.core.protocols.curators.accuracy import require_delta

    from .mechanisms import CURATORS, LOCAL, bound, budget_of, curator, telling

    cell = read_cell(scenario).first
    histogram: Any = cell.population.histogram
    budget, own = budget_of(cell, epsilon), cast("Any", cell.protocol)
    require_delta(delta)
    is_mean, d = isinstance(own, NumericProtocol), histogram.size
    yield "comparing protocols"
    held = grow_histogram(histogram, users or cell.population.users)
    n = round(float(held.sum()))
    beside, half = ((BESIDE,), (own.high - own.low) / 2) if is_mean else (CURATORS, 1.0)
    if mechanism not in beside:
        rule = f"must be {', '.join(beside)} where the scenario is about a mean"
        raise ScenarioError(f"{rule}, {got(mechanism)}", key="mechanism")
    central = {
        kind: central_mse(curator(kind, d, budget, delta, neighbours), held) for kind in beside
    }
    errors: dict[str, float | None] = {}
    reports: dict[str, LocalReport] = {}
    costs: dict[str, Mapping[str, Cost | None]] = {}
    for kind in numbers() if is_mean else LOCAL:
        errors[kind], costs[kind] = None, dict.fromkeys(beside)
        try:
            made: Any = telling(kind, budget) if is_mean else bound(kind, d, budget)
        except ScenarioError:
            continue  # e^ε + 1 is no usable hash range
        local = mean_mse(made, own.values, held) if is_mean else local_mse(made, held)
        factors = {name: local / mse if mse > 0 else math.inf for name, mse in central.items()}
        lift = float(made.factor) if is_mean else gain_factor(made)
        errors[kind], reports[kind] = half * math.sqrt(local), LocalReport(lift, made.report_bits)
        costs[kind] = {name: Cost(n * factor, factor) for name, factor in factors.items()}
    errors |= {kind: half * math.sqrt(mse) for kind, mse in central.items()}
    # A local error falls with 1/n, the curator's with 1/n².
    even = {
        kind: n / cost.factor if (cost := each[BESIDE]) is not None else None
        for kind, each in costs.items()
    }
    what = "the mean" if is_mean else "a frequency"
    return PriceAnswer(
        name_of(scenario), what, d, n, budget, delta, neighbours, errors, reports, costs, even,
        mechanism,
    )  # fmt: skip
