"""Results and closed forms as text tables, laid out for the width of the terminal. Pure text.

A table of a sweep has one row for each cell: the swept keys, then the groups of columns of each
metric. Groups that do not fit beside each other follow in a further block of rows.
"""

from __future__ import annotations

from .layout import align_words, plain_table
from .number_columns import heads, value_text
from .whole_table import latex_table, markdown_table, results_table, theory_table, verdict_of
