"""Keys that are none: the parts of a report of the mouse that come too slowly."""

from __future__ import annotations

import asyncio

import pytest
from textual._xterm_parser import XTermParser
from textual.events import Key

from ldptui.terminal.keyboard import BrokenReport


def keys_of(*parts: str) -> list[Key]:
    """The keys that Textual makes of parts, when each comes after it has waited for the rest."""
    parser, keys = XTermParser(), list[Key]()
    for part in parts:
        keys += (each for each in parser.feed(part) if isinstance(each, Key))
        if "\x1b" in part:
            parser._timeout_time = 0.0
            keys += (each for each in parser.tick() if isinstance(each, Key))
    return keys


@pytest.mark.parametrize(
    ("parts", "left"),
    [
        (["\x1b[<35;60;", "6M"], ""),
        (["\x1b[<35;60;6", "M"], ""),
        (["\x1b[", "<35;60;6M"], ""),
        (["\x1b[<35;60;", "6M6x"], "6x"),
        (["6", "M"], "6M"),
        (["[", "a"], "[a"),
        (["x["], "x["),
    ],
)
async def test_a_report_of_the_mouse_in_parts_does_nothing(
    parts: list[str], left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ldptui.terminal.keyboard.HELD_S", 0.01)
    heard = list[str | None]()
    broken = BrokenReport(lambda key: heard.append(key.character))
    for key in keys_of(*parts):
        if not broken.takes(key):
            heard.append(key.character)
    await asyncio.sleep(0.05)
    assert "".join(map(str, heard)) == left


async def test_a_report_that_breaks_long_behind_its_bracket_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The bracket is heard as a key by then; digits would open panes."""
    monkeypatch.setattr("ldptui.terminal.keyboard.HELD_S", 0.0)
    heard = list[str | None]()
    broken = BrokenReport(lambda key: heard.append(key.character))
    bracket, *rest = keys_of("[", "<35;60;6M")
    assert broken.takes(bracket)
    await asyncio.sleep(0.01)
    assert heard == ["["]
    assert all(broken.takes(key) for key in rest)


async def test_what_is_typed_long_after_is_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldptui.terminal.keyboard.REST_S", 0.0)
    broken = BrokenReport(lambda _: None)
    assert [broken.takes(key) for key in keys_of("\x1b[<", "6M")] == [True, True, False, False]
