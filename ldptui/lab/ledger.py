"""Ledger: what several releases about the same people cost together."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias, get_args

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.cell import Cell
from ldptui.core.lab import ledger as books
from ldptui.core.protocols import BitNoise
from ldptui.core.protocols.curators import SENSITIVITY
from ldptui.core.protocols.rappor import epsilon_of_rounds, naive_epsilon_of_rounds

from ..charts.series import Axis, Plot, Series, Tone
from ..explain.rappor.privacy import of_noise
from ..text import format as text
from .answer import Figure, curves
from .asking import OMITTED, Ask, Row, Steps, answer_of, row, told
from .mechanisms import privacy, swept, unswept
from .options import integer
from .questions.curators import LedgerOptions

Reported: TypeAlias = tuple[float, float, float, float]
"""RAPPOR's f, p, q and hashes."""

TOTALS: Final = {
    "sequential": ("Σ ε, Σ δ", "DR th. 3.16"),
    "advanced": ("√(2 ln(1/δ')Σε²) + Σε(e^ε−1)", "DR th. 3.20"),
    "improved": ("√(2 ln(1/δ')Σε²)+Σε tanh(ε/2)", "KOV th. 3.5"),
    "exact": ("worst: randomised responses", "KOV th. 3.3"),
    "tight": ("privacy-loss distributions", "KOV"),
}

SHOWN: Final = 8
"""Other cells of a sweep that a note names."""
POINTS: Final = 33
LOSSES: Final = 1 << 14
"""Different losses of the exact composition, at most, at every point of the chart."""
ROUNDS: Final = 1000
"""Rounds that the chart of RAPPOR's bound shows at least."""


@dataclass(frozen=True)
class Rounds:
    """ε of RAPPOR's reports about one value: naive composition, the exact loss, and its limit."""

    rounds: int
    one: float
    naive: float
    memoised: float
    limit: float


@dataclass(frozen=True)
class Totals:
    """Every composition of the entries, and RAPPOR's rounds beside naive composition.

    void : whether a release promises nothing to a group of this size. sweep : what the cells of a
        scenario release, where that differs; only the first is added up.
    """

    entries: Sequence[books.Entry]
    delta: float
    people: int
    spent: Mapping[str, books.Spent]
    rappor: Rounds | None
    void: bool | None = field(default=None, metadata=OMITTED)
    sweep: Sequence[str] | None = field(default=None, metadata=OMITTED)


def answer(options: LedgerOptions, ask: Ask) -> Steps:
    """What the entries cost together."""
    released: tuple[str, ...] = ()
    if (place := options.scenario) is not None:
        cell = unswept(place)
        options = _with_rounds(options, cell)
        released = tuple(dict.fromkeys(map(written, (cell, *swept(place)))))
    entries, rappor = entries_of(options.entries), options.rappor
    if not entries and rappor is None:
        rule, key = "must be given at least once, or --scenario, or --rappor", "entries"
        if ask.tab:
            rule, key = "type a release: [NAME=]EPSILON[,DELTA][@NOISE][xTIMES]", "entries.0"
        raise ScenarioError(rule, key=key)
    yield f"composing {text.count(sum(entry.times for entry in entries))} releases"
    values = replace(totals(options, entries), sweep=released if len(released) > 1 else None)
    several = "entry" if len(entries) == 1 else "entries"
    return answer_of(
        f"Budget ledger: {len(entries)} {several}, δ = {text.chosen(options.delta)}",
        _rows(values, rappor),
        values=values,
        verdict=tuple(_verdict(values)),
        notes=tuple(_notes(values)),
        figures=_figures(values, rappor),
    )


def _with_rounds(options: LedgerOptions, cell: Cell) -> LedgerOptions:
    """The options with the rounds of a cell as further entries, or as RAPPOR's."""
    if options.rappor is not None:
        raise ScenarioError("cannot be given with --rappor", key="scenario")
    options = replace(options, entries=(*options.entries, *releases(cell)))
    return replace(options, rappor=_reported(cell), rounds=max(1, len(cell.rounds)))


def _reported(cell: Cell) -> Reported | None:
    """RAPPOR's f, p, q and hashes, where the protocol of a cell is that of noisy bits."""
    protocol: Any = cell.protocol
    if "p_star" not in protocol.facts():
        return None
    noise = protocol.noise
    return noise.f, noise.p, noise.q, protocol.hashes


def written(cell: Cell) -> str:
    """The rounds of a cell as the command line of a ledger has them."""
    if (rappor := _reported(cell)) is None:
        return " ".join(releases(cell))
    noise = ",".join(map(text.chosen, rappor))
    return f"--rappor {noise} --rounds {max(1, len(cell.rounds))}"


def totals(options: LedgerOptions, entries: Sequence[books.Entry]) -> Totals:
    """The totals of the entries; raises ScenarioError."""
    people = options.people
    group = books.of_group(entries, people)
    if group is None:
        spent = {"sequential": books.group(books.sequential(entries), people)}
    else:
        spent = _composed(group, options) if group else {}
    rappor = None if options.rappor is None else _rounds(options.rappor, options.rounds)
    return Totals(entries, options.delta, people, spent, rappor, group is None or None)


def _composed(entries: Sequence[books.Entry], options: LedgerOptions) -> dict[str, books.Spent]:
    """The totals of releases that each promise something."""
    spent = {"sequential": books.sequential(entries)}
    slack = options.delta - spent["sequential"].delta  # what is left of δ
    if slack > 0:
        advanced = books.advanced(entries, slack)
        if advanced.epsilon < spent["sequential"].epsilon:
            spent["advanced"] = advanced
        spent["improved"] = books.improved(entries, slack)
        try:
            spent["exact"] = books.exact(entries, options.delta)
        except ScenarioError as error:
            if error.key != "entries":  # too many different ε: the others still hold
                raise
    if options.tight:
        spent["tight"] = books.tight(entries, options.delta)
    return spent


def releases(cell: Cell) -> list[str]:
    """The rounds of a cell as entries are written; one for all where an answer is kept over them.

    None for noisy bits, which have a row of their own.
    """
    if _reported(cell) is not None:
        return []
    kind, rounds = str(cell.parameters["protocol.kind"]), max(1, len(cell.rounds))
    epsilon, delta = privacy(cell)
    if cell.memory is not None and cell.rounds:
        return [f"{kind}={cell.memory.epsilon_of_rounds(rounds)!r}"]
    noise = ""
    if kind in get_args(books.Mechanism):
        # Its noise is known: that of as many numbers as one person changes.
        near: Any = cell.parameters["protocol.neighbours"]
        width, noise = SENSITIVITY[near], f"@{kind}"
        epsilon, rounds = epsilon / width, rounds * width
    slack = f",{delta!r}" if delta else ""
    return [f"{kind}={epsilon!r}{slack}{noise}x{rounds}"]


def entries_of(written: Sequence[str]) -> list[books.Entry]:
    """The entries as typed, without empty ones; raises ScenarioError, its key entries.ROW."""
    entries = []
    for row_, text_ in enumerate(written):
        if text_:
            try:
                entries.append(entry(text_))
            except ScenarioError as error:
                raise ScenarioError(error.rule, f"entries.{row_}.{error.key}".strip(".")) from error
    return entries


def entry(written: str) -> books.Entry:
    """[NAME=]EPSILON[,DELTA][@NOISE][xTIMES]; raises ScenarioError."""
    name, _, rest = written.rpartition("=")
    spent, by, times = rest.partition("x")
    spent, at, noise = spent.partition("@")
    try:
        epsilon, _, delta = spent.partition(",")
        parts = float(epsilon), float(delta or 0), integer(times) if by else 1
    except (ValueError, ArgumentTypeError) as error:
        rule = f"must be [NAME=]EPSILON[,DELTA][@NOISE][xTIMES], {got(written)}"
        raise ScenarioError(rule) from error
    kind: Any = noise if at else "any"
    return books.Entry(name or f"ε = {text.chosen(parts[0])}", *parts, kind)


def _noise(rappor: Reported) -> tuple[BitNoise, int]:
    """RAPPOR's noise and h of f, p, q and h; raises ScenarioError."""
    f, p, q, hashes = rappor
    if hashes not in range(1, 17):
        raise ScenarioError(f"must have 1 to 16 hashes, got {text.chosen(hashes)}", key="rappor")
    try:
        return BitNoise(f, p, q), int(hashes)
    except ScenarioError as error:
        raise ScenarioError(f"{error.key} {error.rule}", key="rappor") from error


def _rounds(rappor: Reported, rounds: int) -> Rounds:
    """RAPPOR's rounds: naive composition, the exact loss of memoised rounds, and their limit."""
    noise, h = _noise(rappor)
    known = of_noise(noise, h)
    return Rounds(
        rounds,
        known["epsilon_one"].value,
        naive_epsilon_of_rounds(noise, h, rounds),
        epsilon_of_rounds(noise, h, rounds),
        known["epsilon_infinity"].value,
    )


def _rows(values: Totals, rappor: Reported | None) -> Iterator[Row]:
    for entry in values.entries:
        if not entry.epsilon and not entry.delta:
            yield row(entry.name, "0", "post-processing is free", "DR pr. 2.1")
            continue
        what = (
            f"{text.count(entry.times)} × ε = {text.chosen(entry.epsilon)}"
            if entry.times > 1
            else "once"
        )
        what += f", δ = {text.chosen(entry.delta)} each" if entry.delta else ""
        yield row(entry.name, entry.epsilon * entry.times, what)
    for name, (formula, source) in TOTALS.items():
        if (spent := values.spent.get(name)) is not None:
            other = spent.delta and not math.isclose(spent.delta, values.delta, rel_tol=1e-3)
            what = f"{formula}; δ = {text.short(spent.delta, 3)}" if other else formula
            yield row(f"total, {name}", spent.epsilon, what, source)
    if rappor is not None and (reports := values.rappor) is not None:
        known, t = of_noise(*_noise(rappor)), f"{text.count(reports.rounds)} reports"
        yield told("one RAPPOR report", known["epsilon_one"])
        yield row(f"{t}, naive", reports.naive, "sum, as if drawn afresh", "DR th. 3.16")
        yield row(f"{t}, memoised", reports.memoised, "exact, permanent bits kept", "RAP 3.1")
        yield told("for ever, memoised", known["epsilon_infinity"])


def _notes(values: Totals) -> Iterator[str]:
    if "improved" in values.spent:
        yield "δ' is what the entries' own δ leave of it"
    if "tight" in values.spent:
        yield "tight: by the library dp_accounting"
    if values.people > 1:
        yield f"totals are for {values.people} people together: kε of each (DR th. 2.2)"
    if values.void:
        yield f"δ of {values.people} people together is 1 in a release, which promises nothing"
    elif len(values.spent) > 1:
        least = min(spent.epsilon for spent in values.spent.values())
        sums = least > 0.995 * values.spent["sequential"].epsilon
        yield f"every total holds: name the least{', here the sum' * sums}"
    if values.spent and not values.void and "improved" not in values.spent:
        delta = text.chosen(values.delta)
        yield f"the entries' own δ leaves nothing of δ = {delta} for a smaller ε"

    if values.sweep:
        own, *others = values.sweep
        more = f"; and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        yield (
            f"the scenario sweeps what is released: this adds up {own} alone, its values without "
            f"the sweep, and not {'; '.join(others[:SHOWN])}{more}"
        )


def _verdict(values: Totals) -> Iterator[str]:
    if values.spent:
        total, people = values.spent["sequential"].epsilon, values.people
        each = f"for {people} people together" if people > 1 else "for one person"
        yield f"Together the releases spend ε = {text.short(total)} {each}: the sum."
        name, least = min(values.spent.items(), key=lambda item: item[1].epsilon)
        if least.epsilon < 0.995 * total:
            delta = text.short(max(least.delta, values.delta), 3)
            yield (
                f"With δ = {delta} allowed, ε = {text.short(least.epsilon)} "
                f"holds as well ({name} composition)."
            )
    if (reports := values.rappor) is not None:
        yield (
            f"RAPPOR's permanent noise is drawn once: {text.count(reports.rounds)} reports cost "
            f"ε = {text.short(reports.memoised)}, not {text.short(reports.naive)}, and never more "
            f"than {text.short(reports.limit)}."
        )


# Charts.


def _figures(values: Totals, rappor: Reported | None) -> Iterator[Figure]:
    if values.entries:
        yield curves(_spending(values), "ε", "releases")
    if rappor is not None and values.rappor is not None:
        yield curves(_memoised(rappor, values.rappor.rounds), "ε", "reports")


def _spending(values: Totals) -> Plot:
    """ε after each release, in the order of the ledger, by each way to add them up."""
    entries, delta, people = values.entries, values.delta, values.people
    total = sum(entry.times for entry in entries)
    step = max(1, math.ceil(total / POINTS))
    places = sorted({1, *range(step, total + 1, step), total})
    lines: dict[str, list[float]] = {name: [] for name in ("sequential", "improved", "exact")}
    for place in places:
        first = _first(entries, place)
        group = books.of_group(first, people)
        totals_now = {"sequential": people * books.sequential(first).epsilon}
        slack = -1.0 if group is None else delta - books.sequential(group).delta
        if group is not None and slack > 0:
            totals_now["improved"] = books.improved(group, slack).epsilon
            kinds: dict[float, int] = {}
            for entry in group:
                kinds[entry.epsilon] = kinds.get(entry.epsilon, 0) + entry.times
            if math.prod(count + 1 for count in kinds.values()) <= LOSSES:
                totals_now["exact"] = books.exact(group, delta).epsilon
        for name, line in lines.items():
            line.append(totals_now.get(name, math.nan))
    labels = {
        "sequential": "sequential, Σ ε",
        "improved": "improved (KOV 3.5)",
        "exact": "exact (KOV 3.3)",
    }
    tones: dict[str, Tone] = {"sequential": "attacked", "improved": "clean", "exact": "theory"}
    return Plot(
        f"Budget spent after each release, δ = {text.chosen(delta)}"
        + (f", {people} people together" if people > 1 else ""),
        Axis("releases so far", low=0.0),
        Axis("ε", low=0.0),
        tuple(
            Series(labels[name], places, line, tones[name],
                   "line" if total > 1 else "points")
            for name, line in lines.items()
            if name in values.spent and not all(math.isnan(value) for value in line)
        ),
    )  # fmt: skip


def _first(entries: Sequence[books.Entry], releases: int) -> list[books.Entry]:
    """The entries of the first `releases` releases."""
    kept = []
    for entry in entries:
        times = min(entry.times, releases)
        if times:
            kept.append(replace(entry, times=times))
        releases -= times
    return kept


def _memoised(rappor: Reported, rounds: int) -> Plot:
    """ε of RAPPOR's reports about one value, naive and memoised, over their number."""
    noise, h = _noise(rappor)
    most = max(ROUNDS, 10 * rounds)
    ratio = most ** (1 / (POINTS - 1))
    places = sorted({rounds, *(round(ratio**at) for at in range(POINTS))})
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
