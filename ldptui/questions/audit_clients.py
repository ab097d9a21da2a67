"""The clients of an audit: protocols of ours, code in Python, programs, pairs in a CSV file."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ldptui.core.base.errors import RunError, ScenarioError, got
from ldptui.core.base.files import StdinFile, check_file
from ldptui.core.base.tables import whole_number
from ldptui.core.lab.audit import Client, ClientClaim, Program, report_blocks, words_of
from ldptui.core.lab.columns import read_columns
from ldptui.core.law.pure import Items, LocalMechanism, Reports, Rng
from ldptui.core.plugins import make_object, published_names
from ldptui.core.reports.arguments import keys_of
from ldptui.core.reports.column_layout import check_real, layout
from ldptui.core.reports.points import protocol as protocol_of
from ldptui.core.reports.report_files import read_rows

WIDE: Final = 64
"""Bytes of a line that are compared as text; of a longer one, its first half and a digest."""
NamedClient: TypeAlias = tuple[ClientClaim, Callable[[], Client]]
"""What a client claims, and the function that starts it; nothing of it runs before."""


def open_clients(
    clients: Sequence[Any],
    programs: Sequence[str],
    promise: ClientClaim,
    kind: str,
    settings: Sequence[str],
    seconds: float,
) -> list[NamedClient]:
    """The named clients, not yet started.

    kind, settings : the protocol that they claim to follow, "" for none, and its keys.
    seconds : the time limit of one start of a program.
    Raises LdpError, with the key clients.N if it is about client N.
    """
    keys = keys_of(settings)
    claim = claim_of(kind, promise, keys) if kind else promise
    found = []
    for at, client in enumerate(clients):
        try:
            found.append(
                _find_client(str(client) if isinstance(client, Path) else client, claim, keys)
            )
        except ScenarioError as error:
            if error.key not in ("protocol.kind", "clients"):
                raise
            raise ScenarioError(error.rule, key=f"clients.{at}") from error
    found += [_program(text, claim, seconds) for text in programs if text]
    if not found:
        rule = "must be named: a protocol, FILE.py:NAME, FILE.csv or a command"
        raise ScenarioError(rule, key="clients")
    return found


def claim_of(kind: str, promise: ClientClaim, keys: Mapping[str, Any]) -> ClientClaim:
    """The claim that a client follows a protocol of this kind; raises LdpError."""
    protocol = protocol_of(kind, promise.items, epsilon=promise.epsilon, **keys)
    return replace(promise, protocol=protocol)


def _find_client(name: Any, claim: ClientClaim, keys: Mapping[str, Any]) -> NamedClient:
    """The client of one name, or an object; raises LdpError."""
    if not isinstance(name, str):
        if not callable(getattr(name, "perturb", None)):
            rule = "must be names, or objects with perturb(values, rng)"
            raise ScenarioError(f"{rule}, {got(type(name).__name__)}", key="clients")
        return claim, partial(_python, type(name).__name__, lambda: name, claim)
    if name.lower().endswith(".csv"):
        check_file(Path(name))
        pairs = _read_pairs(Path(name), claim)
        return claim, lambda: Client(name, pairs=pairs)
    if ":" in name or name in published_names("protocol"):
        return claim, partial(_python, name, partial(_load, name, claim), claim, is_fresh=True)
    own = claim_of(name.lower() or "nothing", claim, keys)
    assert own.protocol is not None
    check_real(own.protocol)
    claim = own if claim.protocol is None else claim
    called = f"the client {name}"
    reports = partial(report_blocks, called, own.protocol.perturb, claim.protocol)
    return claim, lambda: Client(name, reports)


def _load(place: str, claim: ClientClaim) -> Any:
    """The object at FILE.py:NAME, imported afresh; the file may import files beside it."""
    folder = str(Path(place.rpartition(":")[0]).absolute().parent)
    sys.path.insert(0, folder)
    try:
        return make_object(place, claim.items, claim.epsilon, fresh=True)
    finally:
        sys.path.remove(folder)


def _python(
    name: str, make: Callable[[], Any], claim: ClientClaim, is_fresh: bool = False
) -> Client:
    """A client in Python. is_fresh : whether `make` gives another object each time."""
    client = make()

    def start(items: Items, rng: Rng) -> Reports:
        return np.concatenate([*report_blocks(name, make().perturb, claim.protocol, items, rng)])

    reports = partial(report_blocks, name, client.perturb, claim.protocol)
    return Client(name, reports, start=start if is_fresh else None)


def _program(command: str, claim: ClientClaim, seconds: float) -> NamedClient:
    """A client that is a program; raises ScenarioError."""
    program = Program(words_of(command), seconds)
    if shutil.which(program.words[0]) is None:
        rule = f"must be a program that can be started, {got(program.words[0])}"
        raise ScenarioError(rule, key="command")

    def reports(items: Items, _: Rng) -> Iterator[Reports]:
        yield from program_reports(program, claim.protocol, items)

    def start(items: Items, rng: Rng) -> Reports:
        return np.concatenate([*reports(items, rng)])

    return claim, lambda: Client(command, reports, start=start)


def program_reports(
    program: Program, protocol: LocalMechanism | None, items: Items
) -> Iterator[Reports]:
    """Yields, in blocks, the reports that one start of a program writes, one for each item; raises
    RunError.

    A line is a report: a row of CSV, below a header or without one, or an object of JSON; without a
    protocol any text.
    """
    written, ending = program.run(items)
    blocks = iter([opaque(written.splitlines())])
    if protocol is not None:
        blocks = _parse_reports(written, program.name, protocol)
    done = 0
    try:
        for reports in blocks:
            done += len(reports)
            if done > len(items):
                rule = f"wrote more reports than it got items ({len(items)})"
                raise RunError(f"{program.name} {rule}")
            yield reports
    except ScenarioError as error:
        raise RunError(str(error)) from error
    if done < len(items):
        raise RunError(f"{program.name} {ending} after {done} of {len(items)} reports")


def _parse_reports(written: bytes, name: str, protocol: LocalMechanism) -> Iterator[Reports]:
    """The reports that a program has written, as a file has them."""
    end, names = ".csv", [column.name for column in layout(protocol)]
    first = written.partition(b"\n")[0].decode("utf-8", "replace").strip().lower()
    if first.startswith("{"):
        end = ".jsonl"
    elif {*first.split(",")} != {*names}:
        written = ",".join(names).encode() + b"\n" + written
    return (rows.reports for rows in read_rows([StdinFile(io.BytesIO(written), end, name=name)],
                                               protocol))  # fmt: skip


def _read_pairs(path: Path, claim: ClientClaim) -> tuple[Items, Reports]:
    """The items and the reports of a CSV file; raises FileError, ScenarioError."""
    try:
        if claim.protocol is None:
            held, written = read_columns(path, ["item", "report"])
            texts = opaque([value.encode() for value in written.values])[written.codes]
            items, parts = np.array(held.values)[held.codes], [texts]
        else:
            rows = [*read_rows([path], claim.protocol, "item")]
            items = np.concatenate([np.empty(0, "U1"), *(row.group for row in rows)])
            parts = [row.reports for row in rows]
    except ScenarioError as error:
        if error.key not in ("column", "by", "reports"):
            raise
        raise ScenarioError(f"{error.rule}: a table of item and report", key="clients") from error
    if not items.size:
        raise ScenarioError(f"{path} must hold a pair at least, it is empty")
    names, codes = np.unique(items, return_inverse=True)
    numbers = [whole_number(str(name)) for name in names]
    for name, number in zip(names, numbers, strict=True):
        if number is None or number >= claim.items:
            rule = f"{path}: item must be a whole number in [0, {claim.items})"
            raise ScenarioError(f"{rule}, {got(str(name))}")
    return np.array(numbers)[codes], np.concatenate(parts)


def opaque(lines: list[bytes]) -> NDArray[np.bytes_]:
    """Lines as an array of byte strings S[n], to be compared only."""
    return np.array([_narrow(line) for line in lines], dtype=f"S{WIDE}")


def _narrow(line: bytes) -> bytes:
    if len(line) <= WIDE:
        return line
    half = WIDE // 2
    return line[:half] + blake2b(line, digest_size=half // 2).hexdigest().encode()
