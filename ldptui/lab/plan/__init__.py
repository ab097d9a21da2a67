"""Plan: users, ε, share of fakes, frequency and power, one from the others, with all floors."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.files import write_atomically
from ldptui.core.base.ranges import Range
from ldptui.core.bounds import planner
from ldptui.core.bounds.planner import Oracle
from ldptui.core.bounds.rehearsal import rehearsed
from ldptui.core.law.pure import gain_factor

from ...terminal import exits
from ...text import format as text
from ..asking import Ask, Steps, answer_of, named_columns
from ..figure import curves
from ..mechanisms import LOCAL, bound
from ..output import laid_out, show
from ..questions.shared import BEST
from .chart import budget_chart, frequency_chart, plan_of
from .table import page, report

SOLVED: Final = ("users", "epsilon", "share", "frequency", "power")
"""The quantities that hang together: one of them is left out."""


def run(options: Namespace) -> int:
    """Print the plan, and write its page."""
    values = planned(options)
    if options.estimates is not None:
        values["estimates"] = _estimates(options, values)
    elif options.rank is not None:
        raise ScenarioError("needs --estimates, which rank the items", key="rank")
    if options.check:
        protocol = bound(values["protocol"], options.items, values["epsilon"])
        rng = np.random.default_rng(options.seed)
        values["check"] = rehearsed(protocol, plan_of(values), options.trials, rng, options.targets)
    table = report(values)
    if options.out:
        write_atomically(Path(options.out), page(values))
        values["out"] = options.out
        table = table._replace(notes=[*table.notes, f"wrote {options.out}"])
    show(options, values, laid_out(*table))
    return exits.DONE


def planned(options: Namespace) -> dict[str, Any]:
    """The plan: the quantity that is left out, and every line that follows; raises ScenarioError.

    oracles : of "best", the answer of each protocol, None where it has none.
    """
    missing = [name for name in SOLVED if getattr(options, name) is None]
    if len(missing) > 1:
        rule = f"is required: leave out only one of {', '.join(SOLVED)}"
        raise ScenarioError(rule, key=missing[-1])
    if options.targets >= options.items:
        rule = f"must be {Range(1, options.items - 1)}, below the number of items"
        raise ScenarioError(f"{rule}, {got(options.targets)}", key="targets")
    # Where all are given, the power is what is judged.
    solved = missing[0] if missing else "power"
    kinds = LOCAL if options.protocol == BEST else (options.protocol,)
    if kinds[0] not in LOCAL:
        rule = f"must be {BEST} or one of {', '.join(LOCAL)}, {got(options.protocol)}"
        raise ScenarioError(rule, key="protocol")
    answers: dict[str, float | None] = {}
    refusals: dict[str, ScenarioError] = {}
    for kind in kinds:
        try:
            answers[kind] = _solve(kind, solved, options)
        except ScenarioError as error:
            answers[kind] = None
            refusals[kind] = error
    known = {kind: answer for kind, answer in answers.items() if answer is not None}
    if not known:
        epsilon = options.epsilon or 1.0
        # The reason of the one that fakes lift least.
        raise refusals[min(kinds, key=lambda name: _gain_factor(name, options.items, epsilon))]
    most = solved in ("share", "power")
    kind = (max if most else min)(known, key=lambda name: known[name])
    quantities = {name: getattr(options, name) for name in SOLVED}
    if missing:
        quantities[solved] = known[kind]
    lines = _lines(kind, missing[0] if missing else None, options, quantities)
    return lines | {"oracles": answers} | ({} if missing else _judged(lines, known[kind], options))


def _gain_factor(kind: str, items: int, epsilon: float) -> float:
    return float(gain_factor(bound(kind, items, epsilon)))


def _judged(lines: dict[str, Any], power: float, options: Namespace) -> dict[str, Any]:
    """The result of a plan of which all is given."""
    oracle = Oracle.of(bound(lines["protocol"], options.items, options.epsilon), options.targets)
    needed = planner.users_needed(oracle, plan_of(lines))
    return {
        "power_reached": power,
        "holds": power >= options.power * (1 - 1e-12),
        "users_needed": math.ceil(needed * (1 - 1e-12)),
    }


def _solve(kind: str, solved: str, options: Namespace) -> float:
    """The quantity that is left out, for one protocol; raises ScenarioError."""
    # Any value in the range stands for what is solved for.
    standing = {"users": 1, "share": 0.0, "frequency": 1.0, "power": 0.5}
    stated = {
        name: anything if name == solved else getattr(options, name)
        for name, anything in standing.items()
    }
    plan = planner.Plan(options.items, alpha=options.alpha, **stated)
    if solved == "epsilon":
        return planner.least_epsilon(
            lambda e: Oracle.of(bound(kind, options.items, e), options.targets), plan
        )
    oracle = Oracle.of(bound(kind, options.items, options.epsilon), options.targets)
    if solved == "frequency":
        least = planner.least_frequency(oracle, plan)
        if least > 1:
            floor = planner.attack_floor(oracle, plan)
            rule = f"is too few: only a frequency of {least:.4g} would be found, and 1 is everybody"
            if floor >= 1 - plan.share:
                raise planner.floor_above_all(floor, plan)
            raise ScenarioError(f"{rule}, {got(plan.users)}", key="users")
        return least
    if solved == "users":
        return math.ceil(planner.users_needed(oracle, plan) * (1 - 1e-12))
    if solved == "share":
        return planner.largest_share(oracle, plan)
    return planner.largest_power(oracle, plan)


def _lines(
    kind: str, solved: str | None, options: Namespace, quantities: dict[str, Any]
) -> dict[str, Any]:
    """Every line of the plan of one protocol."""
    oracle = Oracle.of(bound(kind, options.items, quantities["epsilon"]), options.targets)
    values = {
        "protocol": kind,
        "solved": solved,
        "items": options.items,
        "targets": options.targets,
        "alpha": options.alpha,
        **quantities,
    }
    plan = plan_of(values)
    f_min = planner.least_frequency(oracle, planner.unattacked(plan))
    floor = planner.attack_floor(oracle, plan)
    lifted = None if options.shift is None else planner.fakes_for_shift(oracle, 0.0, options.shift)
    return values | {
        "variance": oracle.variance,
        "gain_factor": oracle.gain_factor,
        "lowered": oracle.lowered,
        "reports": plan.reports,
        "quantile": plan.quantile,
        "noise_threshold": planner.noise_threshold(oracle, plan),
        "f_min": f_min,
        "attack_floor": floor,
        "robust_f_min": planner.least_frequency(oracle, plan),
        "floor_and_f_min": floor + f_min,
        "saturation_users": planner.saturation_users(oracle, plan),
        "undetectable_floor": planner.undetectable_floor(oracle, plan),
        "verified_floor": planner.verified_floor(plan),
        "power_lowered": planner.found_power(oracle, plan, lowered=True),
        "shift": options.shift,
        "share_for_shift": lifted,
    }


# A table of estimates.


def _estimates(options: Namespace, values: dict[str, Any]) -> dict[str, Any]:
    """The items of a published table whose estimates no fake item reaches."""
    path = Path(options.estimates)
    (items,) = named_columns(path, [options.label], "label")
    (numbers,) = named_columns(path, [options.column], "column")
    if len(items.values) != items.codes.size:
        raise ScenarioError(f"must name each item once in {options.label!r}", key="label")
    held = numbers.numbers()
    counted = bool(np.abs(held).sum() > 2)
    frequencies = held / values["reports"] if counted else held
    oracle = Oracle.of(bound(values["protocol"], options.items, values["epsilon"]), options.targets)
    above = planner.trusted(frequencies, oracle, plan_of(values))
    names = np.array(items.values)[items.codes]
    order = np.argsort(-frequencies, kind="stable")
    table: dict[str, Any] = {
        "file": options.estimates,
        "items": int(held.size),
        "counts": counted,
        "trusted": [str(names[at]) for at in order if above[at]],
        "rank": options.rank,
        "share_for_rank": None,
    }
    if options.rank is not None:
        if options.rank > held.size:
            rule = f"must be in [1, {held.size}], the items of the table, {got(options.rank)}"
            raise ScenarioError(rule, key="rank")
        rival = float(frequencies[order[options.rank - 1]])
        table["share_for_rank"] = planner.fakes_for_rank(oracle, 0.0, rival)
    return table


# The tab.


def work(ask: Ask) -> Steps:
    options = ask.given
    yield f"planning for {text.count(options.items)} items"
    values = planned(options)
    words = [_verdict(values)]
    if ask.path:
        write_atomically(Path(ask.path), page(values))
        words.insert(0, f"Wrote {ask.path}.")
    figures = (
        curves(frequency_chart(values), "least f", "n"),
        curves(budget_chart(values), "least f", "ε"),
    )
    return answer_of(report(values), *figures, words=words)


VERDICTS: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "users": lambda v: f"It takes {text.count(math.ceil(v['users']))} genuine users",
    "epsilon": lambda v: f"It takes ε = {text.short(v['epsilon'], 4)}",
    "share": lambda v: f"At most {text.percent(v['share'])} of all users may be fake",
    "frequency": lambda v: f"The smallest frequency is {text.short(v['frequency'], 4)}",
    "power": lambda v: f"The power is {text.short(v['power'], 4)}",
}


def _verdict(values: dict[str, Any]) -> str:
    """The answer in a sentence."""
    if values["solved"] is None:
        does = "holds" if values["holds"] else "does not hold"
        needed = text.count(values["users_needed"])
        reached = text.short(values["power_reached"], 4)
        return f"The plan {does}: its power is {reached}; {needed} users are enough."
    answer = VERDICTS[values["solved"]](values)
    aim = f"for {values['protocol'].upper()} to find an item of frequency " + text.short(
        values["frequency"], 3
    )
    if values["solved"] == "frequency":
        aim = f"that {values['protocol'].upper()} finds"
    spite = f" in spite of {text.percent(values['share'])} fakes" if values["share"] else ""
    sure = f", with probability {text.short(values['power'], 3)}"
    return f"{answer} {aim}{spite}{sure}."
