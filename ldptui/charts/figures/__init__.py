"""Results and closed forms to charts, and to the table of numbers behind each chart. Pure.

Each chart has a file with a `frame`. The limits of the axes come from the truth, the closed forms
and σ, so that they stand still while the trials of a run come in; data that leave them widen them
by round steps. A shown estimate is the mean over the trials.
"""

from __future__ import annotations

from .frame import ChartOption, Frame, FrameView
from .table import ChartTable, TableColumn, Value
