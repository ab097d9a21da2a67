"""Subset selection (SS): the report is a set of w items."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Final, cast

from ldptui.core.attacks import Strategy
from ldptui.core.cell import Cell
from ldptui.core.law.pure import Reports
from ldptui.core.protocols.subset import SubsetSelection, best_size, subset_bits

from ..text import format as fmt
from .attack import Supported
from .closed_forms import OTHER, OWN, pure
from .formula import Entry, Formula, Plain, listed
from .report import SENT_AS_IT_IS, Chance, Step
from .report.pure import ItemReports
from .report.steps import hex_of, one_bit, over_items, targets_of
from .setting import Setting
from .story import Story
from .table import P_AND_Q, pure_notes

YB: Final = "Ye, Barg 2018"


_row = partial(Formula, source=YB)

ROWS: Final = (
    _row("Items in a report that make the average error least",
         "w* = d / (e^ε + 1), up or down to an integer"),
    listed("subset_size", "w", "d/(e^ε + 1), rounded", "YB"),
    _row(OWN, "p = w e^ε / (w e^ε + {d − w})", entry=Entry("p", "p", "YB")),
    _row(OTHER, "q = [ p {(w − 1)} + (1 − p) w ] / {(d − 1)}", entry=Entry("q", "q", "YB")),
    _row("Privacy budget from p and w", "ε = ln[ p {(d − w)} / ((1 − p) w) ]"),
)  # fmt: skip

GIVEN: Final = listed("subset_size", "w", "as given", "YB")
"""w in the place of that with the least error."""

SUPPORTED: Final = {
    "random": Supported("S = r w / d"),
    "unperturbed": Supported("S = 1 + {(r − 1)}{(w − 1)} / {(d − 1)}"),
    "crafted": Supported("S = min(r, w)"),
    "avoided": Supported("S = max(0, w − {(d − r)})"),
}


def _own(setting: Setting) -> dict[str, float]:
    w, d = setting.protocol.subset_size, setting.protocol.domain_size
    known = {"w": Plain(w), "subset_size": w, "w*": best_size(d, setting.protocol.epsilon)}
    return known if setting.r is None else {**known, "r": Plain(setting.r)}


def _formulas(setting: Setting) -> Iterator[Formula]:
    protocol = setting.protocol
    best = protocol.subset_size == best_size(protocol.domain_size, protocol.epsilon)
    rows = ROWS if best else [GIVEN if row.key == "subset_size" else row for row in ROWS]
    return pure(rows, SUPPORTED, own=_own)(setting)


def _size(protocol: SubsetSelection) -> tuple[int, int]:
    return protocol.subset_size, protocol.domain_size


def _honest(cell: Cell, report: Reports, item: int) -> tuple[Step, ...]:
    protocol = cast("SubsetSelection", cell.protocol)
    w, d = _size(protocol)
    after = protocol.supports(report)[0]
    kept = bool(after[item])
    # Given whether the own item is in, the others are picked uniformly.
    rate = (w - kept) / (d - 1)
    picked = f"{fmt.count(w - kept)} of {fmt.count(d - 1)}"
    return (
        Step("Encoding", "the item itself", cells=over_items(cell, (("own", one_bit(d, item)),),
                                                            item)),
        Step(
            "Perturbation",
            f"a set of {fmt.plural(w, 'item')}, {'the own one in it' if kept else 'others alone'}",
            (
                Chance("own item in the set", "p", protocol.p, "yes" if kept else "no"),
                Chance("each other", f"{w - kept}/(d−1)", rate, picked),
            ),
            over_items(cell, (("own", one_bit(d, item)), ("set", after)), item, rate=rate),
        ),
        _sent(cell, report),
    )  # fmt: skip


def _sent(cell: Cell, report: Reports) -> Step:
    """The report: a set of w items, as bits."""
    after = cell.pure.supports(report)[0]
    w = int(after.sum())
    bits = math.ceil(subset_bits(after.size, w))
    detail = (hex_of(report), f"log₂ of the number of sets: {fmt.plural(bits, 'bit')}")
    return Step("Report", f"a set of {fmt.plural(w, 'item')}", detail=detail, bits=after,
                marked=cell.targets[cell.targets.argsort()])  # fmt: skip


def _chosen(cell: Cell, report: Reports, name: str, text: str, detail: str) -> tuple[Step, ...]:
    after = cell.pure.supports(report)[0]
    cells = over_items(cell, (("set", after),), None)
    return Step(name, text, cells=cells, detail=(detail,)), SENT_AS_IT_IS, _sent(cell, report)


def _random(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    return _chosen(cell, report, "Drawing", "any set of this size, all alike", "each item: w/d")


def _crafted(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    after = cell.pure.supports(report)[0]
    hit = int(after[cell.targets].sum())
    detail = f"{fmt.plural(int(after.sum()) - hit, 'other item')} at random fill the set"
    return _chosen(cell, report, "Crafting", f"{hit} of {targets_of(cell)} in the set", detail)


def _avoided(cell: Cell, report: Reports, attack: Strategy) -> tuple[Step, ...]:  # noqa: ARG001
    hit = int(cell.pure.supports(report)[0][cell.targets].sum())
    text = f"{fmt.plural(hit, 'target')} in the set" if hit else "a set without a target"
    return _chosen(cell, report, "Crafting", text, "a target only where other items run out")


STORY: Final = Story(
    _formulas,
    ItemReports(_honest, {"random": _random, "crafted": _crafted, "avoided": _avoided}),
    table=("p", "q", "subset_size", *P_AND_Q[2:]),
    fields=("subset_size",),
    notes=pure_notes,
)
"""The formulas of the family, one report step by step, and its table."""
