"""Protocols and defences made from their kinds and the keys of a scenario's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from warnings import warn

import numpy as np

from ..base.errors import LdpWarning, ScenarioError, check_among, got, suggest
from ..base.ranges import DOMAIN, EPSILON, Range, check_span
from ..defences import Defence
from ..law.mechanism import is_a, lacking
from ..law.numeric_protocol import NumericProtocol
from ..law.pure import LocalMechanism
from ..plugins import make_protocol, published_names
from ..protocols import NAMED, PythonSpec
from ..protocols.budget import Domain
from ..scenario import FORMAT, KINDS, Point, Scenario
from .arguments import names, number, whole, words

ENDS: Final = 2
"""Items of a protocol that users tell numbers of a range by: its ends."""

NEUTRAL: Final[dict[str, Any]] = {
    "format": FORMAT,
    "population": {"kind": "uniform", "items": 2, "users": 1},
    "protocol": {"kind": "grr", "epsilon": 1.0},
}
"""A scenario that refuses nothing: the table that is asked for takes a place in it."""


def point_of(tables: Mapping[str, Any]) -> Point:
    """The point of a neutral scenario with these tables; raises ScenarioError for an
    invalid table.
    """
    return next(Scenario(plain({**NEUTRAL, **tables}), "").points())


def step_of(step: str | Mapping[str, Any], kinds: Mapping[str, Any], key: str) -> Defence:
    """The defence of a kind, from its name or its table; raises ScenarioError for an invalid one.

    kinds : the allowed kinds. key : that error messages name.
    """
    table = step if isinstance(step, Mapping) else {"kind": step}
    if not isinstance(table.get("kind"), str):
        raise ScenarioError(f"must be one of {', '.join(kinds)}, {got(table.get('kind'))}", key)
    check_among(table["kind"], kinds, key)
    (made,) = point_of({"defence": [dict(table)]}).defence
    return made


def plain(value: Any) -> Any:
    """The value in plain Python types: NumPy scalars and arrays converted, tuples as lists."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value


def protocol(
    kind: str,
    items: int | None = None,
    *,
    labels: Sequence[str] | None = None,
    low: float | None = None,
    high: float | None = None,
    **parameters: Any,
) -> LocalMechanism:
    """A protocol with its parameters bound, whose users send reports.

    Parameters
    ----------
    kind
        One of `kinds("protocol")`, of which "exact" adds no noise, for tests; or "FILE.py:NAME",
        or the name that a package publishes: code of your own, which runs.
    items
        The size d of the domain, at least 2.
    labels
        The names of the items, which only Bloom filters hash.
    low, high
        Instead of items, the range of the users' numbers, for a protocol of numbers.
    parameters
        The keys of `[protocol]`, such as `epsilon`, in nats; docs/format.md has all with their
        ranges. Of your own code, `epsilon` and its options.

    Raises
    ------
    ScenarioError
        If a parameter breaks a rule, and for a trusted curator, to whom users send no reports.
    FileError
        If your code cannot be read.
    ProtocolError
        If your code is no valid protocol.

    Examples
    --------
    >>> oue = protocol("oue", items=16, epsilon=1.0)
    >>> round(oue.p, 4), round(oue.q, 4)
    (0.5, 0.2689)
    >>> oue.perturb([3, 3, 7], np.random.default_rng(0)).shape  # uint8[n, ceil(d/8)]
    (3, 2)
    """
    table = {"kind": words(kind, "protocol.kind"), **parameters}
    if low is not None or high is not None:
        if items is not None:
            raise ScenarioError("must be left out where low and high are given", key="items")
        return _of_numbers(protocol(kind, ENDS, **parameters), low, high)
    if items is None and (unknown := next(iter(parameters), None)) is not None:
        meant = suggest(unknown, ["items"])
        if meant:
            raise ScenarioError(f"is not a known key{meant}", key=f"protocol.{unknown}")
    items = whole(items, "items", 2)
    labels = names(labels, items)
    if ":" in kind or (kind not in KINDS["protocol"] and kind in published_names("protocol")):
        return _own_protocol(kind, items, parameters)
    if NAMED.get(kind) is PythonSpec:
        rule = 'must name your code, as "FILE.py:NAME" or as a package publishes it'
        raise ScenarioError(f"{rule}, {got(kind)}", key="protocol.kind")
    if kind not in NAMED:
        specs = ((name, spec) for name, spec in NAMED.items() if spec is not PythonSpec)
        senders = [name for name, spec in specs if is_a(spec.mechanism, LocalMechanism)]
        check_among(kind, senders, "protocol.kind")
    spec = point_of({"protocol": table}).protocol
    try:
        mechanism = spec.over(Domain(items, None if labels is None else tuple(labels)))
    except ScenarioError as error:
        raise error.within("protocol") from error
    if not isinstance(mechanism, LocalMechanism):
        rule = "must be a protocol whose users send reports; this is a trusted curator"
        raise ScenarioError(f"{rule}, {got(kind)}", key="protocol.kind")
    for doubt in mechanism.warnings:
        warn(doubt, LdpWarning, stacklevel=2)
    return mechanism


def _of_numbers(made: Any, low: Any, high: Any) -> LocalMechanism:
    """A protocol of numbers of this range; raises ScenarioError for one of items."""
    why = lacking(made, NumericProtocol, "tell", "whose users hold items and no numbers")
    if why is not None:
        raise ScenarioError(f"must be left out for {why}", key="low")
    ends = [number(end, key, Range()) for key, end in (("low", low), ("high", high))]
    check_span(*ends)
    told: LocalMechanism = replace(made, low=ends[0], high=ends[1])
    return told


def _own_protocol(place: str, items: int, parameters: dict[str, Any]) -> LocalMechanism:
    """The protocol of plug-in code; who names it lets it run."""
    options = {key.removeprefix("options."): value for key, value in parameters.items()}
    epsilon = options.pop("epsilon", None)
    if not isinstance(epsilon, int | float) or epsilon not in EPSILON:
        rule = f"must be {EPSILON}, {got(epsilon)}" if epsilon is not None else "is required"
        raise ScenarioError(rule, key="protocol.epsilon")
    if items not in DOMAIN:
        raise ScenarioError(f"must be {DOMAIN}, {got(items)}", key="items")
    made: LocalMechanism = make_protocol(place, items, float(epsilon), options)
    return made
