"""The JSON document of results, as other programs rely on it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..base.sampling import Floats
from ..base.summary import Estimate
from ..cell import Cell
from ..metrics.results import Arms, CellResults, round_of
from ..protocols import BitNoise
from ..running.runner import Results
from ..theory import bit_gain, compared
from ..theory.campaign import Entry, Round, entry_of, rounds_of

FORMAT: Final = 1


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
    metrics: Mapping[str, Estimate],
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


def _summaries(metrics: Mapping[str, Estimate]) -> dict[str, dict[str, float | None]]:
    return {
        name: {
            "mean": summary.mean,
            "standard_error": summary.standard_error,
            "theory": summary.theory,
            "z": summary.z,
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
    cells = cell_documents(results, frequencies)
    status = "done" if results.complete else "failed" if results.ended else "partial"
    scenario = results.experiment.scenario.document
    return json_text(versions, status, results.digest, scenario, cells)


def cell_documents(results: Results, frequencies: bool = False) -> list[dict[str, Any]]:
    """The cells of the JSON document; one that failed has its `error` and `traceback`."""
    failed = {
        failure.cell: {"error": failure.error, "traceback": failure.details}
        for failure in results.failures
    }
    return [
        _cell(cell, measured, frequencies) | failed.get(cell.index, {})
        for cell, measured in zip(results.experiment.cells, results.cells, strict=True)
    ]


def cell_fields(cell: Cell) -> dict[str, Any]:
    """A cell's fields besides its parameters: numbers and words as in the JSON output.

    p and q are None for RAPPOR, whose own have the opposite roles, and where there are none.
    """
    pure = cell.pure if cell.is_pure and not cell.noise else None
    return {
        "path": cell.decided_path,
        "users": cell.users,
        "malicious": cell.malicious,
        "domain_size": cell.population.domain_size,
        "p": pure.p if pure is not None else None,
        "q": pure.q if pure is not None else None,
        "hash_range": cell.hash_range,
    }


def _cell(cell: Cell, measured: CellResults, frequencies: bool) -> dict[str, Any]:
    theory = cell.task.expected(cell)
    described = cell_document(
        {
            "index": cell.index,
            "parameters": cell.parameters,
            **cell_fields(cell),
            "trials": measured.trials,
        },
        {name: compared(cell, measured, name, theory) for name in cell.metrics},
        answer=None if cell.answer is None else dataclasses.asdict(cell.answer),
        rappor=None if cell.noise is None else rappor_fields(cell, cell.noise),
    )
    described |= cell.task.details(cell, measured.arms)
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


def _frequencies(cell: Cell, measured: CellResults) -> dict[str, Any] | None:
    truth = cell.task.truth(cell)
    if truth is None:
        return None
    detected = measured.detected
    tested = {} if detected is None else {"detected": (detected / measured.trials).tolist()}
    return {
        "items": None if cell.population.labels is None else list(cell.population.labels),
        **_estimated(cell, truth, measured.arms),
        **tested,
    }


def _round_frequencies(collection: Cell, measured: CellResults) -> dict[str, Any] | None:
    rounds = measured.rounds
    truth = collection.task.truth(collection)
    if rounds is None or not rounds.arms or truth is None:
        return None
    return _estimated(collection, truth, round_of(rounds.arms, collection.round))


def _estimated(cell: Cell, truth: Floats, arms: Arms) -> dict[str, Any]:
    kept = {arm.name: arms.get(arm) for arm in cell.arms}
    return estimates_document(
        truth.tolist(),
        {name: (None, None) if moments is None else (moments.mean.tolist(), _list(moments.std))
         for name, moments in kept.items()},
    )  # fmt: skip


def _list(values: Floats | None) -> list[float] | None:
    return None if values is None else values.tolist()
