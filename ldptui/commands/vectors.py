"""Test vectors for clients in other languages: items, the coins drawn for each, and its report."""

from __future__ import annotations

import importlib.util
import json
import random
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import Range

from ..explain.client import client_of
from ..terminal import exits
from ..terminal.output import write_out
from .agreeing import agreed
from .options import Vectors

COUNT: Final = Range(1, 10_000)
"""Vectors of a protocol."""

MEANS: Final = {
    "uniform": "a number in [0, 1); something of probability p happens where it is below p",
    "whole": "a whole number, low included and high not",
    "bits": "a whole number of so many random bits",
    "sample": "some of the listed values, each at most once, in this order",
}
"""What each sort of draw is."""


class Coins:
    """The random numbers of a client, drawn from a seed and told in their order."""

    def __init__(self, seed: int) -> None:
        self._drawn = random.Random(seed)
        self.told: list[dict[str, Any]] = []

    def random(self) -> float:
        value = self._drawn.random()
        self.told.append({"draw": "uniform", "value": value})
        return value

    def randrange(self, start: int, stop: int | None = None) -> int:
        low, high = (0, start) if stop is None else (start, stop)
        value = self._drawn.randrange(low, high)
        self.told.append({"draw": "whole", "low": low, "high": high, "value": value})
        return value

    def getrandbits(self, count: int) -> int:
        value = self._drawn.getrandbits(count)
        self.told.append({"draw": "bits", "count": count, "value": value})
        return value

    def sample(self, population: Sequence[Any], k: int) -> list[Any]:
        value = self._drawn.sample(population, k)
        self.told.append({"draw": "sample", "of": list(population), "value": value})
        return value


def vectors(options: Vectors) -> int:
    """Print the test vectors of a protocol as JSON."""
    if options.count not in COUNT:
        raise ScenarioError(f"must be {COUNT}, {got(options.count)}", key="--count")
    if options.seed < 0:
        raise ScenarioError(f"must be at least 0, {got(options.seed)}", key="--seed")
    _, protocol = agreed(options)
    client = client_of(protocol)
    if client is None:
        rule = "must be a protocol of ldptui whose users send reports"
        raise ScenarioError(f"{rule}, {got(options.protocol)}", key="KIND")
    module = program(client.file)
    items = np.random.default_rng(options.seed).permutation(
        np.arange(options.count) % protocol.domain_size
    )
    document = {
        "kind": options.protocol.lower(),
        "items": protocol.domain_size,
        "known": client.known,
        "draws": MEANS,
        "vectors": [
            _vector(module, item, client.known, options.seed, at)
            for at, item in enumerate(items.tolist())
        ],
    }
    write_out(json.dumps(document, indent=1, ensure_ascii=False) + "\n", exactly=True)
    return exits.DONE


def program(path: Path) -> ModuleType:
    """A client of the pages of `ldptui spec`, as a module of its own."""
    spec = importlib.util.spec_from_file_location(f"client_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _vector(module: Any, item: int, known: Any, seed: int, at: int) -> dict[str, Any]:
    module.RNG = Coins(seed * int(COUNT.high) + at)
    report = module.report(item, known)
    return {"item": item, "draws": module.RNG.told, "report": report}
