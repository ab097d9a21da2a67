"""Audits: the question, its clients one after the other, and a checkpoint to go on from."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from ldptui import __version__
from ldptui.core.base.errors import FileError, LdpError, RunError, ScenarioError, got, reason_of
from ldptui.core.base.files import check_file, is_there, whole_file
from ldptui.core.base.pulse import Going
from ldptui.core.base.ranges import EPSILON, Range
from ldptui.core.lab.audit import (
    Asked,
    Claim,
    Finding,
    Inspection,
    Inspector,
    Power,
    Progress,
    Setting,
    power_of,
    reading,
)
from ldptui.core.lab.audit.checkpoint import (
    inspection_in,
    packed,
    plain_of,
    restore,
    state_of,
    unpacked,
)
from ldptui.core.lab.loss import loss_of
from ldptui.core.law.loss import Loss
from ldptui.core.protocols import KINDS

from ...catalogue import in_order
from ...lab.questions.reports import AuditOptions
from .clients import Named, Promise, clients_of

DOMAIN: Final = Range(2, 2**16)
"""The items of an audit."""
PATIENCE: Final = Range(0, 86400, "(]")
"""Seconds that a program may take for a report."""
LARGEST: Final = 10**10
"""Reports of a client at most."""


@dataclass(frozen=True, eq=False)
class Question:
    """An audit's question: clients, what they promise, and how much may be drawn.

    spends : the ε of which the samples are told that refute it.
    """

    clients: Sequence[Named]
    promise: Promise
    asked: Asked
    spends: float

    def powers(self) -> list[Power]:
        """The power of the audit, of each protocol that a client claims to follow; else of GRR.

        A client that spends more has the other parameters as promised, as the range of its hash
        functions. None of a protocol whose loss is not known.
        """
        promise = self.promise
        claims = {each.claim.kind: each.claim for each in self.clients if each.claim.kind}
        audit = Setting(promise.items, promise.epsilon, self.asked.samples, self.asked.confidence)
        made = []
        for claim in claims.values() or (Promise(promise.epsilon, promise.items).claim("grr"),):

            def make(epsilon: float, claim: Claim = claim) -> tuple[Loss, Any]:
                promised: Any = claim.protocol
                if any(each.name == "epsilon" for each in fields(promised)):
                    protocol = replace(promised, epsilon=epsilon)
                else:  # its noise follows from ε
                    protocol = promise.claim(claim.kind, epsilon).protocol
                return loss_of(protocol), protocol

            with suppress(LdpError, TypeError):
                made.append(power_of(make, claim.kind, audit, self.spends))
        return made

    def others(self, kind: str) -> Iterator[Claim]:
        """The other protocols of this ε and these items, which a client may follow instead."""
        plain = replace(self.promise, keys={})
        for other in in_order("protocol", KINDS):
            if other != kind:
                with suppress(LdpError):
                    yield plain.claim(other)

    @property
    def told(self) -> dict[str, Any]:
        """All that the verdicts depend on, as plain values: who asks the same may go on with it."""
        promise, asked = self.promise, self.asked
        return {
            "clients": [[each.how, each.name, each.digest] for each in self.clients],
            "epsilon": promise.epsilon, "items": promise.items, "as": promise.kind,
            "set": {key: str(value) for key, value in sorted(promise.keys.items())},
            "opaque": promise.opaque, "batch": promise.batch, "samples": asked.samples,
            "confidence": asked.confidence, "seed": asked.seed,
        }  # fmt: skip


def question(
    options: AuditOptions, keys: Mapping[str, Any], clients: Sequence[Any] | None = None
) -> Question:
    """The question of these options, which have ε and d; raises LdpError before anything is run.

    keys : of the protocol that is claimed. clients : those of Python, in place of the options'.
    """
    epsilon: Any = options.epsilon
    items: Any = options.items
    samples, seed, refute = options.samples, options.seed, options.refute
    opaque, batch, patience = options.opaque, options.batch, options.patience
    if epsilon not in EPSILON:
        raise ScenarioError(f"must be {EPSILON}, {got(epsilon)}", key="epsilon")
    if items not in DOMAIN:
        raise ScenarioError(f"must be {DOMAIN}, {got(items)}", key="items")
    if samples > LARGEST:
        rule = f"must be at most {LARGEST:,}, {got(samples)}".replace(",", " ")
        raise ScenarioError(rule, key="samples")
    if opaque and options.claimed:
        raise ScenarioError("goes without --as: its reports have no format", key="opaque")
    if batch is not None and batch < 1:
        raise ScenarioError(f"must be at least 1, {got(batch)}", key="batch")
    if patience not in PATIENCE:
        raise ScenarioError(f"must be {PATIENCE} seconds, {got(patience)}", key="patience")
    if refute is not None and not epsilon < refute <= EPSILON.high:
        rule = f"must be more than --epsilon, at most {EPSILON.high:g}, {got(refute)}"
        raise ScenarioError(rule, key="refute")
    if seed < 0:
        raise ScenarioError(f"must be at least 0, {got(seed)}", key="seed")
    asked, claimed = Asked(samples, options.confidence, seed), options.claimed.lower()
    promise = Promise(epsilon, items, claimed, keys, opaque, patience, batch, seed)
    given = options.clients if clients is None else clients
    named = [*clients_of(promise, given, options.commands, options.pairs)]
    if not named:
        rule = "must be named: a protocol, FILE.py:NAME, --command TEXT or --pairs FILE.csv"
        raise ScenarioError(rule, key="clients")
    return Question(named, promise, asked, refute or 2 * epsilon)


FORMAT: Final = 1
"""The version of a checkpoint's format."""
OFTEN_S: Final = 5.0
"""Seconds between two times that the state is written."""
SLOW: Final = 20
"""Times that what lies between is longer than the writing."""


@dataclass
class Checkpoint:
    """The file in which an audit keeps what it knows, written whole every few seconds.

    done : the inspections of the clients that are finished. state : of the client at work. due :
    the time of the monotonic clock from which it is written again.
    """

    path: Path
    question: Question
    done: list[Inspection] = field(default_factory=list)
    state: dict[str, Any] | None = None
    due: float = 0.0

    @classmethod
    def at(cls, path: Path, question: Question) -> Checkpoint:
        """The file's, or one that begins where there is none; raises LdpError."""
        made = cls(path, question)
        check_file(path)
        made.due = time.monotonic() + OFTEN_S
        if not is_there(path):
            with whole_file(path) as file:  # so that a path that cannot be written is told at once
                file.write(packed(made._tree()))
            return made
        try:
            tree = unpacked(path.read_bytes())
            kept = tree["format"], tree["made_by"], tree["question"]
            made.done = [inspection_in(each) for each in tree["done"]]
            made.state = tree["state"]
        except OSError as error:
            raise FileError(f"{path} cannot be read: {reason_of(error)}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise ScenarioError(f"{path} is no checkpoint of an audit: {error}") from error
        if kept[:2] != (FORMAT, __version__):
            raise ScenarioError(f"{path} was written by another version of ldptui, {kept[1]}")
        now = question.told
        for key, value in now.items():
            if kept[2].get(key) != value:
                rule = f"is of another audit: its {key} differ, remove it or ask the same"
                raise ScenarioError(f"{path} {rule}")
        return made

    def resume(self, inspector: Inspector) -> None:
        """Set the client at work to where it was; raises ScenarioError."""
        if self.state is None:
            return
        try:
            restore(inspector, self.state)
        except ValueError as error:
            raise ScenarioError(f"{self.path} is no checkpoint of an audit: {error}") from error

    def keep(self, inspector: Inspector) -> None:
        """Write the state, unless it was written a moment ago; raises FileError."""
        started = time.monotonic()
        if started < self.due:
            return
        self.state = state_of(inspector)
        self._write()
        taken = time.monotonic() - started
        self.due = time.monotonic() + max(OFTEN_S, SLOW * taken)

    def finish(self, found: Inspection) -> None:
        """Write that a client is done; raises FileError."""
        self.done.append(replace(found, seen=None))
        self.state = None
        self._write()

    def remove(self) -> None:
        """Remove the file, once all is done and told."""
        self.path.unlink(missing_ok=True)

    def _write(self) -> None:
        with whole_file(self.path) as file:
            file.write(packed(self._tree()))

    def _tree(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "made_by": __version__,
            "question": self.question.told,
            "done": [plain_of(each) for each in self.done],
            "state": self.state,
        }


Steps: TypeAlias = Generator[Progress, None, Inspection]


class Work:
    """The audit of one client. `steps` runs it; `so_far` is what is known at any time."""

    def __init__(
        self, named: Named, question: Question, checkpoint: Checkpoint | None = None
    ) -> None:
        self.named, self.question, self.checkpoint = named, question, checkpoint
        self._inspector: Inspector | None = None

    def steps(self) -> Steps:
        """Audit the client; raises LdpError where it does not work."""
        with _told_once():
            named, law = self.named, self.named.law()
            asked = replace(self.question.asked, proved=law.proved)
            inspector = self._inspector = Inspector(named.open(), named.claim, asked)
            if self.checkpoint is not None:
                self.checkpoint.resume(inspector)
            steps = inspector.steps()
            try:
                found = yield from self._kept(steps, inspector)
            finally:
                steps.close()
            if law.broken:
                words = f"ε is {law.epsilon:.6g} by enumeration of every report"
                disproof = Finding("enumeration", words, True, 0)
                found = replace(found, verdict="broken", findings=(disproof, *found.findings))
            found = explained(found, self.question)
            if self.checkpoint is not None:
                self.checkpoint.finish(found)
            return found

    def so_far(self) -> Inspection | None:
        """What is known by now; None where the client did not begin."""
        return None if self._inspector is None else self._inspector.result(whole=False)

    def _kept(self, steps: Steps, inspector: Inspector) -> Steps:
        """The same steps, each with its state kept."""
        for step in (going := Going(steps)):
            if self.checkpoint is not None:
                self.checkpoint.keep(inspector)
            yield step
        return going.result


@contextmanager
def _told_once() -> Iterator[None]:
    """What is wrong with a client is a RunError, whatever it was; a wrong name is not."""
    try:
        yield
    except (ScenarioError, FileError):
        raise
    except LdpError as error:
        raise RunError(str(error)) from error


def explained(found: Inspection, question: Question) -> Inspection:
    """The same with what reports follow that do not follow the protocol that is claimed."""
    if found.seen is None or found.conforms is not False:
        return found
    rng = np.random.default_rng(np.random.SeedSequence(question.asked.seed, spawn_key=(5,)))
    kind = found.seen.claim.kind
    rebound = partial(question.promise.claim, kind)
    words = reading(found.seen, question.others(kind), rebound, rng)
    words = words or f"its reports do not follow {kind} ({found.agrees_words})"
    finding = Finding("reading", words, False, found.samples)
    return replace(found, findings=(*found.findings, finding))
