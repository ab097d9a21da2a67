"""The bar below the charts that goes through a campaign's rounds.

Each round is a moment of its transport. Before the first one is the place where all are pooled.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....session.transport import loaded
from ....text.format import percent, short
from ....widgets.cursor import Move
from ..transport_bar import TransportBar

if TYPE_CHECKING:
    from ldptui.core.view import Rounds


def rounds_bar() -> TransportBar:
    bar = TransportBar(id="rounds-bar")
    bar.can_focus = False  # the pane has its keys
    return bar


def load(bar: TransportBar, rounds: Rounds | None) -> bool:
    """Let the bar have as many moments as there are rounds; whether that is another number."""
    count = len(rounds) if rounds is not None else 0
    if count == (len(bar.transport.moments) if bar.transport is not None else 0):
        return False
    bar.transport = loaded([0.0] * count) if count else None
    return True


def tell(bar: TransportBar, rounds: Rounds, cursor: int | None) -> None:
    """Show a round in the bar: its number, its share of fakes and the ε spent so far."""
    count = len(rounds)
    if cursor is None or cursor >= count:
        bar.about, bar.words = f"all {count} rounds", "space plays"
        return
    bar.about = f"round {cursor:>{len(str(count - 1))}} of 0–{count - 1}"
    bar.words = f"β {percent(rounds.share[cursor])}  ε {short(rounds.spent[cursor])}"


def move(bar: TransportBar, how: Move, by: int) -> None:
    """Play or pause, step `by` rounds, play faster, go to round `by` (-1: the last), pool all."""
    match how:
        case "play":
            bar.action_play()
        case "step":
            bar.action_step(by)
        case "faster":
            bar.action_faster(by)
        case "to":
            if bar.transport is not None:
                bar.transport = bar.transport.to(bar.transport.moments[by])
        case "pool":
            stay_at(bar, None)


def stay_at(bar: TransportBar, number: int | None) -> None:
    """Show one round, from 0, and stay there; None: all of them pooled."""
    transport = bar.transport
    if transport is not None:
        at = 0.0 if number is None else transport.moments[number]
        bar.transport = replace(transport.to(at), playing=False)
