"""Check: whether a mechanism keeps its promise, by enumeration or by samples; its privacy loss."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.lab.audit import Audit
from ldptui.core.law.enumeration import CELLS
from ldptui.core.law.loss import Loss

from ...terminal import exits
from ...text import format as text
from ..asking import Ask, Steps, answer_of
from ..output import Report, Row, laid_out, row, show
from ..questions.offered import OWN
from .chart import loss_charts
from .subject import Subject, subject_of

UNSEEN: Final = (
    "where there are too many different reports to tell them all apart, an audit looks at each "
    "number of a report and at each bit of a hash's seed: it does not see an item that only "
    "several of them together show, such as the parity of two bits"
)
"""The leaks that an audit of many different reports cannot find."""


def run(options: Namespace) -> int:
    """Print the findings; returns 1 if the promise is broken."""
    values = findings(options, subject_of(options))
    show(options, values, laid_out(*report(options, values)))
    kept = all(clause["holds"] for clause in values["contract"] or ())
    return exits.DONE if kept and values["verdict"] != "broken" else exits.FAILED


def findings(options: Namespace, subject: Subject) -> dict[str, Any]:
    """The findings about a subject, by name; samples are drawn if nothing else decides."""
    seen: Audit | None = None
    if options.audit or not (subject.proved or subject.disproved):
        rng = np.random.default_rng(options.seed)
        seen = subject.audited(rng, options.samples, options.confidence)
    if subject.disproved or (seen is not None and seen.violated):
        verdict = "broken"
    else:
        verdict = "proved" if subject.proved else "not refuted"
    proof, clauses = subject.proof, subject.contract(options.seed)
    return {
        "protocol": options.protocol,
        "claimed": subject.claimed,
        "delta": subject.delta,
        "verdict": verdict,
        "scope": subject.scope,
        "loss": None if subject.loss is None else _loss_values(subject.loss, subject.claimed),
        "enumeration": None if proof is None else {**asdict(proof), "holds": proof.holds},
        "audit": None if seen is None else {**asdict(seen), "violated": seen.violated},
        "contract": None if clauses is None else [asdict(clause) for clause in clauses],
    }


def _loss_values(loss: Loss, claimed: float) -> dict[str, Any]:
    places = [-claimed, -claimed / 2, 0.0, claimed / 2, claimed]
    return {
        "maximum": loss.maximum,
        "mean": loss.mean,
        # Pr[L ≥ t], from a hair below, so that what is t but for rounding belongs to it.
        "tail": [[t, loss.tail(t - 1e-9 * max(1.0, abs(t)))] for t in places],
    }


# The table.


def report(options: Namespace, values: dict[str, Any]) -> Report:
    rows: list[Row] = []
    notes = [_verdict(values), *([values["scope"]] if values["scope"] else [])]
    if values["verdict"] == "not refuted":
        notes.append(UNSEEN)
    loss, proof, seen = values["loss"], values["enumeration"], values["audit"]
    if loss is not None:
        rows.append(row("largest loss", loss["maximum"], "max L = ln(Pr[y|v]/Pr[y|v'])", "DR 3.5"))
        rows.append(row("mean loss", loss["mean"], "E[L], y drawn from v", "DR 3.5"))
        for t, chance in loss["tail"]:
            rows.append(row(f"Pr[L ≥ {text.short(t, 3)}]", chance, "tail of the loss", "DR 3.5"))
    if proof is not None:
        size = f"{text.count(proof['inputs'])} inputs × {text.count(proof['reports'])} reports"
        rows.append(row("ε by enumeration", proof["epsilon"], size, "DR def. 2.4", 8))
        notes.append(f"worst pair: {proof['first']} and {proof['second']}")
        chances = [text.short(proof[f"{side}_probability"], 5) for side in ("first", "second")]
        notes.append(f"worst report: {proof['report']}, with probability {' and '.join(chances)}")
    if seen is not None:
        sure = f"with confidence {text.chosen(seen['confidence'])}"
        rows.append(row("ε at least", seen["lower"], sure, "CP"))
        rows.append(row("ε seen", seen["estimate"], "ln of the ratio of shares", "CP"))
        notes.append(f"worst event: {seen['event']}")
        first, second, total = (
            text.count(seen[key]) for key in ("first_hits", "second_hits", "samples")
        )
        notes.append(
            f"in {first} of {total} reports of {seen['first']}, {second} of {seen['second']}"
        )
    for clause in values["contract"] or ():
        how = "kept" if clause["holds"] else "BROKEN"
        rows.append(row(clause["promise"], clause["worst"], f"{how}, in standard errors", "W17"))
    if not all(clause["holds"] for clause in values["contract"] or ()):
        notes.append("the contract of a pure protocol is BROKEN: simulations of it would be wrong")
    title = f"{values['protocol']}, ε = {text.short(values['claimed'])}"
    if values["delta"]:
        title += f", δ = {text.short(values['delta'])}"
    if options.items is not None:
        title += f", d = {text.count(options.items)}"
    return Report(title, rows, notes)


def _verdict(values: dict[str, Any]) -> str:
    promise = f"ε = {text.short(values['claimed'])}"
    if values["delta"]:
        promise += f", δ = {text.short(values['delta'])}"
    if values["verdict"] == "broken":
        return f"BROKEN: {promise} is not kept"
    if values["verdict"] == "proved":
        how = "in closed form" if values["enumeration"] is None else "by enumeration"
        end = " but for δ" if values["delta"] else ""
        return f"proved {how}, {promise}: no report is more than e^ε times as likely elsewhere{end}"
    return f"not refuted: the samples agree with {promise}, which is no proof"


# The tab.


def work(ask: Ask) -> Steps:
    options = ask.given
    is_plugin = options.protocol == OWN
    if is_plugin:
        options = Namespace(**{**vars(options), "protocol": _place(ask), "audit": True})
    yield "going through the reports"
    subject = subject_of(options)
    if options.audit or not (subject.proved or subject.disproved):
        yield f"auditing {text.count(options.samples)} reports of each input"
    values = findings(options, subject)
    table = report(options, values)
    words = []
    if values["enumeration"] is None and subject.protocol is not None and not is_plugin:
        words.append(
            f"Too many reports to go through one by one (more than {text.count(CELLS)} "
            "probabilities): fewer items make a proof by enumeration."
        )
    charts = () if subject.loss is None else loss_charts(subject.loss, table.title)
    verdict, *rest = table.notes
    sentence = verdict[:1].upper() + verdict[1:] + "."
    return answer_of(table._replace(notes=rest), *charts, words=(sentence, *words))


def _place(ask: Ask) -> str:
    place = ask.given.plugin
    if ":" not in place:
        raise ScenarioError(
            "must be FILE.py:NAME, where NAME(items, epsilon) gives an object with "
            f"perturb(values, rng){f', got {place}' if place else ''}",
            key="plugin",
        )
    return str(ask.folder / place)
