"""The clients that real users run: what the page of each protocol says, and a client in Python.

A row of clients/clients.toml tells of a mechanism, by the name of its class; the files beside it
are the clients, which need nothing of ldptui. A file has `report(item, known)`, a row of a report,
and `supports(row, item, known)`, 1 where it supports an item, -1 where it speaks against it, else
0; `known` is `Client.known`. Its random numbers are all from its `RNG`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from ldptui.core.law.pure import LocalMechanism

FOLDER: Final = Path(__file__).parent / "clients"


@dataclass(frozen=True)
class Parameter:
    """A parameter that a client needs. what : it is, in words. formula : "" where the kind's is."""

    name: str
    value: Any
    what: str
    formula: str


@dataclass(frozen=True)
class Client:
    """A client of one protocol, its parameters bound.

    supports : which report supports which item, in words. steps : what it does, in order. file :
    the client in Python.
    """

    parameters: tuple[Parameter, ...]
    supports: str
    steps: tuple[str, ...]
    file: Path

    @property
    def known(self) -> dict[str, Any]:
        """The parameters by their names, for JSON: what the client is given."""
        return {each.name: each.value for each in self.parameters}


@cache
def _rows() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "clients.toml").read_text("utf-8"))


def client_of(protocol: LocalMechanism) -> Client | None:
    """The client of a protocol's reports; None where nobody has told of one."""
    row = _rows().get(type(protocol).__name__)
    if row is None:
        return None
    parameters = tuple(
        Parameter(name, _value(protocol, path), what, formula)
        for name, (path, what, formula) in row["known"].items()
    )
    return Client(parameters, row["supports"], tuple(row["steps"]), FOLDER / row["file"])


def _value(protocol: LocalMechanism, path: str) -> Any:
    """An attribute by its path; a number in it is a place in a tuple."""
    held: Any = protocol
    for name in path.split("."):
        held = held[int(name)] if name.isdecimal() else getattr(held, name)
    return held
