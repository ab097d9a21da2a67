"""Audits at work: one client after the other, kept on disk so that an interrupted one goes on."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from ldptui import __version__
from ldptui.core.base.errors import FileError, LdpError, RunError, ScenarioError
from ldptui.core.base.files import check_file, whole_file
from ldptui.core.lab.audit import Finding, Inspection, Inspector, Progress, reading
from ldptui.core.lab.audit.checkpoint import (
    inspection_in,
    packed,
    plain_of,
    restore,
    state_of,
    unpacked,
)

from .clients import Named
from .question import Question

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
        if not path.exists():
            with whole_file(path) as file:  # so that a path that cannot be written is told at once
                file.write(packed(made._tree()))
            return made
        try:
            tree = unpacked(path.read_bytes())
            kept = tree["format"], tree["made_by"], tree["question"]
            made.done = [inspection_in(each) for each in tree["done"]]
            made.state = tree["state"]
        except OSError as error:
            raise FileError(f"{path} cannot be read: {error.strerror or error}") from error
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
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                found: Inspection = end.value
                return found
            if self.checkpoint is not None:
                self.checkpoint.keep(inspector)
            yield step


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
