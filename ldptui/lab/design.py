"""Design: the protocol that bears a stated attack best, of all that a dial makes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, check_among, got
from ldptui.core.bounds import hardening
from ldptui.core.bounds.hardening import least_gain_factor
from ldptui.core.bounds.rehearsal import tried
from ldptui.core.lab.designer import Demand, Design, Rated, Weights, designed, rated
from ldptui.core.protocols import DIALS, KINDS

from ..catalogue import key_words
from ..charts.series import TONES, Axis, Plot, Series, Tone
from ..text import format as text
from ..text.interval import mean_words
from .answer import Figure, figure
from .asking import Ask, Row, Steps, answer_of, row
from .mechanisms import DRAWN, LOCAL
from .priors import read_prior
from .questions.planning import DesignOptions
from .questions.shared import BEST

NAMES: Final = ("squared error", "gain", "attacker's success", "bits")
"""The things that are weighed, in order."""


def named(each: Rated) -> str:
    """A protocol by its kind and its dial: UE p = 0.96."""
    kind = str(each.table["kind"])
    key = DIALS[kind].name if kind in DIALS else ""
    value = each.table.get(key)
    if not isinstance(value, int | float):
        return kind.upper()
    return f"{kind.upper()} {key_words(f'protocol.{key}').short} = {text.short(value, 6)}"


def facts(each: Rated, design: Design) -> dict[str, Any]:
    """The ratings of a protocol as JSON has them."""
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


def cost_of(each: Rated, design: Design) -> float | None:
    """What is minimised, of a protocol; None where it weighs a success without a formula."""
    weighed = design.weights is not None and design.weights.guessed
    return None if weighed and each.guessed is None else design.cost(each)


def title(demand: Demand) -> str:
    """What is designed for."""
    fakes = f"β = {text.chosen(demand.share)}, r = {demand.targets}"
    return (
        f"A design: d = {text.count(demand.items)}, ε = {text.short(demand.epsilon)}, "
        f"n = {text.count(round(demand.users))}, {fakes}"
    )


def rows(
    demand: Demand, design: Design, beside: Rated, check: Mapping[str, float] | None
) -> list[Row]:
    """The design, the best of each kind and the protocol beside, and what a check measured."""
    return [*_rows(demand, design), *_others(design, beside), *_check_rows(check)]


def _rows(demand: Demand, design: Design) -> Iterator[Row]:
    best = design.found
    yield "protocol", named(best), "of all dials", ""
    yield row("p", best.protocol.p, "of the own item", "W17")
    yield row("q", best.protocol.q, "of any other one", "W17")
    yield row("gain factor a", best.gain_factor, "(1 − q)/(p − q)", "design")
    yield row("noise, Var*", best.variance, "q(1 − q)/(p − q)²", "W17 th. 2")
    yield row("error, no attack", math.sqrt(best.mse), "√(Var*/n)", "W17 th. 2")
    yield row(f"gain of {_items(demand)}", best.gain, "r β (s − q)/(p − q)", "design")
    yield row("worst-case error", best.worst, "√(β²a² + (1−β)²Var*/n)", "design")
    if best.guessed is not None:
        yield row("attacker's success", best.guessed, "one guess a report", "design")
    yield row("bits of a report", best.bits, "log₂ of all reports", "")


def _items(demand: Demand) -> str:
    return "1 target" if demand.targets == 1 else f"{demand.targets} targets"


def _others(design: Design, beside: Rated) -> Iterator[Row]:
    """The minimised value, of the best of each kind and of the protocol beside."""
    for each in (*design.best, beside):
        cost = cost_of(each, design)
        noise, gain = text.short(math.sqrt(each.mse), 3), text.short(each.gain, 3)
        shown = text.MISSING if cost is None else text.short(cost, 5)
        yield named(each), shown, f"√MSE {noise}, G {gain}", "design"


def _check_rows(check: Mapping[str, float] | None) -> Iterator[Row]:
    if check is None:
        return
    names = {"noise": "simulated, no attack", "gain": "simulated gain", "worst": "simulated worst"}
    for name, words in names.items():
        measured = text.estimate(check[name], check[f"{name}_standard_error"])
        yield words, measured, f"planned {text.short(check[f'{name}_planned'])}", ""


def notes(
    demand: Demand, weights: Sequence[float] | None, check: Mapping[str, float] | None
) -> list[str]:
    """What has to be said about the numbers."""
    notes = []
    if weights is None:
        notes.append("minimised: the error of one item of nobody that all fakes aim at")
    else:
        parts = " + ".join(
            f"{text.short(weight)} × {name}"
            for weight, name in zip(weights, NAMES, strict=True)
            if weight
        )
        notes.append(f"minimised: {parts}, each beside the least there is")
    if demand.targets > 1:
        notes.append("the gain of local hashing is that of the best of 1000 seeds for each fake")
    if check is not None:
        notes.append(mean_words([int(check["trials"])]))
    least = text.short(least_gain_factor(demand.epsilon), 4)
    notes.append(f"no pure protocol of this ε has a gain factor below {least}")
    notes.append("a dense report makes honest items go together: filters of itemsets see less")
    return notes


POINTS = 65
"""Points of the curve."""


def hardening_figure(demand: Demand, design: Design, beside: Rated) -> Figure:
    """The noise over the gain factor: the curve, named protocols, the ones found and beside.

    Its cursor goes through the protocols: each beside the noise of a UE or LH with its a.
    """
    marks = [*_named(demand)]
    least = hardening.least_gain_factor(demand.epsilon)
    most = max(each.gain_factor for each in (*design.best, *marks, beside))
    # From where the noise is ten times the least to the last mark.
    factors = least * (1 + np.geomspace(2e-3, max(2.0, most / least - 1), POINTS))
    noise = np.sqrt(hardening.curve_variance(factors, demand.epsilon) / demand.users)
    series = [Series("every UE and LH", factors, noise, "theory")]
    for each, tone in zip(marks, TONES, strict=False):
        name = str(each.table["kind"]).upper()
        series.append(_points(name, each.gain_factor, math.sqrt(each.mse), tone))
    series += [
        _points(f"now: {_kind(beside)}", beside.gain_factor, math.sqrt(beside.mse), "attacked"),
        _points(f"found: {_kind(design.found)}", design.found.gain_factor,
                math.sqrt(design.found.mse), "target"),
    ]  # fmt: skip
    plot = Plot(
        "Noise over what one fake can lift",
        Axis("gain factor a", log=True),
        Axis("error without an attack", log=True),
        tuple(series),
        note=f"ε = {text.short(demand.epsilon, 3)}: every protocol has a ≥ {text.short(least, 4)}",
    )
    rows = [
        (named(each), each.gain_factor, math.sqrt(each.mse), _on_curve(each, demand), each.bits)
        for each in _distinct([*marks, beside, design.found])
    ]
    return figure(plot, ("protocol", "a", "error", "UE, LH of this a", "bits"), rows)


def _on_curve(each: Rated, demand: Demand) -> float | None:
    """The noise of a UE or LH with this gain factor; None where there is none."""
    if each.gain_factor <= hardening.least_gain_factor(demand.epsilon) * (1 + 1e-9):
        return None
    return math.sqrt(hardening.curve_variance(each.gain_factor, demand.epsilon) / demand.users)


def _distinct(protocols: Iterable[Rated]) -> list[Rated]:
    """The protocols by rising gain factor, each name once."""
    by_name = {named(each): each for each in protocols}
    return sorted(by_name.values(), key=lambda each: each.gain_factor)


def _kind(each: Rated) -> str:
    return str(each.table["kind"]).upper()


def _points(label: str, x: float, y: float, tone: Tone) -> Series:
    return Series(label, (x,), (y,), tone, "points")


def _named(demand: Demand) -> Iterable[Rated]:
    """Protocols by name: those of a chart, and those that a dial makes as well."""
    dialled = {KINDS[kind].mechanism for kind in DIALS}
    for kind in LOCAL:
        if kind in DIALS or not (kind in DRAWN or KINDS[kind].mechanism in dialled):
            continue
        try:
            yield rated({"kind": kind, "epsilon": demand.epsilon}, demand)
        except ScenarioError:
            continue  # of some ε there is none


def pareto_figure(demand: Demand, design: Design, beside: Rated) -> Figure:
    """The joint gain over the noise: what each dial makes, and what no other beats in both.

    Its cursor goes through those that no other beats, the one beside and the one found.
    """
    every = [each for rows in design.rated.values() for each in rows]
    most = 20 * min(each.mse for each in every)
    series = []
    for (kind, rows), tone in zip(design.rated.items(), TONES, strict=False):
        shown = [each for each in rows if each.mse <= most]
        series.append(Series(kind.upper(), *_places(shown), tone, "dotted"))
    front = _front([each for each in (*every, *design.best) if each.mse <= most])
    series.append(Series("beaten by none", *_places(front), "theory"))
    series += [
        Series(f"now: {_kind(beside)}", *_places([beside]), "attacked", "points"),
        Series(f"found: {_kind(design.found)}", *_places([design.found]), "target", "points"),
    ]
    gain = f"gain of r = {demand.targets}"
    plot = Plot(
        "Gain of the attack over noise",
        Axis("error without an attack", log=True),
        Axis(gain, log=bool(demand.share)),
        tuple(series),
        note="each point is a protocol that runs: enter puts the one found into the scenario",
    )
    read = sorted(_distinct([*front, beside, design.found]), key=lambda each: each.mse)
    numbers = [(named(each), math.sqrt(each.mse), each.gain, each.gain_factor, each.bits)
            for each in read]  # fmt: skip
    return figure(plot, ("protocol", "error", gain, "a", "bits"), numbers)


def _places(rows: Sequence[Rated]) -> tuple[list[float], list[float]]:
    return [math.sqrt(each.mse) for each in rows], [each.gain for each in rows]


def _front(rows: Sequence[Rated]) -> list[Rated]:
    """The designs that no other beats in noise and in gain, by rising noise."""
    front: list[Rated] = []
    for each in sorted(rows, key=lambda one: (one.mse, one.gain)):
        if not front or each.gain < front[-1].gain:
            front.append(each)
    return front


OFFER: Final = "enter, where no text is typed, puts it into the scenario."


def answer(options: DesignOptions, ask: Ask) -> Steps:
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
    options: DesignOptions, present: Mapping[str, Any] | None, ask: Ask
) -> tuple[Demand, Design, Rated]:
    """The demand, its design, and the protocol beside it; raises ScenarioError.

    present : the `[protocol]` table of a scenario; it is the one beside if it has that kind.
    """
    demand = Demand(
        options.items, options.epsilon, options.users, options.share, options.targets
    )  # fmt: skip
    weights = None if options.weights is None else Weights(*options.weights)
    kinds = tuple(DIALS) if options.among == BEST else (options.among,)
    check_among(options.among, DIALS, "among", BEST)
    check_among(options.beside, LOCAL, "beside")
    table: Mapping[str, Any] = {"kind": options.beside, "epsilon": options.epsilon}
    if present is not None and present.get("kind") == options.beside:
        table = {**present, "epsilon": options.epsilon}
    if options.prior and weights is None:
        rule = "goes with weights: without them nobody's guess counts"
        raise ScenarioError(f"{rule}, {got(options.prior)}", key="prior")
    path = str(ask.file(options.prior, "prior")) if options.prior else ""
    known = read_prior(path, options.column, options.given, options.items) if path else ()
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
