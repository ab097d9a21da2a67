"""The clients that real users run, a row of clients.toml each: what a page says, and a program."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from types import ModuleType
from typing import Any, cast

from ldptui.core.law.numeric_protocol import NumericProtocol
from ldptui.core.law.pure import LocalMechanism


@dataclass(frozen=True)
class ClientProgram:
    """The client program of one protocol, with its parameters filled in.

    known : the parameters by name, as JSON has them.
    words : the meaning of each and its formula; "" if the formula is that of the kind.
    supports : the rule by which a report supports an item, in words.
    steps : the steps of the client, in order.
    code : the client in Python.
    of_numbers : True if users hold numbers.
    """

    known: dict[str, Any]
    words: dict[str, tuple[str, str]]
    supports: str
    steps: tuple[str, ...]
    code: str
    of_numbers: bool

    def program(self) -> ModuleType:
        """The client program as a Python module."""
        module = ModuleType("client")
        exec(self.code, module.__dict__)
        return module


@cache
def client_rows() -> dict[str, Any]:
    """The rows of clients.toml."""
    return tomllib.loads(
        resources.files("ldptui.explain").joinpath("clients.toml").read_text("utf-8")
    )


def client_of(protocol: LocalMechanism, *, ranged: bool = False) -> ClientProgram | None:
    """The client program of a protocol; None if clients.toml has none.

    ranged : its users hold numbers of the protocol's range; if False, the items 0 to d - 1 as
        numbers.
    """
    rows = client_rows()
    row = rows.get(type(protocol).__name__)
    if row is None:
        return None
    base = rows.get(row.get("like"), {})
    row = {**base, **row, "known": {**base.get("known", {}), **row.get("known", {})}}
    of_numbers = isinstance(protocol, NumericProtocol)
    if of_numbers and not ranged:
        protocol = replace(cast("Any", protocol), low=0, high=protocol.domain_size - 1)
    known = {name: _value(protocol, path) for name, (path, *_) in row["known"].items()}
    words = {name: (what, formula) for name, (_, what, formula) in row["known"].items()}
    code = write_program(row["code"], of_numbers)
    return ClientProgram(known, words, row["supports"], tuple(row["steps"]), code, of_numbers)


def write_program(code: str, of_numbers: bool) -> str:
    """The text of a client program: the protocol's code and the code that all clients share."""
    own, *functions = code.rstrip().split("\n\n\n")
    shared = {name: part.rstrip() for name, part in client_rows()["program"].items()}
    words, *groups = own.split("\n\n")  # its first imports are of the standard library
    lines = {*shared["imports"].splitlines(), *"".join(groups[:1]).splitlines()}
    ordered = sorted(lines, key=lambda line: (line.startswith("from"), line))
    head = "\n\n".join([words, "\n".join(ordered), *groups[1:], shared["rng"]])
    if any("packed(" in function for function in functions):
        functions.insert(-1, shared["packed"])
    main = shared["main"]
    if of_numbers:
        main = main.replace("int(line)", "float(line)").replace("< items", "< numbers")
    return "\n\n\n".join([head, *functions, main]) + "\n"


def _value(protocol: LocalMechanism, path: str) -> Any:
    """An attribute by its dotted path; a number in the path is an index into a tuple."""
    value: Any = protocol
    for name in path.split("."):
        value = value[int(name)] if name.isdecimal() else getattr(value, name)
    return value
