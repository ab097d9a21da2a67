"""Calls after some time: they come, or are taken back."""

from __future__ import annotations

from itertools import count

import pytest
from support.styled_app import StyledApp
from support.waiting import until

from ldptui.widgets.delays import call_after


async def test_a_call_comes_though_the_process_stands_still(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on a busy machine, Textual's clock goes on by a second between any two of its lines."""
    app, calls = StyledApp(), list[str]()
    async with app.run_test() as pilot:
        seconds = count()
        monkeypatch.setattr("textual._time.get_time", lambda: float(next(seconds)))
        call_after(app, 0.002, lambda: calls.append("taken back")).stop()
        call_after(app, 0.001, lambda: calls.append("first"))
        call_after(app, 0.003, lambda: calls.append("last"))
        await until(pilot, lambda: "last" in calls)
        assert calls == ["first", "last"]
