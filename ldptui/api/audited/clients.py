"""The clients of an audit, by their names: kinds, code in Python, programs, pairs in a file."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ldptui.core.base.errors import RunError, ScenarioError, got
from ldptui.core.base.files import check_file, is_file, is_folder, is_there
from ldptui.core.base.tables import place_of, table_rows, whole_number
from ldptui.core.lab.audit import Claim, Client, Command, made, program, recorded, words_of
from ldptui.core.law.pure import Items, LocalMechanism, Reports, Rng
from ldptui.core.plugins import available, object_named

from ...lab.check.subject import Lawful, lawful
from ..by_name import protocol as protocol_of
from ..files import sent
from ..lines import Lines, opaque


@dataclass(frozen=True)
class Promise:
    """What all clients of an audit are said to do, and how they are run.

    epsilon : the ε that one report spends at most. items : d. kind, keys : the protocol that
    clients of other people claim to be, "" for none, and its keys. opaque : a report is any line,
    as text. patience : seconds that a program may take for a report. batch : items of one start of
    a program, None for a start a round. seed : of the order of pairs.
    """

    epsilon: float
    items: int
    kind: str = ""
    keys: Mapping[str, Any] = field(default_factory=dict)
    opaque: bool = False
    patience: float = 20.0
    batch: int | None = None
    seed: int = 0

    def claim(self, kind: str = "", epsilon: float = 0.0) -> Claim:
        """The claim to follow a protocol with an ε, by default those of the clients.

        Raises LdpError.
        """
        kind, epsilon = kind or self.kind, epsilon or self.epsilon
        if not kind:
            return Claim(self.items, epsilon)
        protocol = protocol_of(kind, self.items, **{**self.keys, "epsilon": epsilon})
        return Claim(self.items, epsilon, kind, protocol, partial(sent, protocol))


@dataclass(frozen=True, eq=False)
class Named:
    """A client as it is named.

    name : as it was written. how : "kind", "python", "command" or "pairs". claim : what it claims
    to be. open : starts it. law : what enumeration and closed forms say of its promise; asked once
    the client may run. digest : SHA-256 of its program, "" where there is none.
    """

    name: str
    how: str
    claim: Claim
    open: Callable[[], Client]
    law: Callable[[], Lawful] = Lawful
    digest: str = ""


def clients_of(
    promise: Promise, names: Sequence[Any], commands: Sequence[str], pairs: Sequence[str]
) -> Iterator[Named]:
    """The clients in the order of their sorts; nothing of them runs yet. Raises LdpError.

    names : kinds, FILE.py:NAME, or objects with `perturb(values, rng)`; the key of an error about
    one is clients.N, by its place from 0 on.
    """
    promise.claim()  # what clients claim is wrong before any of them is
    for at, name in enumerate(names):
        try:
            yield _named(promise, name)
        except ScenarioError as error:
            if error.key != "protocol.kind":
                raise
            raise ScenarioError(error.rule, key=f"clients.{at}") from error
    for name in commands:
        yield _command(promise, name)
    for name in pairs:
        yield _pairs(promise, name)


@dataclass(frozen=True)
class _Ours:
    """A protocol of ours as its real users follow it."""

    protocol: LocalMechanism

    def perturb(self, values: Items, rng: Rng) -> Reports:
        return sent(self.protocol, values, rng)


def _named(promise: Promise, name: Any) -> Named:
    """The client of one name."""
    if not isinstance(name, str):
        return _object(promise, name)
    if ":" in name or name in available("protocol"):
        return _own(promise, name)
    return _kind(promise, name)


def _kind(promise: Promise, name: str) -> Named:
    """A protocol of ours, which claims to be itself where nothing else is asked."""
    if not name:
        raise ScenarioError("must be a protocol, or FILE.py:NAME, it is empty", key="CLIENT")
    own = promise.claim(name.lower())
    claim = promise.claim() if promise.kind else own
    assert own.protocol is not None
    _check_shape(claim, own.protocol, name)
    return Named(
        name, "kind", claim, partial(made, name, partial(_Ours, own.protocol), fresh=False),
        partial(lawful, own.protocol, promise.epsilon),
    )  # fmt: skip


def _object(promise: Promise, client: Any) -> Named:
    """An object in Python with `perturb(values, rng)`: no fresh start of it is made."""
    if not callable(getattr(client, "perturb", None)):
        rule = "must be names, or objects with perturb(values, rng)"
        raise ScenarioError(f"{rule}, {got(type(client).__name__)}", key="clients")
    claim, name = promise.claim(), type(client).__name__
    own = partial(made, name, lambda: client, fresh=False)
    return Named(
        name, "python", claim, _checked(own, claim), partial(lawful, client, promise.epsilon)
    )


def _check_shape(claim: Claim, protocol: LocalMechanism, name: str) -> None:
    """Refuse a protocol whose reports have another form than those that it shall have."""
    nobody = np.empty(0, dtype=np.int64), np.random.default_rng(0)
    assert claim.protocol is not None
    one, other = (each.perturb(*nobody) for each in (claim.protocol, protocol))
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        rule = f"must be a protocol whose reports have the form of {name}'s, {got(claim.kind)}"
        raise ScenarioError(rule, key="kind")


def _own(promise: Promise, place: str) -> Named:
    """A client in Python, at FILE.py:NAME; whoever names it lets it run."""
    claim = promise.claim()
    file = place.rpartition(":")[0]

    def make() -> Any:
        with _beside(Path(file)) if file else nullcontext():
            return object_named(place, promise.items, promise.epsilon, fresh=True)

    def law() -> Lawful:
        return lawful(make(), promise.epsilon)

    opened = _checked(partial(made, place, make), claim)
    return Named(place, "python", claim, opened, law, _digest([file] if file else []))


@contextmanager
def _beside(file: Path) -> Iterator[None]:
    """The folder of a file on the path of imports, as `python FILE` has it.

    Modules of the folder are forgotten afterwards: a fresh start runs them anew, and a client of
    another folder has its own.
    """
    folder, before = file.absolute().parent, set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        with suppress(ValueError):  # the client has taken it off
            sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            top = name.partition(".")[0]
            if is_there(folder / f"{top}.py") or is_folder(folder / top):
                del sys.modules[name]


def _checked(start: Callable[[], Client], claim: Claim) -> Callable[[], Client]:
    """The same, whose answers have to be reports of the protocol that is claimed."""

    def opened() -> Client:
        client = start()
        if claim.protocol is None:
            return client
        return replace(client, answers=partial(_received, client, claim.protocol))

    return opened


def _received(client: Client, protocol: LocalMechanism, items: Items, rng: Rng) -> Any:
    """The answers of a client in Python, which have to be reports of the protocol."""
    for some, reports in client.answers(items, rng):
        try:
            yield some, protocol.received(reports, len(some))
        except ValueError as error:
            raise RunError(f"{client.name}: its reports {error}") from error


def _command(promise: Promise, text: str) -> Named:
    """A client that is a program."""
    claim = promise.claim()
    try:
        words = words_of(text)
    except ScenarioError as error:
        raise ScenarioError(error.rule, key="command") from None
    parse: Any = opaque
    header = b""
    if claim.protocol is not None:
        parse = Lines.of(claim.protocol)
        header = parse.header
    command = Command(words, parse, header, promise.patience, promise.batch)
    found = shutil.which(words[0])
    if found is None:
        raise ScenarioError(f"must be a program that can be started, {got(words[0])}", "command")
    files = [found, *words[1:]]
    return Named(text, "command", claim, partial(program, text, command), digest=_digest(files))


def _pairs(promise: Promise, name: str) -> Named:
    """Items and reports in a file."""
    claim = promise.claim()
    check_file(Path(name))
    try:
        items, reports = _read_pairs(Path(name), claim)
    except ScenarioError as error:
        if error.key != "column":
            raise
        rule = f"must be a table with columns item and report, {got(name)}"
        raise ScenarioError(rule, key="--pairs") from error

    def opened() -> Client:
        rng = np.random.default_rng(np.random.SeedSequence(promise.seed, spawn_key=(4,)))
        return recorded(name, items, reports, claim.domain_size, rng)

    return Named(name, "pairs", claim, opened, digest=_digest([name]))


def _read_pairs(path: Path, claim: Claim) -> tuple[Items, Reports]:
    """The items and the reports of a CSV file; raises FileError, ScenarioError."""
    parse: Any = opaque if claim.protocol is None else Lines.of(claim.protocol)
    items, lines = [], []
    with table_rows(path) as rows:
        header = next(rows, [])
        at = place_of("item", header, path)
        names = ["report"]
        if claim.protocol is not None and "report" not in header:
            names = parse.header.decode().split(",")
        places = [place_of(each, header, path) for each in names]
        for row in rows:
            if not row:
                continue
            if len(row) <= max(at, *places):
                rule = f"has {len(row)} cells, its header has {len(header)}"
                raise ScenarioError(f"{path} line {rows.line_num} {rule}")
            item = whole_number(row[at].strip())
            if item is None or item >= claim.domain_size:
                rule = f"item must be a whole number in [0, {claim.domain_size})"
                raise ScenarioError(f"{path} line {rows.line_num}: {rule}, {got(row[at])}")
            items.append(item)
            lines.append(",".join(row[place] for place in places).encode())
    if not items:
        raise ScenarioError(f"{path} must hold a pair at least, it is empty")
    try:
        return np.array(items, dtype=np.int64), parse(lines, 1)
    except ScenarioError as error:
        raise ScenarioError(f"{path}: {error}") from error


def _digest(files: Sequence[str]) -> str:
    """SHA-256 of the files among these words, in their order; "" where none is there."""
    found = hashlib.sha256()
    there = False
    for name in files:
        path = Path(name)
        if is_file(path):
            there = True
            found.update(path.read_bytes())
    return found.hexdigest() if there else ""
