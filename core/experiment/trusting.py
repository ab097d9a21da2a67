"""Whom users trust: the mechanism that asks them then, and which defences have reports to read."""

from __future__ import annotations

from typing import Any

from ..base.code import title_of
from ..base.errors import ScenarioError, got
from ..defences import Filter, NumberStep, VerifiedRandomiser, known
from ..law.longitudinal import Memoising
from ..law.mechanism import LocalMechanism, is_a, name_of
from ..law.pure import Items, Mechanism
from ..population import Population
from ..protocols.trust import Trust, TrustRequest
from ..scenario import Point
from ..task import Frequencies, task_over


def trusting(trust: Trust, point: Point, population: Population) -> Mechanism:
    """The mechanism by which users are asked, who trust somebody; raises ScenarioError."""
    task = task_over(point.task, point.protocol)
    told = is_a(
        point.protocol.mechanism, LocalMechanism
    )  # else the task refuses the protocol itself
    if task != Frequencies() and told and not trust.every_task:
        rule = f'must be left out with task.kind = "{task.kind}", {got(trust.kind)}'
        raise ScenarioError(rule, key="trust.kind")

    def bound(spec: Any) -> Mechanism:
        try:
            return task.bound(spec, population)
        except ScenarioError as error:
            raise error.within("protocol") from error

    asked = TrustRequest(point.protocol, bound, population.domain_size, population.users)
    protocol = trust.bound(asked)
    if point.rounds is not None and isinstance(protocol, Memoising) and not trust.linked:
        name = title_of(point.protocol)
        rule = f'must not be "{trust.kind}" with rounds of {name}, whose users keep an answer'
        raise ScenarioError(f"{rule}: it tells which reports are of one user", key="trust.kind")
    return protocol


def check_defences(
    point: Point, trust: Trust, protocol: Mechanism, users: int, targets: Items
) -> None:
    """Refuse a defence that makes no sense for the collection, at its own key."""
    for number, defence in enumerate(point.defence):
        if defence.muted:
            continue
        try:
            if isinstance(defence, Filter | NumberStep | VerifiedRandomiser):
                _check_reading(defence, trust, protocol)
            defence.check(known(protocol, users, targets))
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
    if isinstance(step, VerifiedRandomiser):
        step.trust.quantised(protocol)
