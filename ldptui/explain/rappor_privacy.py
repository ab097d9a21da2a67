"""The price of RAPPOR's numbers: privacy of one report, of all, of a user; what can be learnt.

Pure. RAP: Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from ldptui.core.base.errors import ScenarioError
from ldptui.core.cell import Cell
from ldptui.core.protocols import BitNoise, Rappor
from ldptui.core.protocols import rappor as forms
from ldptui.core.protocols.rappor import BasicRappor

from ..charts.series import Axis, Plot, Series
from ..text import format as fmt
from .example_users import ROUNDS, UNBOUNDED
from .family_explanation import Bargain, Fact, Group, Panel
from .formula import Formula
from .formula_inputs import Setting
from .formula_list import entries


def subject(cell: Cell) -> int:
    """The item that the inference about one user is about: the first target, or the top item."""
    if cell.targets.size:
        return int(cell.targets[0])
    return int(np.argmax(cell.population.histogram))


def of_noise(noise: BitNoise, hashes: int) -> dict[str, Formula]:
    """The formulas of a noise on `hashes` bits, by their fields."""
    return _entries(Rappor(2, 16, hashes, 1, noise))


def _entries(protocol: object, users: int | None = None) -> dict[str, Formula]:
    """The closed forms of RAPPOR's noise."""
    return entries(Setting(protocol, {"kind": "rappor", "form": ""}, users))


def panel(cell: Cell) -> Panel:
    """What noise gives away, in a cell of RAPPOR, and what other numbers would buy."""
    protocol = cast("Rappor | BasicRappor", cell.protocol)
    numbers, others = partial(groups, cell, protocol), partial(bargains, cell, protocol)
    return Panel(numbers, rounds_plot(protocol), others)


def groups(cell: Cell, protocol: Rappor | BasicRappor) -> tuple[Group, ...]:
    """Everything that the panel says in numbers, of a cell of RAPPOR."""
    noise, h = protocol.noise, protocol.hashes
    users, items = cell.users, cell.population.domain_size
    item = subject(cell)
    held = float(cell.population.frequencies[item])
    rows = _entries(protocol, users)
    one, forever = rows["epsilon_one"], rows["epsilon_infinity"]
    bound = (
        (fmt.short(forever.value), forever.brief)
        if noise.memoised
        else (UNBOUNDED, "f = 0: averages undo the noise")
    )
    factor = f"{fmt.short(math.exp(one.value), 3)} ×"
    return (
        Group("Privacy in nats; RAPPOR's p and q are the reverse of Wang's", (
            Fact("ε₁", "one report", fmt.short(one.value), one.brief),
            Fact("", "one value likelier, at most", factor, "e^ε₁"),
            Fact("ε∞", "all reports of a value", *bound),
            _fact("q*", "a true 1 is sent as 1", rows["q_star"], "Wang's p: "),
            _fact("p*", "a true 0 is sent as 1", rows["p_star"], "Wang's q: "),
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
            Fact("σ", "of a rare frequency", fmt.short(rows["frequency_std"].value, 3),
                 f"√(p*(1 − p*)/{'(h N)' if h > 1 else 'N'})/(q* − p*)"),
            Fact("", "strings learnable, at most", fmt.short(rows["learnable_items"].value, 3),
                 f"of {fmt.count(items)}, equally frequent; RAP 5"),
        )),
    )  # fmt: skip


def _fact(symbol: str, label: str, row: Formula, before: str) -> Fact:
    return Fact(symbol, label, fmt.short(row.value), before + row.brief)


def bargains(cell: Cell, protocol: Rappor | BasicRappor) -> tuple[Bargain, ...]:
    """The present numbers, and what another f, p, q, h, k or m would change."""
    noise, users = protocol.noise, cell.users
    choices = [_bargain("now", users, protocol)]
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
        changed = replace(protocol, noise=other)
        choices.append(_bargain(f"{letter} = {fmt.short(value)}", users, changed))
    if isinstance(protocol, Rappor):
        for letter, key, most in (("h", "hashes", 16), ("k", "bits", 256), ("m", "cohorts", 2**16)):
            now = getattr(protocol, key)
            for value in (now // 2, 2 * now):
                if 1 <= value <= most and not (key == "bits" and value < 2):
                    hashed = replace(protocol, **{key: value})
                    choices.append(_bargain(f"{letter} = {value}", users, hashed))
    return tuple(choices)


def _bargain(name: str, users: int, protocol: Rappor | BasicRappor) -> Bargain:
    rows = _entries(protocol, users)
    return Bargain(
        name,
        rows["epsilon_one"].value,
        rows["epsilon_infinity"].value if protocol.noise.memoised else None,
        rows["frequency_std"].value,
        rows["learnable_items"].value,
        0.8 * protocol.bits * protocol.cohorts if isinstance(protocol, Rappor) else None,
    )


def rounds_plot(protocol: Rappor | BasicRappor) -> Plot:
    """ε over the number of reports of one value: with the memoised noise, and by composition."""
    noise, h = protocol.noise, protocol.hashes
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
