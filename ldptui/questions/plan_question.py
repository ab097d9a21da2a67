"""users, ε, share of fakes, frequency, power: one from the others"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

from ldptui.core.base.ranges import ALPHA, DOMAIN, EPSILON, FREQUENCY, POWER, SHARE, USERS, Range

from ..text import format as text
from ..text.interval import share_words
from .choices import where
from .draft_values import (
    is_shuffled,
    planned_kinds,
    rungs,
    task_of_draft,
    within_of_draft,
)
from .mean_plan_answer import VERDICTS, MeanPlanAnswer, given_rows, solved_text
from .options import Blank
from .parameters import BEST, SEEDS, SIZE, Targets, Trials, items_of, pairs, targets_of
from .plan_lines import LOCALLY, PlanLines, PlanRequest
from .question import Steps, question
from .question_answer import HEADS, QuestionAnswer, Row, Table
from .signature import Among
from .signature import Group as Heading

if TYPE_CHECKING:
    from .planning import Rival
    from .sheet import Figure

SHOWN: Final = 8
"""Items that are named; of others, their number."""
WORDS: Final = {
    "users": "genuine users n",
    "epsilon": "budget ε",
    "share": "share of fakes β",
    "frequency": "frequency f",
    "power": "power",
}
SHORT: Final = {"users": "n", "epsilon": "ε", "share": "β", "frequency": "f", "power": "power"}
QUANTILE: Final = {True: "Φ⁻¹(1 − α/d)", False: "of the servers' noise, at α/d"}
THRESHOLD: Final = {True: "z √(Var* / (n + m))", False: "z σ / (n + m)"}
SATURATION: Final = {True: "z² Var* / (βa)²", False: "z σ / (βa)"}
"""Formulas of a plan, by whether users add their own noise."""


@dataclass(frozen=True)
class PlanAnswer(PlanLines, QuestionAnswer):
    """The lines of a plan, in words and charts."""

    @property
    def _collection(self) -> str:
        """The way to collect, in a word or two: "OUE", "shuffled OUE", "curator"."""
        if self.trust == LOCALLY:
            return self.protocol.upper()
        if self.noise is not None:
            return self.trust
        return f"{self.trust} {self.protocol.upper()}"

    @property
    def title(self) -> str:
        solved = "all is given" if self.solved is None else f"{WORDS[self.solved]} is solved for"
        return (
            f"A plan: {self._collection}, d = {text.count(self.items)}, "
            f"α = {text.short(self.alpha)}; {solved}"
        )

    @property
    def sentences(self) -> Iterator[str]:
        if self.solved is None:
            does, needed = "holds" if self.holds else "does not hold", text.count(self.users_needed)
            reached = text.short(self.power_reached, 4)
            yield f"The plan {does}: its power is {reached}; {needed} users are enough."
            return
        found = VERDICTS[self.solved](self)
        if self.solved == "users" and self.trust != LOCALLY:
            found = f"The smallest batch is {text.count(math.ceil(self.users))} genuine users"
        frequency = text.short(self.frequency, 3)
        aim = f"for {self._collection} to find an item of frequency {frequency}"
        if self.solved == "frequency":
            aim = f"that {self._collection} finds"
        spite = f" in spite of {text.percent(self.share)} fakes" if self.share else ""
        yield f"{found} {aim}{spite}, with probability {text.short(self.power, 3)}."

    def table(self, is_brief: bool = False) -> Table:
        """Beside a form, first what every protocol needs for the same plan."""
        return HEADS, [*self._all(is_brief)]

    def _all(self, is_brief: bool) -> Iterator[Row]:
        from .planning import rank_rivals

        if is_brief and self.trust == LOCALLY:
            yield from self._rival_rows(rank_rivals(self, self.request))
        yield from self.quantities()

    def _rival_rows(self, rivals: Sequence[Rival]) -> Iterator[Row]:
        """What each protocol needs for the plan, and how far fakes lift an item in it."""
        best: float | None = None
        for rival in rivals:
            mark = "● " if rival.kind == self.protocol else "  "
            name = f"{mark}{SHORT[self.solved or 'power']}, {rival.kind.upper()}"
            if rival.answer is None:
                yield Row(name, text.MISSING, _refused_words(rival), "plan")
                continue
            best = rival.answer if best is None else best
            times = f"× {text.short(rival.answer / best, 3)}" if best else ""
            floor = f"βa = {text.short(rival.floor, 3)}"
            shown = solved_text(self.solved, rival.answer)
            yield Row(name, shown, f"{times:<8}{floor}".strip(), "plan")

    def quantities(self) -> Iterator[Row]:
        """Every number with its formula."""
        yield from given_rows(self, WORDS)
        if self.power_reached is not None:
            yield Row("power reached", self.power_reached, "Φ(((1−β)f − βa − zσ₀)/sd)", "plan")
            yield Row("users needed", text.count(self.users_needed), "n of this power", "plan")
        if self.targets > 1:
            yield Row("lifted together, r", text.count(self.targets), "as given")
        if self.local_epsilon is not None:
            formula = "the largest that n users hide"
            yield Row("ε₀ of a report", self.local_epsilon, formula, "BBGN")
        is_own = self.noise is None
        if self.noise is None:
            yield Row("noise, Var*", self.variance, "q(1 − q)/(p − q)²", "W17 th. 2")
        else:
            formula = "standard deviation; added once"
            yield Row("noise of a count", self.noise, formula, "CGB")
        yield Row("gain factor a", self.gain_factor, "(s − q)/(p − q)", "plan")
        yield Row("quantile z", self.quantile, QUANTILE[is_own], "plan")
        yield Row("noise threshold", self.noise_threshold, THRESHOLD[is_own], "plan")
        if self.false_alarms is not None:
            formula = "1 − Pr[Bin(n, q) ≤ n(q + t(p−q))]^d"
            yield Row("alarms by noise", self.false_alarms, formula, "plan")
        yield Row("f_min, no attack", self.f_min, "zσ₀ + z_b sd(f)", "plan")
        yield Row("attack floor", self.attack_floor, "β a", "plan")
        yield Row("robust f_min", self.robust_f_min, "(βa + zσ₀ + z_b sd)/(1−β)", "plan")
        yield Row("  the simpler sum", self.floor_and_f_min, "βa + f_min", "plan")
        is_finite = math.isfinite(self.saturation_users)
        users = text.count(math.ceil(self.saturation_users)) if is_finite else text.MISSING
        yield Row("saturation n*", users, SATURATION[is_own], "plan")
        if is_own:
            yield Row("undetectable floor", self.undetectable_floor, "β e^ε / (e^ε − 1)", "plan")
        yield Row("verified floor", self.verified_floor, "β", "plan")
        yield from self._more_rows()

    def _more_rows(self) -> Iterator[Row]:
        """The shift, the published table and the check, where they were asked for."""
        if self.share_for_shift is not None:
            formula = f"β = x / a, x = {text.short(self.shift)}"
            yield Row("share for shift x", _share_shown(self.share_for_shift), formula, "plan")
        if (found := self.estimates) is not None:
            of = f"{len(found.trusted)} of {found.items}"
            yield Row("trusted items", of, "f~ > βa + zσ₀", "plan")
            if found.share_for_rank is not None:
                formula = f"β = (f_k − f)/(a − …), k = {found.rank}"
                yield Row("share for the rank", _share_shown(found.share_for_rank), formula, "plan")
        names = {"power": "simulated power", "item": "item's estimate",
                 "target": "target's estimate", "alarms": "alarms, no attack"}  # fmt: skip
        if (seen := self.check) is not None:
            for name, quantity in names.items():
                measured = text.estimate(seen[name], seen[f"{name}_standard_error"])
                yield Row(quantity, measured, f"planned {text.short(seen[f'{name}_planned'])}")

    @property
    def notes(self) -> Iterator[str]:
        if self.solved is None:
            yield f"the plan {'holds' if self.holds else 'does not hold'}"
        if self.power - self.power_lowered > 0.01:
            yield (
                "fakes whose reports leave genuine items out lower these by "
                f"β·{text.short(self.lowered, 3)}: the power against them is "
                f"{text.short(self.power_lowered, 3)}"
            )
        if self.reports > self.saturation_users:
            yield "there are more users than n*: the attack is the limit, not the noise"
        if len(self.oracles) > 1:
            found = {kind: value for kind, value in self.oracles.items() if value is not None}
            needs = [f"{k.upper()} {solved_text(self.solved, v)}" for k, v in found.items()]
            yield f"{WORDS[self.solved or 'power']} by protocol: {', '.join(needs)}"
        yield from [self.refused] * (self.refused is not None)  # type: ignore[misc]
        if (table := self.estimates) is not None:
            names = table.trusted
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            yield (
                f"trust these {len(names)} of {table.items}: {', '.join(names[:SHOWN])}{more}"
                if names else f"trust none of the {table.items} items"
            )  # fmt: skip
        if (check := self.check) is not None:
            yield from share_words([check["power"], check["alarms"]], int(check["trials"]))
        model = "one round, exchangeable reports, a server without a prior"
        if self.noise is not None:
            yield f"{model}; whatever is proved, each fake lifts one item as a user does"
        else:
            yield (
                f"{model}; any protocol has at least the undetectable floor, a verified one the "
                "last"
            )
        yield (
            "σ₀ = √(Var*/(n + m)), sd(f) = √((Var* + (1 − β) f (1 − p − q)/(p − q))/(n + m)), "
            "z_b = Φ⁻¹(power)"
        )

    def figures(self) -> Iterator[Figure]:
        from .plan_charts import budget_chart, frequency_chart
        from .sheet import curves

        yield curves(frequency_chart(self, self.request), "least f", "n")
        yield curves(budget_chart(self, self.request), "least f", "ε")


def _refused_words(rival: Rival) -> str:
    """Why a protocol has no answer, in a few words: `needs f above 0.07499`."""
    rule, named = re.split("[,:]", rival.why)[0], SHORT.get(rival.key, rival.key)
    if rule.startswith("must be "):
        return f"needs {named} {rule.removeprefix('must be ')}"
    return f"{named} {rule}"


def _share_shown(share: float) -> str:
    return text.short(share, 5) if share < 1 else "none can"


OF_ITEMS, OF_MEAN = where("task", "frequencies"), where("task", "mean")
GIVEN: Final = Heading("give four of these, of a mean three")
TASKS: Final = (("frequencies", "an item"), ("mean", "a mean"))


PlanProtocol: TypeAlias = Annotated[
    str,
    "KIND",
    Among(planned_kinds),
    Blank(BEST, "protocol.kind", pairs(planned_kinds), bare=True),
]
PlanTask: TypeAlias = Annotated[
    Literal["frequencies", "mean"], Blank(follows=task_of_draft, choices=TASKS)
]
PlanItems: TypeAlias = Annotated[
    int | None, DOMAIN, "D", SIZE, Blank(128, items_of, steps="ladder", only=OF_ITEMS)
]
PlanEpsilon: TypeAlias = Annotated[
    float | None, EPSILON, "E", GIVEN, Blank(1.0, "protocol.epsilon", optional=True)
]
PlanShare: TypeAlias = Annotated[
    float | None, SHARE, "B", GIVEN, Blank(0.01, optional=True, steps="hundredths")
]
PlanWithin: TypeAlias = Annotated[
    float | None,
    Range(0, ends="()"),
    "X",
    GIVEN,
    Blank(0.1, within_of_draft, optional=True, only=OF_MEAN),
]
PlanFrequency: TypeAlias = Annotated[
    float | None, FREQUENCY, "F", GIVEN, Blank(0.05, optional=True, only=OF_ITEMS)
]
PlanPower: TypeAlias = Annotated[
    float | None,
    POWER,
    "P",
    GIVEN,
    Blank(0.9, optional=True, steps="hundredths", only=OF_ITEMS),
]
PlanTrust: TypeAlias = Annotated[
    str, "RUNG", Among(rungs), Blank(LOCALLY, choices=pairs(rungs), only=OF_ITEMS)
]
PlanDelta: TypeAlias = Annotated[
    float, Range(0, 1, "()"), "D", Blank(1e-8, steps="decades", only=is_shuffled)
]


@question("Plan", "How many users does it take?", group="Plan", live=True, page_flag="--out")
def plan(
    *,
    protocol: PlanProtocol = BEST,
    task: PlanTask = "frequencies",
    items: PlanItems = None,
    users: Annotated[float | None, USERS, "N", GIVEN, Blank(optional=True, steps="ladder")] = None,
    epsilon: PlanEpsilon = None,
    share: PlanShare = None,
    within: PlanWithin = None,
    frequency: PlanFrequency = None,
    power: PlanPower = None,
    low: Annotated[float, Range(), "X", Blank(-1.0, "task.low", only=OF_MEAN)] = -1.0,
    high: Annotated[float, Range(), "X", Blank(1.0, "task.high", only=OF_MEAN)] = 1.0,
    targets: Annotated[Targets, "R", Blank(1, targets_of, only=OF_ITEMS)] = 1,
    alpha: Annotated[float, ALPHA, "A", Blank(0.05, steps="hundredths")] = 0.05,
    trust: PlanTrust = LOCALLY,
    delta: PlanDelta = 1e-8,
    weight: Annotated[int, Range(2, 2**20), "W"] = 3,
    noise: Literal["laplace", "gaussian"] = "laplace",
    shift: Annotated[float | None, FREQUENCY, "X"] = None,
    estimates: Annotated[str | None, "FILE"] = None,
    column: Annotated[str, "NAME"] = "frequency",
    label: Annotated[str, "NAME"] = "item",
    rank: Annotated[int | None, Range(1), "K"] = None,
    check: bool = False,
    trials: Annotated[Trials, "N"] = 1000,
    seed: Annotated[int, SEEDS, "N"] = 0,
) -> Steps[PlanAnswer | MeanPlanAnswer]:
    """Plan a collection: from four of its users, its budget ε, its share of fakes, the smallest
    frequency to find and the power to find it, compute the fifth, beside the floors that no
    number of users lifts. With all five given, the plan is judged. Of the mean of numbers
    (--task mean) it is one of users, ε, share and ± x from the other three.

    Parameters
    ----------
    protocol : a pure protocol, or one of numbers; or best
    task : what users hold: items (frequencies, the default), or numbers (mean)
    items : domain size d
    users : genuine users n
    epsilon : privacy budget ε, in nats
    share : share β of fake users
    within : how far off the mean may be: ± x
    frequency : the smallest frequency to find
    power : how surely it is found
    low : the lower end of the numbers
    high : the upper end of the numbers
    targets : items r that the fakes lift together
    alpha : how often noise alone passes the threshold
    trust : whom users trust: local, verified, shuffled, aggregated-histogram, -multihot, -sumvec,
        curator; ε is then the central one
    delta : δ of shuffled reports, and of Gaussian noise
    weight : items that a multihot proof admits
    noise : what aggregators add
    shift : a shift that fakes want: the share that reaches it
    estimates : a CSV of published estimates
    column : its column of frequencies, or of counts
    label : its column of items
    rank : with --estimates: the fakes who lift a new item to rank K
    check : simulate the plan, and print measured beside planned
    trials : of the check
    seed : of the check

    Examples
    --------
    ldptui plan --protocol oue --users 1e6 --epsilon 1 --items 128 --share 0.01 --power 0.9
    """
    given = dict(locals())
    task = given.pop("task")
    request = PlanRequest(**given)
    if task == "mean":
        from .mean_planning import make_mean_plan

        yield "planning for a mean"
        return MeanPlanAnswer(**vars(make_mean_plan(request)))
    from .planning import add_checks, make_plan

    yield f"planning for {text.count(request.size)} items"
    return PlanAnswer(**vars(add_checks(make_plan(request), request)))
