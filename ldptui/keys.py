"""Keys that terminals spell in more than one way."""

from __future__ import annotations

from typing import Final

ALT_DIGITS: Final = (
    "inverted_exclamation_mark",
    "trade_mark_sign",
    "pound_sign",
    "cent_sign",
    "infinity",
    "section_sign",
    "pilcrow_sign",
    "bullet",
)
"""What Textual calls alt+1 … alt+8 from a terminal without the kitty keyboard protocol.

They go to a pane or a tab everywhere, so text fields leave them alone.
"""
