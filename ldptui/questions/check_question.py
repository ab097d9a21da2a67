"""whether a mechanism keeps its ε: a proof or an audit"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from ldptui.core.base.code import What
from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import DOMAIN, Range

from ..text import format as text
from . import parameters
from .choices import OWN, having, lacking, where
from .draft_values import (
    NOISE,
    CheckRequest,
    checked_keys,
    checked_kinds,
    is_audited,
)
from .options import Argument, Blank, Keys
from .parameters import Near
from .question import Steps, question
from .question_answer import HIDDEN, OMITTED, QuestionAnswer, Row
from .signature import Group

if TYPE_CHECKING:
    from ldptui.core.lab.contract import Clause
    from ldptui.core.law.loss import Loss
    from ldptui.core.plugins import CodeLocation, PluginRun

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
    """The largest and the mean privacy loss, and (t, Pr[L ≥ t])."""

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
    """What is known of a mechanism's promise; verdict : broken, proved or not refuted.

    enumeration, audit : what going through all reports shows, and what samples show. contract : the
    clauses of a pure protocol of somebody's own. published : the column that gives a client's
    generator away. purpose, runs : of somebody's attack, defence, population or metric, and what
    running it shows; a protocol has none. items : as they were given. is_long : whether a
    protocol of ours has too many reports to go through.
    """

    protocol: str
    claimed: float
    delta: float
    verdict: str
    scope: str
    loss: LossLaw | None
    enumeration: Mapping[str, Any] | None
    audit: Mapping[str, Any] | None
    contract: Sequence[Clause] | None
    published: Mapping[str, Any] | None
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
        if self.published is not None:
            yield f"BROKEN: the random numbers can be foretold, {promise} is not kept."
        elif self.verdict == "broken":
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

    def quantities(self) -> Iterator[Row]:
        if (loss := self.loss) is not None:
            yield Row("largest loss", loss.maximum, "max L = ln(Pr[y|v]/Pr[y|v'])", "DR 3.5")
            yield Row("mean loss", loss.mean, "E[L], y drawn from v", "DR 3.5")
            for t, chance in loss.tail:
                yield Row(f"Pr[L ≥ {text.short(t, 3)}]", chance, "tail of the loss", "DR 3.5")
        if (proof := self.enumeration) is not None:
            size = f"{text.count(proof['inputs'])} inputs × {text.count(proof['reports'])} reports"
            yield Row("ε by enumeration", proof["epsilon"], size, "DR def. 2.4", 8)
        if (seen := self.audit) is not None:
            sure = f"with confidence {text.chosen_value(seen['confidence'])}"
            yield Row("ε at least", seen["lower"], sure, "CP")
            yield Row("ε seen", seen["estimate"], "ln of the ratio of shares", "CP")
        for run in self.runs or ():
            yield Row(run.promise, "kept" if run.holds else "BROKEN", run.detail, "")
        for clause in self.contract or ():
            how = "kept" if clause.holds else "BROKEN"
            yield Row(clause.promise, clause.worst, f"{how}, in standard errors", "W17")

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
        if (coins := self.published) is not None:
            yield (
                f"{coins['column']} is the raw output of {coins['generator']}, in order: from some "
                "hundred bytes of it anybody has the generator's state, and then every user's coins"
            )
        if not self._is_contract_kept:
            yield "the contract of a pure protocol is BROKEN: simulations of it would be wrong"

    def figures(self) -> Iterator[Figure]:
        from .check_charts import loss_charts

        if self.law is not None:
            yield from loss_charts(self.law, self.title)


RAPPOR: Final = Group("rappor")
AUDIT: Final = Group("audit")
CheckProtocol: TypeAlias = Annotated[
    str,
    "PROTOCOL",
    Argument(positional=True),
    Blank("oue", "protocol.kind", checked_kinds, bare=True),
]
CheckEpsilon: TypeAlias = Annotated[
    parameters.Budget | None,
    Range(0),
    Blank(1.0, "protocol.epsilon", only=lacking("protocol", "f", "exponential", OWN)),
]
CheckItems: TypeAlias = Annotated[
    int | None,
    DOMAIN,
    "D",
    Argument(renames=("domain_size",)),
    Blank(8, steps="ladder", only=lacking("protocol", "neighbours", OWN)),
]
CheckNoise: TypeAlias = Annotated[
    tuple[float, float, float],
    "F,P,Q",
    RAPPOR,
    Argument(renames=NOISE),
    Blank("0.5, 0.5, 0.75", only=having("protocol", "f")),
]
CheckCounts: TypeAlias = Annotated[
    str | None, "N,N,…", Blank("5, 3, 1", only=where("protocol", "exponential"))
]
Confidence: TypeAlias = Annotated[
    float, Range(0, 1, "()"), "C", AUDIT, Blank(steps="hundredths", only=is_audited)
]
Bits: TypeAlias = Annotated[
    int, "K", RAPPOR, Blank(steps="ladder", only=having("protocol", "bits"))
]
Cohorts: TypeAlias = Annotated[
    int, "M", RAPPOR, Blank(steps="ladder", only=having("protocol", "cohorts"))
]
CheckDelta: TypeAlias = Annotated[
    parameters.Slack, Blank(1e-6, steps="decades", only=having("protocol", "delta", OWN))
]
Samples: TypeAlias = Annotated[
    int, Range(1000, 10**8), "N", AUDIT, Blank(steps="ladder", only=is_audited)
]


@question("Check", "Is ε kept?", group="Check", place=1)
def check(
    protocol: CheckProtocol,
    *,
    epsilon: CheckEpsilon = None,
    items: CheckItems = None,
    delta: CheckDelta = 0.0,
    neighbours: Annotated[Near, Blank(bare=True, only=having("protocol", "neighbours"))] = (
        "change-one"
    ),
    counts: CheckCounts = None,
    bits: Bits = 8,
    hashes: Annotated[int, "H", RAPPOR, Blank(only=having("protocol", "hashes"))] = 2,
    cohorts: Cohorts = 4,
    noise: CheckNoise = (0.5, 0.5, 0.75),
    purpose: Annotated[What | None, Blank(bare=True, only=where("protocol", OWN))] = None,
    audit: Annotated[bool, AUDIT, Blank()] = False,
    samples: Samples = 200_000,
    confidence: Confidence = 0.999,
    seed: Annotated[parameters.Seed, AUDIT, Blank(0, only=is_audited)] = 0,
    plugin: Annotated[
        str | None, Argument(role="code"), Blank(optional=True, only=where("protocol", OWN))
    ] = None,
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
    counts : of exponential: users of each item
    bits : bits of a report
    hashes : hash functions
    cohorts : cohorts
    noise : f, p, q
    purpose : of code of yours; without it, told by its parameters and methods
    audit : sample as well as enumerate
    samples : reports of each input
    confidence : of the bound from below
    seed : of the samples

    Examples
    --------
    PROTOCOL is {kinds}, exponential, or a
    mechanism of yours as FILE.py:NAME, or by the name under which a package publishes it
    (entry points ldptui.protocols): NAME(items, epsilon) must return an object with
    perturb(values, rng), which returns an array of as many reports, or, of a curator, with
    sample(histograms, rng), which returns a release of each row of users per item.
    An attack, a defence, a population or a metric of yours is run twice with GRR and OLH.
    """
    from .check_subject import subject_of

    given = dict(locals())
    del given["subject_of"], given["plugin"], given["purpose"]
    if is_own := protocol == OWN:
        given |= {"protocol": _place_of(plugin), "audit": True}
    code = _code_to_run(given["protocol"], purpose)
    if code is not None:
        yield "running it"
        return _run_code(code, items or 8, epsilon or 1.0)
    request = CheckRequest(**given)
    yield "going through the reports"
    subject = subject_of(request)
    is_sampled = request.audit or not (subject.proved or subject.disproved)
    if is_sampled:
        yield f"auditing {text.count(samples)} reports of each input"
    return _conclude(request, subject, is_sampled=is_sampled, is_own=is_own)


def _code_to_run(place: str, purpose: What | None) -> CodeLocation | None:
    """Somebody's code that is no protocol, None for all else; raises LdpError."""
    from ldptui.core.plugins import find_purpose, is_code

    code = find_purpose(place, purpose) if is_code(place) else None
    return None if code is None or code.what == "protocol" else code


def _run_code(code: CodeLocation, items: int, epsilon: float) -> CheckAnswer:
    """What running somebody's attack, defence, population or metric shows."""
    from ldptui.core.plugins import check_plugin

    runs = [*check_plugin(code, items, epsilon)]
    verdict = "works" if all(run.holds for run in runs) else "broken"
    return CheckAnswer(
        code.name, epsilon, 0.0, verdict, "", None, None, None, None, None, code.what, runs, items
    )


def _conclude(
    request: CheckRequest, subject: Subject, *, is_sampled: bool, is_own: bool
) -> CheckAnswer:
    """What enumeration, samples and the law say of the promise."""
    import numpy as np

    seen = None
    if is_sampled:
        rng = np.random.default_rng(request.seed)
        seen = subject.audited(rng, request.samples, request.confidence)
    coins, proof, loss = subject.published(), subject.proof, subject.loss
    if subject.disproved or coins is not None or (seen is not None and seen.violated):
        verdict = "broken"
    else:
        verdict = "proved" if subject.proved else "not refuted"
    return CheckAnswer(
        request.protocol, subject.claimed, subject.delta, verdict, subject.scope,
        None if loss is None else LossLaw.of(loss, subject.claimed),
        None if proof is None else {**vars(proof), "holds": proof.holds},
        None if seen is None else {**vars(seen), "violated": seen.violated},
        subject.contract(request.seed),
        None if coins is None else vars(coins),
        None, None, request.items,
        proof is None and subject.protocol is not None and not is_own,
        loss,
    )  # fmt: skip


def _place_of(place: str | None) -> str:
    """FILE.py:NAME of a form; raises ScenarioError."""
    if not place or ":" not in place:
        rule = (
            "must be FILE.py:NAME, where NAME(items, epsilon) gives an object with "
            f"perturb(values, rng){f', got {place}' if place else ''}"
        )
        raise ScenarioError(rule, key="plugin")
    return place
