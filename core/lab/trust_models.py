"""The trust models that a plan can be made for, a row each, and the smallest batch for
shuffling.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from ..base.errors import ScenarioError, got
from ..bounds import planner
from ..bounds.planner import Oracle, Plan
from ..bounds.shuffle.central import SHUFFLED
from ..law.pure import Mechanism
from ..protocols import KINDS
from ..protocols.curators.aggregate import Circuit, Noise
from ..protocols.trust import (
    Aggregated,
    Local,
    Shuffled,
    Trust,
    TrustedCurator,
    TrustRequest,
    Verified,
)

CLOSE: Final = 1e-5
"""The part of a smallest batch by which it may be too large."""
COARSE: Final = 8
"""The factor between the batches that are tried first."""


@dataclass(frozen=True)
class Terms:
    """The parameters that all trust models of a plan share: the central budget, and the
    aggregation.

    delta : of shuffled reports, and of Gaussian noise of the aggregators. weight : of the multihot
    circuit.
    """

    epsilon: float
    delta: float = 1e-8
    weight: int = 3
    aggregators: int = 2
    noise: Noise = "laplace"


@dataclass(frozen=True)
class TrustModel:
    """A trust model: whom users trust, and the error model of the server's data.

    by_reports : whether users send reports of a local protocol. hides : whether ε₀ depends on the
    number of users. proves : whether each report is proved to be drawn by the protocol.
    """

    trust: Callable[[Terms], Trust]
    oracle: Callable[[Any, int], Oracle]
    by_reports: bool = True
    hides: bool = False
    proves: bool = False


def _sum_circuit(circuit: Circuit, terms: Terms) -> Trust:
    weight = terms.weight if circuit == "multihot" else None
    delta = terms.delta if terms.noise == "gaussian" else None
    return Aggregated(circuit, weight, terms.aggregators, terms.noise, delta)


TRUST_MODELS: Final[dict[str, TrustModel]] = {
    "local": TrustModel(lambda _: Local(), Oracle.of),
    "verified": TrustModel(lambda _: Verified(), Oracle.of_verified, proves=True),
    "shuffled": TrustModel(
        lambda terms: Shuffled(terms.delta, terms.epsilon), Oracle.of, hides=True
    ),
    "aggregated-sumvec": TrustModel(
        partial(_sum_circuit, "sumvec"), Oracle.of_curator, by_reports=False
    ),
    "aggregated-multihot": TrustModel(
        partial(_sum_circuit, "multihot"), Oracle.of_curator, by_reports=False
    ),
    "aggregated-histogram": TrustModel(
        partial(_sum_circuit, "histogram"), Oracle.of_curator, by_reports=False
    ),
    "curator": TrustModel(lambda _: TrustedCurator(), Oracle.of_curator, by_reports=False),
}
"""Every trust model that is a way to collect, from the least trust to the most."""


def mechanism(row: TrustModel, kind: str, items: int, users: int, terms: Terms) -> Mechanism:
    """The mechanism that the users of a trust model run.

    kind : of the local protocol; unused if users send no reports. users : n. Raises ScenarioError
    if the protocol does not fit the model.
    """
    spec = KINDS[kind](kind=kind, epsilon=terms.epsilon)
    request = TrustRequest(spec, lambda table: table.bind(items), items, users)
    try:
        return row.trust(terms).bound(request)
    except ScenarioError as error:
        key = {"population.users": "users", "trust.kind": "trust"}.get(error.key, error.key)
        raise ScenarioError(error.rule, key.rpartition(".")[2]) from error


def alarms(protocol: Any, oracle: Oracle, plan: Plan) -> float:
    """The probability that noise alone lifts an item above a plan's threshold, by exact binomial
    counts.

    It is α for nearly normal counts; if few reports support an item without users, it may be more.
    NaN for reports that also speak against items.
    """
    if protocol.least_support < 0:
        return math.nan
    from scipy.stats import binom

    reports, gap = round(plan.users), protocol.p - protocol.q
    threshold = planner.noise_threshold(oracle, planner.without_fakes(plan))
    one = float(binom.sf(math.floor(reports * (protocol.q + threshold * gap)), reports, protocol.q))
    return -math.expm1(plan.items * math.log1p(-one))


def smallest_batch(row: TrustModel, kind: str, plan: Plan, terms: Terms, targets: int) -> int:
    """The smallest number of users that detects the plan's frequency, with the ε₀ that shuffling
    this number allows.

    At most a part `CLOSE` too large. Raises ScenarioError if no allowed number does.
    """
    from scipy.optimize import brentq

    def lacking(size: float) -> float:
        """The logarithm of how many times more users it takes, with the ε₀ of that number."""
        users = max(1, round(math.exp(size)))
        oracle = row.oracle(mechanism(row, kind, plan.items, users, terms), targets)
        try:
            needed = planner.users_needed(oracle, replace(plan, users=users))
        except ScenarioError:  # with so much noise the attack floor alone is above it
            return math.log(SHUFFLED.high)
        return math.log(needed / users)

    low, high = 0.0, math.log(COARSE)
    most = math.log(SHUFFLED.high)
    while lacking(high) > 0:
        if high >= most:
            rule = f"is found by no batch of {SHUFFLED.high:g} shuffled users"
            raise ScenarioError(f"{rule}, {got(plan.frequency)}", key="frequency")
        low, high = high, min(most, high + math.log(COARSE))
    if low == 0 and lacking(low) <= 0:
        return 1
    size = float(brentq(lacking, low, high, xtol=CLOSE / 2))
    return math.ceil(math.exp(size) * (1 + CLOSE / 2))
