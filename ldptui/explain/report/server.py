"""The server's steps: the items that a report supports, and their weight."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ldptui.core.base.sampling import Counts
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports, Supports, is_pure
from ldptui.core.theory import fake_support

from ...text import format as fmt
from .steps import Life, Meter, Step
from .words import over_items, plural

Heard: TypeAlias = Callable[[Cell, Reports], tuple[str, Counts, str]]
"""A number of every item that the server reads off one report, by name; the report in words."""


def completed(
    cell: Cell,
    title: str,
    report: Reports,
    steps: Sequence[Step],
    item: int | None,
    heard: Heard | None,
    *,
    fake: bool,
) -> Life:
    """The life with the last steps, which are the server's: what is supported, and its weight."""
    protocol: Any = cell.protocol
    supported = supported_items(protocol, report)
    targets = np.sort(cell.targets)
    hit = targets[supported[targets] > 0]
    p, q, r = protocol.p, protocol.q, targets.size
    net = int(supported[targets].sum())
    weight = float((net - r * q) / (p - q))
    server = [support_step(cell, report, supported, item, heard, fake=fake)]
    if r:
        server.append(weight_step(cell, net, weight, item, fake=fake))
    items = np.flatnonzero(supported > 0)
    return Life(title, fake, item, report, (*steps, *server), items, hit, weight)


def supported_items(protocol: Any, report: Reports) -> Supports:
    """[d], the items that one report supports; of a sketch by the hash functions of its row."""
    everything = np.arange(protocol.domain_size)
    seen = protocol.supports(report) if is_pure(protocol) else protocol.look(report, everything)
    return np.asarray(seen[0])


def support_step(
    cell: Cell,
    report: Reports,
    supported: Supports,
    item: int | None,
    heard: Heard | None,
    *,
    fake: bool,
) -> Step:
    protocol: Any = cell.protocol
    r = cell.targets.size
    count, against = int((supported > 0).sum()), int((supported < 0).sum())
    text = f"{fmt.count(count)} of {plural(protocol.domain_size, 'item')}"
    if item is not None:
        text += ", the own one too" if supported[item] > 0 else ", not the own one"
    if against:
        text += f"; against {fmt.count(against)}"
    meter = None
    if r:
        if fake and cell.attack is not None:
            expected = _supported(cell)
        else:
            expected = r * protocol.q
            if item is not None and item in cell.targets:
                expected += protocol.p - protocol.q
        meter = Meter(int(supported[cell.targets].sum()), r, expected)
    cells = None
    if heard is not None:
        name, numbers, sent = heard(cell, report)
        rows = (("support", supported > 0),)
        cells = over_items(cell, rows, item, numbers=(name, numbers), rate=protocol.q)
        text += f": {sent}"
    return Step("Support", text, cells=cells, meter=meter)


def _supported(cell: Cell) -> float:
    """The number of targets that a fake report supports on average."""
    law = fake_support(cell)
    assert law is not None  # there is no life of what has no law
    return float(law.rates[cell.targets].sum())


def weight_step(cell: Cell, hit: int, weight: float, item: int | None, *, fake: bool) -> Step:
    protocol: Any = cell.protocol
    p, q, r = protocol.p, protocol.q, cell.targets.size
    short = fmt.short
    if fake and cell.attack is not None:
        mean = (_supported(cell) - r * q) / (p - q)
        average = f"{short(mean, sign=True)} on average, from each fake"
    else:
        holds = item is not None and item in cell.targets
        average = f"{'+1' if holds else '0'} on average: honest noise cancels"
    return Step(
        "Weight",
        f"{short(weight, sign=True)} users with a target",
        detail=(f"({hit} − {r}q)/(p − q) = {short(hit - r * q)}/{short(p - q)}", average),
    )
