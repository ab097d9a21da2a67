"""Trust models compared: the error of the estimates and the gain of fakes in each.

All models have the same central (ε, δ), the same users and the same fakes. Users send reports of a
local protocol, unproved, proved or shuffled; or vectors that servers add up secretly, each proved
valid for a circuit; or their items to a curator. Each number is a closed form; scenarios with a
`[trust]` table simulate the same models.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, cast

import numpy as np

from ..attacks import MaximalGain
from ..base.sampling import Floats
from ..bounds.claims import Sum, above, independent, overturning_share
from ..bounds.planner import Oracle
from ..bounds.robust import Ballot, ballot_of
from ..bounds.undetectable import hidden_against
from ..law.exchangeable import Exchangeable
from ..law.pure import item_variance
from ..population.targets import ListedTargets
from ..theory.gains import gain
from .trust_models import TRUST_MODELS, Terms, mechanism

TrustModelName: TypeAlias = Literal[
    "local",
    "hidden",
    "verified",
    "shuffled",
    "aggregated-sumvec",
    "aggregated-multihot",
    "aggregated-histogram",
    "curator",
]

OPEN: Final = Ballot()
"""A report that names its items openly."""

_MAXIMAL: Final = MaximalGain(0.0, ListedTargets((0,)))


@dataclass(frozen=True)
class TrustSetting:
    """The parameters that all compared trust models share.

    epsilon, delta : the central budget. users, items, share, targets : n, d, β and r. frequencies :
    float64[d], descending; the targets are the last r. gap : the difference of two items'
    frequencies that fakes may overturn. weight : of the multihot circuit. aggregators : the number
    that add noise.
    """

    epsilon: float
    delta: float
    users: int
    items: int
    share: float
    targets: int
    frequencies: Floats
    gap: float
    weight: int
    aggregators: int


@dataclass(frozen=True)
class TrustCosts:
    """One trust model (local, shuffled, aggregated, curator) and its error and cost.

    protocol : the kind of the local protocol, or the circuit, or the curator's mechanism. epsilon :
    the budget spent towards the party that sees most: ε₀ of a report, or the central one. sd : the
    standard deviation of the estimate of an item without users. gain_one, gain : the gain of fakes
    on the rarest item, and on all r rarest together. overturning_share : the share of fakes that
    overturns a gap between two items.
    """

    trust: TrustModelName
    protocol: str
    epsilon: float
    sd: float
    gain_one: float
    gain: float
    overturning_share: float


def compare_trust_models(setting: TrustSetting, kinds: Sequence[str]) -> Iterator[TrustCosts]:
    """Yields the costs and errors of every trust model, from the least trust to the most.

    kinds : the local protocols. A protocol for which no shuffling allows a larger ε₀ has the
    central ε itself. The trust models `hidden` and `verified` use the protocol with the least
    noise. Raises ScenarioError if a protocol does not fit a model.
    """
    local = [_local(setting, kind, _find_mechanism(setting, "local", kind)) for kind in kinds]
    yield from local
    best = min(local, key=lambda costs: costs.sd)
    protocol = _find_mechanism(setting, "local", best.protocol)
    if isinstance(protocol, Exchangeable):
        yield _hidden(setting, best, protocol)
    yield _costs_with_fakes(setting, replace(best, trust="verified"), 1)
    for kind in kinds:
        yield replace(
            _local(setting, kind, _find_mechanism(setting, "shuffled", kind)), trust="shuffled"
        )
    for name in [name for name, row in TRUST_MODELS.items() if not row.by_reports]:
        yield _histogram_costs(
            setting, cast("TrustModelName", name), _find_mechanism(setting, name, best.protocol)
        )


def _find_mechanism(setting: TrustSetting, trust: str, kind: str) -> Any:
    """The mechanism that asks the users of a trust model. kind : of the local protocol."""
    terms = Terms(setting.epsilon, setting.delta, setting.weight, setting.aggregators)
    return mechanism(TRUST_MODELS[trust], kind, setting.items, setting.users, terms)


def _overturning(setting: TrustSetting, ballot: Ballot) -> float:
    """β*: the share of fakes that overturns the gap of two items, however many users there are."""
    claim = above(Sum(np.array([0, 1]), np.array([1.0, -1.0])))
    means = ballot.means(np.array([setting.gap, 0.0]))
    return overturning_share(claim, means, ballot, independent(np.zeros(2))).share


# Fakes who craft their reports.


def _local(setting: TrustSetting, kind: str, protocol: Any) -> TrustCosts:
    """The trust model of a pure protocol, whose fakes send what they like."""
    sd = math.sqrt(float(item_variance(protocol, setting.users)))
    one, all_of_them = (_crafted_gain(setting, protocol, r) for r in (1, setting.targets))
    return TrustCosts(
        "local", kind, protocol.epsilon, sd, one, all_of_them,
        _overturning(setting, ballot_of(protocol)),
    )  # fmt: skip


def _crafted_gain(setting: TrustSetting, protocol: Any, r: int) -> float:
    """The gain of MGA on the r rarest items."""
    held = float(setting.frequencies[-r:].sum())
    return gain(protocol, _MAXIMAL.support(protocol, r), r, setting.share, held)


# Fakes who are held to something.


def _hidden(setting: TrustSetting, best: TrustCosts, protocol: Exchangeable) -> TrustCosts:
    """The best fakes whose reports look like an honest population's.

    Besides β they move β e: they take it from other items, so that two items change by β(1 + 2e).
    """
    gains = []
    for r in (1, setting.targets):
        targets = np.arange(setting.items - r, setting.items)
        gains.append(hidden_against(protocol, setting.frequencies, targets, setting.share).gain)
    size = protocol.report_size
    rate = protocol.q if size is None else size / setting.items
    extra = rate * (1 - protocol.p) / (protocol.p - rate)
    return replace(
        best, trust="hidden", gain_one=gains[0], gain=gains[1],
        overturning_share=_overturning(setting, OPEN) / (1 + 2 * extra),
    )  # fmt: skip


def _costs_with_fakes(setting: TrustSetting, costs: TrustCosts, admitted: int) -> TrustCosts:
    """Fakes count as users who hold up to `admitted` targets each."""
    held, r = setting.frequencies, setting.targets
    return replace(
        costs,
        gain_one=setting.share * (1 - float(held[-1])),
        gain=setting.share * (min(admitted, r) - float(held[-r:].sum())),
        overturning_share=_overturning(setting, OPEN),
    )


def _histogram_costs(setting: TrustSetting, name: TrustModelName, curator: Any) -> TrustCosts:
    """The trust model of servers or a curator, who release a histogram with noise."""
    protocol = "geometric" if name == "curator" else name.removeprefix("aggregated-")
    sd = math.sqrt(Oracle.of_curator(curator).noise) / setting.users
    costs = TrustCosts(name, protocol, setting.epsilon, sd, 0.0, 0.0, 0.0)
    return _costs_with_fakes(setting, costs, curator.item_limit)
