"""The coins of real reports: fresh bytes of the operating system, and no other draw."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from itertools import count

import numpy as np
import pytest
from support import budget
from support.kinds import SENDING

from ldptui import protocol
from ldptui.core.base.errors import RunError
from ldptui.core.base.secure import secure


def bytes_of(stream: Iterator[int]) -> Callable[[int], bytes]:
    """What stands for the bytes of the system."""
    return lambda size: bytes(next(stream) for _ in range(size))


def stretched(key: int) -> Callable[[int], bytes]:
    """Bytes that look random, other ones at each call, of a key."""
    calls = count()
    return lambda size: hashlib.shake_128(f"{key} {next(calls)}".encode()).digest(size)


def test_every_byte_of_a_draw_is_one_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "urandom", bytes_of(iter(range(256))))
    # Of 3 bits 5, 6 and 7 are no number below 5: theirs are drawn again, from the next bytes.
    assert secure().integers(5, size=8).tolist() == [0, 1, 2, 3, 4, 0, 1, 2]
    assert secure().integers(-2, 2, size=4, dtype=np.int8).tolist() == [1, -2, -1, 0]
    monkeypatch.setattr(os, "urandom", lambda size: b"\xff" * size)
    assert secure().random() == 1 - 2.0**-53
    assert secure().integers(0, 2**64, size=2, dtype=np.uint64).tolist() == [2**64 - 1] * 2
    assert secure().integers(1, size=(2, 3)).tolist() == [[0] * 3] * 2
    monkeypatch.setattr(os, "urandom", bytes)
    assert secure().random((2, 1)).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("low, high", [(0, 3), (-5, 7), (1, 257), (0, 2**40 + 1)])  # noqa: PT006
def test_whole_numbers_are_uniform(low: int, high: int) -> None:
    drawn, parts = secure().integers(low, high, size=60_000), min(high - low, 12)
    assert drawn.min() >= low
    assert drawn.max() < high
    for part in range(parts):
        bounds = [low + -(-(high - low) * at // parts) for at in (part, part + 1)]
        hits = int(((drawn >= bounds[0]) & (drawn < bounds[1])).sum())
        assert budget.proportion(hits, drawn.size, (bounds[1] - bounds[0]) / (high - low))


def test_a_geometric_draw_has_its_law() -> None:
    drawn = secure().geometric(0.25, size=60_000)
    assert drawn.min() == 1
    for most in (1, 2, 5, 11):
        assert budget.proportion(int((drawn <= most).sum()), drawn.size, 1 - 0.75**most)
    assert secure().geometric(0.5) >= 1


@pytest.mark.parametrize("kind", SENDING)
def test_reports_without_a_generator_are_of_these_bytes_alone(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, held = protocol(kind, 11, epsilon=1.0), np.arange(200) % 11
    reports = []
    for key in (1, 1, 2):
        monkeypatch.setattr(os, "urandom", stretched(key))
        reports.append(made.perturb(held).tobytes())
    assert reports[0] == reports[1]
    assert reports[0] != reports[2]


@pytest.mark.parametrize("name", ["choice", "binomial", "permutation", "bytes", "normal"])
def test_other_draws_are_refused(name: str) -> None:
    with pytest.raises(RunError, match=f"no {name} is drawn from coins of the operating system"):
        getattr(secure(), name)(3)
    with pytest.raises(RunError, match="have no state"):
        _ = secure().bit_generator


def test_without_bytes_of_the_system_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(size: int) -> bytes:
        raise NotImplementedError("no source")

    monkeypatch.setattr(os, "urandom", none)
    with pytest.raises(RunError, match="gives no random bytes: no source"):
        protocol("grr", 4, epsilon=1.0).perturb([1])
