"""The rungs of the ladder of trust in words, as charts, and as scenarios."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ldptui.core.lab.ladder import Rung, RungName, Setting, collection

from ..charts.series import TONES, Axis, Bar, Bars, Plot, Series
from ..text import format as text
from .sheet import Figure, figure


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


def name_rung(rung: Rung) -> str:
    """A rung in a word or two: "shuffled GRR", "servers sumvec"."""
    if rung.rung == "curator":
        return rung.rung
    if rung.rung.startswith("aggregated"):
        return f"servers {rung.protocol}"
    return f"{rung.rung} {rung.protocol.upper()}"


def table_rows(
    rungs: Sequence[Rung], setting: Setting, *, is_brief: bool
) -> tuple[Sequence[str], list[tuple[str, ...]]]:
    """The heads, and a row for each rung; is_brief : as there is room for beside a form."""
    rows: list[tuple[str, ...]] = []
    for rung in rungs:
        words = WORDS[rung.rung]
        trusts, sends = words.briefly if is_brief else (words.trusts, words.sends)
        budget, noise = text.short(rung.epsilon, 4), text.short(rung.sd, 3)
        gain, gap = text.short(rung.gain, 3), text.percent(rung.overturning_share)
        trusts, sends = _filled(trusts, setting), _filled(sends, setting)
        if is_brief:
            rows.append((name_rung(rung), trusts, sends, budget, noise, gain, gap))
            continue
        top = text.MISSING if rung.top_share is None else text.percent(rung.top_share)
        rows.append(
            (
                _filled(words.name, setting), rung.protocol, trusts, sends, budget, noise,
                text.short(rung.gain_one, 3), gain, top, gap,
            )
        )  # fmt: skip
    heads = [
        head.format(r=setting.targets, k=setting.top) for head in (BRIEF if is_brief else HEADS)
    ]
    return heads, rows


def _filled(words: str, setting: Setting) -> str:
    return words.format(w=setting.weight, k=setting.aggregators)


def _gain(rung: Rung) -> float:
    return rung.gain


# Figures.


def rung_bars(rungs: Sequence[Rung], setting: Setting) -> Figure:
    """How many fakes it takes: the longer the bar, the more a conclusion can stand."""
    best, others = _led(rungs)
    rungs = [*best, *others]
    bars = tuple(Bar(name_rung(rung), 100 * rung.overturning_share) for rung in rungs)
    chart = Bars(
        f"Fakes that overturn a gap of {text.short(setting.gap)}",
        bars, unit="% of all users", note="more is better", item="rung", value="fakes",
        lead=len(best),
    )  # fmt: skip
    rows = [
        (
            "", name_rung(rung), rung.overturning_share, rung.top_share, rung.gain_one,
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


def rung_plot(rungs: Sequence[Rung], setting: Setting) -> Figure:
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
    rows = [(name_rung(rung), rung.sd, rung.gain, rung.gain_one) for rung in rungs]
    rows.sort(key=lambda row: (row[1], row[2]))
    return figure(plot, ("rung", "sd", f"gain, r = {setting.targets}", "gain, r = 1"), rows)


# A rung as a scenario.

UNSET: Final = ("defence", "campaign", "goal", "trust")
"""The tables of a draft that a rung does without, or begins anew."""


def rung_choices(
    rungs: Sequence[Rung], setting: Setting, exponent: float
) -> Iterator[tuple[str, Sequence[tuple[str, Any]]]]:
    """The keys of a scenario that simulates a rung, in the order to set them, by its name."""
    local = next(rung.protocol for rung in rungs if rung.rung == "verified")
    population = {"kind": "zipf", "items": setting.items, "users": setting.users}
    for rung in rungs:
        tables: dict[str, dict[str, Any]] = {
            "population": {**population, "exponent": exponent},
            **collection(setting, rung, local),
        }
        keys = [(f"{name}.{key}", value) for name in tables for key, value in tables[name].items()]
        yield name_rung(rung), [*((name, None) for name in UNSET), *keys]
