"""Rates on simulated collections, beside closed forms of steps that have some."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
import pytest
from support import budget

from ldptui.core.base.sampling import Floats
from ldptui.core.base.summary import Estimate
from ldptui.core.defences import Alarm, Filter, Load, ServerKnowledge, TrialReports, Verdict
from ldptui.core.defences.corrections import Norm
from ldptui.core.law.pure import Rng, item_variance
from ldptui.core.protocols import OUE
from ldptui.core.reports import steps
from ldptui.core.reports.rates import SmallAttack
from ldptui.core.reports.reading import ReadPart

ZIPF = 1 / np.arange(1.0, 17) / (1 / np.arange(1.0, 17)).sum()


@dataclass(frozen=True)
class AboveTruth(Alarm):
    """Alarm where the estimate of one item is above a bound: its rate is a normal tail."""

    item: int = 0
    bound: float = 0.0
    kind: Literal["above"] = "above"

    def detect_attack(self, frequencies: Floats, _: ServerKnowledge) -> Any:
        return frequencies[:, self.item] > self.bound


@dataclass(frozen=True)
class Some(Filter):
    """Drop each report with one chance, and every one that supports the last item besides."""

    chance: float = 0.2
    item: int | None = None
    kind: Literal["some"] = "some"

    def memory(self, load: Load) -> int:
        return 0

    def sift(self, received: TrialReports) -> Verdict:
        kept = received.rng.random(received.users) >= self.chance
        if self.item is not None:
            kept &= ~received.protocol.supports(received.reports)[:, self.item]
        return Verdict(kept, alarm=not kept.all())


def hits(share: Estimate | None, of: int, chance: float) -> bool:
    """True where a mean share of independent events agrees with their chance."""
    assert share is not None
    assert share.mean is not None
    return bool(budget.proportion(round(share.mean * of), of, chance))


def test_an_alarm_has_the_rates_of_its_tail() -> None:
    protocol, users = OUE(16, 1.0), 4000
    attack = SmallAttack(protocol, users, ZIPF)
    target = int(attack.ask.targets[0])
    sigma = item_variance(protocol, users, ZIPF)[target] ** 0.5
    law = NormalDist(ZIPF[target], sigma)
    bound = ZIPF[target] + sigma
    rates = attack.rates(AboveTruth(target, bound), 1)
    assert rates is not None
    assert (rates.trials, rates.users) == (200, users)
    assert budget.proportion(rates.false_alarms, 200, 1 - law.cdf(bound))
    assert not budget.proportion(rates.false_alarms, 200, 1 - law.cdf(bound - 2 * sigma))
    pushed = 0.01 * (1 - protocol.q) / (protocol.p - protocol.q)  # a fake supports all targets
    assert budget.proportion(rates.alarms, 200, 1 - law.cdf(bound - pushed + 0.01 * ZIPF[target]))
    assert (rates.cost.mean, rates.error.mean, rates.caught) == (0.0, 1.0, None)


def test_an_affine_correction_has_the_error_of_its_closed_form() -> None:
    """Norm takes the mean error off d errors that are independent: 1 - 1/d of their squares."""
    rates = SmallAttack(OUE(16, 1.0), 4000, ZIPF).rates(Norm(), 1)
    assert rates is not None
    assert rates.error.mean is not None
    # What it takes off is the square of a normal mean, of 16 alike, in 200 collections.
    spread = (2 / 200 + 2 / (16 * 200)) / 16**2
    assert budget.mean([1 - rates.error.mean], 1 / 16, spread)
    assert not budget.mean([1 - rates.error.mean], 0.0, spread)
    assert 0.3 < rates.error.standard_error / spread**0.5 < 3  # type: ignore[operator]
    assert (rates.false_alarms, rates.alarms, rates.caught) == (None, None, None)


def test_a_filter_has_the_cost_that_it_was_made_with() -> None:
    attack = SmallAttack(OUE(16, 1.0), 2000, ZIPF)
    rates: Any = attack.rates(Some(), 30)
    assert hits(rates.cost, 1980 * 30, 0.2)
    assert not hits(rates.cost, 1980 * 30, 0.22)
    assert hits(rates.caught, 20 * 30, 0.2)
    assert rates.error.mean > 1.05
    assert (rates.false_alarms, rates.alarms) == (30, 30)
    target = int(attack.ask.targets[0])
    rates = attack.rates(Some(0.0, target), 5)
    assert rates.caught.mean == 1  # the target is in every fake
    lifted = attack.protocol.q + ZIPF[target] * (attack.protocol.p - attack.protocol.q)
    assert hits(rates.cost, 1980 * 5, float(lifted))
    silent: Any = attack.rates(Some(0.0), 2)
    assert (silent.false_alarms, silent.cost.mean, silent.error.mean) == (0, 0.0, 1.0)
    assert attack.rates(Some(1.0), 2) is None


def test_filters_in_turn_leave_what_they_leave(rng: Rng, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = OUE(16, 1.0)
    reports = protocol.perturb(rng.integers(0, 16, 500), rng)
    monkeypatch.setattr(steps, "steps_of", lambda *_: [Some(0.3), Some(0.0, 3)])
    found = steps.defend_reports(reports, protocol, (), ZIPF.astype(str), trials=0)
    left = np.delete(reports, found.rows, axis=0)
    assert sum(step.dropped or 0 for step in found.steps) == 500 - len(left)
    assert not protocol.supports(left)[:, 3].any()
    counts = protocol.support_counts(left)
    assert np.allclose(found.values, protocol.estimates(counts[None], len(left)).frequencies)


def test_a_part_of_many_reports_is_spread_evenly() -> None:
    for most in (1, 7, 100, 5000):
        part = ReadPart(most)
        for batch in np.array_split(np.arange(3000), 13):
            part.add(batch)
        assert np.array_equal(part.reports, np.arange(0, 3000, part.every))
        assert part.reports.size <= most < 2 * part.reports.size or part.every == 1
