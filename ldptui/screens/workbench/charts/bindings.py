"""The keys of all tabs of the charts; each tab offers those that do something there."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding, BindingType

from ....widgets.cursor import STEP

KEYS: Final[list[BindingType]] = [
    Binding("left,h,left_square_bracket", "tab(-1)", "Tab before", show=False,
            id="charts.previous"),
    Binding("right,l,right_square_bracket", "tab(1)", "Next tab", show=False, id="charts.next"),
    Binding("v", "view", "View", id="charts.view"),
    Binding("t", "table", "Table", id="charts.table"),
    Binding("x", "axis", "Axis", id="charts.axis"),
    Binding("f", "pick", "Series", id="charts.pick"),
    Binding("X", "log('x')", "Log x", id="charts.log-x"),
    Binding("c", "log('y')", "Log y", id="charts.log-y"),
    Binding("j,down", "cohort(1)", "Pick", id="charts.next-cohort",
            key_display="j k"),
    Binding("k,up", "cohort(-1)", "Cohort, target, series before", show=False,
            id="charts.cohort-before"),
    Binding("enter", "take", "Take cell", id="charts.take"),
    Binding("space", "cursor('play')", "Play", id="charts.play"),
    *STEP,
    Binding("plus,equals_sign", "cursor('faster', 1)", "Faster", show=False,
            id="charts.faster"),
    Binding("minus", "cursor('faster', -1)", "Slower", show=False, id="charts.slower"),
    Binding("J,pagedown", "cohort(10)", "10 cohorts on", show=False, id="charts.cohorts-on"),
    Binding("K,pageup", "cohort(-10)", "10 back", show=False, id="charts.cohorts-back"),
]  # fmt: skip
