"""The question of an audit: its clients, what they promise, and how much of them is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from ldptui.core.base.errors import LdpError, ScenarioError, got
from ldptui.core.base.ranges import EPSILON, Range
from ldptui.core.lab.audit import Asked, Claim, Power, Setting, power_of
from ldptui.core.lab.loss import loss_of
from ldptui.core.law.loss import Loss
from ldptui.core.protocols import KINDS

from ...catalogue import in_order
from .clients import Named, Promise, clients_of

DOMAIN: Final = Range(2, 2**16)
"""The items of an audit."""
PATIENCE: Final = Range(0, 86400, "(]")
"""Seconds that a program may take for a report."""
LARGEST: Final = 10**10
"""Reports of a client at most."""


@dataclass(frozen=True, eq=False)
class Question:
    """An audit's question: clients, what they promise, and how much may be drawn.

    spends : the ε of which the samples are told that refute it.
    """

    clients: Sequence[Named]
    promise: Promise
    asked: Asked
    spends: float

    def powers(self) -> list[Power]:
        """The power of the audit, of each protocol that a client claims to follow; else of GRR.

        A client that spends more has the other parameters as promised, as the range of its hash
        functions. None of a protocol whose loss is not known.
        """
        promise = self.promise
        claims = {each.claim.kind: each.claim for each in self.clients if each.claim.kind}
        audit = Setting(promise.items, promise.epsilon, self.asked.samples, self.asked.confidence)
        made = []
        for claim in claims.values() or (Promise(promise.epsilon, promise.items).claim("grr"),):

            def make(epsilon: float, claim: Claim = claim) -> tuple[Loss, Any]:
                promised: Any = claim.protocol
                if any(each.name == "epsilon" for each in fields(promised)):
                    protocol = replace(promised, epsilon=epsilon)
                else:  # its noise follows from ε
                    protocol = promise.claim(claim.kind, epsilon).protocol
                return loss_of(protocol), protocol

            with suppress(LdpError, TypeError):
                made.append(power_of(make, claim.kind, audit, self.spends))
        return made

    def others(self, kind: str) -> Iterator[Claim]:
        """The other protocols of this ε and these items, which a client may follow instead."""
        plain = replace(self.promise, keys={})
        for other in in_order("protocol", KINDS):
            if other != kind:
                with suppress(LdpError):
                    yield plain.claim(other)

    @property
    def told(self) -> dict[str, Any]:
        """All that the verdicts depend on, as plain values: who asks the same may go on with it."""
        promise, asked = self.promise, self.asked
        return {
            "clients": [[each.how, each.name, each.digest] for each in self.clients],
            "epsilon": promise.epsilon, "items": promise.items, "as": promise.kind,
            "set": {key: str(value) for key, value in sorted(promise.keys.items())},
            "opaque": promise.opaque, "batch": promise.batch, "samples": asked.samples,
            "confidence": asked.confidence, "seed": asked.seed,
        }  # fmt: skip


def question(
    names: Sequence[Any] = (),
    commands: Sequence[str] = (),
    pairs: Sequence[str] = (),
    *,
    epsilon: float,
    items: int,
    kind: str = "",
    keys: Mapping[str, Any] | None = None,
    opaque: bool = False,
    samples: int = 200_000,
    confidence: float = 0.999,
    seed: int = 0,
    refute: float | None = None,
    batch: int | None = None,
    patience: float = 20.0,
) -> Question:
    """The question of these values; raises LdpError before anything is run."""
    if epsilon not in EPSILON:
        raise ScenarioError(f"must be {EPSILON}, {got(epsilon)}", key="epsilon")
    if items not in DOMAIN:
        raise ScenarioError(f"must be {DOMAIN}, {got(items)}", key="items")
    if samples > LARGEST:
        rule = f"must be at most {LARGEST:,}, {got(samples)}".replace(",", " ")
        raise ScenarioError(rule, key="samples")
    if opaque and kind:
        raise ScenarioError("goes without --as: its reports have no format", key="opaque")
    if batch is not None and batch < 1:
        raise ScenarioError(f"must be at least 1, {got(batch)}", key="batch")
    if patience not in PATIENCE:
        raise ScenarioError(f"must be {PATIENCE} seconds, {got(patience)}", key="patience")
    if refute is not None and not epsilon < refute <= EPSILON.high:
        rule = f"must be more than --epsilon, at most {EPSILON.high:g}, {got(refute)}"
        raise ScenarioError(rule, key="refute")
    if seed < 0:
        raise ScenarioError(f"must be at least 0, {got(seed)}", key="seed")
    asked = Asked(samples, confidence, seed)
    promise = Promise(epsilon, items, kind.lower(), keys or {}, opaque, patience, batch, seed)
    clients = [*clients_of(promise, names, commands, pairs)]
    if not clients:
        rule = "must be named: a protocol, FILE.py:NAME, --command TEXT or --pairs FILE.csv"
        raise ScenarioError(rule, key="clients")
    return Question(clients, promise, asked, refute or 2 * epsilon)
