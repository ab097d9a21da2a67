"""Writes results: JSON and CSV as other programs rely on them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from .cell import Cell
from .metrics import METRICS
from .protocols import BitNoise
from .results import CellResults
from .runner import Results
from .sampling import Floats
from .theory import bit_gain, expected_metrics

FORMAT: Final = 1


def to_json(results: Results, versions: dict[str, str], frequencies: bool = False) -> str:
    """The results as a JSON document; `frequencies` adds each item's estimates."""
    failed = {one.cell: {"error": one.error, "traceback": one.details} for one in results.failures}
    document = {
        "format": FORMAT,
        **versions,
        "status": "done" if results.complete else "failed" if results.ended else "partial",
        "digest": results.digest,
        "scenario": results.experiment.scenario.document,
        "cells": [
            _cell(cell, measured, frequencies) | failed.get(cell.index, {})
            for cell, measured in zip(results.experiment.cells, results.cells, strict=True)
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n"


def _cell(cell: Cell, measured: CellResults, frequencies: bool) -> dict[str, Any]:
    theory = expected_metrics(cell)
    metrics = {}
    for name in METRICS:
        estimate = measured.estimate(name, theory[name])
        metrics[name] = {
            "mean": estimate.mean,
            "standard_error": estimate.standard_error,
            "theory": estimate.theory,
        }
    described: dict[str, Any] = {
        "index": cell.index,
        "parameters": cell.parameters,
        "path": cell.path,
        "users": cell.users,
        "malicious": cell.malicious,
        "domain_size": cell.population.domain_size,
        "p": cell.pure.p if cell.is_pure and not cell.noise else None,
        "q": cell.pure.q if cell.is_pure and not cell.noise else None,
        "hash_range": cell.hash_range,
        "trials": measured.trials,
        "metrics": metrics,
    }
    if cell.noise is not None:
        described |= rappor_fields(cell, cell.noise)
    if frequencies:
        described["frequencies"] = _frequencies(cell, measured)
    return described


def rappor_fields(cell: Cell, noise: BitNoise) -> dict[str, Any]:
    """RAPPOR's own numbers: its p and q are reversed, so that the common keys would mislead."""
    unbounded = not noise.memoised
    return {
        "f": noise.f,
        "p_star": noise.p_star,
        "q_star": noise.q_star,
        "epsilon_one": noise.epsilon_one(cell.hashes),
        "epsilon_infinity": None if unbounded else noise.epsilon_infinity(cell.hashes),
        "bit_support_gain": bit_gain(cell),
        "warnings": list(cell.warnings),
    }


def _frequencies(cell: Cell, measured: CellResults) -> dict[str, Any]:
    clean, attacked, detected = measured.clean, measured.attacked, measured.detected
    found = {} if detected is None else {"detected": (detected / measured.trials).tolist()}
    return {
        "items": None if cell.population.labels is None else list(cell.population.labels),
        "true": cell.population.frequencies.tolist(),
        "clean": _list(clean.mean if clean else None),
        "attacked": _list(attacked.mean if attacked else None),
        "clean_std": _list(clean.std if clean else None),
        "attacked_std": _list(attacked.std if attacked else None),
        **found,
    }


def _list(values: Floats | None) -> list[float] | None:
    return None if values is None else values.tolist()


def to_csv(results: Results) -> str:
    """One row per trial: cell, trial, every scalar parameter, then the metrics."""
    return "".join(csv_lines(results))


def csv_lines(results: Results) -> Iterator[str]:
    """The rows of `to_csv`, one at a time, for results too large for one string."""
    names: dict[str, None] = {}
    for cell in results.experiment.cells:
        names |= {key: None for key, value in cell.parameters.items() if _is_scalar(value)}
    yield _line(["cell", "trial", *names, *METRICS])
    for cell, measured in zip(results.experiment.cells, results.cells, strict=True):
        scalars = {key: value for key, value in cell.parameters.items() if _is_scalar(value)}
        shown = [scalars.get(name, "") for name in names]
        for trial, row in enumerate(measured.metrics.tolist()):
            yield _line([cell.index, trial, *shown, *("" if math.isnan(x) else x for x in row)])


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float | np.number)


def _line(values: list[Any]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(values)
    return buffer.getvalue()
