"""Kinds by their names, with the parameters that the tables of a scenario have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from ldptui.core.attacks import Attack, Mixture, View, plans
from ldptui.core.base.errors import ScenarioError, check_among, got, suggest
from ldptui.core.base.ranges import DOMAIN, EPSILON, Range, check_span
from ldptui.core.base.secure import generator
from ldptui.core.defences import Defence
from ldptui.core.experiment.acts import bound_attack
from ldptui.core.law.capabilities import lacking
from ldptui.core.law.pure import LocalMechanism, Reports, Rng, items_of, sends_reports
from ldptui.core.plugins import make_protocol, published_names
from ldptui.core.population import Population
from ldptui.core.protocols import KINDS as BOUND
from ldptui.core.protocols import NAMED
from ldptui.core.protocols.budget import Domain
from ldptui.core.reports.arguments import file_path, local, names, number, whole, words
from ldptui.core.scenario import FORMAT, KINDS, Point, Scenario

from ..catalogue import in_order

ENDS: Final = 2
"""Items of a protocol that users tell numbers of a range by: its ends."""

NEUTRAL: Final[dict[str, Any]] = {
    "format": FORMAT,
    "population": {"kind": "uniform", "items": 2, "users": 1},
    "protocol": {"kind": "grr", "epsilon": 1.0},
}
"""A scenario that refuses nothing: the table that is asked for takes a place in it."""


def kinds(table: str) -> tuple[str, ...]:
    """The names of all kinds of a table: "protocol", "attack", "defence", "population", "task".

    Parameters
    ----------
    table
        "protocol", "attack", "defence", "population" or "task".

    Raises
    ------
    ScenarioError
        For another table.

    Examples
    --------
    >>> kinds("protocol")[:3]
    ('grr', 'sue', 'oue')
    """
    check_among(words(table, "table"), KINDS, "table")
    return in_order(table, KINDS[table])


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
        One of `kinds("protocol")`; or "FILE.py:NAME", or the name that a package publishes: code of
        your own, which runs.
    items
        The size d of the domain, at least 2.
    labels
        The names of the items, which Bloom filters alone hash.
    low, high
        In the place of items, the range that the users' numbers are from, of a protocol of numbers.
    parameters
        The keys of `[protocol]`, such as `epsilon`, in nats; docs/format.md has all with their
        ranges. Of your own code, `epsilon` and its options.

    Raises
    ------
    ScenarioError
        Where a parameter breaks a rule, and for a trusted curator, to whom users send no reports.
    FileError
        For what is wrong with your code.
    ProtocolError
        For what is wrong with your code.

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
    if kind in NAMED and kind not in BOUND:
        rule = 'must name your code, as "FILE.py:NAME" or as a package publishes it'
        raise ScenarioError(f"{rule}, {got(kind)}", key="protocol.kind")
    if kind not in BOUND:
        senders = [name for name, spec in BOUND.items() if sends_reports(spec.mechanism)]
        check_among(kind, senders, "protocol.kind")
    spec = _point({"protocol": table}).protocol
    try:
        mechanism = spec.over(Domain(items, None if labels is None else tuple(labels)))
    except ScenarioError as error:
        raise error.within("protocol") from error
    if not sends_reports(mechanism):
        rule = "must be a protocol whose users send reports; this is a trusted curator"
        raise ScenarioError(f"{rule}, {got(kind)}", key="protocol.kind")
    return mechanism


def _of_numbers(made: Any, low: Any, high: Any) -> LocalMechanism:
    """A protocol of numbers of this range; raises ScenarioError for one of items."""
    why = lacking(made, "tell", "whose users hold items and no numbers")
    if why is not None:
        raise ScenarioError(f"must be left out for {why}", key="low")
    ends = [number(end, key, Range()) for key, end in (("low", low), ("high", high))]
    check_span(*ends)
    told: LocalMechanism = replace(made, low=ends[0], high=ends[1])
    return told


def _own_protocol(place: str, items: int, parameters: dict[str, Any]) -> LocalMechanism:
    """The protocol of somebody's code; who names it lets it run."""
    options = {key.removeprefix("options."): value for key, value in parameters.items()}
    epsilon = options.pop("epsilon", None)
    if not isinstance(epsilon, int | float) or epsilon not in EPSILON:
        rule = f"must be {EPSILON}, {got(epsilon)}" if epsilon is not None else "is required"
        raise ScenarioError(rule, key="protocol.epsilon")
    if items not in DOMAIN:
        raise ScenarioError(f"must be {DOMAIN}, {got(items)}", key="items")
    made: LocalMechanism = make_protocol(place, items, float(epsilon), options)
    return made


def population(
    kind: str, *, seed: int = 0, folder: str | Path = ".", **parameters: Any
) -> Population:
    """The genuine users: `histogram` int64[d], `frequencies` float64[d], `labels`.

    Parameters
    ----------
    kind
        One of `kinds("population")`.
    seed
        Decides what is drawn.
    folder
        Where the path of a file starts.
    parameters
        The keys of `[population]`.

    Raises
    ------
    ScenarioError
        Where a parameter breaks a rule.
    FileError
        Where a file cannot be read.

    Examples
    --------
    >>> population("zipf", items=4, users=1000, exponent=1.0).histogram.sum()
    np.int64(1000)
    """
    table = {"kind": words(kind, "population.kind"), **parameters}
    spec = _point({"population": table}).population
    try:
        bound = spec.bind(whole(seed, "seed"), file_path(folder, "folder"))
    except ScenarioError as error:
        raise error.within("population") from error
    if bound.awaited:
        rule = "must be a law of ldptui's own: code makes a population in a run alone"
        raise ScenarioError(f"{rule}, {got(kind)}", key="population.kind")
    return bound


@dataclass(frozen=True, eq=False)
class Fakes:
    """An attack as `attack` gives it: its parameters, and the reports of its fakes."""

    attack: Attack | Mixture

    def __getattr__(self, name: str) -> Any:
        """A parameter of the attack."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.attack, name)

    def reports(
        self, protocol: LocalMechanism, view: View, count: int, rng: Rng | None = None
    ) -> Reports:
        """The reports of `count` fakes; raises ScenarioError where the attack cannot make them."""
        if type(view) is not View:
            raise ScenarioError(f"must be a View of targets, {got(view)}", key="view")
        targets = items_of(view.targets, local(protocol).domain_size, "view.targets")
        if not targets.size or np.unique(targets).size < targets.size:
            raise ScenarioError("must be different items, at least one", key="view.targets")
        fakes: Any = self.attack
        if not hasattr(fakes, "reports") or plans(fakes):
            rule = f"must be run in a scenario: {self.kind} needs to know the other users"
            raise ScenarioError(rule, key="attack.kind")
        fakes.check(protocol, targets)
        seen, number = replace(view, targets=targets), whole(count, "count", most=2**32)
        made: Reports = fakes.reports(protocol, seen, number, generator(rng))
        return made


def attack(kind: str, **parameters: Any) -> Fakes:
    """An attack; its `reports(protocol, view, count, rng)` makes the reports of fakes.

    Parameters
    ----------
    kind
        One of `kinds("attack")` but "none".
    parameters
        The keys of `[attack]`; `share`, the fakes' share β of all users, is 0.05 if it is left out,
        and `targets` one random item.

    Raises
    ------
    ScenarioError
        Where a parameter breaks a rule.

    Examples
    --------
    >>> from ldptui import View
    >>> oue, rng = protocol("oue", items=16, epsilon=1.0), np.random.default_rng(0)
    >>> reports = attack("mga").reports(oue, View(np.array([2, 5])), 100, rng)
    >>> oue.support_counts(reports)[[2, 5]]
    array([100, 100])
    """
    words(kind, "attack.kind")
    chosen = {"share": 0.05, "targets": {"pick": "random", "count": 1}, **parameters}
    made = bound_attack(_point({"attack": {"kind": kind, **chosen}}))
    if made is None:
        rule = "must be an attack of one kind or a mixture"
        raise ScenarioError(f"{rule}, {got(kind)}", key="attack.kind")
    return Fakes(made)


def defence(kind: str, **parameters: Any) -> Defence:
    """A step of the server: a correction has `correct(frequencies, known)`; docs/defences.md.

    Parameters
    ----------
    kind
        One of `kinds("defence")`.
    parameters
        The keys of its `[[defence]]` table.

    Raises
    ------
    ScenarioError
        Where a parameter breaks a rule.

    Examples
    --------
    >>> defence("norm-sub").kind
    'norm-sub'
    """
    table = {"kind": words(kind, "defence.kind"), **parameters}
    (step,) = _point({"defence": [table]}).defence
    return step


def _point(tables: dict[str, Any]) -> Point:
    """The point of a scenario with these tables; raises ScenarioError."""
    return next(Scenario(plain({**NEUTRAL, **tables}), "").points())


def plain(value: Any) -> Any:
    """A value as TOML would give it: NumPy's scalars and arrays, and tuples, as Python's own."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return [plain(part) for part in value] if isinstance(value, list | tuple) else value
