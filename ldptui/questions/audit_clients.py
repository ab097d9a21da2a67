"""The clients of an audit: protocols of ours, code in Python, programs, pairs in a CSV file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from ldptui.core.base.errors import RunError, ScenarioError, check_among, got
from ldptui.core.base.files import check_file
from ldptui.core.base.tables import place_of, table_rows, whole_number
from ldptui.core.lab.audit import Claim, Client, Program, words_of
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.law.pure import Items, Reports, Rng
from ldptui.core.plugins import make_object, published_names
from ldptui.core.protocols import KINDS
from ldptui.core.protocols.budget import Domain
from ldptui.core.reports.arguments import keys_of
from ldptui.core.reports.files import sent
from ldptui.core.reports.lines import Lines, opaque
from ldptui.core.scenario import FORMAT, Scenario

BLOCK: Final = 8192
"""Reports that a client in Python makes at once."""
NamedClient: TypeAlias = tuple[Claim, Callable[[], Client]]
"""What a client claims, and the function that starts it; nothing of it runs before."""


def open_clients(
    clients: Sequence[Any],
    programs: Sequence[str],
    promise: Claim,
    kind: str,
    settings: Sequence[str],
    seconds: float,
) -> list[NamedClient]:
    """The clients that are named, of which none has started; raises LdpError.

    kind, settings : the protocol that they claim to follow, "" for none, and its keys. seconds : of
    one start of a program. The key of an error about one is clients.N.
    """
    keys = keys_of(settings)
    claim = claim_of(kind, promise, keys)
    found = []
    for at, client in enumerate(clients):
        name = str(client) if isinstance(client, Path) else client
        try:
            found.append(_named(name, claim, keys))
        except ScenarioError as error:
            if error.key not in ("protocol.kind", "clients"):
                raise
            raise ScenarioError(error.rule, key=f"clients.{at}") from error
    found += [_program(text, claim, seconds) for text in programs if text]
    if not found:
        rule = "must be named: a protocol, FILE.py:NAME, FILE.csv or --command TEXT"
        raise ScenarioError(rule, key="clients")
    return found


def claim_of(kind: str, promise: Claim, keys: Mapping[str, Any]) -> Claim:
    """The claim to follow a protocol of this kind; "" for none. Raises LdpError."""
    if not kind:
        return promise
    if kind not in KINDS:
        senders = [name for name, spec in KINDS.items() if is_a(spec.mechanism, LocalMechanism)]
        check_among(kind, senders, "protocol.kind")
    document = {
        "format": FORMAT,
        "population": {"kind": "uniform", "items": 2, "users": 1},
        "protocol": {**keys, "kind": kind, "epsilon": promise.epsilon},
    }
    spec = next(Scenario(document, "").points()).protocol
    try:
        protocol = spec.over(Domain(promise.items, None))
    except ScenarioError as error:
        raise error.within("protocol") from error
    if not isinstance(protocol, LocalMechanism):
        rule = "must be a protocol whose users send reports; this is a trusted curator"
        raise ScenarioError(f"{rule}, {got(kind)}", key="protocol.kind")
    return Claim(promise.items, promise.epsilon, kind, protocol, partial(sent, protocol))


def _named(name: Any, claim: Claim, keys: Mapping[str, Any]) -> NamedClient:
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
    own = claim_of(name.lower() or "nothing", Claim(claim.items, claim.epsilon), keys)
    assert own.honest is not None
    perturb, claim = own.honest, claim if claim.kind else own
    return claim, lambda: Client(name, partial(_perturbed, perturb, claim, f"the client {name}"))


def _load(place: str, claim: Claim) -> Any:
    """The object at FILE.py:NAME, of a fresh start; what it imports may stand beside it."""
    folder = str(Path(place.rpartition(":")[0]).absolute().parent)
    sys.path.insert(0, folder)
    try:
        return make_object(place, claim.items, claim.epsilon, fresh=True)
    finally:
        sys.path.remove(folder)


def _python(name: str, make: Callable[[], Any], claim: Claim, is_fresh: bool = False) -> Client:
    """A client in Python. is_fresh : whether `make` gives another object each time."""
    client = make()

    def start(items: Items, rng: Rng) -> Reports:
        return np.concatenate([*_perturbed(make().perturb, claim, name, items, rng)])

    reports = partial(_perturbed, client.perturb, claim, name)
    return Client(name, reports, start=start if is_fresh else None, watched=client)


def _perturbed(
    perturb: Callable[[Items, Rng], Any], claim: Claim, name: str, items: Items, rng: Rng
) -> Iterator[Reports]:
    """Blocks of reports, which have to be those of the claimed protocol; raises RunError."""
    for at in range(0, len(items), BLOCK):
        some = items[at : at + BLOCK]
        try:
            reports = np.asarray(perturb(some, rng))
        except Exception as error:
            said = f"{type(error).__name__}: {error}".strip(": ")
            raise RunError(f"{name}: its perturb(values, rng) raised {said}") from error
        if reports.ndim == 0 or len(reports) != len(some) or reports.dtype == object:
            rule = f"must return an array of {len(some)} reports"
            raise RunError(f"{name}: its perturb(values, rng) {rule}, got shape {reports.shape}")
        try:
            yield reports if claim.protocol is None else claim.protocol.received(reports, len(some))
        except ValueError as error:
            raise RunError(f"{name}: its reports {error}") from error


def _program(command: str, claim: Claim, seconds: float) -> NamedClient:
    """A client that is a program; raises ScenarioError."""
    line = words_of(command)
    if shutil.which(line[0]) is None:
        rule = f"must be a program that can be started, {got(line[0])}"
        raise ScenarioError(rule, key="command")
    parse: Any = opaque if claim.protocol is None else Lines.of(claim.protocol)
    program = Program(line, parse, getattr(parse, "header", b""), seconds)

    def start(items: Items, _: Rng) -> Reports:
        return np.concatenate([*program.reports(items)])

    return claim, lambda: Client(command, lambda items, _: program.reports(items), start=start)


def _read_pairs(path: Path, claim: Claim) -> tuple[Items, Reports]:
    """The items and the reports of a CSV file; raises FileError, ScenarioError."""
    parse: Any = opaque if claim.protocol is None else Lines.of(claim.protocol)
    items, lines = list[int](), list[bytes]()
    with table_rows(path) as rows:
        header = next(rows, [])
        names = ["report"]
        if claim.protocol is not None and "report" not in header:
            names = parse.header.decode().split(",")
        try:
            at, *places = (place_of(each, header, path) for each in ("item", *names))
        except ScenarioError as error:
            rule = f"must be a table with columns item and report, {got(str(path))}"
            raise ScenarioError(rule, key="clients") from error
        for row in filter(None, rows):
            where = f"{path} line {rows.line_num}"
            if len(row) != len(header):
                raise ScenarioError(f"{where} has {len(row)} cells, its header has {len(header)}")
            item = whole_number(row[at].strip())
            if item is None or item >= claim.items:
                rule = f"item must be a whole number in [0, {claim.items})"
                raise ScenarioError(f"{where}: {rule}, {got(row[at])}")
            items.append(item)
            lines.append(",".join(row[place] for place in places).encode())
    if not items:
        raise ScenarioError(f"{path} must hold a pair at least, it is empty")
    try:
        return np.array(items, dtype=np.int64), parse(lines, 1)
    except ScenarioError as error:
        raise ScenarioError(f"{path}: {error}") from error
