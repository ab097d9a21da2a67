"""The price of RAPPOR's numbers: privacy of one report, of all, of a user; what can be learnt.

Pure. RAP: Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from core.cell import Cell
from core.errors import ScenarioError
from core.protocols import BitNoise, Rappor
from core.protocols import rappor as forms

from ...charts.series import Axis, Plot, Series
from ...text import format as fmt

ROUNDS: Final = 10_000
"""Reports of one value on the axis of the chart."""

UNBOUNDED: Final = "unbounded"


@dataclass(frozen=True)
class Fact:
    """One number: its symbol, what it is, its value as text, and where it comes from."""

    symbol: str
    label: str
    value: str
    why: str


@dataclass(frozen=True)
class Group:
    """Facts under one heading."""

    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Bargain:
    """One choice of RAPPOR's numbers: its privacy, and what that costs.

    epsilon_one, epsilon_infinity (None: without bound) : what it gives away. std : σ of one
    estimated frequency. strings : the number of equally frequent items that can be learnt. room :
    the number of candidates that can be estimated together, None where each has its own bit.
    """

    name: str
    epsilon_one: float
    epsilon_infinity: float | None
    std: float
    strings: float
    room: float | None


def subject(cell: Cell) -> int:
    """The item that the inference about one user is about: the first target, or the top item."""
    if cell.targets.size:
        return int(cell.targets[0])
    return int(np.argmax(cell.population.histogram))


def groups(cell: Cell, noise: BitNoise) -> tuple[Group, ...]:
    """Everything that the panel says in numbers, of a cell of RAPPOR."""
    h, users, items = cell.hashes, cell.users, cell.population.domain_size
    power, item = "h " if isinstance(cell.protocol, Rappor) else "", subject(cell)
    held = float(cell.population.frequencies[item])
    epsilon, all_reports = noise.epsilon_one(h), noise.epsilon_infinity(h)
    strings = forms.learnable_items(noise, users, items, h)
    std = forms.count_std(noise, h, users) / users
    forever = (
        (fmt.short(all_reports), f"2{power}ln[(1 − f/2)/(f/2)]")
        if noise.memoised
        else (UNBOUNDED, "f = 0: averages undo the noise")
    )
    return (
        Group("Privacy in nats; RAPPOR's p and q are the reverse of Wang's", (
            Fact("ε₁", "one report", fmt.short(epsilon), f"{power}ln[q*(1 − p*)/(p*(1 − q*))]"),
            Fact("", "one value likelier, at most", f"{fmt.short(math.exp(epsilon), 3)} ×", "e^ε₁"),
            Fact("ε∞", "all reports of a value", *forever),
            Fact("q*", "a true 1 is sent as 1", fmt.short(noise.q_star),
                 "Wang's p: f(p + q)/2 + (1 − f)q"),
            Fact("p*", "a true 0 is sent as 1", fmt.short(noise.p_star),
                 "Wang's q: f(p + q)/2 + (1 − f)p"),
        )),
        Group(f"One user: v = {cell.population.label(item)}, f_v = {fmt.short(held, 3)}", (
            Fact("", "sent v's bits, but lacks v",
                 fmt.percent(forms.false_attribution(noise, h, held)), "in one report; RAP 5.3"),
            Fact("", "keeps them, but lacks v",
                 fmt.percent(forms.permanent_false_attribution(noise, h, held)),
                 "after very many reports"),
            Fact("", "keeps no bit of v's", fmt.percent(forms.signal_lost(noise, h)),
                 "(f/2)^h, of who holds v"),
        )),
        Group(f"The crowd: N = {fmt.count(users)}", (
            Fact("σ", "of a rare frequency", fmt.short(std, 3),
                 f"√(p*(1 − p*)/{'(h N)' if h > 1 else 'N'})/(q* − p*)"),
            Fact("", "strings learnable, at most", fmt.short(strings, 3),
                 f"of {fmt.count(items)}, equally frequent; RAP 5"),
        )),
    )  # fmt: skip


def bargains(cell: Cell, noise: BitNoise) -> tuple[Bargain, ...]:
    """The present numbers, and what another f, p, q, h, k or m would change."""
    choices = [_bargain("now", cell, noise, cell.protocol)]
    changes = [("f", value) for value in (0.25, 0.5, 0.75, 0.9)]
    if noise.p > 0 or noise.q < 1:
        changes += [("p", noise.p / 2), ("q", (1 + noise.q) / 2)]
    for letter, value in changes:
        if abs(value - getattr(noise, letter)) < 1e-9:
            continue
        try:
            other = replace(noise, **{letter: value})
        except ScenarioError:
            continue
        choices.append(_bargain(f"{letter} = {fmt.short(value)}", cell, other, cell.protocol))
    protocol = cell.protocol
    if isinstance(protocol, Rappor):
        for letter, key, most in (("h", "hashes", 16), ("k", "bits", 256), ("m", "cohorts", 2**16)):
            now = getattr(protocol, key)
            for value in (now // 2, 2 * now):
                if 1 <= value <= most and not (key == "bits" and value < 2):
                    changed = replace(protocol, **{key: value})
                    choices.append(_bargain(f"{letter} = {value}", cell, noise, changed))
    return tuple(choices)


def _bargain(name: str, cell: Cell, noise: BitNoise, protocol: object) -> Bargain:
    bloom = isinstance(protocol, Rappor)
    h = protocol.hashes if isinstance(protocol, Rappor) else 1
    room = 0.8 * protocol.bits * protocol.cohorts if isinstance(protocol, Rappor) else None
    return Bargain(
        name,
        noise.epsilon_one(h),
        noise.epsilon_infinity(h) if noise.memoised else None,
        forms.count_std(noise, h, cell.users) / cell.users,
        forms.learnable_items(noise, cell.users, cell.population.domain_size, h),
        room if bloom else None,
    )


def rounds_plot(cell: Cell, noise: BitNoise) -> Plot:
    """ε over the number of reports of one value: with the memoised noise, and by composition."""
    h = cell.hashes
    reports = sorted({round(t) for t in np.geomspace(1, ROUNDS, 49)})
    kept = [forms.epsilon_of_rounds(noise, h, t) for t in reports]
    fresh = [forms.naive_epsilon_of_rounds(noise, h, t) for t in reports]
    levels: tuple[tuple[float, str], ...] = ()
    if noise.memoised:
        bound = noise.epsilon_infinity(h)
        levels = ((bound, f"ε∞ {fmt.short(bound, 3)}"),)
        note = "fresh each time: composition of t reports, t ε₁"
    else:
        note = "f = 0: nothing is kept, and both are t ε₁"
    xs = [float(t) for t in reports]
    return Plot(
        "ε of t reports of one value",
        Axis("reports t", log=True),
        Axis("ε", log=True),
        (
            Series("permanent noise kept", xs, kept, "clean"),
            Series("fresh each time", xs, fresh, "attacked", "dotted"),
        ),
        levels=levels,
        note=note,
    )
