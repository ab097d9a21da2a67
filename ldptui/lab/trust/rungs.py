"""The ladder: a row for each way to collect, at one central budget and under one attack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import Range
from ldptui.core.lab.ladder import Rung, RungName, Setting, collection, ladder
from ldptui.core.protocols import family_of

from ...catalogue import protocol_keys
from ...charts.figures import Table
from ...charts.series import TONES, Axis, Bar, Bars, Plot, Series
from ...explain.papers import cited
from ...text import format as text
from ..answer import Answer, Figure, figure, listed
from ..asking import Steps, needed
from ..mechanisms import DRAWN, LOCAL, has
from ..questions.planning import TrustOptions


@dataclass(frozen=True)
class Words:
    """A rung in words: its name, whom its users trust, and what a fake can make the server count.

    briefly : the last two where there is little room.
    """

    name: str
    trusts: str
    sends: str
    briefly: tuple[str, str]


WORDS: Final[dict[RungName, Words]] = {
    "local": Words("local", "nobody", "anything that looks like a report", ("nobody", "any")),
    "hidden": Words("hidden", "nobody", "reports that no filter can see", ("nobody", "unseen")),
    "verified": Words("verified", "a proof", "a report drawn from one item", ("a proof", "1 item")),
    "shuffled": Words(
        "shuffled", "a shuffler", "anything that looks like a report", ("shuffler", "any")
    ),
    "aggregated-sumvec": Words(
        "sumvec", "one of {k} servers", "any set of items", ("servers", "any set")
    ),
    "aggregated-multihot": Words(
        "multihot ≤ {w}", "one of {k} servers", "up to {w} items", ("servers", "≤ {w}")
    ),
    "aggregated-histogram": Words(
        "histogram", "one of {k} servers", "one item", ("servers", "1 item")
    ),
    "curator": Words("curator", "the curator", "one item", ("curator", "1 item")),
}

HEADS: Final = (
    "rung", "protocol", "trusts", "a fake sends", "ε", "sd", "gain, r = 1", "gain, r = {r}",
    "top {k}", "overturns",
)  # fmt: skip
BRIEF: Final = ("rung", "trusts", "a fake", "ε", "sd", "gain", "gap")
"""The columns of the tab, whose cursor reads the others."""


@dataclass(frozen=True)
class Ladder:
    """The rungs, as JSON has them."""

    rungs: Sequence[Rung]


def answer(options: TrustOptions, brief: bool) -> Steps:
    """The ladder at the options' central budget; raises ScenarioError.

    brief : whether a tab shows it.
    """
    setting = _setting(options)
    yield f"climbing {len(WORDS)} rungs"
    rungs = tuple(ladder(setting, _kinds(options)))
    return Answer(
        _table(rungs, setting, brief),
        verdict=tuple(_verdict(rungs, setting)),
        notes=tuple(_notes(setting)),
        figures=(_figure(rungs, setting) for _figure in (_bars, _plot)),
        sources=cited(("BBGN", "CGB", "CJG", "trust")),
        choices=tuple(_choices(rungs, setting, options)),
        values=Ladder(rungs),
    )


def _setting(options: TrustOptions) -> Setting:
    central, users = needed("central", options.central), needed("users", options.users)
    if users % 1:
        raise ScenarioError(f"must be a whole number, {got(users)}", key="users")
    top = min(10, options.items - 1) if options.top is None else options.top
    for name, value in (("targets", options.targets), ("top", top)):
        if value >= options.items:
            rule = f"must be {Range(1, options.items - 1)}, below the number of items"
            raise ScenarioError(f"{rule}, {got(value)}", key=name)
    if options.share <= 0:
        raise ScenarioError(f"must be above 0: somebody attacks, {got(options.share)}", key="share")
    weights = np.arange(1, options.items + 1, dtype=np.float64) ** -options.exponent
    return Setting(
        central, options.delta, int(users), options.items, options.share, options.targets,
        weights / weights.sum(), options.gap, top, options.weight, options.aggregators,
    )  # fmt: skip


def _kinds(options: TrustOptions) -> Sequence[str]:
    """The protocols of the families that charts show, that a budget alone binds; and more."""
    for kind in options.among:
        if kind not in LOCAL:
            rule = f"must be among {', '.join(LOCAL)}"
            raise ScenarioError(f"{rule}, {got(kind)}", key="among")
    families = {family_of(kind) for kind in DRAWN}
    bare = [kind for kind in LOCAL if family_of(kind) in families and not _own_keys(kind)]
    return tuple(dict.fromkeys([*bare, *(k for k in DRAWN), *options.among]))


def _own_keys(kind: str) -> bool:
    return any(has(kind, name) for name in protocol_keys(("kind", "epsilon")))


def _name(rung: Rung) -> str:
    """A rung in a word or two: "shuffled GRR", "servers sumvec"."""
    if rung.rung == "curator":
        return rung.rung
    if rung.rung.startswith("aggregated"):
        return f"servers {rung.protocol}"
    return f"{rung.rung} {rung.protocol.upper()}"


def _table(rungs: Sequence[Rung], setting: Setting, brief: bool) -> Table:
    """A row for each rung; brief : as a tab has room for."""
    rows: list[tuple[str, ...]] = []
    for rung in rungs:
        words = WORDS[rung.rung]
        trusts, sends = words.briefly if brief else (words.trusts, words.sends)
        budget, noise = text.short(rung.epsilon, 4), text.short(rung.sd, 3)
        gain, gap = text.short(rung.gain, 3), text.percent(rung.overturning_share)
        trusts, sends = _filled(trusts, setting), _filled(sends, setting)
        if brief:
            rows.append((_name(rung), trusts, sends, budget, noise, gain, gap))
            continue
        top = text.MISSING if rung.top_share is None else text.percent(rung.top_share)
        rows.append(
            (
                _filled(words.name, setting), rung.protocol, trusts, sends, budget, noise,
                text.short(rung.gain_one, 3), gain, top, gap,
            )
        )  # fmt: skip
    title = (
        f"The ladder of trust: central ε = {text.short(setting.epsilon)}, "
        f"δ = {text.short(setting.delta)}, {text.count(setting.users)} users, "
        f"{text.count(setting.items)} items, {text.percent(setting.share)} fakes"
    )
    heads = [head.format(r=setting.targets, k=setting.top) for head in (BRIEF if brief else HEADS)]
    return listed("The ladder of trust" if brief else title, heads, rows)


def _filled(words: str, setting: Setting) -> str:
    return words.format(w=setting.weight, k=setting.aggregators)


def _verdict(rungs: Sequence[Rung], setting: Setting) -> Iterator[str]:
    local = [rung for rung in rungs if rung.rung == "local"]
    shuffled = [rung for rung in rungs if rung.rung == "shuffled"]
    worst, calm = max(local, key=_gain), min(shuffled, key=_gain)
    yield (
        f"{text.percent(setting.share)} fakes lift {setting.targets} items by "
        f"{text.short(worst.gain, 3)} with local {worst.protocol.upper()}, by "
        f"{text.short(calm.gain, 3)} with shuffled {calm.protocol.upper()}."
    )
    sums = [rung for rung in rungs if rung.rung.startswith("aggregated")]
    yield (
        "Where servers add up in secret, the proof decides: "
        + ", ".join(f"{text.short(rung.gain, 3)} with {rung.protocol}" for rung in sums)
        + "."
    )


def _gain(rung: Rung) -> float:
    return rung.gain


def _notes(setting: Setting) -> Iterator[str]:
    yield (
        f"gain: what the fakes add to the rarest item, and to the {setting.targets} rarest "
        f"together; top {setting.top}: the share of fakes that lifts the rarest item there; "
        f"overturns: the share that overturns a gap of {text.percent(setting.gap)}"
    )
    yield "ε is that of one report where reports are local or shuffled, else the central one"
    if setting.delta > 1 / setting.users:
        yield f"δ is above 1/n = {text.short(1 / setting.users, 3)}, a weak promise"


# Figures.


def _bars(rungs: Sequence[Rung], setting: Setting) -> Figure:
    """How many fakes it takes: the longer the bar, the more a conclusion can stand."""
    best, others = _led(rungs)
    rungs = [*best, *others]
    bars = tuple(Bar(_name(rung), 100 * rung.overturning_share) for rung in rungs)
    chart = Bars(
        f"Fakes that overturn a gap of {text.short(setting.gap)}",
        bars, unit="% of all users", note="more is better", item="rung", value="fakes",
        lead=len(best),
    )  # fmt: skip
    rows = [
        (
            "", _name(rung), rung.overturning_share, rung.top_share, rung.gain_one,
            rung.gain, rung.sd, rung.epsilon,
        )
        for rung in rungs
    ]  # fmt: skip
    gains = ("gain, r = 1", f"gain, r = {setting.targets}")
    heads = ("", "rung", "overturns", f"top {setting.top}", *gains, "sd", "ε")
    return figure(chart, heads, rows)


def _led(rungs: Sequence[Rung]) -> tuple[Sequence[Rung], Sequence[Rung]]:
    """Each way to collect once, by its protocol with the least gain; and the other protocols."""
    best: dict[RungName, Rung] = {}
    for rung in sorted(rungs, key=_gain):
        best.setdefault(rung.rung, rung)
    first = [rung for rung in rungs if rung is best[rung.rung]]
    return first, [rung for rung in rungs if rung not in first]


def _plot(rungs: Sequence[Rung], setting: Setting) -> Figure:
    """Gain over error, each axis logarithmic: the best rungs stand low and to the left."""
    groups: dict[str, list[Rung]] = {}
    for rung in rungs:
        groups.setdefault(rung.rung.partition("-")[0], []).append(rung)
    series = [
        Series(name, [r.sd for r in held], [r.gain for r in held], tone, "points")
        for (name, held), tone in zip(groups.items(), TONES, strict=True)
    ]
    plot = Plot(
        f"Gain of {text.percent(setting.share)} fakes on {setting.targets} items, over the error",
        Axis("standard deviation of an item", log=True),
        Axis("gain", log=True),
        tuple(series),
        note="low and to the left is better",
    )
    rows = [(_name(rung), rung.sd, rung.gain, rung.gain_one) for rung in rungs]
    rows.sort(key=lambda row: (row[1], row[2]))
    return figure(plot, ("rung", "sd", f"gain, r = {setting.targets}", "gain, r = 1"), rows)


# A rung as a scenario.

UNSET: Final = ("defence", "campaign", "goal", "trust")
"""The tables of a draft that a rung does without, or begins anew."""


def _choices(
    rungs: Sequence[Rung], setting: Setting, options: TrustOptions
) -> Iterator[tuple[str, Sequence[tuple[str, Any]]]]:
    """The keys of a scenario that simulates a rung, in the order to set them, by its name."""
    local = next(rung.protocol for rung in rungs if rung.rung == "verified")
    population = {"kind": "zipf", "items": setting.items, "users": setting.users}
    for rung in rungs:
        tables: dict[str, dict[str, Any]] = {
            "population": {**population, "exponent": options.exponent},
            **collection(setting, rung, local),
        }
        keys = [(f"{name}.{key}", value) for name in tables for key, value in tables[name].items()]
        yield _name(rung), [*((name, None) for name in UNSET), *keys]
