"""The audit of clients: ldptui audit; and its page for whoever decides."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from ldptui import __version__
from ldptui.core.base.errors import RunError, ScenarioError
from ldptui.core.base.files import write_atomically
from ldptui.core.base.pulse import Going
from ldptui.core.lab.audit import Inspection, Power

from ..api.audited import Checkpoint, Question, Work, question
from ..api.audited.told import document, power_lines, power_sentence, told, unproved
from ..lab.asking import needed
from ..lab.questions.reports import AuditOptions
from ..terminal import exits
from ..terminal.output import note, write_json, write_out
from ..text import format as text
from .certificate import certificate, check_allowed, differences, options_of, read_certificate
from .outputs import check_free
from .progress import Line
from .reading import by_options, keys_of


def page(question: Question, powers: Sequence[Power], found: Sequence[Inspection]) -> str:
    """One page of Markdown, for whoever decides and does not program."""
    return "\n".join(_page(question, powers, found)) + "\n"


def _page(
    question: Question, powers: Sequence[Power], found: Sequence[Inspection]
) -> Iterator[str]:
    promised, asked = text.chosen(question.promise.epsilon), question.asked
    items = text.count(question.promise.items)
    yield "# Audit of clients"
    yield ""
    yield (
        f"Promise: one report spends at most ε = {promised}; {items} items. "
        f"At most {text.count(asked.samples)} reports of each client were looked at. All verdicts "
        f"on a client hold together with a confidence of {asked.confidence:g}."
    )
    yield ""
    for power in powers:
        yield f"Power: {power_sentence(power, question.promise.epsilon)}"
        yield ""
    yield "| client | verdict | ε at least | follows its protocol | reports |"
    yield "|---|---|---|---|---|"
    claimed = {named.name: named.claim.kind for named in question.clients}
    for each in found:
        agrees = {True: "yes", False: "no", None: "not asked"}[each.conforms]
        agrees += f", {claimed[each.client]}" * (each.conforms is not None)
        cells = (
            f"`{_cell(each.client)}`", each.verdict, text.short(each.epsilon_low, 3), agrees,
            text.count(each.samples),
        )  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    yield ""
    yield "*broken*: samples or enumeration show that the promise is not kept. *proved*: the law of"
    yield "its reports keeps the promise. *not-refuted*: nothing was found, which is no proof."
    digests = {named.name: named.digest for named in question.clients}
    for each in found:
        yield ""
        yield f"## {_cell(each.client)}"
        yield ""
        if digests.get(each.client):
            yield f"SHA-256 of the files that it is, one after the other: `{digests[each.client]}`"
            yield ""
        if not each.findings:
            yield "Nothing was found."
        for finding in each.findings:
            mark = "**breaks the promise**: " if finding.broken else ""
            yield f"- {mark}{finding.text} (after {text.count(finding.samples)} reports)"
    yield ""
    yield "## What this does not prove"
    yield ""
    yield from (f"- {line}" for line in unproved(question))
    yield ""
    yield (
        f"{datetime.now(UTC):%Y-%m-%d}, ldptui {__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, "
        f"{platform.platform()}, seed {asked.seed} of the items."
    )


def _cell(words: str) -> str:
    """A client's name where Markdown may read nothing into it."""
    return words.replace("`", "'").replace("|", "/").replace("\n", " ")


def audit(options: AuditOptions) -> int:
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
        write_json(document(question, found, powers))
    elif found:
        write_out(told(question, found))
    if stopped:
        if kept is not None and not options.quiet:
            note(f"the same words go on with it: its state is in {kept.path}")
        return exits.INTERRUPTED
    _write(options, question, powers, found)
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


def _write(
    options: AuditOptions,
    question: Question,
    powers: Sequence[Power],
    found: Sequence[Inspection],
) -> None:
    """Write the certificate and the page that were asked for."""
    written = (
        (options.certificate, partial(certificate, question, options)),
        (options.page, partial(page, question, powers)),
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
        for step in (going := Going(steps)):
            line.draw(
                f"{step.client}: {text.count(step.samples)} of {text.count(step.of)} reports, "
                f"ε at least {text.short(step.lower, 3)}"
            )
        return going.result
    except KeyboardInterrupt:
        partial = work.so_far()
        if partial is None:
            raise
        return partial
    finally:
        steps.close()
        line.erase()


OPTIONS: Final = {
    "kind": "--as",
    "--protocol": "--as",
    "domain_size": "--items",
    "clients": "CLIENT",
}
"""The options that have another name than the value that they set."""
OWN: Final = (
    "epsilon", "items", "opaque", "samples", "confidence", "seed", "refute", "batch", "patience",
    "command", "pairs",
)  # fmt: skip
"""The values whose options have their names."""


def question_of(options: AuditOptions) -> Question:
    """The question of the options; raises LdpError before anything is run."""
    for name in ("epsilon", "items"):
        needed(f"--{name}", getattr(options, name))
    keys = keys_of(options.settings)
    try:
        with by_options():
            return question(options, keys)
    except ScenarioError as error:
        named = {**OPTIONS, "protocol": "--as", **{key: f"--{key}" for key in OWN}}
        key = error.key.partition(".")[0] if error.key.startswith("clients.") else error.key
        raise ScenarioError(error.rule, named.get(key, key), error.where) from error
