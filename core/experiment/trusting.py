"""Binding of the trust model, the defences and the attack of a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..attacks import Attack, Fakes, Mixture, fakes_of, malicious_users, resolve_targets
from ..base.code import title_of
from ..base.errors import ScenarioError, got
from ..defences import Filter, NumberStep, VerifiedRandomiser, inform_server
from ..law.longitudinal import Memoising
from ..law.mechanism import LocalMechanism, is_a, name_of
from ..law.pure import Items, Mechanism
from ..population import Population
from ..protocols.trust import Trust, TrustRequest
from ..scenario import PhasesSpec, Point
from ..task import Frequencies, task_over


def trusting(trust: Trust, point: Point, population: Population) -> Mechanism:
    """The mechanism that users run under a trust model; raises ScenarioError if the model does not
    fit the point.
    """
    task = task_over(point.task, point.protocol)
    is_local = is_a(
        point.protocol.mechanism, LocalMechanism
    )  # else the task refuses the protocol itself
    if task != Frequencies() and is_local and not trust.every_task:
        rule = f'must be left out with task.kind = "{task.kind}", {got(trust.kind)}'
        raise ScenarioError(rule, key="trust.kind")

    def bound(spec: Any) -> Mechanism:
        try:
            return task.bound(spec, population)
        except ScenarioError as error:
            raise error.within("protocol") from error

    request = TrustRequest(point.protocol, bound, population.domain_size, population.users)
    protocol = trust.bound(request)
    if point.rounds is not None and isinstance(protocol, Memoising) and not trust.linked:
        name = title_of(point.protocol)
        rule = f'must not be "{trust.kind}" with rounds of {name}, whose users keep an answer'
        raise ScenarioError(f"{rule}: it tells which reports are of one user", key="trust.kind")
    return protocol


def check_defences(
    point: Point, trust: Trust, protocol: Mechanism, users: int, targets: Items
) -> None:
    """Raise ScenarioError, at the defence's key, if a defence cannot be applied to the
    collection.
    """
    for number, defence in enumerate(point.defence):
        if defence.muted:
            continue
        try:
            if isinstance(defence, Filter | NumberStep | VerifiedRandomiser):
                _check_reading(defence, trust, protocol)
            defence.check(inform_server(protocol, users, targets))
        except ScenarioError as error:
            raise error.within(f"defence.{number}") from error


def _check_reading(
    step: Filter | NumberStep | VerifiedRandomiser, trust: Trust, protocol: Mechanism
) -> None:
    """Refuse a step where it has no reports to read or to verify, or cannot do it."""
    if trust.unread:
        raise ScenarioError(f'must not be "{step.kind}" {trust.unread}', key="kind")
    if step.asks_twice and not trust.linked:
        rule = f'must not be "{step.kind}" with trust.kind = "{trust.kind}", where'
        raise ScenarioError(f"{rule} nobody knows which two reports are one user's", key="kind")
    if not isinstance(protocol, LocalMechanism):
        name = name_of(protocol)
        rule = f"{name}, a curator to whom users tell their items: there are no reports"
        raise ScenarioError(f'must not be "{step.kind}" with {rule}', key="kind")
    why = step.reads(protocol)
    if why is not None:
        raise ScenarioError(f'must not be "{step.kind}" with {why}', key="kind")


# The attack on each collection of a point: its fakes, their number, and the targets of all.


@dataclass(frozen=True, eq=False)
class Act:
    """The attack on one collection and its number of fakes; the attack is None if there
    are none.
    """

    attack: Attack | Mixture | None
    malicious: int = 0

    def fakes(self, targets: Items, population: Population) -> tuple[Fakes, ...]:
        if self.attack is None:
            return ()
        return fakes_of(self.attack, targets, self.malicious, population)


def acts_of(point: Point, population: Population, protocol: Mechanism) -> tuple[list[Act], Items]:
    """The attack on each round (or on the single collection), and int64[r], the targets that the
    metrics count.

    Raises ScenarioError, at a key of `attack`, if the attack does not fit.
    """
    if isinstance(point.attack, PhasesSpec):
        try:
            return _phases(point.attack, point.rounds or 1, point.seed, population, protocol)
        except ScenarioError as error:
            raise error.within("attack") from error
    attack, targets = bound_attack(point), np.empty(0, dtype=np.int64)
    malicious = 0
    if attack is not None:
        malicious = malicious_users(population.users, attack.share)
        try:
            attack, targets = resolve_targets(attack, population, point.seed)
            fakes = fakes_of(attack, targets, malicious, population)
            _check_fakes(fakes, protocol, attack.kind == Mixture.kind)
        except ScenarioError as error:
            raise error.within("attack") from error
    return [Act(attack, malicious)] * (point.rounds or 1), targets


def _phases(
    spec: PhasesSpec, rounds: int, seed: int, population: Population, protocol: Mechanism
) -> tuple[list[Act], Items]:
    """The acts of each round: without fakes in muted phases and after the last one.

    The metrics count the attack's targets, else all that any phase has, muted ones as well, so that
    muting a phase changes no other one.
    """
    acts: list[Act] = []
    every: dict[int, None] = {}
    for number, phase in enumerate(spec.phase):
        try:
            mixture, targets = phase.mixture(0.0, spec.targets).with_targets(population, seed)
            _check_fakes(fakes_of(mixture, targets, 0, population), protocol, mixed=True)
        except ScenarioError as error:
            raise error.within(f"phase.{number}") from error
        every |= dict.fromkeys(targets.tolist())
        for share in phase.shares():
            malicious = malicious_users(population.users, share)
            acts.append(Act(None) if phase.muted else Act(mixture.sharing(share), malicious))
    acts += [Act(None)] * (rounds - len(acts))
    if spec.targets is None:
        return acts, np.array([*every], dtype=np.int64)
    try:
        return acts, spec.targets.resolve(population, seed)
    except ScenarioError as error:
        raise error.within("targets") from error


def bound_attack(point: Point) -> Attack | Mixture | None:
    """The attack of a point; None without an attack, and if the attack has phases."""
    return None if isinstance(point.attack, PhasesSpec) else point.attack.bind()


def _check_fakes(fakes: tuple[Fakes, ...], protocol: Mechanism, mixed: bool) -> None:
    """Refuse an attack that makes no sense against the protocol, at its own key."""
    for number, group in enumerate(fakes):
        try:
            group.strategy.check(protocol, group.targets)
        except ScenarioError as error:
            raise (error.within(f"mix.{number}") if mixed else error) from error
