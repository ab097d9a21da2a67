"""A small app around one view of the draft: the equations, one report, what RAPPOR promises."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual.app import ComposeResult

from ldptui.screens.workbench.equations_view import EquationsView
from ldptui.screens.workbench.privacy_view import PrivacyView
from ldptui.screens.workbench.report_view import ReportView
from ldptui.session.draft import Draft
from ldptui.widgets.blank import Scroll
from support.styled_app import StyledApp

View = TypeVar("View", EquationsView, PrivacyView, ReportView)


class SheetApp(StyledApp, Generic[View]):
    """The view alone, as large as the screen."""

    def __init__(
        self, view: type[View], draft: Draft | None = None, charset: str = "braille"
    ) -> None:
        super().__init__()
        self.view, self.draft, self.charset = view(), draft, charset

    def compose(self) -> ComposeResult:
        yield self.view

    def on_mount(self) -> None:
        self.view.draft = self.draft

    @property
    def sheet(self) -> Scroll:
        """What scrolls in it."""
        return self.view.query_one(Scroll)
