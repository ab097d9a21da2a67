"""Check: whether a mechanism keeps its promise, by enumeration or by samples; its privacy loss."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.lab.audit import Audit, Check, Published
from ldptui.core.lab.contract import Clause
from ldptui.core.law.enumeration import CELLS
from ldptui.core.law.loss import DiscreteLoss, Loss

from ...charts.series import Axis, Bar, Bars, Plot, Series
from ...text import format as text
from ..answer import Figure, figure, shares
from ..asking import Ask, Row, Steps, answer_of, row
from ..questions.offered import OWN
from ..questions.planning import CheckOptions
from .subject import Subject, subject_of

POINTS: Final = 401
READ: Final = 41
"""Thresholds that a cursor goes through, of a law that is continuous."""
SLICES: Final = 12
"""Bars of a law that is continuous."""


def loss_charts(loss: Loss, title: str) -> Iterator[Figure]:
    """The tail of a privacy loss, and its law."""
    if math.isfinite(loss.maximum):
        most = loss.maximum
    else:  # an item that only one user holds is given away, up to δ
        assert isinstance(loss, DiscreteLoss)
        most = max(1.0, *np.abs(loss.values[np.isfinite(loss.values)]).tolist())
    grid = np.linspace(-1.1 * most, 1.1 * most, POINTS)
    if isinstance(loss, DiscreteLoss):
        # A step has two ends.
        steps = loss.values[np.isfinite(loss.values)]
        grid = np.sort(np.concatenate([grid, steps, steps - 1e-9 * most]))
    tail = np.array([loss.tail(float(t)) for t in grid])
    series = [Series("Pr[L > t]", grid, tail, "clean")]
    if math.isfinite(loss.mean):
        series.append(
            Series(f"mean {text.short(loss.mean)}", (loss.mean,), (loss.tail(loss.mean),),
                   "theory", "points")
        )  # fmt: skip
    if math.isfinite(loss.maximum):
        largest = f"largest {text.short(loss.maximum)}"
        series.append(Series(largest, (loss.maximum,), (0.0,), "attacked", "points"))
    plot = Plot(
        f"How likely a loss above t is: {title}",
        Axis("t, nats"),
        Axis("probability", low=0.0, high=1.0),
        tuple(series),
    )
    yield figure(plot, *_chances(loss, most))
    yield shares(_law(loss, title))


def _chances(loss: Loss, most: float) -> tuple[Sequence[str], list[tuple[Any, ...]]]:
    """The chances that a cursor reads: at each loss there is, or at thresholds up to `most`."""
    if isinstance(loss, DiscreteLoss):
        law = zip(loss.values.tolist(), loss.probabilities.tolist(), strict=True)
        rows = [("chance", t, loss.tail(t), chance) for t, chance in law if math.isfinite(t)]
        return ("", "t", "Pr[L > t]", "Pr[L = t]"), rows
    places = np.linspace(-most, most, READ).tolist()
    return ("", "t", "Pr[L > t]"), [("chance", t, loss.tail(t)) for t in places]


def _law(loss: Loss, title: str) -> Bars:
    about = "Law of the privacy loss L"
    if isinstance(loss, DiscreteLoss):
        bars = [
            Bar(text.short(float(value), 3), float(chance))
            for value, chance in zip(loss.values[::-1], loss.probabilities[::-1], strict=True)
        ]
        return Bars(f"{about}: {title}", tuple(bars), item="loss", value="chance")
    edges: Floats = np.linspace(-loss.maximum, loss.maximum, SLICES + 1)
    # What is at the lower end belongs to the first slice.
    tails = [1.0, *(loss.tail(float(t)) for t in edges[1:-1]), 0.0]
    bars = [
        Bar(f"{text.short(low, 2)} … {text.short(high, 2)}", above - below)
        for low, high, above, below in zip(
            edges[:-1].tolist(), edges[1:].tolist(), tails[:-1], tails[1:], strict=True
        )
    ]
    return Bars(f"{about}: {title}", tuple(reversed(bars)), item="loss", value="chance")


UNSEEN: Final = (
    "where there are too many different reports to tell them all apart, an audit looks at each "
    "number of a report and at each bit of a hash's seed: it does not see an item that only "
    "several of them together show, such as the parity of two bits"
)
"""The leaks that an audit of many different reports cannot find."""


@dataclass(frozen=True)
class Law:
    """The largest and the mean privacy loss, and (t, Pr[L ≥ t])."""

    maximum: float
    mean: float
    tail: Sequence[tuple[float, float]]

    @classmethod
    def of(cls, loss: Loss, claimed: float) -> Law:
        places = [-claimed, -claimed / 2, 0.0, claimed / 2, claimed]
        # From a hair below, so that what is t but for rounding belongs to it.
        tail = [(t, loss.tail(t - 1e-9 * max(1.0, abs(t)))) for t in places]
        return cls(loss.maximum, loss.mean, tail)


@dataclass(frozen=True)
class Findings:
    """The findings about a subject; verdict : broken, proved or not refuted."""

    protocol: str
    claimed: float
    delta: float
    verdict: str
    scope: str
    loss: Law | None
    enumeration: Check | None
    audit: Audit | None
    contract: Sequence[Clause] | None
    published: Published | None = None

    @property
    def kept(self) -> bool:
        """True if the contract of a pure protocol is kept, where it is tested."""
        return all(clause.holds for clause in self.contract or ())

    @property
    def values(self) -> dict[str, Any]:
        """The findings for JSON, with what enumeration and audit conclude."""
        proof, seen = self.enumeration, self.audit
        return {
            **vars(self),
            "enumeration": None if proof is None else {**vars(proof), "holds": proof.holds},
            "audit": None if seen is None else {**vars(seen), "violated": seen.violated},
            "published": None if self.published is None else vars(self.published),
        }


def answer(options: CheckOptions, ask: Ask) -> Steps:
    """The findings about a mechanism; broken where its promise is not kept."""
    own = ask.tab and options.protocol == OWN
    if own:
        options = replace(options, protocol=_place(options.plugin, ask), audit=True)
    yield "going through the reports"
    subject = subject_of(options)
    sampled = options.audit or not (subject.proved or subject.disproved)
    if sampled:
        yield f"auditing {text.count(options.samples)} reports of each input"
    found = findings(options, subject, sampled)
    promise = f"ε = {text.short(found.claimed)}"
    if found.delta:
        promise += f", δ = {text.short(found.delta)}"
    title = f"{found.protocol}, {promise}"
    if options.items is not None:
        title += f", d = {text.count(options.items)}"
    sentence = _verdict(found, promise)
    verdict = [sentence[:1].upper() + sentence[1:] + "."]
    if found.enumeration is None and subject.protocol is not None and not own:
        verdict.append(
            f"Too many reports to go through one by one (more than {text.count(CELLS)} "
            "probabilities): fewer items make a proof by enumeration."
        )
    return answer_of(
        title,
        _rows(found),
        values=found.values,
        verdict=verdict,
        notes=(sentence, *_notes(found)),
        figures=() if subject.loss is None else loss_charts(subject.loss, title),
        broken=found.verdict == "broken" or not found.kept,
    )


def findings(options: CheckOptions, subject: Subject, sampled: bool) -> Findings:
    """The findings about a subject; sampled : whether reports are drawn."""
    seen: Audit | None = None
    if sampled:
        rng = np.random.default_rng(options.seed)
        seen = subject.audited(rng, options.samples, options.confidence)
    coins = subject.published()
    if subject.disproved or coins is not None or (seen is not None and seen.violated):
        verdict = "broken"
    else:
        verdict = "proved" if subject.proved else "not refuted"
    loss = subject.loss
    return Findings(
        options.protocol,
        subject.claimed,
        subject.delta,
        verdict,
        subject.scope,
        None if loss is None else Law.of(loss, subject.claimed),
        subject.proof,
        seen,
        subject.contract(options.seed),
        coins,
    )


# In words.


def _rows(found: Findings) -> Iterator[Row]:
    if (loss := found.loss) is not None:
        yield row("largest loss", loss.maximum, "max L = ln(Pr[y|v]/Pr[y|v'])", "DR 3.5")
        yield row("mean loss", loss.mean, "E[L], y drawn from v", "DR 3.5")
        for t, chance in loss.tail:
            yield row(f"Pr[L ≥ {text.short(t, 3)}]", chance, "tail of the loss", "DR 3.5")
    if (proof := found.enumeration) is not None:
        size = f"{text.count(proof.inputs)} inputs × {text.count(proof.reports)} reports"
        yield row("ε by enumeration", proof.epsilon, size, "DR def. 2.4", 8)
    if (seen := found.audit) is not None:
        sure = f"with confidence {text.chosen(seen.confidence)}"
        yield row("ε at least", seen.lower, sure, "CP")
        yield row("ε seen", seen.estimate, "ln of the ratio of shares", "CP")
    for clause in found.contract or ():
        how = "kept" if clause.holds else "BROKEN"
        yield row(clause.promise, clause.worst, f"{how}, in standard errors", "W17")


def _notes(found: Findings) -> Iterator[str]:
    if found.scope:
        yield found.scope
    if found.verdict == "not refuted":
        yield UNSEEN
    if (proof := found.enumeration) is not None:
        yield f"worst pair: {proof.first} and {proof.second}"
        chances = (proof.first_probability, proof.second_probability)
        both = " and ".join(text.short(chance, 5) for chance in chances)
        yield f"worst report: {proof.report}, with probability {both}"
    if (seen := found.audit) is not None:
        yield f"worst event: {seen.event}"
        first, second, total = map(text.count, (seen.first_hits, seen.second_hits, seen.samples))
        yield f"in {first} of {total} reports of {seen.first}, {second} of {seen.second}"
    if (coins := found.published) is not None:
        yield (
            f"{coins.column} is the raw output of {coins.generator}, in order: from some hundred "
            "bytes of it anybody has the generator's state, and then every user's coins"
        )
    if not found.kept:
        yield "the contract of a pure protocol is BROKEN: simulations of it would be wrong"


def _verdict(found: Findings, promise: str) -> str:
    if found.published is not None:
        return f"BROKEN: the random numbers can be foretold, {promise} is not kept"
    if found.verdict == "broken":
        return f"BROKEN: {promise} is not kept"
    if found.verdict == "proved":
        how = "in closed form" if found.enumeration is None else "by enumeration"
        end = " but for δ" if found.delta else ""
        return f"proved {how}, {promise}: no report is more than e^ε times as likely elsewhere{end}"
    return f"not refuted: the samples agree with {promise}, which is no proof"


def _place(place: str, ask: Ask) -> str:
    if ":" not in place:
        raise ScenarioError(
            "must be FILE.py:NAME, where NAME(items, epsilon) gives an object with "
            f"perturb(values, rng){f', got {place}' if place else ''}",
            key="plugin",
        )
    return str(ask.folder / place)
