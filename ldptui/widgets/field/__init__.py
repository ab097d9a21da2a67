"""One field of a form: a label in words and symbol, a value to edit, and what is wrong under it.

A field takes its value downwards (`Field.show`) and posts `KeyEdited` with every change by hand.
What does not read as the wanted type is posted as the text it is: nothing typed is lost, and the
rule that it breaks is named in one place, the scenario's own check.
"""

from __future__ import annotations

from .controls import (
    ROW_KEYS,
    SWEPT,
    ChoiceControl,
    FormControl,
    ValueInput,
    faint_style,
    go_to_row,
    is_typing,
    leave,
    muted_style,
    style_of,
)
from .field import LABEL_WIDTH, Field
from .typed import nudge_value, read, write
