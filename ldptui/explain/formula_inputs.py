"""The numbers that formulas are evaluated at: those of a cell, or of a protocol and a few more."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from typing import Any, get_args, get_type_hints

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.cell import Cell
from ldptui.core.law.pure import PureProtocol, SeedSearch


@dataclass(frozen=True, eq=False)
class FormulaSetting:
    """The inputs of formulas: a protocol with bound parameters, the users and the attack, as far as
    known.

    given : the keys and values of the scenario's table `[protocol]`.
    users, share, r, held : n, β, the number of targets, and the targets' total true frequency; None
        if not given.
    mean : the mean of the genuine users' numbers, in [-1, 1]; None if not given.
    search : the seeds that MGA tries under hashing.
    cell : the cell with all of this; None for a setting without a population.
    """

    protocol: Any
    given: Mapping[str, Any]
    users: int | None = None
    share: float | None = None
    r: int | None = None
    held: float | None = None
    mean: float | None = None
    search: SeedSearch = field(default_factory=SeedSearch)
    cell: Cell | None = None

    @property
    def kind(self) -> str:
        return str(self.given["kind"])

    @property
    def family(self) -> str:
        """The family of protocols whose formulas hold."""
        return str(getattr(self.protocol, "family", ""))

    @property
    def attack(self) -> Any:
        """The attack of the cell; None if there is none."""
        return None if self.cell is None else self.cell.attack

    @property
    def unattacked_setting(self) -> FormulaSetting:
        """The inputs of formulas for the same protocol and users, without population and attack."""
        return replace(self, share=None, r=None, held=None, cell=None)

    @property
    def is_pure(self) -> bool:
        """True if p and q, the support probabilities of the user's item and of others, determine
        the estimate.
        """
        return isinstance(self.protocol, PureProtocol)


def setting_of(cell: Cell) -> FormulaSetting:
    """The inputs of the formulas of a cell."""
    table = "protocol."
    parameters = {
        key.removeprefix(table): value
        for key, value in cell.parameters.items()
        if key.startswith(table)
    }
    return FormulaSetting(
        cell.protocol,
        parameters,
        cell.users,
        cell.share,
        int(cell.targets.size),
        None if cell.population.awaited else cell.target_frequency,
        cell=None if cell.population.awaited else cell,
    )


def bound(spec: Any, domain_size: int, **known: Any) -> FormulaSetting:
    """The inputs of the formulas of a protocol over a domain; raises ScenarioError."""
    values = {key.name: getattr(spec, key.name) for key in fields(spec)}
    return FormulaSetting(spec.bind(domain_size), values, **known)


def read_key(spec: type[Any], key: str, value: Any) -> Any:
    """The value of a protocol's key, converted from an option's text; raises ScenarioError."""
    hint = get_type_hints(spec)[key]
    parts = get_args(hint) or (hint,)
    rules = [word for part in parts for word in get_args(part)]
    if not isinstance(value, str):
        return value
    if not {int, float} & {*parts}:
        rules += [word for word in parts if isinstance(word, str)]
        if rules and value not in rules:
            either = " or ".join(f'"{rule}"' for rule in rules)
            raise ScenarioError(f"must be {either}, {got(value)}", key=key)
        return value
    if float in parts:
        with suppress(ValueError):
            return float(value)
    if value.isascii() and value.removeprefix("-").isdigit() and len(value) < 20:
        return int(value)
    if value not in rules:
        number = "a number" if float in parts else "an integer"
        words = [*(f'"{rule}"' for rule in rules)]
        allowed = f"{', '.join(words)} or {number}" if words else number
        raise ScenarioError(f"must be {allowed}, {got(value)}", key=key)
    return value
