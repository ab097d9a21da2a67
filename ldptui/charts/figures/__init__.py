"""Results and closed forms to charts, and to the table of numbers behind each chart. Pure.

The limits of the axes come from the truth, the closed forms and σ, so that they stand still while
the trials of a run come in; data that leave them widen them by round steps. A shown estimate is the
mean over the trials.
"""

from __future__ import annotations

from ...text.interval import NORMAL_95
from .curves import BIT_SUPPORT, LEFT_OUT, error_plot, error_table, gain_plot, gain_table
from .frequencies import findings, frequency_table, scores, top_bars, trials_note
from .items import counts_plot
from .levels import survivors_plot
from .measurement import Over, Quantity, steady_limits
from .ranks import rank_plot, residuals
from .success import gain_chart, linear_part, panels_of, scale_of, success_plot, success_table
from .table import Column, Table, Value
