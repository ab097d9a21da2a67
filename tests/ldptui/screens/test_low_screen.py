"""The charts of low screens: each row that says what another one says is one of the data."""

from __future__ import annotations

import pytest
from support.waiting import seen, until
from support.workbench_app import finished, own_home, workbench  # noqa: F401

from ldptui.screens.workbench.charts.tabs import fitting

TABS = (
    ("frequencies", "Frequencies"), ("gain", "Gain"), ("error", "Error"), ("map", "Map"),
    ("trials", "Trials"), ("detection", "Detection"), ("report", "One report"),
    ("table", "Table"), ("equations", "Equations"),
)  # fmt: skip


def of_data(text: str) -> int:
    """The rows of a plot: those with the y-axis before them."""
    return sum(line.lstrip("0123456789.- ")[:1] in ("│", "┤") for line in text.splitlines())


@pytest.mark.long
async def test_a_curve_has_its_title_in_copied_text_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    async with workbench((60, 18)) as (screen, engine, pilot):
        app, charts = pilot.app, screen.charts
        finished(engine)
        charts.tab = "gain"
        await pilot.resize_terminal(80, 24)
        await pilot.press("backspace")
        await until(pilot, lambda: "╭─ 4 Charts · " in seen(app) and "β = 0 " not in seen(app))
        high = seen(app)
        assert "Claim: fake users who are 5% of everybody" in high
        # The row of the axes says what a title would; the text that is copied has one.
        assert "gain over  share of fake users β · ε" in high
        title = "Gain of the attack over the share of fake users β"
        assert title not in high
        assert title in charts.as_text()
        assert charts.as_text().count("share of fake users β") == 2  # and of its axis


def test_no_tab_is_cut_off_in_a_narrow_pane() -> None:
    assert fitting(TABS, 128) == TABS
    narrow = [words for _, words in fitting(TABS, 60)]
    assert sum(len(words) + 1 for words in narrow) <= 61
    assert narrow[0] == "Freq"
    assert narrow[-1] == "Eqs"
