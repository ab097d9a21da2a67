"""Design: the protocol that bears a stated attack best, of all that a dial makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.bounds.rehearsal import tried
from ldptui.core.lab.designer import Demand, Design, Rated, Weights, designed, rated
from ldptui.core.protocols import DIALS

from ...text import format as text
from ..asking import Ask, Steps, answer_of
from ..guess import prior_of
from ..mechanisms import LOCAL
from ..questions.design import Options
from ..questions.shared import BEST
from .chart import hardening_figure, pareto_figure
from .table import cost_of, facts, named, notes, rows, title

OFFER: Final = "enter, where no text is typed, puts it into the scenario."


def answer(options: Options, ask: Ask) -> Steps:
    """The design, beside a protocol: that of the workbench with its own parameters."""
    yield f"designing for {text.count(options.items)} items"
    present = None if ask.document is None else ask.document.get("protocol")
    demand, design, beside = _designed(options, present, ask)
    found, check = facts(design.found, design), None
    if options.check:
        rng = np.random.default_rng(options.seed)
        check = tried(design.found.protocol, round(demand.users), demand.share, demand.targets,
                      found, options.trials, rng)  # fmt: skip
    return answer_of(
        title(demand),
        rows(demand, design, beside, check),
        values={
            **vars(demand),
            "weights": options.weights,
            "prior": options.prior,
            "found": found,
            "beside": facts(beside, design),
            "kinds": {str(each.table["kind"]): facts(each, design) for each in design.best},
            "check": check,
        },
        verdict=(_verdict(design, beside), OFFER),
        notes=notes(demand, options.weights, check),
        figures=(figure(demand, design, beside) for figure in (hardening_figure, pareto_figure)),
        edits=[(f"protocol.{key}", value) for key, value in design.found.table.items()],
    )


def _designed(
    options: Options, present: Mapping[str, Any] | None, ask: Ask
) -> tuple[Demand, Design, Rated]:
    """The demand, its design, and the protocol beside it; raises ScenarioError.

    present : the `[protocol]` table of a scenario; it is the one beside if it has that kind.
    """
    demand = Demand(
        options.items, options.epsilon, options.users, options.share, options.targets
    )  # fmt: skip
    weights = None if options.weights is None else Weights(*options.weights)
    kinds = tuple(DIALS) if options.among == BEST else (options.among,)
    if kinds[0] not in DIALS:
        rule = f"must be {BEST} or one of {', '.join(DIALS)}, {got(options.among)}"
        raise ScenarioError(rule, key="among")
    if options.beside not in LOCAL:
        rule = f"must be one of {', '.join(LOCAL)}, {got(options.beside)}"
        raise ScenarioError(rule, key="beside")
    table: Mapping[str, Any] = {"kind": options.beside, "epsilon": options.epsilon}
    if present is not None and present.get("kind") == options.beside:
        table = {**present, "epsilon": options.epsilon}
    if options.prior and weights is None:
        rule = "goes with weights: without them nobody's guess counts"
        raise ScenarioError(f"{rule}, {got(options.prior)}", key="prior")
    known = prior_of(options, options.items, ask) if options.prior else ()
    return demand, designed(demand, weights, kinds, known), rated(table, demand, known)


def _verdict(design: Design, beside: Rated) -> str:
    """The answer in a sentence."""
    found, cost = design.found, cost_of(beside, design)
    what = "worst-case error" if design.weights is None else "weighted sum"
    if named(beside) == named(found):
        return f"{named(found)} itself has the least {what}."
    first = f"{named(found)} has the least {what}: "
    if cost is None:
        return f"{first}the success of an attacker of {named(beside)} has no formula."
    worse = cost / design.cost(found) - 1
    if worse < 5e-4:
        return f"{first}{named(beside)} is as good."
    return f"{first}that of {named(beside)} is {text.percent(worse)} larger."
