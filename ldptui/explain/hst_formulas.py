"""HST: one sign of a vector of fair coins, which the server draws or the user."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from ldptui.core.cell import Cell
from ldptui.core.protocols.hst import UserCoins

from . import hashing_formulas, unary_formulas
from .attack_formulas import Laws, Supported
from .family_explanation import Story
from .formula import Entry, Formula, Plain
from .formula_inputs import Setting
from .formula_table import P_AND_Q, pure_notes
from .pure_formulas import OTHER, OWN, pure
from .report_story import ReportStory


def _own(protocol: object) -> bool:
    """True where users draw the coins."""
    return isinstance(protocol, UserCoins)


_row = partial(Formula, source="Bassily, Smith 2015")

ROWS: Final = (
    _row(OWN, "p = e^ε / (e^ε + 1)", entry=Entry("p", "p", "BS")),
    _row(OTHER, "q = 1/2", entry=Entry("q", "q", "BS"), put="1/2: a fair coin"),
    _row("Privacy budget from p", "ε = ln[ p / (1 − p) ]"),
)

PADDING: Final = Formula(
    "Padding of a crafted vector: half of all coins are 1", "l = ⌊d/2⌋ − r, at least 0",
    "Li, Li, Wang, Sun 2025", put="⌊{whole}/2⌋ − {r}",
)  # fmt: skip
"""The ones of a crafted vector besides those of the targets."""

PUBLIC: Final[Laws] = hashing_formulas.SUPPORTED | {
    "random": Supported("S = r / 2"),
    "crafted": Supported("S = E[max(M, r − M)],  M ~ Bin(r, 1/2)", put="{S:5}",
                         brief="E[max(M, r − M)]"),
    "avoided": Supported("S = E[min(M, r − M)],  M ~ Bin(r, 1/2)", put="{S:5}"),
}  # fmt: skip
"""S with public coins."""

OWN_COINS: Final[Laws] = unary_formulas.SUPPORTED | {
    "unperturbed": Supported("S = 1 + {(r − 1)} / 2"),
}
"""S where users draw the coins."""


def _formulas(setting: Setting) -> Iterator[Formula]:
    if not _own(setting.protocol):
        return pure(ROWS, PUBLIC, own=hashing_formulas.own_numbers)(setting)
    whole = {"whole": Plain(setting.protocol.domain_size)}
    padding = replace(PADDING, numbers=whole)
    return pure(ROWS, OWN_COINS, crafting=(padding,), own=unary_formulas.padded)(setting)


def _reports(cell: Cell) -> ReportStory:
    """The reports: those of hashing to one bit, or those of unary encoding."""
    return unary_formulas.REPORTS if _own(cell.protocol) else hashing_formulas.REPORTS


STORY: Final = Story(
    _formulas,
    _reports,
    table=P_AND_Q,
    notes=pure_notes,
)
"""The formulas of HST and its reports, whoever draws the coins."""
