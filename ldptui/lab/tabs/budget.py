"""Budget: what several releases about the same people cost together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from core.bounds import Range
from core.errors import ScenarioError
from core.lab import ledger as books
from core.protocols import BitNoise
from core.protocols.rappor import epsilon_of_rounds, naive_epsilon_of_rounds

from ...charts.series import Axis, Plot, Series
from ...text import format as text
from .. import ledger
from . import Ask, Steps, answer_of

POINTS: Final = 33
LOSSES: Final = 1 << 14
"""Different losses of the exact composition, at most, at every point of the chart."""
ROUNDS: Final = 1000
"""Rounds that the chart of RAPPOR's bound shows at least."""


def work(ask: Ask) -> Steps:
    written = [str(one) for one in ask.values.get("entries") or []]
    entries = []
    for at, one in enumerate(written):
        if one.strip():
            try:
                entries.append(ledger.entry(one.strip()))
            except ScenarioError as error:
                what = error.key.rpartition(": ")[2] if ": " in error.key else ""
                raise ScenarioError(f"{what} {error.rule}".strip(), f"entries.{at}") from error
    rappor = ask.word("rappor")
    if not entries and not rappor:
        raise ScenarioError(
            "type a release: [NAME=]EPSILON[,DELTA][@NOISE][xTIMES]", key="entries.0"
        )
    delta, people = ask.number("delta", Range(0, 1, "()")), ask.integer("people", Range(1, 10**9))
    rounds = ask.integer("rounds", Range(1, 10**9))
    options = ask.options(
        entries=[one.strip() for one in written if one.strip()],
        delta=delta,
        people=people,
        tight=ask.word("tight") == "yes",
        rappor=rappor or None,
        rounds=rounds,
    )
    yield f"composing {text.count(sum(one.times for one in entries))} releases"
    values = ledger.totals(options)
    report = ledger.report(options, values)
    words, charts = [], []
    if entries:
        words += _verdict(values["spent"], delta, people)
        yield "composing the releases one by one"
        charts.append(_spending(entries, delta, people))
    if rappor:
        charts.append(_rappor(rappor, rounds))
        words.append(
            f"RAPPOR's permanent noise is drawn once: {text.count(rounds)} reports cost "
            f"ε = {text.short(values['rappor']['memoised'])}, not "
            f"{text.short(values['rappor']['naive'])}, and never more than "
            f"{text.short(values['rappor']['limit'])}."
        )
    return answer_of(report, *charts, words=words)


def _verdict(spent: dict[str, dict[str, float]], delta: float, people: int) -> list[str]:
    total = spent["sequential"]["epsilon"]
    each = f"for {people} people together" if people > 1 else "for one person"
    words = [f"Together the releases spend ε = {text.short(total)} {each}: the sum."]
    least = min(spent, key=lambda name: spent[name]["epsilon"])
    if spent[least]["epsilon"] < 0.995 * total:
        words.append(
            f"With δ = {text.chosen(delta)} allowed, ε = {text.short(spent[least]['epsilon'])} "
            f"holds as well ({least} composition)."
        )
    return words


def _spending(entries: Sequence[books.Entry], delta: float, people: int) -> Plot:
    """ε after each release, in the order of the ledger, by each way to add them up."""
    total = sum(entry.times for entry in entries)
    step = max(1, math.ceil(total / POINTS))
    places = sorted({1, *range(step, total + 1, step), total})
    lines: dict[str, list[float]] = {name: [] for name in ("sequential", "advanced", "exact")}
    for place in places:
        first = _first(entries, place)
        own = books.sequential(first)
        found = {"sequential": own.epsilon}
        slack = delta - own.delta
        if slack > 0:
            found["advanced"] = books.improved(first, slack).epsilon
            kinds: dict[float, int] = {}
            for entry in first:
                kinds[entry.epsilon] = kinds.get(entry.epsilon, 0) + entry.times
            if math.prod(count + 1 for count in kinds.values()) <= LOSSES:
                found["exact"] = books.exact(first, delta).epsilon
        for name, line in lines.items():
            line.append(people * found.get(name, math.nan))
    labels = {
        "sequential": "sequential, Σ ε",
        "advanced": "advanced (KOV 3.5)",
        "exact": "exact (KOV 3.3)",
    }
    tones = {"sequential": "attacked", "advanced": "clean", "exact": "theory"}
    return Plot(
        f"Budget spent after each release, δ = {text.chosen(delta)}"
        + (f", {people} people together" if people > 1 else ""),
        Axis("releases so far", low=0.0),
        Axis("ε", low=0.0),
        tuple(
            Series(labels[name], places, line, tones[name],  # type: ignore[arg-type]
                   "line" if total > 1 else "points")
            for name, line in lines.items()
            if not all(math.isnan(value) for value in line)
        ),
    )  # fmt: skip


def _first(entries: Sequence[books.Entry], releases: int) -> list[books.Entry]:
    """The first so many releases."""
    found = []
    for entry in entries:
        times = min(entry.times, releases)
        if times:
            found.append(replace(entry, times=times))
        releases -= times
    return found


def _rappor(written: str, rounds: int) -> Plot:
    f, p, q, hashes = (float(part) for part in written.split(","))
    noise, h = BitNoise(f, p, q), int(hashes)
    most = max(ROUNDS, 10 * rounds)
    ratio = most ** (1 / (POINTS - 1))
    places = sorted({round(ratio**at) for at in range(POINTS)})
    memoised = [epsilon_of_rounds(noise, h, t) for t in places]
    naive = [naive_epsilon_of_rounds(noise, h, t) for t in places]
    limit = noise.epsilon_infinity(h)
    return Plot(
        "RAPPOR: budget of reports about one value",
        Axis("reports", log=True),
        Axis("ε", log=True),
        (
            Series("naive sum", places, naive, "attacked"),
            Series("memoised", places, memoised, "theory"),
            Series(f"{text.count(rounds)} reports", (rounds,),
                   (epsilon_of_rounds(noise, h, rounds),), "target", "points"),
        ),
        levels=((limit, f"ε∞ = {text.short(limit)}"),) if math.isfinite(limit) else (),
    )  # fmt: skip
