"""`ldptui check` finds clients whose law is right and whose random numbers are not."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.audits import audited
from support.commands import Captured

import ldptui
from ldptui.commands import cli
from ldptui.core.base.errors import RunError
from ldptui.core.lab.audit import published
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.protocols import KINDS
from ldptui.terminal import exits

BROKEN = Path(__file__).parents[3] / "examples" / "broken"
LOCAL = [kind for kind, spec in KINDS.items() if is_a(spec.mechanism, LocalMechanism)]
ITEMS = 8


class As:
    """A client as `check` sees it. rng : None for the one that it is given."""

    def __init__(self, kind: str, rng: Any = None) -> None:
        self.protocol: Any = ldptui.protocol(kind, ITEMS, epsilon=1.0)
        self.rng = rng

    def perturb(self, values: Any, rng: Any) -> Any:
        return self.protocol.perturb(values, rng if self.rng is None else self.rng)


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", LOCAL)
def test_todays_clients_publish_no_raw_numbers(kind: str) -> None:
    assert published(As(kind), ITEMS) is None


@pytest.mark.every(3)
@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937, np.random.SFC64])
def test_seeds_of_a_generator_for_simulation_are_found(bits: Any) -> None:
    """Of every kind whose reports have a seed, whoever holds the generator."""
    named = set()
    for kind in LOCAL:
        found = published(As(kind, np.random.Generator(bits(1))), ITEMS)
        if found is not None:
            assert (found.column, found.generator) == ("seed", bits.__name__)
            assert found.share > 0.99
            named.add(kind)
    seeded = {
        kind
        for kind in LOCAL
        if "seed" in (As(kind).protocol.perturb([1], np.random.default_rng(0)).dtype.names or ())
    }
    assert named == seeded


class Drawn:
    """Reports of one column, drawn in some way."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw

    def perturb(self, values: Any, rng: Any) -> Any:
        return np.array(self.draw(values.size, rng))


def test_generators_made_on_the_way_are_watched() -> None:
    def own(count: int, rng: Any) -> Any:
        return np.random.default_rng().integers(0, 2**32, size=count)

    def legacy(count: int, rng: Any) -> Any:
        return np.random.randint(0, 2**32, size=count, dtype=np.uint32)  # noqa: NPY002

    def words(count: int, rng: Any) -> Any:
        return [random.getrandbits(32) for _ in range(count)]

    def secure(count: int, rng: Any) -> Any:
        return rng.integers(0, 2**32, size=count)

    usual = np.random.default_rng
    for draw, name in ((own, "PCG64"), (legacy, "MT19937"), (words, "Random"), (secure, None)):
        found = published(Drawn(draw), ITEMS)
        assert (None if found is None else found.generator) == name
    assert np.random.default_rng is usual
    with pytest.raises(RunError, match="random numbers cannot be tested: ZeroDivisionError"):
        published(Drawn(lambda count, rng: 1 / 0), ITEMS)
    assert np.random.default_rng is usual


def checked(capsys: Captured, code: int, *words: str) -> Any:
    assert cli.main(["check", *words, "--format", "json"]) == code
    return json.loads(capsys.readouterr().out)


def test_the_broken_client_of_olh_is_found(capsys: Captured) -> None:
    place = f"{BROKEN / 'olh_pcg64.py'}:Client"
    words = (place, "--epsilon", "1", "--items", "8", "--samples", "4000")
    found = checked(capsys, exits.ALARM, *words)
    assert found["verdict"] == "broken"
    assert found["published"] == {"column": "seed", "generator": "PCG64", "share": 1.0}
    assert not found["audit"]["violated"]  # its law is right
    assert cli.main(["check", *words]) == exits.ALARM
    shown = capsys.readouterr().out
    assert "BROKEN: the random numbers can be foretold" in shown
    assert "seed is the raw output of PCG64, in order" in " ".join(shown.split())


def test_the_broken_client_of_she_is_found(capsys: Captured) -> None:
    place = f"{BROKEN / 'she_doubles.py'}:Client"
    words = (place, "--epsilon", "0.1", "--items", "4", "--samples", "20000")
    found = checked(capsys, exits.ALARM, *words)
    assert found["verdict"] == "broken"
    assert found["published"] is None
    assert found["audit"]["lower"] > 2


def test_doubles_of_a_simulation_are_found() -> None:
    """Every kind that is simulated alone is so for a reason."""
    for kind in LOCAL:
        protocol: Any = ldptui.protocol(kind, 4, epsilon=0.1)
        if protocol.simulated_only:
            assert audited(protocol, 4, 0.1, 80_000, 0.999).is_broken
