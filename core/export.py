"""Writes results: JSON and CSV as other programs rely on them."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from .campaign import Round, entry_of, rounds_of
from .cell import Cell
from .metrics import metrics_of, plain
from .protocols import BitNoise
from .results import Arms, CellResults, Estimate, round_of
from .runner import Results
from .task import task_of
from .theory import bit_gain, privacy_spent

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


def cell_fields(cell: Cell) -> dict[str, Any]:
    """What a cell is, but for its parameters: numbers and words as in the JSON output.

    p and q are None for RAPPOR, whose own have the opposite roles, and where there are none.
    """
    pure = cell.pure if cell.is_pure and not cell.noise else None
    return {
        "path": cell.path,
        "users": cell.users,
        "malicious": cell.malicious,
        "domain_size": cell.population.domain_size,
        "p": pure.p if pure is not None else None,
        "q": pure.q if pure is not None else None,
        "hash_range": cell.hash_range,
    }


def _cell(cell: Cell, measured: CellResults, frequencies: bool) -> dict[str, Any]:
    theory = task_of(cell).expected(cell)
    metrics = {
        name: _estimate(measured.estimate(name, theory[name])) for name in metrics_of(cell.arms)
    }
    described: dict[str, Any] = {
        "index": cell.index,
        "parameters": cell.parameters,
        **cell_fields(cell),
        "trials": measured.trials,
        "metrics": metrics,
    }
    if cell.answer is not None:
        described["answer"] = dataclasses.asdict(cell.answer)
    if cell.noise is not None:
        described |= rappor_fields(cell, cell.noise)
    if cell.rounds:
        described["entry_round"] = dataclasses.asdict(entry_of(cell, measured))
        described["rounds"] = [_round(one) for one in rounds_of(cell, measured)]
    if frequencies:
        described["frequencies"] = _frequencies(cell, measured)
        for one, kept in zip(cell.rounds, described.get("rounds", ()), strict=False):
            kept["frequencies"] = _round_frequencies(one, measured)
    return described


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    return {
        "mean": estimate.mean,
        "standard_error": estimate.standard_error,
        "theory": estimate.theory,
    }


def _round(one: Round) -> dict[str, Any]:
    """One round of a campaign; epsilon_spent is that of who took part in all rounds so far."""
    return {
        "round": one.number,
        "users": one.users,
        "malicious": one.malicious,
        "epsilon_spent": one.spent,
        "metrics": {name: _estimate(estimate) for name, estimate in one.metrics.items()},
    }


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
    detected = measured.detected
    found = {} if detected is None else {"detected": (detected / measured.trials).tolist()}
    return {
        "items": None if cell.population.labels is None else list(cell.population.labels),
        **_estimated(cell, measured.arms),
        **found,
    }


def _round_frequencies(one: Cell, measured: CellResults) -> dict[str, Any] | None:
    rounds = measured.rounds
    if rounds is None or not rounds.arms:
        return None
    return _estimated(one, round_of(rounds.arms, one.round))


def _estimated(cell: Cell, arms: Arms) -> dict[str, Any]:
    """The true frequencies, the mean estimates of each arm, their standard deviations."""
    means: dict[str, Any] = {arm.name: None for arm in cell.arms}
    deviations: dict[str, Any] = {f"{arm.name}_std": None for arm in cell.arms}
    for arm, moments in arms.items():
        std = moments.std
        means[arm.name] = moments.mean.tolist()
        deviations[f"{arm.name}_std"] = None if std is None else std.tolist()
    return {"true": cell.population.frequencies.tolist(), **means, **deviations}


def to_csv(results: Results) -> str:
    """One row per trial: cell, trial, every scalar parameter, then the metrics.

    Campaigns add columns: `round`, of the rows that follow a trial's row, empty in the trial's own,
    which is of all rounds together; after the parameters `malicious` and `epsilon_spent`; and at
    the end `entry_round`, of a trial.
    """
    return "".join(csv_lines(results))


def csv_lines(results: Results) -> Iterator[str]:
    """The rows of `to_csv`, one at a time, for results too large for one string."""
    names: dict[str, None] = {}
    for cell in results.experiment.cells:
        names |= {key: None for key, value in cell.parameters.items() if _is_scalar(value)}
    if any(cell.rounds for cell in results.experiment.cells):
        yield from _campaign_lines(results, list(names))
        return
    answers = _ANSWER if any(cell.answer for cell in results.experiment.cells) else ()
    metrics = _metrics(results)
    yield _line(["cell", "trial", *names, *(f"answer.{name}" for name in answers), *metrics])
    for cell, measured in zip(results.experiment.cells, results.cells, strict=True):
        given = {} if cell.answer is None else dataclasses.asdict(cell.answer)
        shown = [*_scalars(cell, names), *(given.get(name) for name in answers)]
        for trial, row in enumerate(plain(measured.metrics, metrics).tolist()):
            yield _line([cell.index, trial, *shown, *_blank(row)])


_ANSWER: Final = ("reached", "malicious", "share", "value", "by", "low", "confidence")
"""What a row says of the answer to a goal."""


def _campaign_lines(results: Results, names: list[str]) -> Iterator[str]:
    metrics = _metrics(results)
    yield _line(["cell", "trial", "round", *names, "malicious", "epsilon_spent", *metrics,
                 "entry_round"])  # fmt: skip
    for cell, measured in zip(results.experiment.cells, results.cells, strict=True):
        rounds, r = measured.rounds, cell.targets.size
        if rounds is None:
            continue
        shown, spent = _scalars(cell, names), privacy_spent(cell)
        entries = rounds.entries(r) if r else np.full(measured.trials, np.nan)
        by_round = plain(rounds.metrics, metrics)
        for trial, row in enumerate(plain(measured.metrics, metrics).tolist()):
            head = [cell.index, trial]
            entry = "" if np.isnan(entries[trial]) else int(entries[trial])
            pool = [*shown, cell.malicious, spent[-1], *_blank(row), entry]
            yield _line([*head, "", *pool])
            for one, so_far in zip(cell.rounds, spent, strict=True):
                own = _blank(by_round[trial, one.round].tolist())
                yield _line([*head, one.round, *shown, one.malicious, so_far, *own, ""])


def _metrics(results: Results) -> list[str]:
    """The names of the metrics that some cell has."""
    return metrics_of({arm for cell in results.experiment.cells for arm in cell.arms})


def _scalars(cell: Cell, names: Iterable[str]) -> list[object]:
    """The parameters of these names, "" where they are none of this cell, or no scalars."""
    found = [cell.parameters.get(name, "") for name in names]
    return [value if _is_scalar(value) else "" for value in found]


def _blank(row: Iterable[float]) -> list[float | str]:
    return ["" if math.isnan(x) else x for x in row]


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float | np.number)


def _line(values: list[Any]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(values)
    return buffer.getvalue()
