"""Scenario files: TOML in and out, validation, sweeps. The only place of pydantic and tomlkit.

A `Scenario` is the document as its author wrote it. Its `points` are the validated parameters: one
`Point` for every combination of swept values. The dataclasses of the protocols, attacks and
populations are the schema.
"""

from __future__ import annotations

from .campaign_tables import PARTS, Campaign, MixtureSpec, PhaseSpec, PhasesSpec, Ramp
from .change import drop_key, names_for, set_key, set_sweep, with_sweep
from .counted_table import find_columns, is_table, looks_like_data
from .dotted_document import MAX_DEPTH, Document, flatten, value_at, with_value, without
from .json_schema import schema
from .key_table import (
    KEY_TYPES,
    choices_of,
    default_of,
    defaults_of,
    is_required,
    kinds_at,
    names_of,
    pattern,
    range_of,
    rule_of,
    sweepable_keys,
    type_of,
)
from .point import FORMAT, KINDS, TRIALS, Point, Simulate
from .scenario import Scenario, load, parse, read_document, read_scenario, read_text
from .sweep import MAX_CELLS, sweep_of
from .text_lines import key_lines, line_of
from .toml_writing import to_toml, update_toml
