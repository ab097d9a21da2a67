"""The tabs of numbers and words: table, one report, privacy, equations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from textual.widget import Widget

from ....terminal.keyboard import first_focus
from ....widgets.blank import PaneColumns
from .shown import INVALID, ChartInput

if TYPE_CHECKING:
    from ....widgets.number_table import FilteredTable
    from ..equations_view import EquationsView
    from ..privacy_view import PrivacyView
    from ..report_view import ReportView
    from .box import ChartBox

    TabView: TypeAlias = FilteredTable | ReportView | PrivacyView | EquationsView


class TabViews(PaneColumns):
    """The views of the tabs without charts (Table, One report, Privacy, Equations), of which one is
    shown; each is made when it is first shown.
    """

    async def open(self, tab: str) -> None:
        """Make and mount the view of a tab, with the tab's name as its id, unless it exists."""
        if not self.query(f"#{tab}"):
            view = _made(tab)
            view.add_class("tab-view")
            await self.mount(view)

    def of(self, tab: str) -> TabView | None:
        """The view of a tab; None for tabs of charts, and until the view is made."""
        views = (view for view in self.children if view.id == tab and view.is_mounted)
        return cast("TabView | None", next(views, None))

    def first_field(self, tab: str) -> Widget | None:
        """The first widget in the view of a tab that can take the focus."""
        view = self.of(tab)
        return view and (first_focus(view) or view)

    def show(self, tab: str, shown: ChartInput, source: str, box: ChartBox) -> None:
        """Show the view of a tab with the draft, or with the numbers of a chart; `source` is the
        chart that comes next.
        """
        for each in self.query_children(".tab-view"):
            each.display = each.id == tab
        view: Any = self.of(tab)
        if view is None:
            return
        if tab == "table":
            data = shown.data
            numbers = (*box.kind.numbers(data), *box.chosen.items())
            view.show(source, numbers, partial(box.table, data), INVALID * shown.invalid)
            return
        draft = shown.at if tab == "report" and shown.at is not None else shown.draft
        if view.draft is not draft:
            view.draft = draft


def _made(tab: str) -> TabView:
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
