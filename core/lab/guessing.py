"""The guess of an observer: the probability that one report reveals its user's item, under any
prior.

An observer with a prior π names the likeliest item without a report, and with a report y the item v
with the largest π M(y|v): the guess of Bayes, which is right most often. RAD is
Σ_y max_v π_v (M(y|v) − Σ_u π_u M(y|u)), the largest gain in the probability of a right guess over
the same guess without a report (Guerra-Balboa, Sauer, Arcolezi, Strufe 2025, theorem 4.2): after −
before for a uniform prior. If the report depends on the item only through whether it supports it
(`core.law.exchangeable`), both are sums over the likeliest item that it supports (our derivation).
For other protocols all reports are enumerated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from ..base.errors import ScenarioError, got
from ..base.ranges import EPSILON
from ..base.sampling import Floats
from ..law.enumeration import every_report
from ..law.exchangeable import Exchangeable
from ..law.longitudinal import Memoising
from ..law.loss import DiscreteLoss
from ..law.mechanism import name_of
from ..law.parameter_steps import first_reached, whole_numbers
from ..law.pure import LocalMechanism
from .privacy_loss import loss_of

LEAST_EPSILON: Final = 1e-3
"""The smallest ε that is searched."""
COARSE: Final = 41
"""Budgets that are tried first."""


@dataclass(frozen=True)
class Guess:
    """The probabilities that an observer names a user's item, before and after a report.

    before, after : that the observer names the item, without a report and with one. rad : RAD, the
    gain by a report. odds : the largest posterior odds of one item against all others.
    """

    before: float
    after: float
    rad: float
    odds: float


Prior: TypeAlias = Sequence[tuple[float, Floats]]
"""Groups of users: the share of each, and float64[d], how likely each item is in it."""


def average_guess(protocol: LocalMechanism, prior: Prior) -> Guess:
    """The observer's guessing probabilities averaged over groups, and the worst odds in any group.

    Raises ScenarioError as `guess_item` does.
    """
    made = [(share, guess_item(protocol, law)) for share, law in prior]
    return Guess(
        sum(share * each.before for share, each in made),
        sum(share * each.after for share, each in made),
        sum(share * each.rad for share, each in made),
        max(each.odds for _, each in made),
    )


def guess_item(protocol: LocalMechanism, prior: Floats) -> Guess:
    """The guessing probabilities of an observer who sees one report.

    prior : π, float64[d], sums to 1. Raises ScenarioError if a protocol has neither a closed form
    nor few enough reports.
    """
    if isinstance(protocol, Exchangeable):
        return _guess_in_closed_form(protocol, np.sort(prior)[::-1])
    law = every_report(protocol)
    if law is None or len(law.probabilities) != prior.size:
        name = name_of(protocol)
        rule = f"must have fewer items: the reports of {name} are too many to go through"
        raise ScenarioError(f"{rule}, {got(prior.size)}", key="items")
    return guess_by_report(law.probabilities, prior)


def guess_by_report(law: Floats, prior: Floats) -> Guess:
    """The guessing probabilities, from the probability of every report.

    law : float64[d, reports], Pr[report | item]. prior : π, float64[d].
    """
    joint = law * prior[:, None]
    seen = joint.sum(axis=0)
    best = joint.max(axis=0)
    others = seen - best
    with np.errstate(divide="ignore"):
        odds = np.where(seen > 0, best / np.where(others > 0, others, np.nan), 0.0)
    gain = ((law - seen) * prior[:, None]).max(axis=0).sum()
    worst = float(np.inf if (np.isnan(odds)).any() else odds.max())
    return Guess(float(prior.max()), float(best.sum()), float(gain), worst)


def _guess_in_closed_form(protocol: Exchangeable, prior: Floats) -> Guess:
    """The closed form; prior : float64[d], falling.

    A report is so many times as likely as one of the background: `held` if it supports the own
    item, `spared` if not. first : the probability that the i-th likeliest item is the likeliest
    one that the background supports; rest : what the less likely ones are that it supports then.
    """
    d, size, p = prior.size, protocol.report_size, protocol.p
    rate = protocol.q if size is None else size / d
    held, spared = p / rate, (1 - p) / (1 - rate)
    below = np.append(np.cumsum(prior[::-1])[::-1][1:], 0.0)
    if size is None:
        first = rate * (1 - rate) ** np.arange(d)
        nothing, rest = (1 - rate) ** d, rate * below
    else:
        first, nothing = _least_of(d, size), 0.0
        left = np.maximum(d - 1 - np.arange(d), 1)
        rest = below * np.minimum((size - 1) / left, 1.0)
    best = np.maximum(held * prior, spared * prior[0])
    best[0] = held * prior[0]
    if size == d:
        best[0] = prior[0]
    after = float(first @ best) + nothing * spared * prior[0]
    rad = (held - spared) * float(first @ (prior * (1 - prior - rest)))
    # The report that supports one item, or with it the least likely others.
    few = 0.0 if size is None else float(prior[d - size + 1 :].sum()) if size > 1 else 0.0
    odds = held * prior[0] / max(held * few + spared * (1 - prior[0] - few), 1e-300)
    return Guess(float(prior[0]), after, rad, float(odds))


def _least_of(items: int, size: int) -> Floats:
    """float64[d]: the law of the least place in a uniform subset of places 0 … d − 1."""
    law, left = np.zeros(items), 1.0
    for at in range(items - size + 1):
        law[at] = left * size / (items - at)
        left -= law[at]
    return law


def guess_between_two(protocol: LocalMechanism, reports: int) -> float:
    """The probability that a guess between two equally likely items is right after several fresh
    reports.

    (1 + TV)/2, with TV the total variation distance of all reports together, from their privacy
    loss between two items that differ most. Raises ScenarioError for several reports of a memoising
    protocol.
    """
    if reports > 1 and isinstance(protocol, Memoising):
        rule = (
            f"must be 1: {name_of(protocol)} keeps its answer, and no later report is a fresh one"
        )
        raise ScenarioError(rule, key="fresh")
    loss = loss_of(protocol)
    assert isinstance(loss, DiscreteLoss)
    return (1 + loss.times(reports).delta(0.0)) / 2


def largest_epsilon(
    bind: Callable[[float], LocalMechanism], prior: Prior, gain: float
) -> float | None:
    """The largest ε that keeps an observer's gain RAD at most `gain`; None if every ε does.

    bind : the protocol at an ε. Its integer parameters make steps: RAD may jump above the gain, and
        the answer is the lower end of such a step.
    """

    def is_above(log_epsilon: float) -> bool:
        return average_guess(bind(math.exp(log_epsilon)), prior).rad > gain

    grid = np.linspace(math.log(LEAST_EPSILON), math.log(EPSILON.high), COARSE).tolist()
    edge = first_reached(is_above, lambda at: whole_numbers(bind(math.exp(at))), grid)
    return None if edge is None else math.exp(edge[0])


def at_most(epsilon: float, prior: Floats) -> tuple[float, float]:
    """Upper bounds on the guessing probability and on the odds after any ε-private observation of a
    user.

    D reports about correlated items, each with ε/D, are such an observation. No posterior of an
    item exceeds e^ε π/(1 + (e^ε − 1) π); GRR reaches that for a uniform prior.

    prior : π, float64[d].
    """
    top, e = float(prior.max()), float(np.exp(min(epsilon, 700.0)))
    return e * top / (1 + (e - 1) * top), float(np.divide(e * top, max(1 - top, 1e-300)))
