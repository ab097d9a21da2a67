"""Ledger: what several releases about the same people cost together."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final, get_args

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.cell import Cell
from ldptui.core.lab import ledger as books
from ldptui.core.protocols import BitNoise
from ldptui.core.protocols.curators import SENSITIVITY
from ldptui.core.protocols.rappor import epsilon_of_rounds, naive_epsilon_of_rounds

from ..charts.series import Axis, Plot, Series, Tone
from ..explain.rappor.privacy import of_noise
from ..terminal import exits
from ..text import format as text
from .asking import Ask, Steps, answer_of
from .figure import curves
from .output import Report, Row, laid_out, row, show, told
from .scenarios import privacy, unswept

TOTALS: Final = {
    "sequential": ("Σ ε, Σ δ", "DR th. 3.16"),
    "advanced": ("√(2 ln(1/δ')Σε²) + Σε(e^ε−1)", "DR th. 3.20"),
    "improved": ("√(2 ln(1/δ')Σε²)+Σε tanh(ε/2)", "KOV th. 3.5"),
    "exact": ("worst: randomised responses", "KOV th. 3.3"),
    "tight": ("privacy-loss distributions", "KOV"),
}

POINTS: Final = 33
LOSSES: Final = 1 << 14
"""Different losses of the exact composition, at most, at every point of the chart."""
ROUNDS: Final = 1000
"""Rounds that the chart of RAPPOR's bound shows at least."""


def run(options: Namespace) -> int:
    """Print the totals."""
    if options.scenario is not None:
        if options.rappor is not None:
            raise ScenarioError("cannot be given with --rappor", key="scenario")
        cell = unswept(options.scenario)
        options.entries = [*options.entries, *releases(cell)]
        if cell.noise is not None:
            noise = cell.noise
            options.rappor = [noise.f, noise.p, noise.q, cell.hashes]
            options.rounds = max(1, len(cell.rounds))
    if not options.entries and options.rappor is None:
        rule = "must be given at least once, or --scenario, or --rappor"
        raise ScenarioError(rule, key="entries")
    values = totals(options)
    show(options, values, laid_out(*report(options, values)))
    return exits.DONE


def totals(options: Namespace) -> dict[str, Any]:
    """Every composition of the entries, and RAPPOR's rounds beside naive composition."""
    entries = entries_of(options.entries)
    spent: dict[str, books.Spent] = {}
    if entries:
        plain_sum = spent["sequential"] = books.sequential(entries)
        slack = options.delta - plain_sum.delta  # what is left of δ
        if slack > 0:
            spent["advanced"] = books.advanced(entries, slack)
            spent["improved"] = books.improved(entries, slack)
            try:
                spent["exact"] = books.exact(entries, options.delta)
            except ScenarioError as error:
                if error.key != "entries":  # too many different ε: the others still hold
                    raise
        if options.tight:
            spent["tight"] = books.tight(entries, options.delta)
    return {
        "entries": [asdict(release) for release in entries],
        "delta": options.delta,
        "people": options.people,
        "spent": {
            name: asdict(books.group(total, options.people)) for name, total in spent.items()
        },
        "rappor": None if options.rappor is None else _rappor(options),
    }


def releases(cell: Cell) -> list[str]:
    """The rounds of a cell as entries are written; one for all where an answer is kept over them.

    None for RAPPOR's, which have a row of their own.
    """
    if cell.noise is not None:
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
        parts = float(epsilon), float(delta or 0), int(times) if by else 1
    except ValueError as error:
        rule = f"must be [NAME=]EPSILON[,DELTA][@NOISE][xTIMES], {got(written)}"
        raise ScenarioError(rule) from error
    kind: Any = noise if at else "any"
    return books.Entry(name or f"ε = {text.chosen(parts[0])}", *parts, kind)


def _noise(rappor: Sequence[float]) -> tuple[BitNoise, int]:
    """RAPPOR's noise and h of f, p, q and h; raises ScenarioError."""
    f, p, q, hashes = rappor
    if hashes not in range(1, 17):
        raise ScenarioError(f"must have 1 to 16 hashes, got {text.chosen(hashes)}", key="rappor")
    try:
        return BitNoise(f, p, q), int(hashes)
    except ScenarioError as error:
        raise ScenarioError(f"{error.key} {error.rule}", key="rappor") from error


def _rappor(options: Namespace) -> dict[str, Any]:
    """RAPPOR's rounds: naive composition, the exact loss of memoised rounds, and their limit."""
    noise, h = _noise(options.rappor)
    known, rounds = of_noise(noise, h), options.rounds
    return {
        "rounds": rounds,
        "one": known["epsilon_one"].value,
        "naive": naive_epsilon_of_rounds(noise, h, rounds),
        "memoised": epsilon_of_rounds(noise, h, rounds),
        "limit": known["epsilon_infinity"].value,
    }


def report(options: Namespace, values: dict[str, Any]) -> Report:
    rows: list[Row] = []
    for release in values["entries"]:
        if not release["epsilon"] and not release["delta"]:
            rows.append(row(release["name"], "0", "post-processing is free", "DR pr. 2.1"))
            continue
        what = (
            f"{release['times']} × ε = {text.chosen(release['epsilon'])}"
            if release["times"] > 1
            else "once"
        )
        what += f", δ = {text.chosen(release['delta'])} each" if release["delta"] else ""
        rows.append(row(release["name"], release["epsilon"] * release["times"], what))
    for name, (formula, source) in TOTALS.items():
        spent = values["spent"].get(name)
        if spent is not None:
            other = spent["delta"] and not math.isclose(
                spent["delta"], values["delta"], rel_tol=1e-3
            )
            what = f"{formula}; δ = {text.short(spent['delta'], 3)}" if other else formula
            rows.append(row(f"total, {name}", spent["epsilon"], what, source))
    if values["rappor"] is not None:
        rows += _rounds(options.rappor, values["rappor"])
    notes = []
    if "advanced" in values["spent"]:
        notes.append("δ' is what the entries' own δ leave of it")
    if "tight" in values["spent"]:
        notes.append("tight: by the library dp_accounting")
    if values["people"] > 1:
        notes.append(f"totals are for {values['people']} people together: kε (DR th. 2.2)")
    if values["spent"] and "advanced" not in values["spent"]:
        notes.append(
            f"the entries' own δ leaves nothing of δ = {text.chosen(options.delta)} for a smaller ε"
        )
    several = "entry" if len(values["entries"]) == 1 else "entries"
    title = f"Budget ledger: {len(values['entries'])} {several}, δ = {text.chosen(options.delta)}"
    return Report(title, rows, notes)


def _rounds(rappor: Sequence[float], values: dict[str, Any]) -> list[Row]:
    known, t = of_noise(*_noise(rappor)), f"{text.count(values['rounds'])} reports"
    return [
        told("one RAPPOR report", known["epsilon_one"]),
        row(f"{t}, naive", values["naive"], "sum, as if drawn afresh", "DR th. 3.16"),
        row(f"{t}, memoised", values["memoised"], "exact, permanent bits kept", "RAP 3.1"),
        told("for ever, memoised", known["epsilon_infinity"]),
    ]


# The tab.


def work(ask: Ask) -> Steps:
    options, delta, people = ask.given, ask.given.delta, ask.given.people
    entries = entries_of(options.entries)
    if not entries and options.rappor is None:
        rule = "type a release: [NAME=]EPSILON[,DELTA][@NOISE][xTIMES]"
        raise ScenarioError(rule, key="entries.0")
    yield f"composing {text.count(sum(entry.times for entry in entries))} releases"
    values = totals(options)
    table = report(options, values)
    words, figures = [], []
    if entries:
        words += _verdict(values["spent"], delta, people)
        yield "composing the releases one by one"
        figures.append(curves(_spending(entries, delta, people), "ε", "releases"))
    if options.rappor is not None:
        figures.append(curves(_memoised(options.rappor, options.rounds), "ε", "reports"))
        words.append(
            f"RAPPOR's permanent noise is drawn once: {text.count(options.rounds)} reports cost "
            f"ε = {text.short(values['rappor']['memoised'])}, not "
            f"{text.short(values['rappor']['naive'])}, and never more than "
            f"{text.short(values['rappor']['limit'])}."
        )
    return answer_of(table, *figures, words=words)


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
    lines: dict[str, list[float]] = {name: [] for name in ("sequential", "improved", "exact")}
    for place in places:
        first = _first(entries, place)
        plain_sum = books.sequential(first)
        totals_now = {"sequential": plain_sum.epsilon}
        slack = delta - plain_sum.delta
        if slack > 0:
            totals_now["improved"] = books.improved(first, slack).epsilon
            kinds: dict[float, int] = {}
            for entry in first:
                kinds[entry.epsilon] = kinds.get(entry.epsilon, 0) + entry.times
            if math.prod(count + 1 for count in kinds.values()) <= LOSSES:
                totals_now["exact"] = books.exact(first, delta).epsilon
        for name, line in lines.items():
            line.append(people * totals_now.get(name, math.nan))
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
            if not all(math.isnan(value) for value in line)
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


def _memoised(rappor: Sequence[float], rounds: int) -> Plot:
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
