"""Audits of clients: what `ldptui.audit` answers, and what its command and its tab share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ldptui.core.base.pulse import Going
from ldptui.core.base.ranges import ALPHA, EPSILON
from ldptui.core.lab.audit import Inspection, Power

from ...lab.questions.reports import AuditOptions
from ..arguments import file_path, number, switch, whole, words
from ..table import Framed
from .at_work import DOMAIN, LARGEST, PATIENCE, Checkpoint, Question, Work, question
from .told import document, power_lines, told


@dataclass(frozen=True, eq=False, repr=False)
class Audited(Framed):
    """The findings of audits of clients: the answer of `audit`.

    Attributes
    ----------
    question
        What was asked.
    clients
        An `Inspection` of each, with `verdict`, `epsilon_low`, `conforms`, `findings` (each with
        its `text`) and more.
    powers
        What these samples can refute, for each protocol that is claimed.
    """

    question: Question
    clients: tuple[Inspection, ...]
    powers: tuple[Power, ...]

    @property
    def broken(self) -> bool:
        """True where a client breaks its promise."""
        return any(each.verdict == "broken" for each in self.clients)

    def document(self) -> dict[str, Any]:
        """Plain values, as `ldptui audit --format json` writes them.

        Examples
        --------
        >>> audit("grr", epsilon=1.0, items=4, samples=5000).document()["clients"][0]["verdict"]
        'proved'
        """
        return document(self.question, self.clients, self.powers)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each client: client, verdict, epsilon_low, average_low, conforms, samples.

        Examples
        --------
        >>> audit("grr", epsilon=1.0, items=4, samples=5000).rows()[0]["client"]
        'grr'
        """
        names = ("client", "verdict", "epsilon_low", "average_low", "conforms", "samples")
        return [{name: getattr(each, name) for name in names} for each in self.clients]

    def __repr__(self) -> str:
        return "\n".join(
            [*power_lines(self.question, self.powers), told(self.question, self.clients)]
        )


def audit(
    *clients: Any,
    epsilon: float,
    items: int,
    kind: str = "",
    command: str | Sequence[str] = (),
    pairs: str | Path | Sequence[str | Path] = (),
    opaque: bool = False,
    samples: int = 200_000,
    confidence: float = 0.999,
    seed: int = 0,
    batch: int | None = None,
    patience: float = 20.0,
    checkpoint: str | Path | None = None,
    **keys: Any,
) -> Audited:
    """Audit clients: do they keep the ε that they promise, and follow the protocol they claim?

    Parameters
    ----------
    clients
        Protocols by their kinds, "FILE.py:NAME" (code of yours, which runs), or objects with
        `perturb(values, rng)`.
    epsilon
        The promised ε of one report, in nats.
    items
        The number d of items, which are the numbers 0 … d − 1.
    kind
        The protocol that clients claim to follow, "" for none.
    command
        Programs with their arguments, which run; they read an item a line and write a report a
        line.
    pairs
        CSV files with columns item and report.
    opaque
        Whether a report is any line.
    samples
        Reports of each client, at most.
    confidence
        The confidence of all verdicts on a client.
    seed
        The seed of the items that clients are given.
    batch
        Items of one start of a program; None for a start a round.
    patience
        Seconds that a program may take for a report.
    checkpoint
        A file in which the audit keeps what it knows, and from which it goes on where it is there;
        it is removed in the end.
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
    >>> found.broken, found.clients[0].verdict, found.clients[0].conforms
    (False, 'proved', True)
    """
    options = AuditOptions(
        commands=tuple(words(each, "command") for each in _several(command)),
        pairs=tuple(str(file_path(each, "pairs")) for each in _several(pairs)),
        epsilon=number(epsilon, "epsilon", EPSILON),
        items=whole(items, "items", int(DOMAIN.low), int(DOMAIN.high)),
        claimed=words(kind, "kind"),
        opaque=switch(opaque, "opaque"),
        samples=whole(samples, "samples", 1, LARGEST),
        confidence=number(confidence, "confidence", ALPHA),
        seed=whole(seed, "seed"),
        batch=None if batch is None else whole(batch, "batch", 1),
        patience=number(patience, "patience", PATIENCE),
    )
    asked = question(options, keys, clients)
    kept = None if checkpoint is None else Checkpoint.at(file_path(checkpoint, "checkpoint"), asked)
    found = tuple(_inspections(asked, kept))
    if kept is not None:
        kept.remove()
    return Audited(asked, found, tuple(asked.powers()))


def _several(given: Any) -> Sequence[Any]:
    """One or several values as several."""
    return given if isinstance(given, list | tuple) else [given]


def _inspections(asked: Question, kept: Checkpoint | None) -> Iterator[Inspection]:
    done = [] if kept is None else [*kept.done]
    yield from done
    for named in asked.clients[len(done) :]:
        for _ in (work := Going(Work(named, asked, kept).steps())):
            pass
        yield work.result
