"""`ldptui ledger`: what several releases about the same people cost together."""

from __future__ import annotations

import math
from argparse import Namespace
from dataclasses import asdict
from typing import Any, Final

from core.bounds import Range
from core.cell import Cell
from core.errors import ScenarioError, got
from core.lab import ledger as books
from core.protocols import BitNoise
from core.protocols.curators import SENSITIVITY, Geometric, Laplace, Stability
from core.protocols.rappor import epsilon_of_rounds, naive_epsilon_of_rounds

from .. import exits
from ..text import format as text
from .output import Report, Row, laid_out, numbers, of_option, row, show, within
from .price import unswept

TOTALS: Final = {
    "sequential": ("Σ ε, Σ δ", "DR th. 3.16"),
    "advanced": ("√(2 ln(1/δ')Σε²) + Σε(e^ε−1)", "DR th. 3.20"),
    "improved": ("√(2 ln(1/δ')Σε²)+Σε tanh(ε/2)", "KOV th. 3.5"),
    "exact": ("worst: randomised responses", "KOV th. 3.3"),
    "tight": ("privacy-loss distributions", "KOV"),
}


def run(options: Namespace) -> int:
    """Print the totals."""
    if options.scenario is not None:
        if options.rappor is not None:
            raise ScenarioError("cannot be given with --rappor", key="--scenario")
        cell = unswept(options.scenario)
        options.entries = [*options.entries, *releases(cell)]
        if cell.noise is not None:
            noise = cell.noise
            options.rappor = f"{noise.f!r},{noise.p!r},{noise.q!r},{cell.hashes}"
            options.rounds = max(1, len(cell.rounds))
    try:
        values = totals(options)
    except ScenarioError as error:
        raise of_option(error, {name: f"--{name}" for name in ("delta", "people")}) from error
    show(options, values, laid_out(*report(options, values)))
    return exits.DONE


def totals(options: Namespace) -> dict[str, Any]:
    """Every composition of the entries, and RAPPOR's rounds beside naive composition."""
    entries = [entry(written) for written in options.entries]
    if not entries and options.rappor is None:
        rule = "must be given at least once, or --scenario, or --rappor"
        raise ScenarioError(rule, key="ENTRY")
    within("--delta", options.delta, Range(0, 1, "()"))
    within("--people", options.people, Range(1, 10**9))
    spent: dict[str, books.Spent] = {}
    if entries:
        own = spent["sequential"] = books.sequential(entries)
        slack = options.delta - own.delta  # what is left of δ
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
        "entries": [asdict(one) for one in entries],
        "delta": options.delta,
        "people": options.people,
        "spent": {name: asdict(books.group(one, options.people)) for name, one in spent.items()},
        "rappor": None if options.rappor is None else _rappor(options),
    }


def releases(cell: Cell) -> list[str]:
    """What the rounds of a cell spend, as entries are written; none of RAPPOR's, which are not
    composed but memoised."""
    if cell.noise is not None:
        return []
    kind, rounds = str(cell.parameters["protocol.kind"]), max(1, len(cell.rounds))
    protocol: Any = cell.protocol
    epsilon, noise = protocol.epsilon, ""
    if isinstance(protocol, Laplace | Geometric):
        # Its noise is known: that of as many numbers as one person changes.
        width, noise = SENSITIVITY[protocol.neighbours], f"@{kind}"
        epsilon, rounds = epsilon / width, rounds * width
    delta = f",{protocol.delta!r}" if isinstance(protocol, Stability) else ""
    return [f"{kind}={epsilon!r}{delta}{noise}x{rounds}"]


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
        raise ScenarioError(rule, key="ENTRY") from error
    try:
        kind: Any = noise if at else "any"
        return books.Entry(name or f"ε = {text.chosen(parts[0])}", *parts, kind)
    except ScenarioError as error:
        raise ScenarioError(error.rule, key=f"ENTRY {written}: {error.key}") from error


def _rappor(options: Namespace) -> dict[str, Any]:
    """RAPPOR's rounds: naive composition, the exact loss of memoised rounds, and their limit."""
    f, p, q, hashes = numbers("--rappor", options.rappor, 4)
    within("--rounds", options.rounds, Range(1, 10**9))
    if hashes not in range(1, 17):
        raise ScenarioError(f"must have 1 to 16 hashes, got {text.chosen(hashes)}", key="--rappor")
    try:
        noise = BitNoise(f, p, q)
    except ScenarioError as error:
        raise ScenarioError(f"{error.key} {error.rule}", key="--rappor") from error
    h, rounds = int(hashes), options.rounds
    return {
        "rounds": rounds,
        "one": noise.epsilon_one(h),
        "naive": naive_epsilon_of_rounds(noise, h, rounds),
        "memoised": epsilon_of_rounds(noise, h, rounds),
        "limit": noise.epsilon_infinity(h),
    }


def report(options: Namespace, values: dict[str, Any]) -> Report:
    rows: list[Row] = []
    for one in values["entries"]:
        if not one["epsilon"] and not one["delta"]:
            rows.append(row(one["name"], "0", "post-processing is free", "DR pr. 2.1"))
            continue
        what = f"{one['times']} × ε = {text.chosen(one['epsilon'])}" if one["times"] > 1 else "once"
        what += f", δ = {text.chosen(one['delta'])} each" if one["delta"] else ""
        rows.append(row(one["name"], one["epsilon"] * one["times"], what))
    for name, (formula, source) in TOTALS.items():
        spent = values["spent"].get(name)
        if spent is not None:
            other = spent["delta"] and not math.isclose(
                spent["delta"], values["delta"], rel_tol=1e-3
            )
            what = f"{formula}; δ = {text.short(spent['delta'], 3)}" if other else formula
            rows.append(row(f"total, {name}", spent["epsilon"], what, source))
    rounds = values["rappor"]
    if rounds is not None:
        t = f"{text.count(rounds['rounds'])} reports"
        one = "h ln(q*(1−p*)/(p*(1−q*)))"
        rows += [
            row("one RAPPOR report", rounds["one"], one, "RAP 3.2"),
            row(f"{t}, naive", rounds["naive"], "sum, as if drawn afresh", "DR th. 3.16"),
            row(f"{t}, memoised", rounds["memoised"], "exact, permanent bits kept", "RAP 3.1"),
            row("for ever, memoised", rounds["limit"], "2h ln((1−f/2)/(f/2))", "RAP th. 1"),
        ]
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
