"""The table of kinds: every row answers what any kind is asked, and nobody else lists kinds."""

import dataclasses
import itertools
import re
import typing
from typing import Any

import numpy as np
import pytest
from support.audits import audited
from support.cases import cell
from support.kinds import attack_table

from ldptui import core
from ldptui.core import theory
from ldptui.core.attacks import ATTACKS
from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Counts
from ldptui.core.lab.audit import check
from ldptui.core.lab.privacy_loss import loss_of
from ldptui.core.law.enumeration import every_report
from ldptui.core.law.exchangeable import Exchangeable
from ldptui.core.law.law import Ask, Lack, LawName
from ldptui.core.law.mechanism import lacking, name_of
from ldptui.core.law.moments import EstimateMoments
from ldptui.core.law.numeric_protocol import NumericProtocol
from ldptui.core.law.pure import (
    LocalMechanism,
    Mechanism,
    PureProtocol,
    Rng,
    SeedSearch,
    Supporting,
)
from ldptui.core.protocols import CENTRAL, GRR, KINDS, PROTOCOLS, LocalHashing, family_of
from ldptui.core.protocols.rappor import Rappor
from ldptui.core.protocols.unary import IndependentBits

every_kind = pytest.mark.parametrize("kind", KINDS)


def bound(kind: str, domain_size: int = 4) -> Any:
    """A kind with as few parameters as it takes."""
    spec: Any = KINDS[kind]
    needs = [key for key in dataclasses.fields(spec) if key.default is dataclasses.MISSING]
    needed = {"epsilon": 1.0} if "epsilon" in {key.name for key in needs} else {}
    return spec(kind=kind, **needed).bind(domain_size)


@every_kind
def test_a_row_says_what_it_is(kind: str) -> None:
    spec: Any = KINDS[kind]
    assert dataclasses.is_dataclass(spec)
    assert typing.get_args(typing.get_type_hints(spec)["kind"]) == (kind,)
    assert isinstance(bound(kind), spec.mechanism)
    assert family_of(kind) == bound(kind).family
    assert family_of(kind).isalpha()
    assert (kind in PROTOCOLS) == isinstance(bound(kind), PureProtocol)
    assert (kind in CENTRAL) == (not isinstance(bound(kind), LocalMechanism))


@every_kind
def test_a_kind_is_whole_and_knows_its_moments(kind: str) -> None:
    """Nothing is left abstract, and the moments of its estimates are known in one way."""
    mechanism = bound(kind)
    assert not type(mechanism).__abstractmethods__
    if isinstance(mechanism, NumericProtocol):
        return
    assert isinstance(mechanism, Supporting) != isinstance(mechanism, Rappor)
    assert isinstance(mechanism, PureProtocol | EstimateMoments)


class Bare(Mechanism):
    """A protocol that says nothing of what it lacks."""

    def law_of(self, ask: Ask) -> Lack:
        return self.lack(ask)

    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        return histogram

    unperturbed_counts = sample_counts


LACKING: dict[str, tuple[type, ...]] = {
    "supports": (PureProtocol,),
    "columns": (IndependentBits, LocalHashing),
    "coincide": (GRR, IndependentBits, LocalHashing),
    "sample_background": (Exchangeable,),
}
"""What a kind is not that lacks something, by its name."""


@every_kind
def test_what_a_kind_lacks_it_lacks(kind: str) -> None:
    mechanism = bound(kind)
    everything = np.arange(mechanism.domain_size)
    for name, why in mechanism.lacks.items():
        if name in typing.get_args(LawName):
            assert mechanism.law_of(Ask(name, everything)) == Lack(why)
        elif name == "estimates":
            with pytest.raises(ScenarioError, match=re.escape(why)):
                mechanism.estimates(everything[None], 1)
        else:
            assert lacking(mechanism, LACKING[name], name, "unused") == why
    assert lacking(mechanism, Mechanism, "columns", "unused") is None
    assert lacking(Bare(), PureProtocol, "columns", "of which nothing is known") == (
        "Bare, of which nothing is known"
    )


@every_kind
def test_a_kind_tells_its_privacy(kind: str) -> None:
    """The loss of one report never exceeds ε; where reports can be listed that is proved."""
    mechanism = bound(kind, 3)
    epsilon = getattr(mechanism, "epsilon", None) or mechanism.noise.epsilon_one(mechanism.hashes)
    epsilon = getattr(mechanism, "real_epsilon", epsilon)
    loss = loss_of(mechanism)
    delta = getattr(mechanism, "delta", 0.0)
    assert loss.tail(epsilon + 1e-9) <= delta
    assert loss.maximum == pytest.approx(epsilon) or delta
    law = every_report(mechanism)
    if law is not None:
        assert check(law, epsilon).holds
    if kind in PROTOCOLS:
        assert law is not None
        assert check(law, epsilon).tight
        assert not audited(mechanism, 3, epsilon, 12_000, 0.999, digits=False).is_broken


@pytest.mark.every(13)
@pytest.mark.parametrize(("kind", "fakes"), list(itertools.product(KINDS, ATTACKS)))
def test_an_attack_works_or_is_refused_in_words(kind: str, fakes: str) -> None:
    protocol = {"kind": kind, "epsilon": 1.0, **({"cohorts": 4} if kind == "rappor" else {})}
    attack = {"kind": "none"} if fakes == "none" else attack_table(fakes)
    refused = ""
    try:
        one = cell([40, 30, 20, 10], protocol, attack)
    except ScenarioError as error:
        refused = str(error)
    if refused:
        mechanism = KINDS[kind](kind=kind, epsilon=1.0).bind(4)
        told = any(why in refused for why in mechanism.lacks.values())
        assert told or f"against {name_of(mechanism)}, " in refused or "send no reports" in refused
        return
    if one.python_attacks:
        return
    estimate, metrics = theory.expected_estimate(one), theory.expected_metrics(one)
    assert estimate is not None
    assert estimate.shape == (4,)
    if fakes != "none":
        assert metrics["gain"] is not None


def test_a_stranger_is_refused_in_a_general_sentence() -> None:
    class Stranger(Bare):
        domain_size = 4

    for kind in ("mga-a", "apa"):
        values = {name: value for name, value in attack_table(kind).items() if name != "targets"}
        attack = ATTACKS[kind](**values, targets=core.attacks.ListedTargets((1, 2)))
        with pytest.raises(ScenarioError, match=f'"{kind}" against Stranger, '):
            attack.check(Stranger(), np.array([1, 2]))
    assert SeedSearch().seeds == 1000


# Items that users may hold.

NO_ITEMS: list[tuple[object, str]] = [
    ([0, -1], r"items in \[0, 4\), got -1 \(a missing value\?\) at position 1"),
    ([0, 4], r"items in \[0, 4\), got 4 at position 1"),
    ([1.5], r"integers, the numbers of items in \[0, 4\), got 1.5 at position 0"),
    ([1.0, float("nan")], r"integers.*got nan \(a missing value\?\) at position 1"),
    ([None, 1], r"integers.*got None \(a missing value\?\) at position 0"),
    (["a"], r"integers.*got 'a' at position 0"),
    ([True], r"integers.*got True at position 0"),
    ([[1], [2]], "one item a user, got 2 axes"),
]


@every_kind
def test_users_hold_items_and_nothing_else(kind: str) -> None:
    mechanism, rng = bound(kind), np.random.default_rng(0)
    if not isinstance(mechanism, LocalMechanism):
        return
    for values, message in NO_ITEMS:
        with pytest.raises(ScenarioError, match=f"values must be {message}"):
            mechanism.perturb(np.array(values), rng)
    listed, array = (
        mechanism.perturb(given, np.random.default_rng(0))
        for given in ([3, 0, 2], np.array([3, 0, 2], dtype=np.uint8))
    )
    assert np.array_equal(listed, array)
