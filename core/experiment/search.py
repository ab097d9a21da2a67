"""The smallest attack that reaches a goal: by a closed form if there is one, else by simulation.

Both search for the number m of fake users. The expectation of a metric rises with m if it has a
closed form and the attack promotes its targets at all. A simulated search brackets the answer
between an m that was too small and one that was enough, each shown by trials of its own. The mean
number of targets in the top k over n trials, in [0, r], is beyond x with probability
exp(-n KL(x/r, μ/r)) at most, for any distribution (Hoeffding, JASA 1963, theorem 1); other metrics
are taken as normal, and their error is shared by the tests at the growing number of trials.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from ..attacks import Attack, Mixture, fake_share
from ..base.sampling import Floats
from ..base.work import Tell, no_words
from ..cell import Cell
from ..metrics import METRICS
from ..metrics.goal import Goal, GoalAnswer
from ..metrics.results import BLOCK_TRIALS
from ..theory.closed_forms import expected_metric

MOST_SHARE: Final = 0.99
"""No answer has a larger share of fake users."""

MOST_SIFTED: Final = 0.5
"""Nor a larger one than this where a filter holds all reports."""

CONFIDENCE: Final = 0.95
"""The confidence that both ends of a bracket are on the side that is claimed."""

DECISIONS: Final = 64
"""Numbers of fake users that a search tries at most; they share what is left to error."""

MOST_TRIALS: Final = 400
"""The trials of one number of fake users, after which it counts as undecided."""

ALL: Final = 0.98
"""This share of the targets in the top k, on average, counts as all: chance may keep one out."""

PRECISION: Final = 0.01
"""A bracket is narrow enough when its ends differ by this share, or by one fake user."""


def solve_goal(
    cell: Cell, most: int = 10**13, simulates: bool = True, tell: Tell = no_words
) -> Cell:
    """The cell with the fewest fakes that reach its goal, and the answer; without a goal, the
    unchanged cell.

    most : the largest number of users, genuine and fake. simulates : whether to simulate; if not, a
    goal that takes a simulation is left without an answer. tell : called with words about the
    search.
    """
    if cell.goal is None or cell.attack is None:
        return cell
    share = MOST_SIFTED if cell.filters else MOST_SHARE
    cap = max(0, min(math.floor(cell.users * share / (1 - share)), most - cell.users))
    closed = expected_metric(with_fakes(cell, cap), cell.goal.metric)
    answer = _exact(cell, cell.goal, cap) if closed is not None else None
    if answer is None and not simulates:
        return cell
    if answer is None:
        answer = _search_bracket(cell, cell.goal, cap, tell)
    return answered_by(cell, answer)


def answered_by(cell: Cell, answer: GoalAnswer) -> Cell:
    """The cell with the number of fakes from its goal's answer."""
    return replace(with_fakes(cell, answer.malicious), answer=answer)


def with_fakes(cell: Cell, malicious: int) -> Cell:
    """A copy of the cell with m fake users."""
    assert cell.attack is not None
    share = fake_share(cell.users, malicious)
    attack: Attack | Mixture = replace(cell.attack, share=share)
    parameters = {**cell.parameters, "attack.share": share}
    return replace(cell, attack=attack, malicious=malicious, parameters=parameters)


def measured_alone(cell: Cell) -> Cell:
    """The cell without its plug-in metrics, which a search does not compute."""
    return replace(cell, python_metrics=())


def _exact(cell: Cell, goal: Goal, cap: int) -> GoalAnswer | None:
    """The smallest m whose expectation reaches the goal; None where there is no closed form."""

    def expected_value(malicious: int) -> float:
        value = expected_metric(with_fakes(cell, malicious), goal.metric)
        return math.nan if value is None else value

    def answer(reached: bool, malicious: int) -> GoalAnswer:
        share = fake_share(cell.users, malicious)
        return GoalAnswer(reached, malicious, share, expected_value(malicious), "closed form")

    level = _level(cell, goal)

    least, best = expected_value(0), expected_value(cap)
    if math.isnan(least) or math.isnan(best):  # as of a filter that catches many fakes, and few not
        return None
    if least >= level:
        return answer(True, 0)
    if best < level:
        return answer(False, cap if best > least else 0)
    low, high = 0, cap  # too few, enough
    while high - low > 1:
        middle = (low + high) // 2
        reached = expected_value(middle)
        if math.isnan(reached):  # a stability histogram whose sum is too long
            return None
        low, high = (low, middle) if reached >= level else (middle, high)
    return answer(True, high)


def _most(cell: Cell, goal: Goal) -> float:
    """The largest value of the metric in a trial."""
    most = METRICS[goal.metric].most
    return math.inf if most is None else most(cell.targets.size, cell.top_k)


def _level(cell: Cell, goal: Goal) -> float:
    """The mean that counts as the goal: next to all targets for all of them."""
    most = _most(cell, goal)
    return goal.at_least if goal.at_least > most else min(goal.at_least, ALL * most)


@dataclass
class _Trials:
    """The trials that a search simulates: their verdicts, their means and their number."""

    cell: Cell
    goal: Goal
    tell: Tell
    spent: int = 0
    means: dict[int, float] = field(default_factory=dict)

    def verdict(self, malicious: int) -> bool | None:
        """True if m fake users reach the goal; None where the trials do not tell."""
        cell = with_fakes(self.cell, malicious)
        values = np.empty(0)
        while values.size < MOST_TRIALS:
            self.tell(f"{malicious} fake users, trial {values.size + 1}")
            block = cell.block(values.size // BLOCK_TRIALS, BLOCK_TRIALS, self.tell)
            values = np.append(values, block.metrics[self.goal.metric])
            self.spent += BLOCK_TRIALS
            self.means[malicious] = mean = float(values.mean())
            if self._tells(values):
                return mean > self.level
        return None

    @property
    def level(self) -> float:
        """The level that the mean is compared with."""
        return _level(self.cell, self.goal)

    @property
    def _most(self) -> float:
        return _most(self.cell, self.goal)

    def _tells(self, values: Floats) -> bool:
        """True if values with a mean on the other side of the goal hardly ever look like this."""
        error, mean, most = (1 - CONFIDENCE) / DECISIONS, float(values.mean()), self._most
        if self.level > most:
            return True
        if math.isfinite(most):
            return values.size * _divergence(mean / most, self.level / most) > -math.log(error)
        from scipy.special import stdtrit

        t = float(stdtrit(values.size - 1, 1 - error * BLOCK_TRIALS / MOST_TRIALS))
        return abs(mean - self.level) > t * float(values.std(ddof=1)) / math.sqrt(values.size)


def _divergence(seen: float, claimed: float) -> float:
    """KL(Bernoulli(seen), Bernoulli(claimed)), at the edges too."""
    total = 0.0
    for x, y in ((seen, claimed), (1 - seen, 1 - claimed)):
        if x > 0:
            total += math.inf if y <= 0 else x * math.log(x / y)
    return total


def _search_bracket(cell: Cell, goal: Goal, cap: int, tell: Tell) -> GoalAnswer:
    """A bracket of the smallest m that reaches the goal, by simulation."""
    trials = _Trials(measured_alone(cell), goal, tell)

    def answer(reached: bool, malicious: int, low: int | None = None) -> GoalAnswer:
        share, value = fake_share(cell.users, malicious), trials.means[malicious]
        return GoalAnswer(reached, malicious, share, value, "search", low, CONFIDENCE, trials.spent)

    if trials.verdict(0):
        return answer(True, 0)
    bracket, size = _Bracket(0), min(cap, max(1, cell.users // 1000))
    # What gets past a filter may be caught from some number on: small steps do not jump over it.
    growth = 1.5 if cell.filters else 4
    while bracket.high is None:
        bracket.note(size, trials.verdict(size))
        if bracket.high is None and size == cap:
            return answer(False, max(trials.means, key=lambda m: (trials.means[m], -m)))
        size = min(math.ceil(growth * size), cap)
    while len(trials.means) < DECISIONS and (middle := bracket.middle()) is not None:
        bracket.note(middle, trials.verdict(middle))
    return answer(True, bracket.high, bracket.low)


@dataclass
class _Bracket:
    """The bounds of the smallest number that is enough.

    low : too few. high : enough; None if not known of any. doubtful : between them, and undecided.
    """

    low: int
    high: int | None = None
    doubtful: list[int] = field(default_factory=list)

    def note(self, size: int, verdict: bool | None) -> None:
        if verdict is None:
            self.doubtful.append(size)
        elif verdict:
            self.high = size
        else:
            self.low = size
        top = math.inf if self.high is None else self.high
        self.doubtful = [size for size in self.doubtful if self.low < size < top]

    def middle(self) -> int | None:
        """The next number of fakes to try, in the larger gap of the bracket; None if the bracket is
        narrow.
        """
        assert self.high is not None
        edges = [self.low, *sorted(self.doubtful), self.high]
        gaps = [(edges[1] - edges[0], edges[0]), (edges[-1] - edges[-2], edges[-2])]
        gap, start = max(gaps)
        return None if gap <= max(1, PRECISION * self.high) else start + gap // 2
