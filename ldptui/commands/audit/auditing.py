"""The audit of clients: ldptui audit."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from ldptui.core.base.errors import RunError, ScenarioError
from ldptui.core.base.files import write_atomically
from ldptui.core.lab.audit import Inspection

from ...api.audited import Checkpoint, Question, Work, question
from ...api.audited.told import document, power_lines, told
from ...lab.questions.audit import Options
from ...terminal import exits
from ...terminal.output import note, write_out
from ...text import format as text
from ..outputs import check_free
from ..progress import Line
from ..reading import by_options, keys_of
from .certificate import certificate, check_allowed, differences, options_of, page, read_certificate


def audit(options: Options) -> int:
    """Print what audits of clients found; 1 where one is broken, or does not work."""
    document_then = None
    if options.verify is not None:
        document_then = read_certificate(Path(options.verify))
        check_allowed(document_then, options)
        options = options_of(document_then, options)
    for key, place in (("--certificate", options.certificate), ("--page", options.page)):
        if place is not None:
            check_free(Path(place), options.force, key)
    question = question_of(options)
    powers = question.powers()
    if options.format == "table":
        write_out("\n".join(power_lines(question, powers)) + "\n")
    kept = None
    if options.checkpoint is not None:
        kept = Checkpoint.at(Path(options.checkpoint), question)
        if (kept.done or kept.state is not None) and not options.quiet:
            note(f"goes on with the audit in {kept.path}")
    found = [] if kept is None else [*kept.done]
    failed = stopped = False
    for named in question.clients[len(found) :]:
        try:
            found.append(_inspection(Work(named, question, kept), options.quiet))
        except (RunError, OSError) as error:
            if len(question.clients) == 1:
                raise
            note(str(error))
            failed = True
        if found and not found[-1].whole:
            stopped = True
            break
    if options.format == "json":
        values = document(question, found, powers)
        data = json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False)
        write_out(data + "\n", exactly=True)
    elif found:
        write_out(told(question, found))
    if stopped:
        if kept is not None and not options.quiet:
            note(f"the same words go on with it: its state is in {kept.path}")
        return exits.INTERRUPTED
    _write(options, question, found)
    if kept is not None:
        kept.remove()
    if document_then is not None:
        changed = [*differences(document_then, question, found)]
        for sentence in changed:
            note(sentence)
        if not changed and not options.quiet:
            note(f"{options.verify} holds")
        failed = failed or bool(changed)
    broken = any(each.verdict == "broken" for each in found)
    return exits.FAILED if broken or failed else exits.DONE


def _write(options: Options, question: Question, found: Sequence[Inspection]) -> None:
    """Write the certificate and the page that were asked for."""
    written = (
        (options.certificate, partial(certificate, question, options)),
        (options.page, partial(page, question)),
    )
    for path, make in written:
        if path is not None:
            write_atomically(Path(path), make(found))
            if not options.quiet:
                note(f"wrote {path}")


def _inspection(work: Work, quiet: bool) -> Inspection:
    """The audit of one client; what is known so far where it is interrupted.

    Raises LdpError where the client does not work.
    """
    line = Line(None if quiet else sys.stderr)
    steps = work.steps()
    try:
        while True:
            step = next(steps)
            line.draw(
                f"{step.client}: {text.count(step.samples)} of {text.count(step.of)} reports, "
                f"ε at least {text.short(step.lower, 3)}"
            )
    except StopIteration as end:
        found: Inspection = end.value
        return found
    except KeyboardInterrupt:
        partial = work.so_far()
        if partial is None:
            raise
        return partial
    finally:
        steps.close()
        line.erase()


OPTIONS: Final = {"kind": "--as", "domain_size": "--items", "clients": "CLIENT"}
"""The options that have another name than the value that they set."""
OWN: Final = (
    "epsilon", "items", "opaque", "samples", "confidence", "seed", "refute", "batch", "patience",
    "command", "pairs",
)  # fmt: skip
"""The values whose options have their names."""


def question_of(options: Options) -> Question:
    """The question of the options; raises LdpError before anything is run."""
    if options.epsilon is None:
        raise ScenarioError("is required", key="--epsilon")
    if options.items is None:
        raise ScenarioError("is required", key="--items")
    keys = keys_of(options.settings)
    try:
        with by_options():
            return question(
                options.clients, options.commands, options.pairs,
                epsilon=options.epsilon, items=options.items, kind=options.claimed, keys=keys,
                opaque=options.opaque, samples=options.samples, confidence=options.confidence,
                seed=options.seed, refute=options.refute, batch=options.batch,
                patience=options.patience,
            )  # fmt: skip
    except ScenarioError as error:
        named = {**OPTIONS, **{key: f"--{key}" for key in OWN}}
        key = error.key.partition(".")[0] if error.key.startswith("clients.") else error.key
        raise ScenarioError(error.rule, named.get(key, key), error.where) from error
