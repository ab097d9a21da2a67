"""The audit of clients: ldptui audit."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from ldptui.core.base.errors import LdpError, RunError, ScenarioError
from ldptui.core.base.files import write_atomically
from ldptui.core.lab.audit import Finding, Inspection, Inspector, reading

from ...terminal import exits
from ...terminal.output import check_writable, note, write_out
from ...text import format as text
from ..progress import Line
from .asked import Named, Question, question_of
from .certificate import certificate, check_allowed, differences, options_of, page, read_certificate
from .told import document, power_lines, told


def audit(options: Namespace) -> int:
    """Print what audits of clients found; 1 where one is broken, or does not work."""
    document_then = None
    if options.verify is not None:
        document_then = read_certificate(Path(options.verify))
        check_allowed(document_then, options)
        options = options_of(document_then, options)
    for key in ("certificate", "page"):
        if getattr(options, key) is not None:
            _check_new(Path(getattr(options, key)), options.force, f"--{key}")
    question = question_of(options)
    powers = question.powers()
    if options.format == "table":
        write_out("\n".join(power_lines(question, powers)) + "\n")
    found: list[Inspection] = []
    failed = stopped = False
    for named in question.clients:
        try:
            found.append(inspection_of(named, question, options.quiet))
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
        return exits.INTERRUPTED
    _write(options, question, found)
    if document_then is not None:
        changed = [*differences(document_then, question, found)]
        for sentence in changed:
            note(sentence)
        if not changed and not options.quiet:
            note(f"{options.verify} holds")
        failed = failed or bool(changed)
    broken = any(each.verdict == "broken" for each in found)
    return exits.FAILED if broken or failed else exits.DONE


def _check_new(path: Path, force: bool, key: str) -> None:
    """Refuse a file to be written that is there already, or cannot be written."""
    if path.exists() and not force:
        rule = f"must be a new file, and {path} is there already (--force replaces it)"
        raise ScenarioError(rule, key=key)
    check_writable(path)


def _write(options: Namespace, question: Question, found: Sequence[Inspection]) -> None:
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


def explained(found: Inspection, question: Question) -> Inspection:
    """The same with what reports follow that do not follow the protocol that is claimed."""
    if found.seen is None or found.conforms is not False:
        return found
    rng = np.random.default_rng(np.random.SeedSequence(question.asked.seed, spawn_key=(5,)))
    kind = found.seen.claim.kind
    words = reading(found.seen, question.others(kind), partial(question.rebound, kind), rng)
    words = words or f"its reports do not follow {kind} ({found.agrees_words})"
    finding = Finding("reading", words, False, found.samples)
    return replace(found, findings=(*found.findings, finding))


def inspection_of(named: Named, question: Question, quiet: bool) -> Inspection:
    """The audit of one client; what is known so far where it is interrupted.

    Raises LdpError where the client does not work.
    """
    line = Line(None if quiet else sys.stderr)
    inspector: Inspector | None = None
    try:
        law = named.law()
        inspector = Inspector(named.open(), named.claim, replace(question.asked, proved=law.proved))
        steps = inspector.steps()
        try:
            while True:
                step = next(steps)
                line.draw(
                    f"{step.client}: {text.count(step.samples)} of {text.count(step.of)} reports, "
                    f"ε at least {text.short(step.lower, 3)}"
                )
        except StopIteration as end:
            found: Inspection = end.value
        finally:
            steps.close()
        if law.broken:
            words = f"ε is {text.short(law.epsilon, 6)} by enumeration of every report"
            disproof = Finding("enumeration", words, True, 0)
            found = replace(found, verdict="broken", findings=(disproof, *found.findings))
        return explained(found, question)
    except KeyboardInterrupt:
        if inspector is None:
            raise
        return inspector.result(whole=False)
    except ScenarioError:
        raise
    except LdpError as error:
        raise RunError(str(error)) from error
    finally:
        line.erase()
