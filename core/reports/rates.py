"""The error rates of defences on simulated collections: without an attack, and with a small attack.

The collections are those of scenarios whose users have the estimated frequencies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np

from ..attacks import split
from ..base.arms import ATTACKED_DEFENDED, CLEAN, CLEAN_DEFENDED, Arm
from ..base.errors import DefenceError
from ..base.sampling import Floats
from ..base.streams import stream
from ..base.summary import Estimate
from ..base.work import Work
from ..cell import Cell
from ..defences import Defence, Filter, project
from ..experiment import compile  # noqa: A004
from ..law.law import Ask, Law
from ..law.pure import Estimates, Reports, SeedSearch
from ..metrics.results import BLOCK_TRIALS, Fingerprints, estimate_of
from ..population import Population
from ..scenario import Scenario
from ..task.frequencies import collect_estimates
from .points import NEUTRAL

SHARE: Final = 0.01
"""The share of fakes, of MGA, that the power of a step is told against."""
AIMED_AT: Final = 5
"""The targets of that attack, at most: the rarest items."""
TRIALS: Final = 200
"""Simulated collections of a step that reads estimates, at most: those of few items."""
CELLS: Final = 2**19
"""Items times such collections, at most."""
SIFTED: Final = 20
"""Simulated collections of a filter, of each sort."""
WORK: Final = 2**27
"""Items times users of SIFTED collections of a filter at most, about; of more in proportion."""
FEWEST: Final = 5
"""Collections of a filter at least, however large they are, unless fewer are asked for."""


@dataclass(frozen=True)
class Rates:
    """The rates of one defence, measured on simulated collections of `users` reports each.

    trials : the number of collections of each sort: without an attack, and with SHARE of MGA.
    false_alarms, alarms : the number of collections with an alarm, without and with the attack.
    None
        for a defence that raises no alarm; alarms also if the protocol has no MGA.
    cost : the share of honest reports that the defence drops without an attack.
    error : the mean squared error of the defended estimates without an attack, relative to that of
        the undefended ones.
    caught : the share of the fakes that it drops; for a defence that names items instead, the
        share of the collections in which it names the targets. None if it does neither.
    """

    users: int
    trials: int
    false_alarms: int | None
    alarms: int | None
    cost: Estimate
    error: Estimate
    caught: Estimate | None = None


@dataclass(frozen=True)
class StepVerdict:
    """The verdict of a screen or a defence on reports of real users.

    alarm : None if it makes no claim. users : the number of reports that it read.
    rates : on simulated collections; None if not requested, if rates are proved, and for a protocol
        whose noise has no closed form.
    proved : a bound on its false-alarm rate, its power and its cost, in closed form.
    dropped : the number of reports that it drops, of those that earlier ones kept; None if it reads
        no reports. named : the items that it takes for targets. certified : the share of fakes that
        it proves at least; None if it proves none.
    """

    kind: str
    alarm: bool | None = None
    users: int = 0
    rates: Rates | None = None
    proved: tuple[float, float, float] | None = None
    dropped: int | None = None
    named: tuple[str, ...] = ()
    certified: float | None = None

    @property
    def chances(self) -> tuple[float | None, float | None, float | None]:
        """The defence's false-alarm rate, power against a small MGA, and cost; each None if
        unknown.
        """
        if self.proved is not None or self.rates is None:
            return self.proved or (None, None, None)
        rates = self.rates
        false, power = (
            None if alarms is None else alarms / rates.trials
            for alarms in (rates.false_alarms, rates.alarms)
        )
        return false, power, rates.cost.mean


@dataclass(frozen=True, eq=False)
class SmallAttack:
    """A simulated small MGA among N reports, whose honest users have the estimated frequencies.

    users : N, fakes included. estimates : float64[d].
    """

    protocol: Any
    users: int
    estimates: Floats

    @property
    def malicious(self) -> int:
        return max(1, round(self.users * SHARE))

    @cached_property
    def frequencies(self) -> Floats:
        """float64[d]: the estimated frequencies projected onto the simplex."""
        nearest = project(self.estimates[None])[0]
        return np.asarray(nearest / nearest.sum())

    @property
    def ask(self) -> Ask:
        rarest = np.argsort(self.estimates, kind="stable")[: min(AIMED_AT, self.estimates.size - 1)]
        return Ask("crafted", np.sort(rarest), SeedSearch())

    def craft_reports(self, kind: str, most: int) -> Reports:
        """At most `most` of the fakes' reports. kind : of the screen under test, which selects the
        random stream.
        """
        rng = stream(0, f"screen {kind} {self.protocol!r} {self.users}", "malicious")
        made: Reports = self.protocol.find_law(self.ask).reports(min(self.malicious, most), rng)
        return made

    def cell(self, step: Defence) -> Cell:
        """The simulated collection; without the attack if the protocol does not support it."""
        law = self.frequencies
        histogram = np.array(split(max(1, self.users - self.malicious), law.tolist()))
        cell = replace(
            _neutral_cell(),
            population=Population(histogram, None, f"like reports {self.users}", law),
            protocol=self.protocol,
            targets=self.ask.targets,
            malicious=self.malicious,
            path="reports" if isinstance(step, Filter) else "counts",
            defences=(step,),
        )
        known = isinstance(self.protocol.law_of(self.ask), Law)
        return cell if known else replace(cell, attack=None, malicious=0)

    def trials(self, step: Defence, most: int) -> int:
        """The number of simulated collections: at most `most`, fewer for a filter with many
        reports.

        Without a filter at most TRIALS, and 0 if `most` is 0.
        """
        items = self.estimates.size
        if isinstance(step, Filter):
            return min(most, max(FEWEST, WORK * most // SIFTED // (self.users * items)))
        return max(1, min(TRIALS, CELLS // items)) if most else 0

    def rates(self, step: Defence, most: int) -> Rates | None:
        """The rates of a defence on simulated collections; None if it leaves no report in one of
        them.

        most : the number of collections of each sort for a filter, at most; 0 returns None.
        """
        trials, cell, parts = self.trials(step, most), self.cell(step), list[_Estimates]()
        if not trials:
            return None
        try:
            for number, first in enumerate(range(0, trials, BLOCK_TRIALS)):
                size = min(BLOCK_TRIALS, trials - first)
                work = Work(number, size)
                parts.append(collect_estimates(cell, work, Fingerprints(size)))
        except DefenceError:
            return None
        squares = [
            np.concatenate([
                ((part[arm].frequencies - cell.population.frequencies) ** 2).mean(axis=1)
                for part in parts
            ])
            for arm in (CLEAN_DEFENDED, CLEAN)
        ]  # fmt: skip
        alarms = [_claims(parts, arm, "alarm") for arm in (CLEAN_DEFENDED, ATTACKED_DEFENDED)]
        cost = _claims(parts, CLEAN_DEFENDED, "flagged") / cell.users
        caught = _claims(parts, ATTACKED_DEFENDED, "caught") / max(1, cell.malicious)
        if not caught.size:
            caught = _claims(parts, ATTACKED_DEFENDED, "named")
        false_alarms, true_alarms = (int(each.sum()) if each.size else None for each in alarms)
        is_attacked = cell.attack is not None
        return Rates(
            self.users, trials, false_alarms, true_alarms if is_attacked else None,
            estimate_of(cost if cost.size else np.zeros(trials)), ratio_of(*squares),
            estimate_of(caught) if is_attacked and caught.size else None,
        )  # fmt: skip


_Estimates = Mapping[Arm, Estimates]


@lru_cache(maxsize=1)
def _neutral_cell() -> Cell:
    """A cell that MGA attacks, whose users and protocol others take the place of."""
    attack = {"kind": "mga", "share": SHARE, "targets": {"pick": "least-frequent", "count": 1}}
    return compile(Scenario({**NEUTRAL, "attack": attack}, "")).cells[0]


def _claims(parts: list[_Estimates], arm: Arm, name: str) -> Floats:
    """What a step claims in the collections of an arm in which it claims something."""
    flags = [part[arm].flags for part in parts]
    values = [np.asarray(getattr(each, name)) for each in flags if each is not None]
    every = np.concatenate([np.zeros(0), *values])
    return np.asarray(every[~np.isnan(every)])


def ratio_of(after: Floats, before: Floats) -> Estimate:
    """The ratio of the sums of `after` and `before`, float64[trials] each, with its standard error
    to first order.
    """
    ratio = float(after.sum() / before.sum())
    apart, trials = after - ratio * before, after.size
    error = math.sqrt(float(apart @ apart) * trials / (trials - 1)) if trials > 1 else None
    return Estimate(ratio, None if error is None else error / float(before.sum()), None)
