"""Random numbers that a client publishes as they come, or draws again at every start.

NumPy's generators and Python's `random` are for simulation. The state of MT19937 follows from 624
of its outputs, and that of PCG64 from some hundred bytes (Bouillaguet, Martinez, Sauvage, ToSC
2020); whoever has it knows every coin. A client is run while the generators that it holds, or
makes, are watched: copies of them in the state before foretell their outputs, and columns of the
reports are looked for among these.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...base.errors import RunError
from ...base.proportions import clopper_pearson
from ...law.pure import Items, Reports, Rng
from .columns import whole_numbers, whole_values

USERS: Final = 512
"""Reports that are looked at."""

WORDS: Final = 1 << 16
"""Outputs of 64 bits that are foretold."""

STARTED: Final = 1024
"""Reports of each of two fresh starts."""


@dataclass(frozen=True)
class Published:
    """A column of reports that is a generator's raw output. share : of its values."""

    column: str
    generator: str
    share: float


def published(client: Any, items: int) -> Published | None:
    """The column that gives a client's generator away; None where none does.

    client : has `perturb(values, rng)`; it is given a generator that is not looked at.
    Raises RunError where it fails.
    """
    values, coins = np.arange(USERS) % items, np.random.default_rng()
    try:
        with _watched(client) as copies:
            reports = np.asarray(client.perturb(values, coins))
    except Exception as error:
        words = f"{type(error).__name__}: {error}".strip(": ")
        raise RunError(f"the random numbers cannot be tested: {words}") from error
    for name, column in whole_numbers(reports):
        if np.unique(column).size < USERS // 2:  # of few values: a bucket, an item
            continue
        for copy in copies:
            share = float(np.isin(column.astype(np.uint64), _outputs(copy)).mean())
            if share > 0.5:
                return Published(name, type(copy).__name__, share)
    return None


def _outputs(copy: Any) -> NDArray[np.uint64]:
    """The outputs to come, whole and in halves, as NumPy's bounded whole numbers use them."""
    if isinstance(copy, random.Random):
        return np.array([copy.getrandbits(32) for _ in range(2 * WORDS)], dtype=np.uint64)
    words = np.asarray(deepcopy(copy).random_raw(WORDS), dtype=np.uint64)
    low, high = words & np.uint64(0xFFFFFFFF), words >> np.uint64(32)
    return np.concatenate([words, low, high])


@contextmanager
def _watched(client: Any) -> Iterator[list[Any]]:
    """Copies of the generators that a client holds, and of those that it makes meanwhile."""
    function = getattr(client.perturb, "__func__", client.perturb)
    names: dict[str, Any] = getattr(function, "__globals__", {})
    held = [*getattr(client, "__dict__", {}).values(), *names.values()]
    python = random.Random()
    python.setstate(random.getstate())
    copies = [python, *_copies([*held, np.random.mtrand._rand])]
    usual = np.random.default_rng

    def watched(*arguments: Any, **more: Any) -> Any:
        made = usual(*arguments, **more)
        copies.extend(_copies([made]))
        return made

    own = [name for name, value in names.items() if value is usual]
    try:
        np.random.default_rng = watched
        names.update(dict.fromkeys(own, watched))
        yield copies
    finally:
        np.random.default_rng = usual
        names.update(dict.fromkeys(own, usual))


def _copies(held: list[Any]) -> Iterator[Any]:
    """Copies of the generators among these; cryptographic ones, which are not NumPy's, left out."""
    for thing in held:
        if type(thing) is random.Random:
            yield deepcopy(thing)
        bits = getattr(thing, "bit_generator", getattr(thing, "_bit_generator", None))
        if type(bits).__module__.startswith("numpy.random"):
            yield deepcopy(bits)


def repeats_coins(
    start: Callable[[Items, Rng], Reports], count: int, error: float, rng: Rng
) -> bool:
    """Return whether two fresh starts with the same items send the same reports.

    start : the reports of a fresh start. count : of items. error : the chance that a client whose
    coins are fresh looks so, at most; how often its reports of one item are alike is seen in one.
    """
    items = np.arange(STARTED) % count
    first, second = (whole_values(start(items, rng)) for _ in range(2))
    alike = int((first[:-count] == first[count:]).sum())
    most = float(clopper_pearson(alike, STARTED - count, error / 2)[1])
    return bool((first == second).all()) and STARTED * math.log(most) < math.log(error / 2)
