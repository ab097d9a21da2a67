"""whether a mechanism keeps its ε: a proof or an audit"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Final

from ldptui.core.base.code import What
from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import DOMAIN, Range

from ..text import format as text
from . import parameters
from .choices import OWN, having, lacking, where
from .draft_values import NOISE, checked_keys, checked_kinds, is_audited
from .options import Argument, Blank, HelpGroup, Keys
from .parameters import Near
from .question import Steps, question
from .question_answer import HIDDEN, OMITTED, QuantityRow, QuestionAnswer

if TYPE_CHECKING:
    from ldptui.core.lab.audit import AuditReport
    from ldptui.core.lab.contract import Clause
    from ldptui.core.law.loss import Loss
    from ldptui.core.plugins import PluginRun

    from .check_subject import Subject
    from .sheet import Figure

UNSEEN: Final = (
    "where there are too many different reports to tell them all apart, an audit looks at each "
    "number of a report and at each bit of a hash's seed: it does not see an item that only "
    "several of them together show, such as the parity of two bits"
)
"""The leaks that an audit of many different reports cannot find."""


@dataclass(frozen=True)
class LossLaw:
    """The distribution of a privacy loss L: its largest value, its mean, and pairs (t,
    Pr[L ≥ t]).
    """

    maximum: float
    mean: float
    tail: Sequence[tuple[float, float]]

    @classmethod
    def of(cls, loss: Loss, claimed: float) -> LossLaw:
        places = [-claimed, -claimed / 2, 0.0, claimed / 2, claimed]
        # From a hair below, so that what is t but for rounding belongs to it.
        tail = [(t, loss.tail(t - 1e-9 * max(1.0, abs(t)))) for t in places]
        return cls(loss.maximum, loss.mean, tail)


@dataclass(frozen=True)
class CheckAnswer(QuestionAnswer):
    """The answer of `check`: the evidence on a mechanism's promise.

    verdict : broken, proved or not refuted.
    enumeration, audit : the results of enumerating all reports, and of samples; None if not done.
    contract : the tested clauses of a pure protocol in Python.
    purpose, runs : for an attack, defence, population or metric in Python: which of them it is, and
        its test runs; None for a protocol.
    items : the given domain size.
    is_long : True if a protocol of ldptui has too many reports to enumerate.
    """

    protocol: str
    claimed: float
    delta: float
    verdict: str
    scope: str
    loss: LossLaw | None = None
    enumeration: Mapping[str, Any] | None = None
    audit: Mapping[str, Any] | None = None
    contract: Sequence[Clause] | None = None
    purpose: str | None = dataclasses.field(default=None, metadata=OMITTED)
    runs: Sequence[PluginRun] | None = dataclasses.field(default=None, metadata=OMITTED)
    items: int | None = dataclasses.field(default=None, metadata=HIDDEN)
    is_long: bool = dataclasses.field(default=False, metadata=HIDDEN)
    law: Loss | None = dataclasses.field(default=None, metadata=HIDDEN)

    @property
    def _is_contract_kept(self) -> bool:
        return all(clause.holds for clause in self.contract or ())

    @property
    def is_broken(self) -> bool:
        return self.verdict == "broken" or not self._is_contract_kept

    @property
    def _promise(self) -> str:
        slack = f", δ = {text.short(self.delta)}" if self.delta else ""
        return f"ε = {text.short(self.claimed)}{slack}"

    @property
    def title(self) -> str:
        size = "" if self.items is None else f", d = {text.count(self.items)}"
        name = f"{self.purpose} {self.protocol}" if self.purpose else self.protocol
        return f"{name}, {self._promise}{size}"

    @property
    def sentences(self) -> Iterator[str]:
        promise = self._promise
        if self.runs is not None:
            kept = self.verdict != "broken"
            yield ("It works: it runs, and gives the same numbers again." if kept else
                   f"BROKEN: the {self.purpose} does not do what scenarios ask of it.")  # fmt: skip
            return
        if self.verdict == "broken":
            yield f"BROKEN: {promise} is not kept."
        elif self.verdict == "proved":
            how = "in closed form" if self.enumeration is None else "by enumeration"
            end = " but for δ" if self.delta else ""
            yield (
                f"Proved {how}, {promise}: no report is more than e^ε times as likely "
                f"elsewhere{end}."
            )
        else:
            yield f"Not refuted: the samples agree with {promise}, which is no proof."
        if self.is_long:
            from ldptui.core.law.enumeration import CELLS

            yield (
                f"Too many reports to go through one by one (more than {text.count(CELLS)} "
                "probabilities): fewer items make a proof by enumeration."
            )

    def quantities(self) -> Iterator[QuantityRow]:
        if (loss := self.loss) is not None:
            yield QuantityRow(
                "largest loss", loss.maximum, "max L = ln(Pr[y|v]/Pr[y|v'])", "DR 3.5"
            )
            yield QuantityRow("mean loss", loss.mean, "E[L], y drawn from v", "DR 3.5")
            for t, chance in loss.tail:
                yield QuantityRow(
                    f"Pr[L ≥ {text.short(t, 3)}]", chance, "tail of the loss", "DR 3.5"
                )
        if (proof := self.enumeration) is not None:
            size = f"{text.count(proof['inputs'])} inputs × {text.count(proof['reports'])} reports"
            yield QuantityRow("ε by enumeration", proof["epsilon"], size, "DR def. 2.4", 8)
        if (seen := self.audit) is not None:
            sure = f"with confidence {text.chosen_value(seen['confidence'])}"
            yield QuantityRow("ε at least", seen["lower"], sure, "CP")
            yield QuantityRow("ε seen", seen["estimate"], "ln of the ratio of shares", "CP")
        for run in self.runs or ():
            yield QuantityRow(run.promise, "kept" if run.holds else "BROKEN", run.detail, "")
        for clause in self.contract or ():
            how = "kept" if clause.holds else "BROKEN"
            yield QuantityRow(clause.promise, clause.worst, f"{how}, in standard errors", "W17")

    @property
    def notes(self) -> Iterator[str]:
        if self.scope:
            yield self.scope
        if self.verdict == "not refuted":
            yield UNSEEN
        if (proof := self.enumeration) is not None:
            yield f"worst pair: {proof['first']} and {proof['second']}"
            chances = (proof["first_probability"], proof["second_probability"])
            both = " and ".join(text.short(chance, 5) for chance in chances)
            yield f"worst report: {proof['report']}, with probability {both}"
        if (seen := self.audit) is not None:
            yield f"worst event: {seen['event']}"
            names = ("first_hits", "second_hits", "samples")
            first, second, total = (text.count(seen[name]) for name in names)
            yield f"in {first} of {total} reports of {seen['first']}, {second} of {seen['second']}"
        if not self._is_contract_kept:
            yield "the contract of a pure protocol is BROKEN: simulations of it would be wrong"

    def figures(self) -> Iterator[Figure]:
        from .check_charts import loss_charts

        if self.law is not None:
            yield from loss_charts(self.law, self.title)


RAPPOR: Final = HelpGroup("rappor")
AUDIT: Final = HelpGroup("audit")


@question("Check", "Is ε kept?", group="Check", place=1)
def check(
    protocol: Annotated[
        str,
        "PROTOCOL",
        Argument(positional=True),
        Blank("oue", "protocol.kind", checked_kinds, bare=True),
    ],
    *,
    epsilon: Annotated[
        parameters.Budget | None,
        Range(0),
        Blank(1.0, "protocol.epsilon", only=lacking("protocol", "f", "exponential", OWN)),
    ] = None,
    items: Annotated[
        int | None,
        DOMAIN,
        "D",
        Argument(renames=("domain_size",)),
        Blank(8, steps="1-2-5", only=lacking("protocol", "neighbours", OWN)),
    ] = None,
    delta: Annotated[
        parameters.Slack, Blank(1e-6, steps="decades", only=having("protocol", "delta", OWN))
    ] = 0.0,
    neighbours: Annotated[Near, Blank(bare=True, only=having("protocol", "neighbours"))] = (
        "change-one"
    ),
    counts: Annotated[
        str | None, "N,N,…", Blank("5, 3, 1", only=where("protocol", "exponential"))
    ] = None,
    bits: Annotated[int, "K", RAPPOR, Blank(steps="1-2-5", only=having("protocol", "bits"))] = 8,
    hashes: Annotated[int, "H", RAPPOR, Blank(only=having("protocol", "hashes"))] = 2,
    cohorts: Annotated[
        int, "M", RAPPOR, Blank(steps="1-2-5", only=having("protocol", "cohorts"))
    ] = 4,
    noise: Annotated[
        tuple[float, float, float],
        "F,P,Q",
        RAPPOR,
        Argument(renames=NOISE),
        Blank("0.5, 0.5, 0.75", only=having("protocol", "f")),
    ] = (0.5, 0.5, 0.75),
    purpose: Annotated[What | None, Blank(bare=True, only=where("protocol", OWN))] = None,
    audit: Annotated[bool, AUDIT, Blank()] = False,
    samples: Annotated[
        int, Range(1000, 10**8), "N", AUDIT, Blank(steps="1-2-5", only=is_audited)
    ] = 200_000,
    confidence: Annotated[
        float, Range(0, 1, "()"), "C", AUDIT, Blank(steps="hundredths", only=is_audited)
    ] = 0.999,
    seed: Annotated[parameters.Seed, AUDIT, Blank(0, only=is_audited)] = 0,
    plugin: Annotated[str | None, Argument(role="code"), Blank(only=where("protocol", OWN))] = None,
    **keys: Annotated[Any, Keys(checked_keys)],
) -> Steps[CheckAnswer]:
    """Check that a mechanism keeps its ε. Every report is gone through where there are few
    enough; otherwise, or with --audit, reports are sampled, and bound ε from below. The
    exit code is 6 where the promise is broken.

    Parameters
    ----------
    protocol : a kind, or code of yours
    epsilon : the promised ε, in nats
    items : domain size d
    delta : the promised δ
    neighbours : tables that must look alike: one row changed, or one more
    counts : the number of users of each item, for exponential
    bits : bits of a report
    hashes : hash functions
    cohorts : cohorts
    noise : f, p, q
    purpose : what your code is, where its parameters and methods do not tell
    audit : sample as well as enumerate
    samples : reports of each input
    confidence : the confidence of the bound from below
    seed : the seed of the samples

    Examples
    --------
    PROTOCOL is {kinds}, exponential, or a
    mechanism of yours as FILE.py:NAME, or by the name under which a package publishes it
    (entry points ldptui.protocols): NAME(items, epsilon) must return an object with
    perturb(values, rng), which returns an array of as many reports, or, of a curator, with
    sample(histograms, rng), which returns a release of each row of users per item.
    An attack, a defence, a population or a metric of yours is run twice with GRR and OLH.
    """
    return (yield from _check(SimpleNamespace(**locals())))


def _check(asked: Any) -> Steps[CheckAnswer]:
    """The answer about a mechanism, of the options as the question names them."""
    from ldptui.core.lab.audit import Client, Effort, audit_client, report_blocks
    from ldptui.core.plugins import check_plugin, find_purpose, is_code

    from .check_subject import find_subject

    if is_own := asked.protocol == OWN:
        plugin = asked.plugin
        if not plugin or ":" not in plugin:
            rule = (
                "must be FILE.py:NAME, where NAME(items, epsilon) gives an object with "
                f"perturb(values, rng){f', got {plugin}' if plugin else ''}"
            )
            raise ScenarioError(rule, key="plugin")
        asked.protocol, asked.audit = plugin, True
    name = asked.protocol
    code = find_purpose(name, asked.purpose) if is_code(name) else None
    if code is not None and code.what != "protocol":
        yield "running it"
        runs = [*check_plugin(code, asked.items or 8, asked.epsilon or 1.0)]
        verdict = "works" if all(run.holds for run in runs) else "broken"
        return CheckAnswer(
            code.name, asked.epsilon or 1.0, 0.0, verdict, "", purpose=code.what, runs=runs,
            items=asked.items or 8,
        )  # fmt: skip
    yield "going through the reports"
    subject = find_subject(asked)
    proof, claim, seen = subject.proof, subject.claim, None
    is_proved, is_refuted = subject.is_proved(proof), proof is not None and not proof.holds
    is_refuted = is_refuted and not asked.delta  # a δ may allow that
    if asked.audit or not (is_proved or is_refuted):
        made = functools.partial(report_blocks, name, subject.perturb, None)
        effort = Effort(asked.samples * len(claim.places), asked.confidence, asked.seed)
        found = yield from audit_client(Client(name, made), claim, effort)
        seen = _samples(found, subject)
    verdict = "proved" if is_proved else "not refuted"
    if is_refuted or (seen is not None and seen["violated"]):
        verdict = "broken"
    loss = subject.loss
    return CheckAnswer(
        name, claim.epsilon, asked.delta, verdict, subject.scope,
        None if loss is None else LossLaw.of(loss, claim.epsilon),
        None if proof is None else {**vars(proof), "holds": proof.holds},
        seen, subject.test_contract(asked.seed),
        items=asked.items, law=loss,
        is_long=proof is None and not subject.inputs and not is_own,
    )  # fmt: skip


def _samples(found: AuditReport, subject: Subject) -> dict[str, Any]:
    """The bound on ε that samples of a mechanism's reports give, with its counts, as
    JSON has it.
    """
    (first, second), (of, other) = found.hits, found.of
    spare = first / of - subject.claim.delta if of else 0.0
    ratio = math.inf if not second else spare * other / second
    return {
        "claimed": subject.claim.epsilon, "delta": subject.claim.delta,
        "lower": found.epsilon_low, "estimate": math.log(ratio) if spare > 0 and ratio > 1 else 0.0,
        "confidence": found.confidence,
        "first": subject.name_input(found.items[0]), "second": subject.name_input(found.items[1]),
        "event": found.event, "first_hits": first, "second_hits": second, "samples": of,
        "violated": found.is_broken,
    }  # fmt: skip
