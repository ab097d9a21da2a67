"""The dialog that exports results, charts, figures and the screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets.option_list import Option

from ldptui.core.base.files import is_folder, is_there

from ...session.exporting import COLUMNS, DRAWN, ExportChoice, What, default_path
from ...terminal.places import current_dir
from ...widgets.dialog import Dialog, ModalScreen
from ...widgets.option_list import LineList
from ...widgets.path_field import PathField
from .paths import home_as_tilde

CHOICES: Final[dict[What, tuple[str, str]]] = {
    "csv-cells": ("Results, CSV", "a row per cell: metrics ± error"),
    "json": ("Results, JSON", "the same, and all frequencies"),
    "csv": ("Trials, CSV", "a row per trial of a kept run"),
    "chart-text": ("Chart, text", "as wide and high as it is shown"),
    "chart-svg": ("Chart, SVG", "scales, in the theme's colours"),
    "figure-column": ("Figure, 84 mm", "one column: .pdf .svg .png"),
    "figure": ("Figure, 174 mm", "one page: .pdf .svg .png"),
    "screen-svg": ("Screen, SVG", "everything that is on the screen"),
}


class ExportScreen(ModalScreen[ExportChoice | None]):
    """Choose what with up and down, change the name if need be, and press enter.

    The name follows the choice until it is edited, and has its suffix where it is left out. An
    existing file is asked about first. stem : the beginning of names. chart : the chart shown.
    why_no_figure : why it cannot be drawn for paper, which is said in the dialog.
    """

    # Not by hand when it is mounted: the app may be ending by then.
    AUTO_FOCUS = "LineList"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Close", id="export.close"),
    ]

    def __init__(
        self, stem: str = "ldptui", chart: str = "chart", why_no_figure: Callable[[], str] = str
    ) -> None:
        super().__init__()
        self._stem, self._chart, self._why_no_figure = stem, chart, why_no_figure
        self._folder = current_dir()
        self._what: What = "csv-cells"
        self._proposed = ""

    def compose(self) -> ComposeResult:
        with Dialog("Export", "enter exports · ↑ ↓ choose · tab edits the name · esc closes"):
            rows = (
                (f"{name:<16}", Content.styled(about, "$foreground-muted"))
                for name, about in CHOICES.values()
            )
            yield LineList(*(Option(Content.assemble(*row)) for row in rows))
            yield PathField(self._folder)

    def on_mount(self) -> None:
        for choices in list(self.query(LineList))[:1]:  # none where the app ends meanwhile
            choices.highlighted = 0

    def on_option_list_option_highlighted(self, event: LineList.OptionHighlighted) -> None:
        event.stop()
        self._what = [*CHOICES][event.option_index]
        field = self.query_one(PathField)
        if field.text == self._proposed:
            self._proposed = home_as_tilde(self._default)
            field.text = self._proposed

    @property
    def _default(self) -> Path:
        return default_path(self._what, self._stem, self._folder, self._chart)

    def on_option_list_option_selected(self, event: LineList.OptionSelected) -> None:
        event.stop()
        text = self.query_one(PathField).text
        if text.strip():
            self._export(self.query_one(PathField).absolute(text))

    def on_path_field_chosen(self, event: PathField.Chosen) -> None:
        event.stop()
        self._export(event.path)

    def _export(self, path: Path) -> None:
        field = self.query_one(PathField)
        if is_folder(path):
            field.tell(f"{path} is a folder: add a name", refused=True)
            return
        path = path if path.suffix else path.with_suffix(self._default.suffix)
        if self._what in COLUMNS and (reason := self._why_no_figure()):
            field.tell(reason, refused=True)
        elif self._what in COLUMNS and path.suffix not in DRAWN:
            ends = ", ".join(DRAWN)
            field.tell(f"a figure ends in {ends}, got {path.name}", refused=True)
        elif not is_there(path) or field.sure(path, f"{path} exists; enter again overwrites it"):
            self.dismiss(ExportChoice(self._what, path))
