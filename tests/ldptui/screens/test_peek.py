"""The strip under a form that is alone: it follows the edit."""

from __future__ import annotations

import re

import pytest
from support.waiting import seen, until
from support.workbench_app import finished, own_home, workbench  # noqa: F401


@pytest.mark.parametrize("size", [(80, 24), (96, 30)])
async def test_a_strip_under_the_form_shows_the_gain_now(size: tuple[int, int]) -> None:
    async with workbench(size) as (screen, engine, pilot):
        app = pilot.app
        finished(engine)
        await pilot.press("2")
        await until(pilot, lambda: "2 Parameters" in seen(app) and "gain" in strip(app))
        now = re.search(r"gain (\S+)", strip(app))
        assert now
        found = screen.charts.peeked()[0].frequencies
        assert found is not None
        gain = sum(
            after - before
            for item, before, after in zip(
                found.items, found.clean.mean, found.attacked.mean, strict=True
            )
            if item in found.targets
        )
        assert float(now[1]) == pytest.approx(gain, rel=0.01)
        assert any("⠀" < char <= "⣿" for char in strip(app))  # the curve
        await pilot.press("4")
        await until(pilot, lambda: not screen.query_one("#peek").display)


async def test_two_columns_stand_from_24_rows_on() -> None:
    async with workbench((100, 24)) as (screen, engine, pilot):
        app = pilot.app
        finished(engine)
        await pilot.press("2")
        await until(pilot, lambda: "2 Parameters" in seen(app) and "4 Charts" in seen(app))
        assert not screen.query_one("#peek").display
        await pilot.resize_terminal(99, 24)
        await until(pilot, lambda: "4 Charts" not in seen(app).split("\n", 1)[1])
        assert screen.query_one("#peek").display


def strip(app: object) -> str:
    """The last rows above the status line."""
    return "\n".join(seen(app).split("\n")[-8:])  # type: ignore[arg-type]
