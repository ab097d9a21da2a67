"""The mechanism that `check` looks at, with what is known of its privacy before anything is
sampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import RunError, ScenarioError, got
from ldptui.core.base.sampling import Counts
from ldptui.core.lab.audit import Check, ClientClaim, check
from ldptui.core.lab.contract import CONTRACT, Clause, contract
from ldptui.core.lab.privacy_loss import Exponential, exponential_loss, loss_of
from ldptui.core.law.enumeration import every_report
from ldptui.core.law.loss import DiscreteLoss, Loss
from ldptui.core.law.pure import Items, Rng
from ldptui.core.plugins import make_object, published_names
from ldptui.core.protocols import KINDS, BitNoise, Rappor

from ..catalogue import in_order
from ..explain.formula_inputs import read_key
from ..text.prose import either
from .inputs import need_option
from .mechanisms import CURATORS, bound, curator, has

CONTRACT_USERS: Final = 2000
"""Users of a batch at least, of which the contract of a protocol is tested."""
_NAMES: Final = in_order("protocol", KINDS)


@dataclass(frozen=True, eq=False)
class Subject:
    """The mechanism, protocol or plug-in that `check` is asked about.

    mechanism : one of ldptui, or plug-in code.
    claim : its promise, and the inputs that are tried.
    perturb : makes reports of inputs.
    inputs : the names of these inputs, if they are tables.
    is_own : True for plug-in code.
    loss : its exact privacy loss, if known.
    scope : the tables to which the loss refers, in words; "" if that is clear.
    """

    mechanism: Any
    claim: ClientClaim
    perturb: Callable[[Items, Rng], Any]
    inputs: Sequence[str] = ()
    is_own: bool = False
    loss: Loss | None = None
    scope: str = ""

    @property
    def proof(self) -> Check | None:
        """The result of enumerating all reports; None if there are too many."""
        law = every_report(self.mechanism)
        return None if law is None else check(law, self.claim.epsilon)

    def is_proved(self, proof: Check | None) -> bool:
        """True if an enumeration or an exact loss shows that the promise is kept."""
        if proof is not None and proof.holds:
            return True
        if isinstance(self.loss, DiscreteLoss):
            return self.loss.delta(self.claim.epsilon * (1 + 1e-9)) <= self.claim.delta
        return self.loss is not None and self.loss.maximum <= self.claim.epsilon * (1 + 1e-9)

    def name_input(self, place: int) -> str:
        return self.inputs[place] if self.inputs else f"item {place}"

    def test_contract(self, seed: int) -> list[Clause] | None:
        """The tested clauses of a pure protocol in Python; None for other mechanisms."""
        if not self.is_own or not all(hasattr(self.mechanism, name) for name in CONTRACT):
            return None
        items, rng = self.claim.items, np.random.default_rng(seed)
        try:
            return contract(self.mechanism, items, rng, max(CONTRACT_USERS, 20 * items))
        except Exception as error:
            words = f"{type(error).__name__}: {error}".strip(": ")
            raise RunError(f"the contract cannot be tested: {words}") from error


def find_subject(asked: Any) -> Subject:
    """The protocol, the mechanism or the plug-in of a check's options; raises LdpError."""
    kind = asked.protocol
    if ":" in kind or kind in published_names("protocol"):
        return _find_code(asked)
    for name in asked.keys:
        if not (kind in KINDS and has(kind, name)):
            owners = either([other for other in _NAMES if has(other, name)])
            raise ScenarioError(f"is an option of {owners}, not of {kind}", key=name)
    if kind == "exponential":
        return _find_choice(asked)
    if kind in CURATORS:
        made = curator(kind, asked.items or 2, need_option("epsilon", asked.epsilon), asked.delta,
                       asked.neighbours)  # fmt: skip
        # What more than one user holds is noise of the Laplace mechanism, processed further.
        scope = "the loss is that of an item which one user holds: that it is released (V th. 3.5)"
        return _of_tables(asked, made, made.sample, _lone_users(2, asked.neighbours),
                          loss_of(made), scope * has(kind, "delta"))  # fmt: skip
    if kind not in KINDS:
        names = ", ".join((*_NAMES, *published_names("protocol")))
        rule = f"must be one of {names}, exponential, or FILE.py:NAME, {got(kind)}"
        raise ScenarioError(rule, key="protocol")
    items = need_option("items", asked.items)
    keys = {name: read_key(KINDS[kind], name, value) for name, value in sorted(asked.keys.items())}
    if not hasattr(KINDS[kind], "noise"):
        epsilon = need_option("epsilon", asked.epsilon)
        protocol: Any = bound(kind, items, epsilon, **keys)
    else:
        noise = BitNoise(*asked.noise)
        protocol = Rappor(items, asked.bits, asked.hashes, asked.cohorts, noise)
        epsilon = asked.epsilon or noise.epsilon_one(asked.hashes)
    if asked.audit and protocol.simulated_only:
        raise ScenarioError(f"must not be {protocol.simulated_only}", key="protocol")
    claim = _claim(items, epsilon, asked.delta, protocol)
    return Subject(protocol, claim, protocol.perturb, loss=loss_of(protocol))


def _claim(items: int, epsilon: float, delta: float, mechanism: Any) -> ClientClaim:
    """The claim of a local mechanism, of which a few items are watched."""
    watched = np.unique([0, 1, items // 2, items - 1])
    return ClientClaim(items, epsilon, delta=delta, looked=mechanism, watched=watched)


def _find_code(asked: Any) -> Subject:
    """A mechanism in Python: what NAME(items, epsilon) of a file or a package gives."""
    epsilon, items = need_option("epsilon", asked.epsilon), need_option("items", asked.items)
    made = make_object(asked.protocol, items, epsilon)
    if callable(getattr(made, "perturb", None)):
        claim = _claim(items, epsilon, asked.delta, made)
        return Subject(made, claim, made.perturb, is_own=True)
    if callable(getattr(made, "sample", None)):
        return _of_tables(asked, made, made.sample, _lone_users(items, asked.neighbours))
    rule = (
        "must return an object with law and table, with perturb(values, rng), or with "
        "sample(histograms, rng)"
    )
    raise ScenarioError(rule, key=asked.protocol)


def _of_tables(
    asked: Any, made: Any, sample: Callable[[Counts, Rng], Any], tables: Sequence[Counts],
    loss: Loss | None = None, scope: str = "",
) -> Subject:  # fmt: skip
    """A central mechanism, whose inputs are two tables that one user changes."""
    names = [f"counts {', '.join(map(str, table.tolist()[:8]))}" for table in tables]
    epsilon = need_option("epsilon", asked.epsilon)
    claim = ClientClaim(2, epsilon, delta=asked.delta, watched=np.arange(2), digits=False)
    stacked = np.array(tables)
    return Subject(made, claim, lambda places, rng: sample(stacked[places], rng), names,
                   loss=loss, scope=scope)  # fmt: skip


def _lone_users(items: int, neighbours: str) -> list[Counts]:
    """A table with a lone user, and one where they have another item, or are not there."""
    first, other = np.zeros((2, items), dtype=np.int64)
    first[0], other[1] = 1, neighbours == "change-one"
    return [first, other]


def _find_choice(asked: Any) -> Subject:
    """The choice of an item: the change of one user that it shows most."""
    epsilon = need_option("epsilon", asked.epsilon)
    mechanism, counts = Exponential(epsilon), _read_counts(need_option("counts", asked.counts))
    moves = [
        (exponential_loss(mechanism, counts, leaves, to), leaves, to)
        for leaves in np.flatnonzero(counts).tolist()
        for to in range(counts.size)
        if to != leaves
    ]
    loss, leaves, to = max(moves, key=lambda move: move[0].maximum)
    other = counts.copy()
    other[[leaves, to]] += [-1, 1]
    scope = "of these counts and of every table that one user changes to"
    return _of_tables(asked, None, mechanism.sample, [counts, other], loss, scope)


def _read_counts(written: str) -> Counts:
    parts = [part.strip() for part in written.split(",")]
    if not (2 <= len(parts) <= 100 and all(p.isdecimal() and len(p) < 16 for p in parts)):
        raise ScenarioError("must be 2 to 100 whole numbers, separated by commas", key="counts")
    counts = np.array([int(part) for part in parts], dtype=np.int64)
    if not counts.any():
        raise ScenarioError("must hold at least one user", key="counts")
    return counts
