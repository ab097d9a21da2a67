"""The subject of a check: a protocol, a curator's mechanism, the exponential one, or own code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import RunError, ScenarioError, got
from ldptui.core.base.sampling import Counts
from ldptui.core.lab.audit import (
    Audit,
    Check,
    Perturbs,
    Published,
    Sampler,
    audit,
    audit_protocol,
    check,
    published,
)
from ldptui.core.lab.contract import CONTRACT, Clause, contract
from ldptui.core.lab.loss import Exponential, exponential_loss, loss_of
from ldptui.core.law.enumeration import every_report
from ldptui.core.law.loss import DiscreteLoss, Loss
from ldptui.core.law.pure import PureProtocol, Rng
from ldptui.core.plugins import make_object, published_names
from ldptui.core.protocols import KINDS, BitNoise, Rappor
from ldptui.core.protocols.curators import Neighbours

from ..catalogue import in_order
from ..explain.formula_inputs import read_key
from ..text.prose import either
from .draft_values import CheckRequest
from .inputs import needed
from .mechanisms import CURATORS, bound, curator, has

CONTRACT_USERS: Final = 2000
"""Users of a batch at least, of which the contract of a protocol is tested."""

_NAMES: Final = in_order("protocol", KINDS)

Inputs = list[tuple[str, Sampler]]


@dataclass(frozen=True, eq=False)
class Subject:
    """The subject of a check.

    claimed, delta : what it promises. loss : its exact loss, if known. proof : what enumeration
    found, if there are few enough reports. protocol, inputs : what an audit samples, a local
    protocol or tables. stranger : the protocol, where it is somebody's and pure. scope : what the
    loss is of, where that needs saying. client : somebody's code that makes reports.
    """

    claimed: float
    delta: float
    loss: Loss | None = None
    proof: Check | None = None
    protocol: Perturbs | None = None
    items: int = 0
    stranger: PureProtocol | None = None
    inputs: Sequence[tuple[str, Sampler]] = ()
    scope: str = ""
    client: Any = None

    @property
    def proved(self) -> bool:
        """True if something else than samples shows that the promise is kept."""
        if self.proof is not None and self.proof.holds:
            return True
        if self.loss is None:
            return False
        if isinstance(self.loss, DiscreteLoss):
            return self.loss.delta(self.claimed * (1 + 1e-9)) <= self.delta
        return self.loss.maximum <= self.claimed * (1 + 1e-9)

    @property
    def disproved(self) -> bool:
        """True if the largest loss breaks the promise; a δ may allow that."""
        return self.proof is not None and not self.proof.holds and not self.delta

    def contract(self, seed: int) -> list[Clause] | None:
        """The clauses of somebody's pure protocol, tested; None of others, as our tests do so."""
        if self.stranger is None:
            return None
        users = max(CONTRACT_USERS, 20 * self.items)
        try:
            return contract(self.stranger, self.items, np.random.default_rng(seed), users)
        except Exception as error:
            words = f"{type(error).__name__}: {error}".strip(": ")
            raise RunError(f"the contract cannot be tested: {words}") from error

    def published(self) -> Published | None:
        """The column of somebody's reports that gives the generator away; None where none does."""
        return None if self.client is None else published(self.client, self.items)

    def audited(self, rng: Rng, samples: int, confidence: float) -> Audit:
        if self.protocol is None:
            return audit(self.inputs, self.claimed, rng, samples, confidence, self.delta)
        return audit_protocol(
            self.protocol, self.items, self.claimed, rng, samples, confidence, self.delta,
            digits=True,
        )  # fmt: skip


def subject_of(options: CheckRequest) -> Subject:
    """The protocol, the mechanism or the plug-in of the options; raises LdpError."""
    kind = options.protocol
    if ":" in kind or kind in published_names("protocol"):
        return _strange(options)
    given = _dials(options)
    if kind == "exponential":
        return _exponential(options)
    if kind in CURATORS:
        return _curator(options)
    if kind not in KINDS:
        names = ", ".join((*_NAMES, *published_names("protocol")))
        rule = f"must be one of {names}, exponential, or FILE.py:NAME, {got(kind)}"
        raise ScenarioError(rule, key="protocol")
    items = needed("items", options.items)
    protocol: Any
    if not hasattr(KINDS[kind], "noise"):
        epsilon = needed("epsilon", options.epsilon)
        protocol = bound(kind, items, epsilon, **given)
    else:
        noise = BitNoise(*options.noise)
        protocol = Rappor(items, options.bits, options.hashes, options.cohorts, noise)
        epsilon = options.epsilon or noise.epsilon_one(options.hashes)
    law = every_report(protocol)
    proof = None if law is None else check(law, epsilon)
    if options.audit and protocol.simulated_only:
        raise ScenarioError(f"must not be {protocol.simulated_only}", key="protocol")
    return Subject(epsilon, options.delta, loss_of(protocol), proof, protocol, items)


def _strange(options: CheckRequest) -> Subject:
    """A mechanism of somebody's own."""
    epsilon = needed("epsilon", options.epsilon)
    items = needed("items", options.items)
    made = _plugin(options.protocol, items, epsilon)
    if not hasattr(made, "perturb"):
        inputs = _neighbouring(made.sample, items, options.neighbours)
        return Subject(epsilon, options.delta, inputs=inputs)
    law = every_report(made)
    proof = None if law is None else check(law, epsilon)
    pure = made if all(hasattr(made, method) for method in CONTRACT) else None
    return Subject(epsilon, options.delta, None, proof, made, items, pure, client=made)


def _dials(options: CheckRequest) -> dict[str, Any]:
    """The keys of the protocol that are given, read; raises ScenarioError for those of others."""
    kind, values = options.protocol, {}
    for name, value in sorted(options.keys.items()):
        if not (kind in KINDS and has(kind, name)):
            owners = either([other for other in _NAMES if has(other, name)])
            raise ScenarioError(f"is an option of {owners}, not of {kind}", key=name)
        values[name] = read_key(KINDS[kind], name, value)
    return values


def _curator(options: CheckRequest) -> Subject:
    """A central mechanism: a lone user in one bin, and in another or in none."""
    kind, near = options.protocol, options.neighbours
    epsilon = needed("epsilon", options.epsilon)
    items = 2 if options.items is None else options.items
    mechanism = curator(kind, items, epsilon, options.delta, near)
    law = every_report(mechanism)
    proof = None if law is None else check(law, epsilon)
    inputs = _neighbouring(mechanism.sample, 2, near)
    scope = ""
    if has(kind, "delta"):
        # What more than one user holds is noise of the Laplace mechanism, processed further.
        scope = "the loss is that of an item which one user holds: that it is released (V th. 3.5)"
    return Subject(epsilon, options.delta, loss_of(mechanism), proof, inputs=inputs, scope=scope)


def _neighbouring(
    sample: Callable[[Counts, Rng], Any], items: int, neighbours: Neighbours
) -> Inputs:
    """Releases of a table with a lone user, and of one where they have another item, or are not."""
    other = [0, 1] if neighbours == "change-one" else [0, 0]
    tables = [np.array([*first, *[0] * (items - 2)]) for first in ([1, 0], other)]

    def sampler(counts: Counts) -> Sampler:
        return lambda n, rng: sample(np.tile(counts, (n, 1)), rng)

    return [
        (f"counts {', '.join(map(str, table.tolist()[:8]))}", sampler(table)) for table in tables
    ]


def _exponential(options: CheckRequest) -> Subject:
    """The choice of an item: the change of one user that it shows most."""
    epsilon = needed("epsilon", options.epsilon)
    mechanism, counts = Exponential(epsilon), _counts(needed("counts", options.counts))
    moves = [
        (exponential_loss(mechanism, counts, leaves, to), leaves, to)
        for leaves in np.flatnonzero(counts).tolist()
        for to in range(counts.size)
        if to != leaves
    ]
    loss, leaves, to = max(moves, key=lambda move: move[0].maximum)
    other = counts.copy()
    other[[leaves, to]] += [-1, 1]

    def sampler(held: Counts) -> Sampler:
        return lambda n, rng: mechanism.sample(np.broadcast_to(held, (n, held.size)), rng)

    inputs = [(f"counts {', '.join(map(str, h.tolist()))}", sampler(h)) for h in (counts, other)]
    scope = "of these counts and of every table that one user changes to"
    return Subject(epsilon, options.delta, loss, inputs=inputs, scope=scope)


def _counts(written: str) -> Counts:
    parts = [part.strip() for part in written.split(",")]
    if not (2 <= len(parts) <= 100 and all(p.isdecimal() and len(p) < 16 for p in parts)):
        raise ScenarioError("must be 2 to 100 whole numbers, separated by commas", key="counts")
    counts = np.array([int(part) for part in parts], dtype=np.int64)
    if not counts.any():
        raise ScenarioError("must hold at least one user", key="counts")
    return counts


def _plugin(place: str, items: int, epsilon: float) -> Any:
    """A mechanism of the user's own: what NAME(items, epsilon) of FILE.py, or of a package, gives.

    Whoever names it lets it run.
    """
    made = make_object(place, items, epsilon)
    if not any(callable(getattr(made, method, None)) for method in ("perturb", "sample")):
        rule = (
            "must return an object with law and table, with perturb(values, rng), or with "
            "sample(histograms, rng)"
        )
        raise ScenarioError(rule, key=place)
    return made
