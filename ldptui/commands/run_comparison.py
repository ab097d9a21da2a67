"""Two runs cell by cell: ldptui compare; one run as a matrix game: ldptui game."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ldptui.core.base.errors import ScenarioError, check_among
from ldptui.core.bounds.game import solve_game as solve
from ldptui.core.metrics import METRICS, column
from ldptui.core.metrics.results import CellResults
from ldptui.core.store import RunCell, RunRecord

from ..session.runs import differences
from ..terminal import exits, output
from ..text import format as text
from ..text import table
from ..text.interval import mean_words
from .column_dictionary import csv_text
from .run_lookup import as_json, run_or_file


def measure_difference(a: CellResults, b: CellResults, metric: str, paired: bool) -> dict[str, Any]:
    """The difference B − A of a metric over the trials, with its standard error and z; empty if it
    is undefined.

    paired : the trials drew the same genuine users' reports, and are compared one by one.
    """
    left, right = column(a.metrics, metric), column(b.metrics, metric)
    trials = min(left.size, right.size)
    if paired:
        left, right = left[:trials], right[:trials]
    if not trials or np.isnan(left).any() or np.isnan(right).any():
        return {}
    apart, error = float(right.mean() - left.mean()), None
    if paired:
        apart = float((right - left).mean())
    if trials > 1 and paired:
        error = float((right - left).std(ddof=1) / math.sqrt(trials))
    elif trials > 1:
        error = math.sqrt(left.var(ddof=1) / left.size + right.var(ddof=1) / right.size)
    return {
        "a": float(left.mean()), "b": float(right.mean()), "difference": apart,
        "standard_error": error, "trials": trials, "paired": paired,
        "z": apart / error if error else None,
    }  # fmt: skip


def pairs(a: Sequence[RunCell], b: Sequence[RunCell]) -> list[tuple[RunCell, RunCell]]:
    """The pairs of cells of two runs with equal values of the keys that vary in both.

    If that leaves a choice, or nothing varies in both, cells go together by position. Raises
    ScenarioError if their numbers differ then.
    """
    keys = [key for key in _varying(a) if key in _varying(b)]
    left, right = ({repr([cell.parameters.get(key) for key in keys]): cell for cell in cells}
                   for cells in (a, b))  # fmt: skip
    if keys and len(left) == len(a) and len(right) == len(b):
        matched = [(left[values], right[values]) for values in left if values in right]
        if matched:
            return matched
    if len(a) != len(b):
        raise ScenarioError(
            f"have {len(a)} and {len(b)} cells that do not vary in the same keys: "
            "it is not clear which belong together",
            key="A and B",
        )
    return list(zip(a, b, strict=True))


def _varying(cells: Sequence[RunCell]) -> list[str]:
    """The keys whose values differ between cells."""
    names = dict.fromkeys(key for cell in cells for key in cell.parameters)
    return [name for name in names if len({repr(cell.parameters.get(name)) for cell in cells}) > 1]


def _read(word: str, place: str | None) -> tuple[RunRecord, Sequence[RunCell], Any]:
    """A run, its cells, and what was measured in each."""
    store, number = run_or_file(word, place)
    with store:
        return store.run(number), store.cells(number), store.measured_cells(number)


def compare_runs(
    first: str, second: str, metrics: Sequence[str], form: str, place: str | None
) -> int:
    """Print the differences of two runs in each metric; returns the exit code."""
    (a, cells_a, measured_a), (b, cells_b, measured_b) = (
        _read(word, place) for word in (first, second)
    )
    known = list(dict.fromkeys([*METRICS, *a.metrics, *b.metrics]))
    for name in metrics:
        check_among(name, known, "--metric")
    swept = [key for key in _varying(cells_a) if key in _varying(cells_b)]
    rows = []
    for cell, other in pairs(cells_a, cells_b):
        keys = {key: cell.parameters.get(key) for key in swept}
        where = {"cell_a": cell.position, "cell_b": other.position, **keys}
        sides = measured_a[cell.position], measured_b[other.position]
        for metric in metrics or known:
            if gap := measure_difference(*sides, metric, cell.genuine == other.genuine):
                rows.append({**where, "metric": metric, **gap})
    changed = ", ".join(differences(a.document, b.document))
    if form == "json":
        sides_json = {"a": as_json(a), "b": as_json(b)}
        output.write_json({**sides_json, "changed": changed, "differences": rows})
    elif form == "csv":
        names = [*rows[0]] if rows else ["cell_a", "cell_b", "metric"]
        values = [["" if value is None else value for value in row.values()] for row in rows]
        output.write_out(csv_text([names, *values]), exactly=True)
    else:
        heading = [f"A is run {a.id}: {a.title}", f"B is run {b.id}: {b.title}",
                   f"changed: {changed or 'nothing'}", ""]  # fmt: skip
        output.write_out("\n".join([*heading, *_table_lines(rows, swept)]) + "\n")
    return exits.DONE


def _table_lines(rows: Sequence[dict[str, Any]], swept: Sequence[str]) -> list[str]:
    """The differences as a table, and the sentences about them."""
    if not rows:
        return ["nothing was measured in both"]
    if all(row["difference"] == row["standard_error"] == 0 for row in rows):
        return [f"the same, to the last digit: {text.plural(len(rows), 'mean')} of each"]
    heads = (*table.heads(list(swept)), "metric", "A", "B", "B − A", "±", "z")
    shown = [
        (
            *(table.value_text(row[key]) for key in swept), row["metric"],
            text.short(row["a"]), text.short(row["b"]), text.short(row["difference"], sign=True),
            text.short(row["standard_error"], 2), text.fixed_decimals(row["z"], 1, sign=True),
        )
        for row in rows
    ]  # fmt: skip
    same = "both drew the same genuine users' reports"
    drawn = {
        (True,): f"paired: {same}, trial by trial",
        (False, True): f"paired where {same}, else independent",
        (False,): "independent: the genuine users' reports are different ones",
    }[tuple(sorted({row["paired"] for row in rows}))]
    return [table.plain_table(heads, shown), drawn, mean_words(row["trials"] for row in rows)]


FIRST: Final = ("gain_after", "gain", "mse_after", "mse")
"""The metrics that a game is of where none is named, the first that was measured."""


def solve_game(word: str, wanted: str | None, form: str, place_of_store: str | None) -> int:
    """Print the value and both mixed strategies of a run over attacks and defences; returns the
    exit code.
    """
    run, cells, measured = _read(word, place_of_store)
    keys = [_side(cells, part) for part in ("attack", "defence")]
    places = [[table.value_text(cell.parameters.get(key)) for key in keys] for cell in cells]
    attacks, defences = ([*dict.fromkeys(names)] for names in zip(*places, strict=True))
    if len(cells) != len(attacks) * len(defences):
        rule = f"must sweep {keys[0]} and {keys[1]} alone to be a game, got {len(cells)} cells"
        raise ScenarioError(rule, key="RUN")
    if wanted is not None:
        check_among(wanted, [*dict.fromkeys([*METRICS, *run.metrics])], "--metric")
    for metric in FIRST if wanted is None else (wanted,):
        matrix = np.full((len(attacks), len(defences)), np.nan)
        for cell, (attack, defence) in zip(cells, places, strict=True):
            mean = column(measured[cell.position].metrics, metric).mean()
            matrix[attacks.index(attack), defences.index(defence)] = mean
        if wanted is not None or np.isfinite(matrix).all():
            break
    else:
        raise ScenarioError("must be named: no gain was measured for every pair", key="--metric")
    game = solve(matrix)
    if form == "json":
        output.write_json({
            "run": as_json(run), "metric": metric, "attack_key": keys[0], "defence_key": keys[1],
            "attacks": attacks, "defences": defences, "matrix": matrix.tolist(),
            "value": game.value, "attack_mixture": game.rows.tolist(),
            "defence_mixture": game.columns.tolist(),
        })  # fmt: skip
        return exits.DONE
    rows: list[tuple[Any, ...]] = [
        (attack, *(text.short(number) for number in line), text.percent(float(often)))
        for attack, line, often in zip(attacks, matrix, game.rows, strict=True)
    ]
    rows.append(("defence plays", *(text.percent(float(often)) for often in game.columns), ""))
    lines = [
        f"{run.title}: {metric} of each attack against each defence, as a game",
        "",
        table.plain_table(("attack", *defences, "attack plays"), rows),
        f"value {text.short(game.value)}: what the attacker has at least and the server at most",
        "the means of a run, taken as known: differences within their errors decide nothing",
    ]
    output.write_out("\n".join(lines) + "\n")
    return exits.DONE


def _side(cells: Sequence[RunCell], part: str) -> str:
    """The key of the attack, or of the defence, that varies; raises ScenarioError."""
    own = [name for name in _varying(cells) if name.startswith(f"{part}.")]
    if not own:
        rule = f"must sweep a key of [{part}], such as the kinds, to be a game"
        raise ScenarioError(rule, key="RUN")
    return next((name for name in own if name.endswith(".kind")), own[0])
