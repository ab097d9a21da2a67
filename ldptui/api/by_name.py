"""Kinds by their names, with the parameters that the tables of a scenario have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ldptui.core.attacks import Attack, Mixture, Strategy, View
from ldptui.core.base.errors import ScenarioError, check_among, got
from ldptui.core.base.secure import generator
from ldptui.core.defences import Defence
from ldptui.core.experiment.trusting import bound_attack
from ldptui.core.law.pure import LocalMechanism, Reports, Rng, items_of
from ldptui.core.population import Population
from ldptui.core.reports.arguments import file_path, local, whole, words
from ldptui.core.reports.points import point_of
from ldptui.core.scenario import KINDS

from ..catalogue import in_order


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
    spec = point_of({"population": table}).population
    try:
        bound = spec.bind(whole(seed, "seed"), file_path(folder, "folder"))
    except ScenarioError as error:
        raise error.within("population") from error
    if bound.awaited:
        rule = "must be a law of ldptui's own: code makes a population in a run alone"
        raise ScenarioError(f"{rule}, {got(kind)}", key="population.kind")
    return bound


@dataclass(frozen=True, eq=False)
class FakeReports:
    """An attack: its parameters, and a method that makes the reports of its fakes."""

    attack: Attack | Mixture

    def __getattr__(self, name: str) -> Any:
        """A parameter of the attack."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.attack, name)

    def reports(
        self, protocol: LocalMechanism, view: View, count: int, rng: Rng | None = None
    ) -> Reports:
        """The reports of `count` fakes; raises ScenarioError if the attack cannot make reports."""
        if type(view) is not View:
            raise ScenarioError(f"must be a View of targets, {got(view)}", key="view")
        targets = items_of(view.targets, local(protocol).domain_size, "view.targets")
        if not targets.size or np.unique(targets).size < targets.size:
            raise ScenarioError("must be different items, at least one", key="view.targets")
        fakes: Any = self.attack
        if getattr(type(fakes), "among", None) is not Strategy.among:
            rule = f"must be run in a scenario: {self.kind} needs to know the other users"
            raise ScenarioError(rule, key="attack.kind")
        fakes.check(protocol, targets)
        seen, number = replace(view, targets=targets), whole(count, "count", most=2**32)
        made: Reports = fakes.reports(protocol, seen, number, generator(rng))
        return made


def attack(kind: str, **parameters: Any) -> FakeReports:
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
    >>> from ldptui import View, protocol
    >>> oue, rng = protocol("oue", items=16, epsilon=1.0), np.random.default_rng(0)
    >>> reports = attack("mga").reports(oue, View(np.array([2, 5])), 100, rng)
    >>> oue.support_counts(reports)[[2, 5]]
    array([100, 100])
    """
    words(kind, "attack.kind")
    chosen = {"share": 0.05, "targets": {"pick": "random", "count": 1}, **parameters}
    made = bound_attack(point_of({"attack": {"kind": kind, **chosen}}))
    if made is None:
        rule = "must be an attack of one kind or a mixture"
        raise ScenarioError(f"{rule}, {got(kind)}", key="attack.kind")
    return FakeReports(made)


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
    (step,) = point_of({"defence": [table]}).defence
    return step
