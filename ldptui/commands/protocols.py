"""The options of the commands about a protocol, as `options.py` has the others'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from ..questions.choices import kinds
from ..questions.collection import Numbered
from ..questions.options import Argument, Keys
from ..questions.parameters import Near, keys
from .options import Positional


@dataclass(frozen=True, kw_only=True)
class Theory:
    """One setting of a protocol. keys : its other parameters, where they are given."""

    protocol: Annotated[str, Argument(positional=True, choices=kinds, lower=True)]
    epsilon: float | None = None
    items: int | None = None
    users: int | None = None
    share: float | None = None
    targets: int | None = None
    target_frequency: float | None = None
    mean: float | None = None
    seeds: int = 1000
    scoring: Literal["anchor", "bucket"] = "anchor"
    neighbours: Near | None = None
    delta: float | None = None
    form: Literal["full", "one-time", "basic", "basic-one-time"] | None = None
    f: float | None = None
    p: float | None = None
    q: float | None = None
    bits: int | None = None
    hashes: int | None = None
    cohorts: int | None = None
    format: Literal["table", "json"] = "table"
    keys: Annotated[Mapping[str, Any], Keys(keys)] = field(default_factory=dict)

    def key(self, name: str) -> Any:
        """The value of a parameter of some protocol; None where it is not given."""
        return getattr(self, name, self.keys.get(name))


@dataclass(frozen=True, kw_only=True)
class Spec(Numbered):
    """protocol : KIND."""

    protocol: Positional
    epsilon: float | None = 1.0
    items: Annotated[int | None, Argument(either=True)] = 16
    format: Literal["markdown", "json"] = "markdown"


@dataclass(frozen=True, kw_only=True)
class Vectors(Spec):
    """count : of the vectors. seed : of their draws."""

    count: int = 16
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Perturb(Numbered):
    """data : a table of a user a row. clip : numbers outside the range are moved to its ends."""

    data: Positional
    column: str | None = None
    keep: Annotated[tuple[str, ...], Argument(repeated=True)] = ()
    clip: bool = False
    for_tests: bool = False
    seed: int | None = None
    out: str
    force: bool = False
    quiet: bool = False
