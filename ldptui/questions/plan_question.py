"""one of users, ε, fakes, frequency, power from the others"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Annotated, Any, Final, Literal, TypeAlias

from ldptui.core.base.ranges import (
    ALPHA,
    DOMAIN,
    EPSILON,
    FREQUENCY,
    POWER,
    SHARE,
    USERS,
    Range,
)

from ..text import format as text
from .choices import where
from .draft_values import (
    is_shuffled,
    list_trust_models,
    planned_kinds,
    task_of_draft,
    within_of_draft,
)
from .options import AllowedWords, Blank
from .options import HelpGroup as Heading
from .parameters import (
    BEST,
    SEEDS,
    SIZE,
    Targets,
    Trials,
    items_of,
    pairs,
    targets_of,
)
from .plan_answer import LOCALLY, MeanPlanAnswer, PlanAnswer
from .question import BUDGETS, Curves, Steps, question

# Charts.


def _user_counts(given: Mapping[str, Any]) -> Sequence[float]:
    """Numbers of users from a hundredth to a hundred times the plan's; of shuffled ones few."""
    users: float = given["answer"].users
    low, high = max(USERS.low, min(users, 1e5) / 1e2), min(USERS.high, users * 1e2)
    steps = 6 if given.get("trust") == "shuffled" else 32
    return [round(low * (high / low) ** (step / steps)) for step in range(steps + 1)]


def _budgets(given: Mapping[str, Any]) -> Sequence[float]:
    """The values of ε of a chart; none if the reports needed depend on their number."""
    return BUDGETS if given.get("trust", LOCALLY) in (LOCALLY, "verified") else ()


def _over_users(title: str, solved: str, lines: Mapping[str, Any]) -> Curves:
    """The chart of the solved quantity over the users, with and without the attack."""
    lines = {**lines, "attack floor": ("attack_floor", "theory")}
    held = {name: name for name in ("share", "power", "epsilon", "protocol")}
    return Curves(
        title, "users", _user_counts, lines, "genuine users n", solved, (solved, "check"),
        held, is_log_y=True, marked="the plan",
    )  # fmt: skip


CHARTS: Final = (
    _over_users(
        "Smallest frequency that is found",
        "frequency",
        {"without an attack": ("f_min", "clean"), "robust": ("robust_f_min", "attacked")},
    ),
    _over_users(
        "Error of the mean, at most",
        "within",
        {"noise alone": ("noise", "clean"), "with the fakes": ("reached", "attacked")},
    ),
    Curves(
        "The same over ε",
        "epsilon",
        _budgets,
        {"": ("protocols.*", "theory")},
        "privacy budget ε",
        "solved for",
        ("frequency", "within", "check", "protocol"),
        {name: name for name in ("share", "power", "users")},
        is_log_y=True,
    ),
)

OF_ITEMS, OF_MEAN = where("task", "frequencies"), where("task", "mean")
GIVEN: Final = Heading("leave one of these out, which is computed")
TASKS: Final = (("frequencies", "an item"), ("mean", "a mean"))


PlanProtocol: TypeAlias = Annotated[
    str,
    "KIND",
    AllowedWords(planned_kinds),
    Blank(BEST, "protocol.kind", pairs(planned_kinds), bare=True),
]
PlanTask: TypeAlias = Annotated[
    Literal["frequencies", "mean"], Blank(follows=task_of_draft, choices=TASKS)
]
PlanItems: TypeAlias = Annotated[
    int | None, DOMAIN, "D", SIZE, Blank(128, items_of, steps="1-2-5", only=OF_ITEMS)
]
PlanEpsilon: TypeAlias = Annotated[
    float | None, EPSILON, "E", GIVEN, Blank(1.0, "protocol.epsilon")
]
PlanShare: TypeAlias = Annotated[float | None, SHARE, "B", GIVEN, Blank(0.01, steps="hundredths")]
PlanWithin: TypeAlias = Annotated[
    float | None,
    Range(0, ends="()"),
    "X",
    GIVEN,
    Blank(0.1, within_of_draft, only=OF_MEAN),
]
PlanFrequency: TypeAlias = Annotated[
    float | None, FREQUENCY, "F", GIVEN, Blank(0.05, only=OF_ITEMS)
]
PlanPower: TypeAlias = Annotated[
    float | None,
    POWER,
    "P",
    GIVEN,
    Blank(0.9, steps="hundredths", only=OF_ITEMS),
]
PlanTrust: TypeAlias = Annotated[
    str,
    "TRUST",
    AllowedWords(list_trust_models),
    Blank(LOCALLY, choices=pairs(list_trust_models), only=OF_ITEMS),
]
PlanDelta: TypeAlias = Annotated[
    float, Range(0, 1, "()"), "D", Blank(1e-8, steps="decades", only=is_shuffled)
]


@question(
    "Plan",
    "How many users does it take?",
    group="Plan",
    live=True,
    curves=CHARTS,
    page_flag="--out",
)
def plan(
    *,
    protocol: PlanProtocol = BEST,
    task: PlanTask = "frequencies",
    items: PlanItems = None,
    users: Annotated[float | None, USERS, "N", GIVEN, Blank(steps="1-2-5")] = None,
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
    share : share β of fake users (0.01 beside another one that is left out)
    within : how far off the mean may be: ± x
    frequency : the smallest frequency to find
    power : how surely it is found (0.9 beside another one that is left out)
    low : the lower end of the numbers
    high : the upper end of the numbers
    targets : items r that the fakes lift together
    alpha : how often noise alone passes the threshold
    trust : whom users trust: local, verified, shuffled, aggregated-histogram, -multihot, -sumvec,
        curator; ε is then the central one
    delta : δ of shuffled reports, and of Gaussian noise
    weight : items that a multihot proof admits
    noise : what aggregators add
    check : simulate the plan, and print measured beside planned
    trials : trials of the check
    seed : the seed of the check

    Examples
    --------
    ldptui plan --users 1e6 --epsilon 1 --items 128
    ldptui plan --protocol oue --users 1e6 --items 128 --share 0.01 --frequency 0.05 --power 0.9
    """
    options = SimpleNamespace(**locals())
    from .planning import ItemPlanner, MeanPlanner, make_plan

    if task == "mean":
        yield "planning for a mean"
        return MeanPlanAnswer(**make_plan(MeanPlanner(options)))
    planner = ItemPlanner(options)
    yield f"planning for {text.count(planner.options.items)} items"
    return PlanAnswer(**make_plan(planner))
