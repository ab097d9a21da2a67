"""The charts pane in an app of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from textual.app import ComposeResult
from textual.pilot import Pilot

from ldptui.messages import KeysProposed, LongWork, SelectionsChanged
from ldptui.screens.workbench.charts import ChartsPane
from ldptui.screens.workbench.charts.box import ChartBox
from ldptui.session import draft as drafts
from ldptui.session.snapshot import Snapshot
from ldptui.widgets.plot import ChartView
from support.chart_cases import QUICK
from support.styled_app import StyledApp
from support.told import told

QUICK_DRAFT = drafts.draft_of(QUICK, Path())
CAMPAIGN = QUICK + "[campaign]\nrounds = 5\n"


def edited(key: str, value: Any) -> drafts.Draft:
    """The draft of QUICK with another value of a key."""
    return drafts.edit_key(QUICK_DRAFT, key, value)


class Shell(StyledApp):
    """The pane alone, as large as the screen."""

    def __init__(self, charset: str) -> None:
        super().__init__()
        self.charset, self.changes = charset, 0
        self.proposed: list[tuple[str, Any]] = []

    def compose(self) -> ComposeResult:
        yield ChartsPane()

    def on_selections_changed(self, message: SelectionsChanged) -> None:
        self.changes += 1

    def on_long_work(self, message: LongWork) -> None:
        """What the workbench does in a thread."""
        message.done(message.work())
        self.query_one(ChartsPane).watch_draft()

    def on_keys_proposed(self, message: KeysProposed) -> None:
        self.proposed = list(message.edits)


NORMAL, NARROW, SMALL, WIDE = (76, 30), (60, 24), (44, 15), (140, 52)


@asynccontextmanager
async def showing(
    size: tuple[int, int] = NORMAL,
    draft: Any = QUICK_DRAFT,
    run: Any = None,
    charset: str = "braille",
) -> AsyncIterator[tuple[ChartsPane, Pilot[None]]]:
    app = Shell(charset)
    async with app.run_test(size=size) as pilot:
        pane = app.query_one(ChartsPane)
        await pane.mount_rest()
        pane.draft = draft
        pane.snapshot = run
        await pilot.pause()
        pane.focus_first()
        await pilot.pause()
        yield pane, pilot


def chart(pane: ChartsPane, name: str) -> Any:
    """What a picture shows: that of a view, or that of an id."""
    for box in pane.query(ChartBox):
        for view, picture in zip(box.views, box.charts(), strict=False):
            if name == view and box.display:
                return picture.chart
    return pane.query_one(f"#{name}", ChartView).chart


def shown(pane: ChartsPane) -> list[str]:
    """The charts on the screen: the views of the estimates, of others their ids."""
    found = []
    for box in pane._columns.children:
        if isinstance(box, ChartBox) and box.display:
            names = [*box.views] if box.kind.name == "frequencies" and box.views else []
            found += names or [str(picture.id) for picture in box.charts()]
    return found


@cache
def campaign() -> tuple[drafts.Draft, Snapshot]:
    """A campaign of five rounds, and a run of it."""
    draft = drafts.draft_of(CAMPAIGN, Path())
    assert draft.scenario is not None
    return draft, told(draft.scenario.document)[0]
