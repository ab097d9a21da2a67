"""The tab and the command Audit: clients side by side, their bounds on ε beside the promise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.files import is_there, write_atomically
from ldptui.core.base.pulse import Going
from ldptui.core.lab.audit import AuditReport
from ldptui.core.reports.arguments import keys_of

from ... import __version__
from ...charts.series import Bar, Bars
from ...lab.answer import Answer, figure, listed
from ...lab.asking import Ask, Steps
from ...lab.questions.reports import AuditOptions
from ...text import format as text
from ..audited import UNPROVED, audited, document, named_clients, sentences

HEADS: Final = ("client", "verdict", "ε at least", "conforms", "reports")
CONFORMS: Final = {True: "yes", False: "NO", None: text.MISSING}


def answer(options: AuditOptions, ask: Ask) -> Steps:
    """The verdicts on all clients; on the way, those on the first of them."""
    options = replace(options, clients=tuple(_places(options, ask)))
    if options.page and is_there(Path(options.page)):
        rule = f"must be a new file, and {options.page} is there already"
        raise ScenarioError(rule, key="page")
    found: list[AuditReport] = []
    clients = named_clients(options, keys_of(options.settings))
    for client in clients:
        for drawn in (going := Going(audited(client, options))):
            yield f"{text.count(drawn)} of {text.count(options.samples)} reports"
        found.append(going.result)
        if len(found) < len(clients):
            yield _answer(options, found)
    if options.page:
        write_atomically(Path(options.page), "\n".join(_page(options, found)) + "\n")
    return _answer(options, found)


def _places(options: AuditOptions, ask: Ask) -> Iterator[str]:
    """The clients of a form, with their files as paths; no program runs but code that is named."""
    for row, name in enumerate(options.clients):
        file, colon, rest = name.rpartition(":")
        try:
            if name.lower().endswith(".csv"):
                yield str(ask.file(name))
            elif colon and file.endswith(".py"):
                yield f"{ask.file(file)}:{rest}"
            elif name or not ask.tab:
                yield name
        except ScenarioError as error:
            raise ScenarioError(error.rule, key=f"clients.{row}") from error


def _rows(found: Sequence[AuditReport]) -> list[tuple[str, ...]]:
    return [
        (each.client, "BROKEN" if each.broken else "not refuted", text.short(each.epsilon_low, 3),
         CONFORMS[each.conforms], text.count(each.samples))
        for each in found
    ]  # fmt: skip


def _title(options: AuditOptions) -> str:
    return f"Promise ε = {text.chosen(options.epsilon)}, d = {text.count(options.items or 0)}"


def _answer(options: AuditOptions, found: Sequence[AuditReport]) -> Answer:
    said = [sentence for each in found for sentence in sentences(each)]
    bars = tuple(
        Bar(each.client, each.epsilon_low, true=each.promised, target=each.broken) for each in found
    )
    chart = Bars(
        "ε shown, beside the promise", bars, item="who", value="at least", truth="promised"
    )
    rows = [("", each.client, each.epsilon_low, each.promised) for each in found]
    return Answer(
        listed(_title(options), HEADS, _rows(found)),
        verdict=said,
        notes=(*said, f"Not refuted is no proof, and no audit sees {'; '.join(UNPROVED)}."),
        figures=(figure(chart, ("", "client", "ε at least", "promised"), rows),),
        values=document(found),
        broken=any(each.broken for each in found),
        misfit=options.strict and any(each.conforms is False for each in found),
    )


def _page(options: AuditOptions, found: Sequence[AuditReport]) -> Iterator[str]:
    """One page of Markdown, for whoever decides and does not program."""
    yield f"# Audit of clients\n\n{_title(options)}: one report spends at most that much."
    yield f"All verdicts on a client hold together with a confidence of {options.confidence:g}.\n"
    yield f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}"
    for row in _rows(found):
        yield f"| {' | '.join(cell.replace('|', '/') for cell in row)} |"
    yield ""
    for each in found:
        yield from (f"- {sentence}" for sentence in sentences(each))
    yield "\n## What this does not prove\n"
    yield from (f"- {line}" for line in UNPROVED)
    yield f"\nldptui {__version__}, seed {options.seed} of the items."
