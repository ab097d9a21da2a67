"""Writes results: JSON and CSV as other programs rely on them."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np

from .campaign import Entry, Round, entry_of, rounds_of
from .cell import Cell
from .metrics import metrics_of, plain
from .protocols import BitNoise
from .results import Arms, CellResults, round_of
from .runner import Results
from .sampling import Floats
from .task import task_of
from .theory import bit_gain, privacy_spent

FORMAT: Final = 1


class Summary(Protocol):
    """A mean over trials, its standard error and the closed form; None where undefined."""

    @property
    def mean(self) -> float | None: ...
    @property
    def standard_error(self) -> float | None: ...
    @property
    def theory(self) -> float | None: ...


# The shapes of the JSON document, whoever has the numbers.


def json_text(
    versions: Mapping[str, str], status: str, digest: str | None, scenario: object, cells: list[Any]
) -> str:
    """The whole document as text."""
    document = {
        "format": FORMAT,
        **versions,
        "status": status,
        "digest": digest,
        "scenario": scenario,
        "cells": cells,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=str) + "\n"


def cell_document(
    fields: Mapping[str, Any],
    metrics: Mapping[str, Summary],
    *,
    answer: Mapping[str, Any] | None = None,
    rappor: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """One cell: what it is, what was measured, the answer to its goal, RAPPOR's own numbers."""
    answered = {} if answer is None else {"answer": dict(answer)}
    return {**fields, "metrics": _summaries(metrics), **answered, **(rappor or {})}


def rounds_document(entry: Entry, rounds: Sequence[Round]) -> dict[str, Any]:
    """The rounds of a campaign; epsilon_spent is by a user who took part in all of them so far."""
    written = [
        {
            "round": collection.number,
            "users": collection.users,
            "malicious": collection.malicious,
            "epsilon_spent": collection.spent,
            "metrics": _summaries(collection.metrics),
        }
        for collection in rounds
    ]
    return {"entry_round": dataclasses.asdict(entry), "rounds": written}


def _summaries(metrics: Mapping[str, Summary]) -> dict[str, dict[str, float | None]]:
    return {
        name: {
            "mean": summary.mean,
            "standard_error": summary.standard_error,
            "theory": summary.theory,
        }
        for name, summary in metrics.items()
    }


def estimates_document(
    true: Sequence[float],
    arms: Mapping[str, tuple[Sequence[float] | None, Sequence[float] | None]],
) -> dict[str, Any]:
    """The true frequencies, then by arm the mean estimates and their standard deviations."""
    means = {name: None if mean is None else list(mean) for name, (mean, _) in arms.items()}
    deviations = {f"{name}_std": None if std is None else list(std)
                  for name, (_, std) in arms.items()}  # fmt: skip
    return {"true": list(true), **means, **deviations}


def to_json(results: Results, versions: dict[str, str], frequencies: bool = False) -> str:
    """The results as a JSON document; `frequencies` adds each item's estimates."""
    failed = {
        failure.cell: {"error": failure.error, "traceback": failure.details}
        for failure in results.failures
    }
    cells = [
        _cell(cell, measured, frequencies) | failed.get(cell.index, {})
        for cell, measured in zip(results.experiment.cells, results.cells, strict=True)
    ]
    status = "done" if results.complete else "failed" if results.ended else "partial"
    scenario = results.experiment.scenario.document
    return json_text(versions, status, results.digest, scenario, cells)


def cell_fields(cell: Cell) -> dict[str, Any]:
    """A cell's fields besides its parameters: numbers and words as in the JSON output.

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
    described = cell_document(
        {
            "index": cell.index,
            "parameters": cell.parameters,
            **cell_fields(cell),
            "trials": measured.trials,
        },
        {name: measured.estimate(name, theory[name]) for name in metrics_of(cell.arms)},
        answer=None if cell.answer is None else dataclasses.asdict(cell.answer),
        rappor=None if cell.noise is None else rappor_fields(cell, cell.noise),
    )
    if cell.rounds:
        described |= rounds_document(entry_of(cell, measured), rounds_of(cell, measured))
    if frequencies:
        described["frequencies"] = _frequencies(cell, measured)
        for collection, written in zip(cell.rounds, described.get("rounds", ()), strict=False):
            written["frequencies"] = _round_frequencies(collection, measured)
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
    detected = measured.detected
    tested = {} if detected is None else {"detected": (detected / measured.trials).tolist()}
    return {
        "items": None if cell.population.labels is None else list(cell.population.labels),
        **_estimated(cell, measured.arms),
        **tested,
    }


def _round_frequencies(collection: Cell, measured: CellResults) -> dict[str, Any] | None:
    rounds = measured.rounds
    if rounds is None or not rounds.arms:
        return None
    return _estimated(collection, round_of(rounds.arms, collection.round))


def _estimated(cell: Cell, arms: Arms) -> dict[str, Any]:
    kept = {arm.name: arms.get(arm) for arm in cell.arms}
    return estimates_document(
        cell.population.frequencies.tolist(),
        {name: (None, None) if moments is None else (moments.mean.tolist(), _list(moments.std))
         for name, moments in kept.items()},
    )  # fmt: skip


def _list(values: Floats | None) -> list[float] | None:
    return None if values is None else values.tolist()


def to_csv(results: Results) -> str:
    """One row per trial: cell, trial, every scalar parameter, then the metrics.

    Campaigns add columns: `round`, filled in the rows that follow a trial's row and empty in that
    row, which sums up all rounds; after the parameters `malicious` and `epsilon_spent`; and at the
    end `entry_round`, the trial's.
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
        answer = {} if cell.answer is None else dataclasses.asdict(cell.answer)
        shown = [*_scalars(cell, names), *(answer.get(name) for name in answers)]
        for trial, row in enumerate(plain(measured.metrics, metrics).tolist()):
            yield _line([cell.index, trial, *shown, *_blank(row)])


_ANSWER: Final = ("reached", "malicious", "share", "value", "by", "low", "confidence")
"""The columns of a row that hold the answer to a goal."""


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
            for collection, so_far in zip(cell.rounds, spent, strict=True):
                number = collection.round
                values = _blank(by_round[trial, number].tolist())
                yield _line([*head, number, *shown, collection.malicious, so_far, *values, ""])


def _metrics(results: Results) -> list[str]:
    """The names of the metrics that some cell has."""
    return metrics_of({arm for cell in results.experiment.cells for arm in cell.arms})


def _scalars(cell: Cell, names: Iterable[str]) -> list[object]:
    """The parameters of these names, "" where they are none of this cell, or no scalars."""
    values = [cell.parameters.get(name, "") for name in names]
    return [value if _is_scalar(value) else "" for value in values]


def _blank(row: Iterable[float]) -> list[float | str]:
    return ["" if math.isnan(x) else x for x in row]


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float | np.number)


def _line(values: list[Any]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(values)
    return buffer.getvalue()
