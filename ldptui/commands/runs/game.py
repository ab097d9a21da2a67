"""Attacks × defences of a run as a matrix game: ldptui game."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds.game import Game, solved
from ldptui.core.metrics import METRICS
from ldptui.core.store import RunCell

from ...terminal import exits, output
from ...text import format as text
from ...text import table
from ..options import Game as Options
from .opening import as_json, run_or_file

FIRST: Final = ("gain_after", "gain", "mse_after", "mse")
"""The metrics that a game is of where none is named, the first that was measured."""


def game(options: Options) -> int:
    """Print the value and both mixtures of a run over attacks and defences."""
    store, number = run_or_file(options.run, options.store)
    with store:
        run, cells, measured = store.run(number), store.cells(number), store.measured(number)
    keys = _sides(cells)
    attacks, defences = (_values(cells, key) for key in keys)
    means = [_means(measured[cell.position].metrics) for cell in cells]
    metric = _metric(options.metric, [*dict.fromkeys([*METRICS, *run.metrics])], means)
    matrix = np.full((len(attacks), len(defences)), np.nan)
    for cell, mean in zip(cells, means, strict=True):
        place = [table.value_text(cell.parameters.get(key)) for key in keys]
        matrix[attacks.index(place[0]), defences.index(place[1])] = mean.get(metric, np.nan)
    played = solved(matrix)
    if options.format == "json":
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
        written = json.dumps(document, indent=2, ensure_ascii=False, default=str)
        output.write_out(written + "\n", exactly=True)
    else:
        output.write_out(_as_table(run.title, metric, attacks, defences, matrix, played))
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
    if asked is not None and asked not in measured:
        raise ScenarioError(f"must be one of {', '.join(measured)}, {got(asked)}", key="--metric")
    known = [name for name in FIRST if all(np.isfinite(mean.get(name, np.nan)) for mean in means)]
    if asked is None and not known:
        raise ScenarioError("must be named: no gain was measured for every pair", key="--metric")
    return asked or known[0]


def _as_table(
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
