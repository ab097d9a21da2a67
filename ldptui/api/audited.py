"""Audits of clients: protocols of ours, code in Python, programs, pairs in a CSV file."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import RunError, ScenarioError, got
from ldptui.core.base.files import check_file
from ldptui.core.base.pulse import Going
from ldptui.core.base.ranges import ALPHA, EPSILON, Range
from ldptui.core.base.tables import place_of, table_rows, whole_number
from ldptui.core.lab.audit import (
    AuditReport,
    Claim,
    Client,
    Effort,
    Program,
    audit_client,
    words_of,
)
from ldptui.core.law.pure import Items, Reports, Rng
from ldptui.core.plugins import available, object_named
from ldptui.core.reports.arguments import file_path, number, whole, words
from ldptui.core.reports.files import sent
from ldptui.core.reports.lines import Lines, opaque

from ..lab.asking import plain
from ..lab.questions.reports import AuditOptions
from ..text import format as text
from .by_name import protocol as protocol_of
from .table import Framed

BLOCK: Final = 8192
"""Reports that a client in Python makes at once."""
DOMAIN: Final = Range(2, 2**12)
"""The items of an audit."""
LARGEST: Final = 10**8
"""Reports of a client at most."""
SECONDS: Final = Range(0, 86400, "(]")
UNPROVED: Final = (
    "side channels: the time that a report takes, its length, what else the client sends",
    "several reports of one user, and what a report keeps of earlier ones",
    "the quality of the generator behind the coins, other versions and other machines",
)
"""What no audit sees."""


@dataclass(frozen=True, eq=False)
class AuditedClient:
    """A client that is named. open : starts it; nothing of it runs before."""

    claim: Claim
    open: Callable[[], Client]


@dataclass(frozen=True, eq=False, repr=False)
class Audited(Framed):
    """The findings of audits of clients: the answer of `audit`.

    Attributes
    ----------
    clients
        A report of each, with `broken`, `epsilon_low`, `conforms` and more.
    """

    clients: tuple[AuditReport, ...]

    @property
    def broken(self) -> bool:
        """True where a client breaks its promise."""
        return any(each.broken for each in self.clients)

    def document(self) -> dict[str, Any]:
        """Plain values, as `ldptui audit --format json` writes them.

        Examples
        --------
        >>> audit("grr", epsilon=1.0, items=4, samples=5000).document()["clients"][0]["broken"]
        False
        """
        return document(self.clients)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each client: client, broken, epsilon_low, conforms, samples.

        Examples
        --------
        >>> audit("grr", epsilon=1.0, items=4, samples=5000).rows()[0]["client"]
        'grr'
        """
        names = ("client", "broken", "epsilon_low", "conforms", "samples")
        return [{name: getattr(each, name) for name in names} for each in self.clients]

    def __repr__(self) -> str:
        return "\n".join(sentence for each in self.clients for sentence in sentences(each))


def audit(
    *clients: Any,
    epsilon: float,
    items: int,
    kind: str = "",
    command: str | Sequence[str] = (),
    samples: int = 200_000,
    confidence: float = 0.999,
    seed: int = 0,
    time_limit: float = 300.0,
    **keys: Any,
) -> Audited:
    """Audit clients: do they keep the ε that they promise, and follow the protocol they claim?

    Parameters
    ----------
    clients
        Protocols by their kinds, "FILE.py:NAME" (code of yours, which runs), objects with
        `perturb(values, rng)`, or "FILE.csv" with columns item and report.
    epsilon
        The promised ε of one report, in nats.
    items
        The number d of items, which are the numbers 0 … d − 1.
    kind
        The protocol that clients claim to follow, "" for none.
    command
        Programs with their arguments, which run; they read an item a line and write a report a
        line.
    samples
        Reports of each client.
    confidence
        The confidence of all verdicts on a client.
    seed
        The seed of the items that clients are given.
    time_limit
        Seconds that one start of a program may take.
    keys
        Other keys of the protocol.

    Raises
    ------
    ScenarioError
        Where a value breaks a rule.
    RunError
        Where a client does not work.

    Examples
    --------
    >>> found = audit("oue", epsilon=1.0, items=4, samples=5000)
    >>> found.broken, found.clients[0].conforms
    (False, True)
    """
    programs = command if isinstance(command, list | tuple) else [command]
    options = AuditOptions(
        clients=tuple(str(each) if isinstance(each, Path) else each for each in clients),
        commands=tuple(words(each, "command") for each in programs),
        epsilon=number(epsilon, "epsilon", EPSILON),
        items=whole(items, "items", int(DOMAIN.low), int(DOMAIN.high)),
        claimed=words(kind, "kind"),
        samples=whole(samples, "samples", 1, LARGEST),
        confidence=number(confidence, "confidence", ALPHA),
        seed=whole(seed, "seed"),
        time_limit=number(time_limit, "time_limit", SECONDS),
    )
    found = []
    for each in named_clients(options, keys):
        for _ in (going := Going(audited(each, options))):
            pass
        found.append(going.result)
    return Audited(tuple(found))


def audited(client: AuditedClient, options: AuditOptions) -> Generator[int, None, AuditReport]:
    """The report on a client; yields how many reports there are so far. Raises RunError."""
    effort = Effort(options.samples, options.confidence, options.seed)
    return (yield from audit_client(client.open(), client.claim, effort))


def named_clients(options: AuditOptions, keys: Mapping[str, Any]) -> list[AuditedClient]:
    """The clients of the options, of which none has started; raises LdpError.

    keys : of the protocol that is claimed. The key of an error about one is clients.N.
    """
    Effort(options.samples, options.confidence, options.seed)
    for key, value, range_ in (
        ("epsilon", options.epsilon, EPSILON), ("items", options.items, DOMAIN),
        ("time_limit", options.time_limit, SECONDS),
    ):  # fmt: skip
        if value is None:
            raise ScenarioError("is required", key=key)
        if value not in range_:
            raise ScenarioError(f"must be {range_}, {got(value)}", key=key)
    claim = claim_of((options.claimed or "").lower(), options, keys)
    found = []
    for at, name in enumerate(options.clients):
        try:
            found.append(_named(name, claim, options, keys))
        except ScenarioError as error:
            if error.key not in ("protocol.kind", "clients"):
                raise
            raise ScenarioError(error.rule, key=f"clients.{at}") from error
    found += [_program(text, claim, options) for text in options.commands if text]
    if not found:
        rule = "must be named: a protocol, FILE.py:NAME, FILE.csv or --command TEXT"
        raise ScenarioError(rule, key="clients")
    return found


def claim_of(kind: str, options: AuditOptions, keys: Mapping[str, Any]) -> Claim:
    """The claim to follow a protocol of this kind; "" for none. Raises LdpError."""
    items, epsilon = int(options.items or 0), float(options.epsilon or 0)
    if not kind:
        return Claim(items, epsilon)
    protocol = protocol_of(kind, items, **{**keys, "epsilon": epsilon})
    return Claim(items, epsilon, kind, protocol, partial(sent, protocol))


def _named(
    name: Any, claim: Claim, options: AuditOptions, keys: Mapping[str, Any]
) -> AuditedClient:
    """The client of one name, or an object; raises LdpError."""
    if not isinstance(name, str):
        if not callable(getattr(name, "perturb", None)):
            rule = "must be names, or objects with perturb(values, rng)"
            raise ScenarioError(f"{rule}, {got(type(name).__name__)}", key="clients")
        return AuditedClient(claim, partial(_python, type(name).__name__, lambda: name, claim))
    if name.lower().endswith(".csv"):
        path = file_path(name, "clients")
        check_file(path)
        pairs = _read_pairs(path, claim)
        return AuditedClient(claim, lambda: Client(name, pairs=pairs))
    if ":" in name or name in available("protocol"):
        make = partial(_load, name, claim)
        return AuditedClient(claim, partial(_python, name, make, claim, is_fresh=True))
    own = claim_of(name.lower() or "nothing", options, keys)
    assert own.honest is not None
    perturb, claim = own.honest, claim if claim.kind else own
    return AuditedClient(
        claim, lambda: Client(name, partial(_perturbed, perturb, claim, f"the client {name}"))
    )


def _load(place: str, claim: Claim) -> Any:
    """The object at FILE.py:NAME, of a fresh start; what it imports may stand beside it."""
    folder = str(Path(place.rpartition(":")[0]).absolute().parent)
    sys.path.insert(0, folder)
    try:
        return object_named(place, claim.items, claim.epsilon, fresh=True)
    finally:
        sys.path.remove(folder)


def _python(name: str, make: Callable[[], Any], claim: Claim, is_fresh: bool = False) -> Client:
    """A client in Python. is_fresh : whether `make` gives another object each time."""
    client = make()

    def start(items: Items, rng: Rng) -> Reports:
        return np.concatenate([*_perturbed(make().perturb, claim, name, items, rng)])

    return Client(
        name, partial(_perturbed, client.perturb, claim, name), start=start if is_fresh else None,
        watched=client,
    )  # fmt: skip


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


def _program(command: str, claim: Claim, options: AuditOptions) -> AuditedClient:
    """A client that is a program; raises ScenarioError."""
    line = words_of(command)
    if shutil.which(line[0]) is None:
        rule = f"must be a program that can be started, {got(line[0])}"
        raise ScenarioError(rule, key="command")
    parse: Any = opaque if claim.protocol is None else Lines.of(claim.protocol)
    header = getattr(parse, "header", b"")
    program = Program(line, parse, header, options.time_limit)

    def start(items: Items, _: Rng) -> Reports:
        return np.concatenate([*program.reports(items)])

    return AuditedClient(
        claim, lambda: Client(command, lambda items, _: program.reports(items), start=start)
    )


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


def document(found: Sequence[AuditReport]) -> dict[str, Any]:
    """The values for JSON."""
    return {
        "clients": [
            {**plain(each), "broken": each.broken, "conforms": each.conforms,
             "findings": [*sentences(each)]}
            for each in found
        ]
    }  # fmt: skip


def sentences(report: AuditReport) -> Iterator[str]:
    """What was found of a client: its bound first, then its coins and its law."""
    word = "BROKEN" if report.broken else "not refuted"
    (a, b), (first, second), (of, other) = report.items, report.hits, report.of
    yield (
        f"{report.client}: {word}; ε is at least {text.short(report.epsilon_low, 4)}, and "
        f"{text.chosen(report.promised)} was promised (confidence {report.confidence:g}): "
        f"{report.event}, in {text.count(first)} of {text.count(of)} reports of item {a} and "
        f"{text.count(second)} of {text.count(other)} of item {b}."
    )
    if report.repeats:
        yield "Fresh starts send the same reports: its coins are those of a fixed seed."
    if (coins := report.coins) is not None:
        yield (
            f"Its {coins.column} is the raw output of {coins.generator}, in order: the generator's "
            "state, and then every user's coins, follow from it."
        )
    if report.p_value is not None:
        agrees = "agree with" if report.conforms else "are NOT those of"
        yield (
            f"Its reports {agrees} the protocol that it claims to follow: "
            f"p = {text.short(report.p_value, 2)}; farthest off: {report.farthest}."
        )
