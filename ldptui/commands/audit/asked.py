"""What an audit is asked, read from the options: the clients, the promise and the samples."""

from __future__ import annotations

import hashlib
import shutil
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import LdpError, RunError, ScenarioError, got
from ldptui.core.base.files import check_file
from ldptui.core.base.ranges import EPSILON, Range
from ldptui.core.base.tables import place_of, table_rows, whole_number
from ldptui.core.lab.audit import (
    Asked,
    Claim,
    Client,
    Command,
    Power,
    Setting,
    made,
    power_of,
    program,
    recorded,
    words_of,
)
from ldptui.core.lab.loss import loss_of
from ldptui.core.law.loss import Loss
from ldptui.core.law.pure import Items, LocalMechanism, Reports, Rng
from ldptui.core.plugins import available, object_named
from ldptui.core.protocols import KINDS

from ...api.by_name import protocol as protocol_of
from ...api.files import sent
from ...api.lines import Lines, opaque
from ...catalogue import in_order
from ...lab.check.subject import Lawful, lawful
from ..agreeing import by_options, keys_of

DOMAIN: Final = Range(2, 2**16)
"""The items of an audit."""
LARGEST: Final = 10**10
"""Reports of a client at most."""


@dataclass(frozen=True, eq=False)
class Named:
    """A client as the command line names it.

    name : as it is written there. how : "kind", "file", "command" or "pairs". claim : what it
    claims to be. open : starts it. law : what enumeration and closed forms say of its promise;
    asked once the client may run. digest : of its program, "" where there is none.
    """

    name: str
    how: str
    claim: Claim
    open: Callable[[], Client]
    law: Callable[[], Lawful] = Lawful
    digest: str = ""


@dataclass(frozen=True, eq=False)
class Question:
    """What an audit is asked: clients, what they promise, and how much may be drawn.

    kind, keys : the protocol that clients of other people claim to be, "" for none, and its keys.
    spends : the ε of which the samples are told that refute it.
    """

    clients: Sequence[Named]
    asked: Asked
    epsilon: float
    items: int
    kind: str = ""
    keys: Mapping[str, Any] = field(default_factory=dict)
    spends: float = 0.0
    opaque: bool = False
    patience: float = 20.0
    batch: int | None = None

    def powers(self) -> list[Power]:
        """The power of the audit, of each protocol that a client claims to follow; else of GRR.

        A client that spends more has the other parameters as promised, as the range of its hash
        functions. None of a protocol whose loss is not known.
        """
        claims = {each.claim.kind: each.claim for each in self.clients if each.claim.kind}
        audit = Setting(self.items, self.epsilon, self.asked.samples, self.asked.confidence)
        made = []
        for claim in claims.values() or (claim_of("grr", self.items, self.epsilon, {}),):

            def make(epsilon: float, promised: Any = claim.protocol) -> tuple[Loss, Any]:
                protocol = replace(promised, epsilon=epsilon)
                return loss_of(protocol), protocol

            with suppress(LdpError, TypeError):
                made.append(power_of(make, claim.kind, audit, self.spends or 2 * self.epsilon))
        return made

    def others(self, kind: str) -> Iterator[Claim]:
        """The other protocols of this ε and these items, for a client that follows another one."""
        for other in in_order("protocol", KINDS):
            if other == kind:
                continue
            try:
                yield claim_of(other, self.items, self.epsilon, {})
            except LdpError:
                continue

    def rebound(self, kind: str, epsilon: float) -> Claim:
        """The protocol that is claimed, at another ε; raises LdpError."""
        return claim_of(kind, self.items, epsilon, self.keys)


def question_of(options: Namespace) -> Question:
    """The question of the options; raises LdpError before anything is run."""
    epsilon, items = options.epsilon, options.items
    for value, key in ((epsilon, "--epsilon"), (items, "--items")):
        if value is None:
            raise ScenarioError("is required", key=key)
    if epsilon not in EPSILON:
        raise ScenarioError(f"must be {EPSILON}, {got(epsilon)}", key="--epsilon")
    if items not in DOMAIN:
        raise ScenarioError(f"must be {DOMAIN}, {got(items)}", key="--items")
    if not options.samples <= LARGEST:
        rule = f"must be at most {LARGEST:,}, {got(options.samples)}".replace(",", " ")
        raise ScenarioError(rule, key="--samples")
    if options.opaque and options.kind:
        raise ScenarioError("goes without --as: its reports have no format", key="--opaque")
    if options.batch is not None and options.batch < 1:
        raise ScenarioError(f"must be at least 1, {got(options.batch)}", key="--batch")
    if not 0 < options.patience <= 86400:
        rule = f"must be in (0, 86400] seconds, {got(options.patience)}"
        raise ScenarioError(rule, key="--patience")
    if options.refute is not None and not epsilon < options.refute <= EPSILON.high:
        rule = f"must be more than --epsilon, at most {EPSILON.high:g}, {got(options.refute)}"
        raise ScenarioError(rule, key="--refute")
    try:
        asked = Asked(options.samples, options.confidence, options.seed)
    except ScenarioError as error:
        raise ScenarioError(error.rule, key=f"--{error.key}") from None
    if options.seed < 0:
        raise ScenarioError(f"must be at least 0, {got(options.seed)}", key="--seed")
    keys = keys_of(options)
    question = Question(
        (), asked, epsilon, items, (options.kind or "").lower(), keys, options.refute or 0.0,
        options.opaque, options.patience, options.batch,
    )  # fmt: skip
    clients = [*clients_of(question, options.clients, options.commands, options.pairs)]
    if not clients:
        rule = "must be named: a protocol, FILE.py:NAME, --command TEXT or --pairs FILE.csv"
        raise ScenarioError(rule, key="CLIENT")
    return Question(**{**vars(question), "clients": clients})


def clients_of(
    question: Question, names: Sequence[str], commands: Sequence[str], pairs: Sequence[str]
) -> Iterator[Named]:
    """The clients in the order of their sorts; nothing of them runs yet."""
    for name in names:
        own = ":" in name or name in available("protocol")
        yield (_own if own else _kind)(question, name)
    for name in commands:
        yield _command(question, name)
    for name in pairs:
        yield _pairs(question, name)


def claim_of(kind: str, items: int, epsilon: float, keys: Mapping[str, Any]) -> Claim:
    """What a client of a protocol claims to be; raises LdpError."""
    with by_options():
        protocol = protocol_of(kind, items, **{**keys, "epsilon": epsilon})
    return Claim(items, epsilon, kind, protocol, partial(sent, protocol))


def _claimed(question: Question) -> Claim:
    """What clients of other people claim to be."""
    if not question.kind:
        return Claim(question.items, question.epsilon)
    return claim_of(question.kind, question.items, question.epsilon, question.keys)


@dataclass(frozen=True)
class _Ours:
    """A protocol of ours as its real users follow it."""

    protocol: LocalMechanism

    def perturb(self, values: Items, rng: Rng) -> Reports:
        return sent(self.protocol, values, rng)


def _kind(question: Question, name: str) -> Named:
    """A protocol of ours, which claims to be itself where nothing else is asked."""
    own = claim_of(name.lower(), question.items, question.epsilon, question.keys)
    claim = _claimed(question) if question.kind else own
    assert own.protocol is not None
    _check_shape(claim, own.protocol, name)
    return Named(
        name, "kind", claim, partial(made, name, partial(_Ours, own.protocol), fresh=False),
        partial(lawful, own.protocol, question.epsilon),
    )  # fmt: skip


def _check_shape(claim: Claim, protocol: LocalMechanism, name: str) -> None:
    """Refuse a protocol whose reports have another form than those that it shall have."""
    nobody = np.empty(0, dtype=np.int64), np.random.default_rng(0)
    assert claim.protocol is not None
    one, other = (each.perturb(*nobody) for each in (claim.protocol, protocol))
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        rule = f"must be a protocol whose reports have the form of {name}'s, {got(claim.kind)}"
        raise ScenarioError(rule, key="--as")


def _own(question: Question, place: str) -> Named:
    """A client in Python, at FILE.py:NAME; whoever names it lets it run."""
    claim = _claimed(question)
    make = partial(object_named, place, question.items, question.epsilon, fresh=True)
    file = place.rpartition(":")[0]

    def opened() -> Client:
        client = made(place, make)
        if claim.protocol is None:
            return client
        return Client(**{**vars(client), "answers": partial(_received, client, claim.protocol)})

    def law() -> Lawful:
        return lawful(make(), question.epsilon)

    return Named(place, "file", claim, opened, law, _digest([file] if file else []))


def _received(client: Client, protocol: LocalMechanism, items: Items, rng: Rng) -> Any:
    """The answers of a client in Python, which have to be reports of the protocol."""
    for some, reports in client.answers(items, rng):
        try:
            yield some, protocol.received(reports, len(some))
        except ValueError as error:
            raise RunError(f"{client.name}: its reports {error}") from error


def _command(question: Question, text: str) -> Named:
    """A client that is a program."""
    claim = _claimed(question)
    try:
        words = words_of(text)
    except ScenarioError as error:
        raise ScenarioError(error.rule, key="--command") from None
    parse: Any = opaque
    header = b""
    if claim.protocol is not None:
        parse = Lines.of(claim.protocol)
        header = parse.header
    command = Command(words, parse, header, question.patience, question.batch)
    found = shutil.which(words[0])
    files = [found or words[0], *words[1:]]
    return Named(text, "command", claim, partial(program, text, command), digest=_digest(files))


def _pairs(question: Question, name: str) -> Named:
    """Items and reports in a file."""
    claim = _claimed(question)
    check_file(Path(name))

    def opened() -> Client:
        items, reports = _read_pairs(Path(name), claim)
        rng = np.random.default_rng(np.random.SeedSequence(question.asked.seed, spawn_key=(4,)))
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
        if path.is_file():
            there = True
            found.update(path.read_bytes())
    return found.hexdigest() if there else ""
