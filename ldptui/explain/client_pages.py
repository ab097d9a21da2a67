"""The clients that real users run: what the page of each protocol says, and a client in Python.

A row of clients/clients.toml tells of a mechanism, by the name of its class; the files beside it
are the clients, which need nothing of ldptui. A file in Python has what is a client's own,
clients/client_template.py what all of them share: `Client.code` is both. A client has
`report(item, known)`, a row of a report, and `supports(row, item, known)`, 1 where it supports an
item, -1 where it speaks against it, else 0; `known` is `Client.known`. Its random numbers are all
from its `RNG`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from ldptui.core.law.numbers import NumericProtocol
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
    what the client in Python has of its own. of_numbers : users hold numbers from `low` to `high`.
    """

    parameters: tuple[Parameter, ...]
    supports: str
    steps: tuple[str, ...]
    file: Path
    of_numbers: bool

    @property
    def code(self) -> str:
        """The client in Python, a whole program."""
        own, *functions = _sections(self.file)
        shared, packed, main = _sections(FOLDER / "client_template.py")
        _, imports, rng = shared.split("\n\n")
        words, *groups = own.split("\n\n")  # its first imports are of the standard library
        lines = {*imports.splitlines(), *"".join(groups[:1]).splitlines()}
        ordered = sorted(lines, key=lambda line: (line.startswith("from"), line))
        head = [words, "\n".join(ordered), *groups[1:], rng]
        if any("packed(" in function for function in functions):
            functions.insert(-1, packed)
        if self.of_numbers:
            main = main.replace("int(line)", "float(line)").replace("< items", "< numbers")
        return "\n\n\n".join(["\n\n".join(head), *functions, main]) + "\n"

    @property
    def known(self) -> dict[str, Any]:
        """The parameters by their names, for JSON: what the client is given."""
        return {each.name: each.value for each in self.parameters}


def _sections(file: Path) -> list[str]:
    """The head of a program in Python, and its functions."""
    return file.read_text("utf-8").rstrip().split("\n\n\n")


@cache
def _rows() -> dict[str, Any]:
    return tomllib.loads((FOLDER / "clients.toml").read_text("utf-8"))


def client_of(protocol: LocalMechanism, *, ranged: bool = False) -> Client | None:
    """The client of a protocol's reports; None where nobody has told of one.

    ranged : its users hold numbers of its own range, and not the items 0 to d - 1 as numbers.
    """
    row = _rows().get(type(protocol).__name__)
    if row is None:
        return None
    of_numbers = isinstance(protocol, NumericProtocol)
    if of_numbers and not ranged:
        protocol = replace(cast("Any", protocol), low=0, high=protocol.domain_size - 1)
    parameters = tuple(
        Parameter(name, _value(protocol, path), what, formula)
        for name, (path, what, formula) in row["known"].items()
    )
    return Client(
        parameters, row["supports"], tuple(row["steps"]), FOLDER / row["file"], of_numbers
    )


def _value(protocol: LocalMechanism, path: str) -> Any:
    """An attribute by its path; a number in it is a place in a tuple."""
    held: Any = protocol
    for name in path.split("."):
        held = held[int(name)] if name.isdecimal() else getattr(held, name)
    return held
