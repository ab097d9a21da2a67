"""Keys as they are written: what a binding has now, and what terminals spell in several ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.binding import Binding

if TYPE_CHECKING:
    from textual.app import App

RUN: Final = ("run.start", "ctrl+r")
RUNS: Final = ("pane.5", "5")
VIEW: Final = ("charts.view", "v")
AXIS: Final = ("charts.axis", "x")
UNDO: Final = ("draft.undo", "ctrl+z")
"""Ids and keys of bindings that sentences far from them name."""


def key_of(app: App[Any], name: str, default: str) -> str:
    """The first key of the binding with this id, as the key hints write it: ^r, v, f9.

    The settings may give it another one than its `default`.
    """
    changed: dict[str, str] = getattr(getattr(app, "settings", None), "keys", {})
    key = changed.get(name, default).split(",")[0].strip()
    return app.get_key_display(Binding(key, name))


ALT_DIGITS: Final = (
    "inverted_exclamation_mark",
    "trade_mark_sign",
    "pound_sign",
    "cent_sign",
    "infinity",
    "section_sign",
    "pilcrow_sign",
    "bullet",
    "ª",
    "º",
)
"""Textual's names of alt+1 … alt+9 and alt+0 from a terminal without the kitty keyboard protocol.

They go to a pane or a tab everywhere, so text fields leave them alone.
"""
