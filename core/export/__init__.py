"""Writers of results for other programs: JSON, and CSV in two shapes."""

from __future__ import annotations

from .csv_rows import (
    ENDS,
    cells_csv,
    csv_lines,
    metric_rows,
    of_one_type,
    parameter_names,
    parameter_text,
    results_cells_csv,
    to_csv,
    trial_rows,
)
from .json_document import (
    cell_document,
    estimates_document,
    frequencies_document,
    json_text,
    rounds_document,
    to_json,
)
from .pivot import ALL, Pivot, TableChoice, check_choice, pivot
