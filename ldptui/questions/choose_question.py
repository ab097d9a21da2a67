"""the most frequent item, found privately: how often it is right"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import BUDGET, Range

from ..text import format as text
from ..text.interval import share_words
from .options import Blank
from .parameters import LocalBudget, ScenarioName, Seed, name_of, read_cell
from .question import Curves, Steps, question
from .question_answer import QuantityRow, QuestionAnswer, omit_field

if TYPE_CHECKING:
    from ldptui.core.base.sampling import Counts
    from ldptui.core.law.pure import Rng


AT_ONCE: Final = 1 << 17
"""Counts drawn in one call, some 10 ms: an interrupt is obeyed between two calls."""
SURE: Final = 0.95


@dataclass(frozen=True)
class Share:
    """The share of trials in which a mechanism named a most frequent item; exact : its probability,
    if known.
    """

    simulated: float
    standard_error: float
    exact: float | None = omit_field()

    @classmethod
    def of(cls, hits: int, trials: int) -> Share:
        share = hits / trials
        return cls(share, math.sqrt(share * (1 - share) / trials))

    @property
    def printed_value(self) -> str:
        return text.estimate(self.simulated, self.standard_error)


@dataclass(frozen=True)
class ChooseAnswer(QuestionAnswer):
    """The chances that the exponential mechanism and each local arg-max name a most frequent item.

    best, lead : that item, and by how many users it leads.
    needed : the ε with which the exponential mechanism is right 95% of the time; None if none is
        large enough.
    local : the share of each local protocol; None if it does not allow this ε.
    """

    scenario: str
    seed: int
    items: int
    users: int
    epsilon: float
    trials: int
    best: str
    lead: int
    exponential: Share
    needed: float | None
    local: Mapping[str, Share | None]

    @property
    def _local(self) -> dict[str, Share]:
        return {kind: share for kind, share in self.local.items() if share is not None}

    @property
    def title(self) -> str:
        return (
            f"The most frequent item, {self.scenario or 'your population'}: "
            f"ε = {text.short(self.epsilon)}, d = {text.count(self.items)}, "
            f"n = {text.count(self.users)}"
        )

    @property
    def sentences(self) -> Iterator[str]:
        yield (
            f"With ε = {text.short(self.epsilon)} a curator who uses the exponential mechanism "
            f"names the most frequent item with probability {text.short(self.exponential.exact)}."
        )
        if local := self._local:
            shares = {kind.upper(): text.percent(share.simulated) for kind, share in local.items()}
            beaten = ", ".join(f"{kind} {share}" for kind, share in shares.items())
            yield f"The largest of the estimates from local reports is right in: {beaten}."
        if self.needed is not None:
            need = text.short(self.needed, 3)
            yield f"The exponential mechanism needs ε = {need} to be right 95 % of the time."

    def quantities(self) -> Iterator[QuantityRow]:
        central, trials = self.exponential, self.trials
        yield QuantityRow(
            "exponential: right", central.exact or 0.0, "e^(εc/2) / Σ e^(εc/2)", "DR 3.4"
        )
        of = "of one trial" if trials == 1 else f"of {text.count(trials)} trials"
        yield QuantityRow("  simulated", central.printed_value, of, "DR 3.4")
        for kind, share in self._local.items():
            yield QuantityRow(
                f"{kind.upper()}: right", share.printed_value, "arg-max, simulated", "W17"
            )
        if self.needed is not None:
            ahead = f"{text.count(self.lead)} users ahead"
            yield QuantityRow("exponential: ε for 95 %", self.needed, ahead, "DR 3.4")

    @property
    def notes(self) -> Iterator[str]:
        yield f"the right answer is {self.best}, {text.count(self.lead)} users ahead"
        yield "exponential: a trusted curator chooses, with probability e^(ε count/2)"
        shares = [share.simulated for share in self._local.values()]
        yield from share_words([self.exponential.simulated, *shares], self.trials)


@question(
    "Choose",
    "Is the most frequent item found?",
    group="Curator",
    place=3,
    curves=[
        Curves(
            "Finding the most frequent item, of 100 trials",
            "epsilon",
            [10 ** (step / 4 - 2) for step in range(13)],
            {"exponential": ("exponential.exact", "theory"), "": ("local.*.simulated", "theory")},
            "privacy budget ε",
            "probability of the right answer",
            fixed={"trials": 100},
        )
    ],
)
def choose(
    scenario: ScenarioName,
    *,
    epsilon: LocalBudget | None = None,
    trials: Annotated[int, Range(1, 10**6), "N", Blank(200, steps="1-2-5")] = 1000,
    seed: Seed = 0,
) -> Steps[ChooseAnswer]:
    """Compare how often the most frequent item of a scenario's population is found: by a
    trusted curator with the exponential mechanism, exactly and simulated, and as the
    largest of each local protocol's estimates.

    Parameters
    ----------
    scenario : a TOML file, or a bundled scenario
    epsilon : privacy budget ε (the scenario's, or 1)
    trials : simulations of each mechanism
    seed : the seed of the trials

    Examples
    --------
    ldptui choose quickstart --epsilon 0.05
    """
    import numpy as np

    from ldptui.core.lab.privacy_loss import Exponential

    from .mechanisms import LOCAL, budget_of

    cell = read_cell(scenario).first
    population, held = cell.population, cell.population.histogram
    yield f"choosing among {text.count(held.size)} items, {text.count(trials)} trials"
    budget, rng = budget_of(cell, epsilon), np.random.default_rng(seed)
    right = Share.of(_count_right(Exponential(budget), held, trials, rng), trials)
    root, ordered = int(rng.integers(2**63)), np.sort(held)
    # A stream of the kind's own: another kind in the table leaves its numbers alone.
    local = {
        kind: _simulate(kind, held, budget, trials, np.random.default_rng([root, *kind.encode()]))
        for kind in LOCAL
    }
    return ChooseAnswer(
        name_of(scenario), seed, held.size, int(held.sum()), budget, trials,
        population.label(int(held.argmax())), int(ordered[-1] - ordered[-2]),
        replace(right, exact=Exponential(budget).success(held)),
        _needed_epsilon(held), local,
    )  # fmt: skip


def _needed_epsilon(held: Counts) -> float | None:
    """The least ε with which the exponential mechanism is right 95% of the time; None: there is
    none up to the largest budget."""
    from scipy.optimize import brentq

    from ldptui.core.lab.privacy_loss import Exponential

    def over(log_epsilon: float) -> float:
        return Exponential(math.exp(log_epsilon)).success(held) - SURE

    low, high = math.log(1e-9), math.log(BUDGET.high)
    if over(low) >= 0 or over(high) < 0:
        return math.exp(low) if over(low) >= 0 else None
    return math.exp(brentq(over, low, high, xtol=1e-13))


def _count_right(mechanism: Any, held: Counts, trials: int, rng: Rng) -> int:
    """The number of trials in which the mechanism chooses a most frequent item."""
    import numpy as np

    hits, step = 0, max(1, AT_ONCE // held.size)
    for at in range(0, trials, step):
        rows = np.broadcast_to(held, (min(step, trials - at), held.size))
        hits += int((held[mechanism.sample(rows, rng)] == held.max()).sum())
    return hits


def _simulate(kind: str, held: Counts, epsilon: float, trials: int, rng: Rng) -> Share | None:
    """The share of trials in which the largest local estimate is that of a most frequent item."""
    from ldptui.core.lab.locality import local_success

    from .mechanisms import bound

    try:
        protocol = bound(kind, held.size, epsilon)
    except ScenarioError:
        return None  # e^ε + 1 is no usable hash range
    hits, step = 0, max(1, AT_ONCE // held.size)
    for at in range(0, trials, step):
        hits += local_success(protocol, held, min(step, trials - at), rng)
    return Share.of(hits, trials)
