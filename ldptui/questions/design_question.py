"""the protocol that bears an attack best, of every p, g and w"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import EPSILON, SHARE, USERS

from ..text import format as text
from ..text.interval import mean_words
from .choices import local
from .draft_values import dials, kind_of_draft
from .options import Argument, Blank
from .parameters import BEST, SEEDS, Items, Targets, Trials, pairs, users_of
from .question import Steps, question
from .question_answer import HIDDEN, QuestionAnswer, Row
from .signature import Among

if TYPE_CHECKING:
    from ldptui.core.lab.designer import Demand, Design, Rated

    from .sheet import Figure

WEIGHED: Final = ("squared error", "gain", "attacker's success", "bits")
"""The things that are weighed, in order."""


@dataclass(frozen=True, eq=False)
class Designed:
    """A design, the protocol beside it, and what they are for."""

    demand: Demand
    design: Design
    beside: Rated


@dataclass(frozen=True)
class DesignAnswer(QuestionAnswer):
    """The protocol that was found, the one beside it, and the best of each kind, with ratings.

    weights : of the squared error, the gain, the attacker's success and the bits; None: the worst
    case is minimised. prior : the table of what an observer knows. check : what was simulated.
    """

    items: int
    epsilon: float
    users: float
    share: float
    targets: int
    weights: tuple[float, ...] | None
    prior: str | None
    found: Mapping[str, Any]
    beside: Mapping[str, Any]
    kinds: Mapping[str, Mapping[str, Any]]
    check: Mapping[str, float] | None
    designed: Designed | None = dataclasses.field(default=None, metadata=HIDDEN)

    @property
    def title(self) -> str:
        fakes = f"β = {text.chosen_value(self.share)}, r = {self.targets}"
        return (
            f"A design: d = {text.count(self.items)}, ε = {text.short(self.epsilon)}, "
            f"n = {text.count(round(self.users))}, {fakes}"
        )

    @property
    def sentences(self) -> Iterator[str]:
        from .design_charts import name_protocol

        assert self.designed is not None
        found, beside = self.designed.design.found, self.designed.beside
        what = "worst-case error" if self.weights is None else "weighted sum"
        first, cost = f"{name_protocol(found)} has the least {what}", self.beside["cost"]
        if name_protocol(beside) == name_protocol(found):
            yield f"{name_protocol(found)} itself has the least {what}."
        elif cost is None:
            other = name_protocol(beside)
            yield f"{first}: the success of an attacker of {other} has no formula."
        elif (worse := cost / self.found["cost"] - 1) < 5e-4:
            yield f"{first}: {name_protocol(beside)} is as good."
        else:
            yield f"{first}: that of {name_protocol(beside)} is {text.percent(worse)} larger."

    def quantities(self) -> Iterator[Row]:
        from .design_charts import name_protocol

        assert self.designed is not None
        design, found = self.designed.design, self.found
        items = "1 target" if self.targets == 1 else f"{self.targets} targets"
        yield Row("protocol", name_protocol(design.found), "of all dials")
        yield Row("p", found["p"], "of the own item", "W17")
        yield Row("q", found["q"], "of any other one", "W17")
        yield Row("gain factor a", found["gain_factor"], "(1 − q)/(p − q)", "design")
        yield Row("noise, Var*", found["variance"], "q(1 − q)/(p − q)²", "W17 th. 2")
        yield Row("error, no attack", found["noise"], "√(Var*/n)", "W17 th. 2")
        yield Row(f"gain of {items}", found["gain"], "r β (s − q)/(p − q)", "design")
        yield Row("worst-case error", found["worst"], "√(β²a² + (1−β)²Var*/n)", "design")
        if found["guessed"] is not None:
            yield Row("attacker's success", found["guessed"], "one guess a report", "design")
        yield Row("bits of a report", found["bits"], "log₂ of all reports")
        others = (*self.kinds.values(), self.beside)
        rivals = zip((*design.best, self.designed.beside), others, strict=True)
        for rated, facts in rivals:
            noise, gain = text.short(facts["noise"], 3), text.short(facts["gain"], 3)
            cost = text.MISSING if facts["cost"] is None else text.short(facts["cost"], 5)
            yield Row(name_protocol(rated), cost, f"√MSE {noise}, G {gain}", "design")
        words = {"noise": "simulated, no attack", "gain": "simulated gain",
                 "worst": "simulated worst"}  # fmt: skip
        for name, quantity in words.items() if self.check is not None else ():
            assert self.check is not None
            measured = text.estimate(self.check[name], self.check[f"{name}_standard_error"])
            yield Row(quantity, measured, f"planned {text.short(self.check[f'{name}_planned'])}")

    @property
    def notes(self) -> Iterator[str]:
        from ldptui.core.bounds.hardening import least_gain_factor

        if self.weights is None:
            yield "minimised: the error of one item of nobody that all fakes aim at"
        else:
            parts = [
                f"{text.short(weight)} × {name}"
                for weight, name in zip(self.weights, WEIGHED, strict=True)
                if weight
            ]
            yield f"minimised: {' + '.join(parts)}, each beside the least there is"
        if self.targets > 1:
            yield "the gain of local hashing is that of the best of 1000 seeds for each fake"
        if self.check is not None:
            yield mean_words([int(self.check["trials"])])
        least = text.short(least_gain_factor(self.epsilon), 4)
        yield f"no pure protocol of this ε has a gain factor below {least}"
        yield "a dense report makes honest items go together: filters of itemsets see less"

    @property
    def edits(self) -> Sequence[tuple[str, Any]]:
        return [(f"protocol.{key}", value) for key, value in self.found["protocol"].items()]

    def figures(self) -> Iterable[Figure]:
        from .design_charts import hardening_figure, pareto_figure

        if (made := self.designed) is not None:
            yield hardening_figure(made.demand, made.design, made.beside)
            yield pareto_figure(made.demand, made.design, made.beside)


def _is_weighed(form: Mapping[str, Any]) -> bool:
    """Return whether something is weighed, and so what a report gives away."""
    return bool(form.get("weights"))


def _is_informed(form: Mapping[str, Any]) -> bool:
    """Return whether a table tells what an observer knows."""
    return _is_weighed(form) and bool(form.get("prior"))


def _wanted() -> Sequence[str]:
    return (BEST, *dials())


DesignAmong: TypeAlias = Annotated[
    str, "KIND", Among(_wanted), Blank(BEST, choices=pairs(_wanted), bare=True)
]
DesignBeside: TypeAlias = Annotated[
    Any,
    "KIND",
    Argument(role="protocol"),
    Among(local),
    Blank("oue", kind_of_draft, pairs(local)),
]
DesignWeights: TypeAlias = Annotated[
    tuple[float, float, float, float] | None,
    "E,G,S,B",
    Argument(renames=("mse", "gain", "guessed", "bits")),
    Blank(optional=True),
]
DesignPrior: TypeAlias = Annotated[
    str | None, "FILE", Argument(role="table"), Blank(optional=True, only=_is_weighed)
]
DesignColumn: TypeAlias = Annotated[
    str, "NAME", Argument(role="column"), Blank("item", only=_is_informed)
]
DesignGiven: TypeAlias = Annotated[
    str | None, "NAME", Argument(role="column"), Blank(optional=True, only=_is_informed)
]


@question(
    "Design",
    "Which protocol bears the attack?",
    group="Design",
    live=True,
    offer="enter, where no text is typed, puts it into the scenario.",
)
def design(
    *,
    items: Items,
    users: Annotated[int, USERS, "N", Blank(1_000_000, users_of, steps="ladder")],
    epsilon: Annotated[float, EPSILON, "E", Blank(1.0, "protocol.epsilon")],
    among: DesignAmong = BEST,
    beside: DesignBeside = "oue",
    share: Annotated[float, SHARE, "B", Blank(0.01, "attack.share", steps="hundredths")] = 0.01,
    targets: Annotated[Targets, "R"] = 1,
    weights: DesignWeights = None,
    prior: DesignPrior = None,
    column: DesignColumn = "item",
    given: DesignGiven = None,
    check: bool = False,
    trials: Annotated[Trials, "N"] = 1000,
    seed: Annotated[int, SEEDS, "N"] = 0,
) -> Steps[DesignAnswer]:
    """Find the unary encoding, local hashing or subset selection with the least worst-case
    error in spite of a share of fakes, or with the least weighted sum of error, gain,
    attacker's success and bits; print the hardening curve, and the cost beside a protocol
    of yours.

    Parameters
    ----------
    items : domain size d
    users : genuine users n
    epsilon : privacy budget ε, in nats
    among : ue, lh or ss alone; or best of all
    beside : the pure protocol to compare it with
    share : share β of fake users
    targets : items that fakes lift together
    weights : minimise a weighted sum of squared error, gain, attacker's success and bits, each
        beside the least there is, and not the worst-case error
    prior : with weights: a CSV table of what an observer knows beforehand, as guess takes it
    column : its column of items
    given : another column, which the observer knows of each user
    check : simulate the protocol that is found
    trials : of the check
    seed : of the check

    Examples
    --------
    ldptui design --items 128 --users 1000000 --epsilon 1 --share 0.01 --check
    """
    import numpy as np

    from ldptui.core.bounds.rehearsal import rehearse_design
    from ldptui.core.lab.designer import Demand, Weights, designed, rated
    from ldptui.core.protocols import DIALS

    from .priors import read_prior

    yield f"designing for {text.count(items)} items"
    demand = Demand(items, epsilon, users, share, targets)
    if prior and weights is None:
        rule = "goes with weights: without them nobody's guess counts"
        raise ScenarioError(f"{rule}, {got(prior)}", key="prior")
    known = read_prior(prior, column, given, items) if prior else ()
    kinds = tuple(DIALS) if among == BEST else (among,)
    weighed = None if weights is None else Weights(*weights)
    found = designed(demand, weighed, kinds, known)
    named = beside if isinstance(beside, Mapping) else {"kind": beside}
    other = rated({**named, "epsilon": epsilon}, demand, known)
    facts, seen = _rate(found.found, found), None
    if check:
        rng = np.random.default_rng(seed)
        seen = rehearse_design(
            found.found.protocol, round(users), share, targets, facts, trials, rng
        )
    return DesignAnswer(
        **vars(demand), weights=weights, prior=prior, found=facts, beside=_rate(other, found),
        kinds={str(each.table["kind"]): _rate(each, found) for each in found.best},
        check=seen, designed=Designed(demand, found, other),
    )  # fmt: skip


def _rate(each: Rated, design: Design) -> dict[str, Any]:
    """The ratings of a protocol."""
    from .design_charts import cost_of

    return {
        "protocol": dict(each.table),
        "p": each.protocol.p,
        "q": each.protocol.q,
        "gain_factor": each.gain_factor,
        "variance": each.variance,
        "noise": math.sqrt(each.mse),
        "gain": each.gain,
        "worst": each.worst,
        "guessed": each.guessed,
        "bits": each.bits,
        "cost": cost_of(each, design),
    }
