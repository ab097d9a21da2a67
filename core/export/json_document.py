"""The JSON document of results, for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ..base.errors import FileError
from ..base.summary import Estimate
from ..cell import Cell
from ..metrics.results import CellResults
from ..running.runner import RunResults
from ..view import CellView, FrequencySummary, RoundSummary
from ..view.cells import cell_view
from ..view.estimated import frequencies as estimated
from ..view.round_view import round_frequencies, rounds_view
from .pivot import ALL, TableChoice, pivot

FORMAT: Final = 1

FIELDS: Final = (
    "parameters", "path", "users", "malicious", "domain_size", "p", "q", "hash_range", "trials",
)  # fmt: skip
"""The fields of a cell's view that are written under their own names."""


def json_text(
    versions: Mapping[str, str],
    status: str,
    digest: str | None,
    scenario: object,
    cells: list[Any],
    **more: Any,
) -> str:
    """The JSON document of results as text; more : further fields at its end.

    Raises FileError if a number is not finite, which means that the results are damaged.
    """
    document = {
        "format": FORMAT,
        **versions,
        "status": status,
        "digest": digest,
        "scenario": scenario,
        "cells": cells,
        **more,
    }
    try:
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False, default=str)
    except ValueError:
        raise FileError("the results are damaged: a number in them is infinite") from None
    return text + "\n"


def to_json(
    results: RunResults,
    versions: Mapping[str, str],
    frequencies: bool = False,
    choice: TableChoice = ALL,
    verdict: Sequence[str] = (),
) -> str:
    """The results as a JSON document.

    frequencies : whether to add each item's estimates. choice : the metrics to write; row and
    column keys add a `table`, the records of their pivot. verdict : sentences on the results.
    """
    cells = cell_documents(results, frequencies, choice.metrics)
    status = "done" if results.complete else "failed" if results.has_ended else "partial"
    scenario = results.experiment.scenario.document
    more: dict[str, Any] = {}
    if choice.is_pivot:
        more["table"] = pivot(results, choice).records()
    more |= {"verdict": list(verdict)} if verdict else {}
    warnings = list(results.warnings)
    more |= {"warnings": warnings} if warnings else {}
    return json_text(versions, status, results.digest, scenario, cells, **more)


def cell_documents(
    results: RunResults, frequencies: bool = False, metrics: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The cells of the JSON document; a failed cell has its `error` and `traceback`."""
    failed = {
        failure.cell: {"error": failure.error, "traceback": failure.details}
        for failure in results.failures
    }
    return [
        _choose_metrics(_cell(cell, measured, frequencies), metrics) | failed.get(cell.index, {})
        for cell, measured in zip(results.experiment.cells, results.cells, strict=True)
    ]


def _choose_metrics(document: dict[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    """The document of a cell and of its rounds, with these metrics alone if there are any."""
    if not metrics:
        return document
    kept = {name: value for name, value in document["metrics"].items() if name in metrics}
    rounds = [_choose_metrics(each, metrics) for each in document.get("rounds", ())]
    return {**document, "metrics": kept, **({"rounds": rounds} if rounds else {})}


def _cell(cell: Cell, measured: CellResults, frequencies: bool) -> dict[str, Any]:
    described = cell_document(cell_view(cell, measured))
    described |= cell.task.details(cell, measured.arms)
    if cell.rounds:
        described |= rounds_document(rounds_view(cell, measured))
    if frequencies:
        arms = [arm.name for arm in cell.arms]
        viewed = estimated(cell, measured, {})
        items = None if viewed is None or cell.population.labels is None else list(viewed.labels)
        described["frequencies"] = viewed and frequencies_document(viewed, items, arms)
        for number, written in enumerate(described.get("rounds", ())):
            kept = measured.rounds is not None and measured.rounds.arms
            seen = round_frequencies(cell, measured, number) if kept else None
            written["frequencies"] = seen and estimates_document(seen, arms)
    return described


def cell_document(view: CellView, **more: Any) -> dict[str, Any]:
    """One cell of the JSON document: its parameters, metrics, goal's answer and privacy budgets.

    more : fields that follow its index, or replace those of the view.
    """
    goal = ("metric", "at_least")  # which the scenario says
    answer = {name: value for name, value in (view.answer or {}).items() if name not in goal}
    return {
        "index": view.index,
        **more,
        **{name: getattr(view, name) for name in FIELDS if name not in more},
        "metrics": _summaries(view.metrics),
        **({"answer": answer} if view.answer is not None else {}),
        **(view.bits or {}),
        **({"warnings": list(view.warnings)} if view.warnings or view.bits else {}),
        **view.budgets,
    }


def rounds_document(rounds: RoundSummary) -> dict[str, Any]:
    """The rounds of a campaign for JSON.

    entry_round is the first one with all targets in the top k;
    epsilon_spent is the privacy loss of a user who took part in all rounds so far.
    """
    written = [
        {
            "round": number,
            "users": rounds.users[number],
            "malicious": rounds.malicious[number],
            "epsilon_spent": rounds.spent[number],
            "metrics": _summaries({name: each[number] for name, each in rounds.metrics.items()}),
        }
        for number in range(len(rounds))
    ]
    entry = {
        "reached": rounds.entered,
        "mean": rounds.entry,
        "standard_error": rounds.entry_error,
    }
    return {"entry_round": entry, "rounds": written}


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


def frequencies_document(
    shown: FrequencySummary, items: list[str] | None, arms: Iterable[str]
) -> dict[str, Any]:
    """The estimates of a cell in JSON, by arm, with its items' names; None for items
    without names.
    """
    tested = {} if shown.detected is None else {"detected": list(shown.detected)}
    return {"items": items, **estimates_document(shown, arms), **tested}


def estimates_document(shown: FrequencySummary, arms: Iterable[str]) -> dict[str, Any]:
    """The true frequencies, then for each arm the mean estimates and their standard deviations."""
    known = {name: shown.arms.get(name) for name in arms}
    return {
        "true": list(shown.true),
        **{name: None if arm is None else list(arm.mean) for name, arm in known.items()},
        **{f"{name}_std": None if arm is None or arm.std is None else list(arm.std)
           for name, arm in known.items()},
    }  # fmt: skip
