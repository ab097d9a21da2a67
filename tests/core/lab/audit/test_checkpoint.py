"""The state of an audit: one that goes on after an interruption says what a whole one says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ldptui
from ldptui.core.lab.audit import (
    Asked,
    Claim,
    Client,
    Inspection,
    Inspector,
    inspection,
    made,
    recorded,
)
from ldptui.core.lab.audit.checkpoint import (
    inspection_in,
    packed,
    plain_of,
    restore,
    state_of,
    unpacked,
)

D = 6


class Own:
    """A protocol of ours as a client, whose coins are the audit's."""

    def __init__(self, protocol: Any) -> None:
        self.protocol = protocol

    def perturb(self, values: Any, rng: Any) -> Any:
        return self.protocol.perturb(values, rng)


def pairs(protocol: Any) -> Client:
    rng = np.random.default_rng(1)
    items = np.sort(rng.integers(0, D - 1, 20_000))
    return recorded("pairs", items, protocol.perturb(items, rng), D, np.random.default_rng(2))


def started(kind: str, sort: str, spends: float) -> Inspector:
    """An audit of a client that promises ε = 1; it is not begun."""
    promised: Any = ldptui.protocol(kind, D, epsilon=1.0)
    own = replace(promised, epsilon=spends)
    claim = Claim(D, 1.0, kind, promised, promised.perturb)
    client = pairs(own) if sort == "pairs" else made("own", lambda: Own(own), sort == "fresh")
    return Inspector(client, claim, Asked(30_000, 0.99))


def ended(inspector: Inspector, every: int = 0) -> tuple[Inspection, int]:
    """The result; before each `every` steps the audit is kept as bytes and begun anew from them."""
    steps, taken, cuts = inspector.steps(), 0, 0
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value, cuts
        taken += 1
        if every and taken % every == 0:
            again = Inspector(pairs(inspector.claim.protocol) if inspector.client.held is not None
                              else inspector.client, inspector.claim, inspector.asked)  # fmt: skip
            restore(again, unpacked(packed(state_of(inspector))))
            inspector, steps, cuts = again, again.steps(), cuts + 1


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("kind", "sort", "spends"),
    [("grr", "fresh", 1.0), ("oue", "made", 1.0), ("olh", "fresh", 2.0), ("grr", "pairs", 1.0)],
)
def test_a_resumed_audit_says_the_same(
    kind: str, sort: str, spends: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "OFTEN_S", -1.0)  # a step after each block
    whole, _ = ended(started(kind, sort, spends))
    resumed, cuts = ended(started(kind, sort, spends), every=1)
    assert cuts > 2
    assert plain_of(replace(resumed, seen=None, speed=0.0)) == plain_of(
        replace(whole, seen=None, speed=0.0)
    )
    assert (whole.verdict == "broken") == (spends > 1)
    other, _ = ended(started(kind, sort, spends + 0.1))
    assert other.average_low != whole.average_low


def test_a_finished_inspection_comes_back() -> None:
    found, _ = ended(started("grr", "fresh", 2.0))
    found = replace(found, seen=None)
    assert plain_of(inspection_in(unpacked(packed(plain_of(found))))) == plain_of(found)


def test_other_bytes_are_refused() -> None:
    inspector = started("grr", "made", 1.0)
    data = packed(state_of(inspector))
    at = data.index(b"ended") + 2
    spoilt = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    for wrong in (b"", b"x" * 100, data[:-30], data[:200], spoilt, packed([np.arange(3)])[:-1]):
        with pytest.raises(ValueError, match="damaged"):
            unpacked(wrong)
    state = unpacked(data)
    for key in state:
        with pytest.raises(ValueError, match="no state"):
            restore(started("grr", "made", 1.0), {k: v for k, v in state.items() if k != key})
    with pytest.raises(ValueError, match="no state"):
        restore(started("grr", "made", 1.0), state | {"seen": {"watched": np.arange(3)}})
