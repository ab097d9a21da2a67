"""The commands that need no screen: run, theory, scenarios, schema. Each returns an exit code."""

from __future__ import annotations

from .formulas import closed_forms, theory
from .library import scenarios, schema
from .output import in_colour, note, width, write_out
from .progress import Bar, measure, progress_line
from .running import (
    check_output,
    check_workers,
    locate,
    report,
    run,
    scenario_of,
    tell_failures,
    toml_value,
)

__all__ = [
    "Bar",
    "check_output",
    "check_workers",
    "closed_forms",
    "in_colour",
    "locate",
    "measure",
    "note",
    "progress_line",
    "report",
    "run",
    "scenario_of",
    "scenarios",
    "schema",
    "tell_failures",
    "theory",
    "toml_value",
    "width",
    "write_out",
]
