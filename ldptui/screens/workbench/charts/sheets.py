"""The tabs of numbers and words: table, one report, privacy, equations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from textual.widget import Widget

from ....terminal.keyboard import first_focus
from ....widgets.blank import PaneColumns
from .shown import ChartInput

if TYPE_CHECKING:
    from ....widgets.number_table import FilteredTable
    from ..equations_view import EquationsView
    from ..privacy_view import PrivacyView
    from ..report_view import ReportView
    from .box import ChartBox

    Sheet: TypeAlias = FilteredTable | ReportView | PrivacyView | EquationsView


class Sheets(PaneColumns):
    """The view of one tab; each is made, and imported, when its tab is first shown."""

    async def open(self, tab: str) -> None:
        """Make the view of a tab, whose name becomes its id, if it is not there."""
        if not self.query(f"#{tab}"):
            sheet = _made(tab)
            sheet.add_class("sheet")
            await self.mount(sheet)

    def of(self, tab: str) -> Sheet | None:
        """The view of a tab; None for those with charts, and until it is made."""
        sheets = (sheet for sheet in self.children if sheet.id == tab and sheet.is_mounted)
        return cast("Sheet | None", next(sheets, None))

    def first_field(self, tab: str) -> Widget | None:
        """The first widget of a tab that can take the focus."""
        sheet = self.of(tab)
        return sheet and (first_focus(sheet) or sheet)

    def show(self, tab: str, shown: ChartInput, source: str, box: ChartBox) -> None:
        """Hand the draft to the view of a tab, or the numbers of this chart, called `source`."""
        for sheet in self.query_children(".sheet"):
            sheet.display = sheet.id == tab
        view: Any = self.of(tab)
        if view is None:
            return
        if tab == "table":
            data = shown.data
            numbers = (*box.kind.numbers(data), *box.chosen.items())
            view.show(source, numbers, partial(box.table, data))
            return
        draft = shown.at if tab == "report" and shown.at is not None else shown.draft
        if view.draft is not draft:
            view.draft = draft


def _made(tab: str) -> Sheet:
    match tab:
        case "report":
            from ..report_view import ReportView

            return ReportView(id=tab)
        case "privacy":
            from ..privacy_view import PrivacyView

            return PrivacyView(id=tab)
        case "equations":
            from ..equations_view import EquationsView

            return EquationsView(id=tab)
        case _:
            from ....widgets.number_table import FilteredTable

            return FilteredTable(id=tab)
