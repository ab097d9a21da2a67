"""Two runs cell by cell: ldptui compare; one run as a matrix game: ldptui game."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldptui.core.base.errors import ScenarioError, check_among
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.game import Game
from ldptui.core.bounds.game import solve_game as solve
from ldptui.core.metrics import METRICS, column
from ldptui.core.metrics.results import CellResults
from ldptui.core.store import Run, RunCell

from ..session.runs import differences
from ..terminal import exits, output
from ..text import format as text
from ..text import table
from ..text.interval import mean_words
from .run_lookup import as_json, csv_text, run_or_file


@dataclasses.dataclass(frozen=True)
class Difference:
    """B − A of one metric in one pair of cells; None where it is not defined.

    paired : the trials drew the same genuine users' reports, and are compared one by one.
    """

    a: float | None
    b: float | None
    difference: float | None
    standard_error: float | None
    trials: int
    paired: bool

    @property
    def z(self) -> float | None:
        if self.difference is None or not self.standard_error:
            return None
        return self.difference / self.standard_error


def difference(a: CellResults, b: CellResults, metric: str, shared: bool) -> Difference:
    """B − A of a metric over the trials; `shared`: both drew the same genuine reports."""
    left, right = column(a.metrics, metric), column(b.metrics, metric)
    if shared:
        trials = min(left.size, right.size)
        left, right = left[:trials], right[:trials]
    trials = min(left.size, right.size)
    if not trials or np.isnan(left).any() or np.isnan(right).any():
        return Difference(None, None, None, None, trials, shared)
    means = float(left.mean()), float(right.mean())
    if trials == 1:
        error = None
    elif shared:
        error = float((right - left).std(ddof=1) / math.sqrt(trials))
    else:
        error = math.sqrt(left.var(ddof=1) / left.size + right.var(ddof=1) / right.size)
    apart = float((right - left).mean()) if shared else means[1] - means[0]
    return Difference(*means, apart, error, trials, shared)


def pairs(a: Sequence[RunCell], b: Sequence[RunCell]) -> list[tuple[RunCell, RunCell]]:
    """The pairs of cells with the same values of the keys that vary in both runs.

    Where that leaves a choice, or nothing varies in both, cells go together by position.
    """
    keys = [key for key in _varying(a) if key in _varying(b)]
    left, right = _by_values(a, keys), _by_values(b, keys)
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


class Row(NamedTuple):
    """A metric's difference in a pair of cells: `other`, of B, less `cell`, of A."""

    cell: RunCell
    other: RunCell
    metric: str
    gap: Difference


def _varying(cells: Sequence[RunCell]) -> list[str]:
    names = dict.fromkeys(key for cell in cells for key in cell.parameters)
    return [name for name in names if len({repr(cell.parameters.get(name)) for cell in cells}) > 1]


def _by_values(cells: Sequence[RunCell], keys: Sequence[str]) -> dict[str, RunCell]:
    return {repr([cell.parameters.get(key) for key in keys]): cell for cell in cells}


def compare_runs(
    first: str, second: str, metrics: Sequence[str], form: str, place: str | None
) -> int:
    """Print the differences of two runs."""
    sides = []
    for word in (first, second):
        store, number = run_or_file(word, place)
        with store:
            sides.append((store.run(number), store.cells(number), store.measured_cells(number)))
    (a, cells_a, measured_a), (b, cells_b, measured_b) = sides
    known = list(dict.fromkeys([*METRICS, *a.metrics, *b.metrics]))
    for name in metrics:
        check_among(name, known, "--metric")
    together = pairs(cells_a, cells_b)
    swept = [key for key in _varying(cells_a) if key in _varying(cells_b)]
    rows = []
    for cell, other in together:
        shared = cell.genuine == other.genuine
        for metric in metrics or known:
            left, right = measured_a[cell.position], measured_b[other.position]
            gap = difference(left, right, metric, shared)
            if gap.difference is not None:
                rows.append(Row(cell, other, metric, gap))
    if form == "table":
        output.write_out(_as_table(a, b, rows, swept))
    elif form == "json":
        whole = {"a": as_json(a), "b": as_json(b), "changed": _changed(a, b),
                 "differences": _documents(rows, swept)}  # fmt: skip
        output.write_json(whole)
    else:
        output.write_out(_as_csv(_documents(rows, swept)), exactly=True)
    return exits.DONE


def _documents(rows: Sequence[Row], swept: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "cell_a": row.cell.position,
            "cell_b": row.other.position,
            **({key: row.cell.parameters.get(key) for key in swept}),
            "metric": row.metric,
            **dataclasses.asdict(row.gap),
            "z": row.gap.z,
        }
        for row in rows
    ]


def _as_csv(documents: Sequence[Mapping[str, Any]]) -> str:
    names = list(documents[0]) if documents else ["cell_a", "cell_b", "metric"]
    lines = [["" if value is None else value for value in row.values()] for row in documents]
    return csv_text([names, *lines])


def _as_table(a: Run, b: Run, rows: Sequence[Row], swept: Sequence[str]) -> str:
    heads = (*table.heads(list(swept)), "metric", "A", "B", "B − A", "±", "z")
    same = bool(rows) and all(row.gap.difference == row.gap.standard_error == 0 for row in rows)
    shown = [
        (
            *(table.value_text(row.cell.parameters.get(key)) for key in swept),
            row.metric,
            text.short(row.gap.a),
            text.short(row.gap.b),
            text.short(row.gap.difference, sign=True),
            text.short(row.gap.standard_error, 2),
            text.fixed_decimals(row.gap.z, 1, sign=True),
        )
        for row in rows
    ]
    notes = [
        f"A is run {a.id}: {a.title}",
        f"B is run {b.id}: {b.title}",
        f"changed: {_changed(a, b) or 'nothing'}",
    ]
    if same:
        notes += ["", f"the same, to the last digit: {text.plural(len(rows), 'mean')} of each"]
        return "\n".join(notes) + "\n"
    notes += ["", *([table.plain_table(heads, shown)] if shown else []), _pairing(rows)]
    notes += [mean_words(row.gap.trials for row in rows)] if rows else []
    return "\n".join(notes) + "\n"


def _pairing(rows: Sequence[Row]) -> str:
    """The sentence about the draws that the runs share."""
    paired = sum(row.gap.paired for row in rows)
    if not rows:
        return "nothing was measured in both"
    if paired == len(rows):
        return "paired: both drew the same genuine users' reports, trial by trial"
    if paired:
        return "paired where both drew the same genuine users' reports, else independent"
    return "independent: the genuine users' reports are different ones"


def _changed(a: Run, b: Run) -> str:
    return differences(a.document, b.document)


FIRST: Final = ("gain_after", "gain", "mse_after", "mse")
"""The metrics that a game is of where none is named, the first that was measured."""


def solve_game(word: str, wanted: str | None, form: str, place_of_store: str | None) -> int:
    """Print the value and both mixtures of a run over attacks and defences."""
    store, number = run_or_file(word, place_of_store)
    with store:
        run, cells, measured = store.run(number), store.cells(number), store.measured_cells(number)
    keys = _sides(cells)
    attacks, defences = (_values(cells, key) for key in keys)
    means = [_means(measured[cell.position].metrics) for cell in cells]
    metric = _metric(wanted, [*dict.fromkeys([*METRICS, *run.metrics])], means)
    matrix = np.full((len(attacks), len(defences)), np.nan)
    for cell, mean in zip(cells, means, strict=True):
        place = [table.value_text(cell.parameters.get(key)) for key in keys]
        matrix[attacks.index(place[0]), defences.index(place[1])] = mean.get(metric, np.nan)
    played = solve(matrix)
    if form == "json":
        document = {
            "run": as_json(run),
            "metric": metric,
            "attack_key": keys[0],
            "defence_key": keys[1],
            "attacks": attacks,
            "defences": defences,
            "matrix": matrix.tolist(),
            "value": played.value,
            "attack_mixture": played.rows.tolist(),
            "defence_mixture": played.columns.tolist(),
        }
        output.write_json(document)
    else:
        output.write_out(_solved_table(run.title, metric, attacks, defences, matrix, played))
    return exits.DONE


def _sides(cells: Sequence[RunCell]) -> tuple[str, str]:
    """The key of the attack that varies, and that of the defence; raises ScenarioError."""
    names = dict.fromkeys(key for cell in cells for key in cell.parameters)
    varying = [
        name for name in names if len({repr(cell.parameters.get(name)) for cell in cells}) > 1
    ]
    axes = []
    for part in ("attack", "defence"):
        own = [name for name in varying if name.startswith(f"{part}.")]
        kinds = [name for name in own if name.endswith(".kind")]
        if not own:
            rule = f"must sweep a key of [{part}], such as the kinds, to be a game"
            raise ScenarioError(rule, key="RUN")
        axes.append((kinds or own)[0])
    if len(cells) != len(_values(cells, axes[0])) * len(_values(cells, axes[1])):
        raise ScenarioError(
            f"must sweep {axes[0]} and {axes[1]} alone to be a game, got {len(cells)} cells",
            key="RUN",
        )
    return axes[0], axes[1]


def _means(metrics: NDArray[Any]) -> dict[str, float]:
    """The mean of each metric over the trials; NaN where any trial has none."""
    return {name: float(np.mean(metrics[name])) for name in metrics.dtype.names or ()}


def _values(cells: Sequence[RunCell], key: str) -> list[str]:
    return [*dict.fromkeys(table.value_text(cell.parameters.get(key)) for cell in cells)]


def _metric(asked: str | None, measured: Sequence[str], means: Sequence[dict[str, float]]) -> str:
    """The metric that is asked for, else the first gain that every pair has."""
    if asked is not None:
        check_among(asked, measured, "--metric")
    known = [name for name in FIRST if all(np.isfinite(mean.get(name, np.nan)) for mean in means)]
    if asked is None and not known:
        raise ScenarioError("must be named: no gain was measured for every pair", key="--metric")
    return asked or known[0]


def _solved_table(
    title: str,
    metric: str,
    attacks: Sequence[str],
    defences: Sequence[str],
    matrix: Floats,
    found: Game,
) -> str:
    """The matrix with how often each row and column is played, and the value."""
    rows: list[tuple[Any, ...]] = [
        (attack, *(text.short(number) for number in line), text.percent(float(often)))
        for attack, line, often in zip(attacks, matrix, found.rows, strict=True)
    ]
    played = (text.percent(float(often)) for often in found.columns)
    rows.append(("defence plays", *played, ""))
    lines = [
        f"{title}: {metric} of each attack against each defence, as a game",
        "",
        table.plain_table(("attack", *defences, "attack plays"), rows),
        f"value {text.short(found.value)}: what the attacker has at least and the server at most",
        "the means of a run, taken as known: differences within their errors decide nothing",
    ]
    return "\n".join(lines) + "\n"
