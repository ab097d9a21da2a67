"""Scenarios, and snapshots made by hand, for the tests of charts: no worker, no simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import structs

from ldptui.charts import curves
from ldptui.charts.curves import closed
from ldptui.core.base.summary import Estimate
from ldptui.core.experiment import compile
from ldptui.core.scenario import Scenario, parse
from ldptui.core.theory import expected_metrics
from ldptui.core.view import CellView, EstimateSummary, FrequencySummary
from ldptui.session.cell_table import Cells, address_of
from ldptui.session.draft import base
from ldptui.session.snapshot import ChartSelection, Snapshot

closed.AT_ONCE = 60.0  # tests wait for curves

QUICK = """
format = 1
title = "quick"

[population]
kind = "zipf"
items = 64
users = 10000
exponent = 1.0

[protocol]
kind = "oue"
epsilon = 1.0

[attack]
kind = "mga"
share = 0.05
targets = { pick = "random", count = 5 }
"""


def scenario(text: str = QUICK, **changes: Any) -> Scenario:
    """A checked scenario, some keys set: `attack__share=0.1`."""
    made = parse(text, folder=Path())
    for key, value in changes.items():
        made = made.with_value(key.replace("__", "."), value)
    return made


def swept(made: Scenario, sweep: Mapping[str, Any]) -> Scenario:
    """The scenario with this sweep table."""
    return replace(made, document={**made.document, "sweep": dict(sweep)})


def frequencies(
    *,
    true: tuple[float, ...] = (0.5, 0.3, 0.15, 0.04, 0.01),
    clean: tuple[float, ...] = (0.52, 0.29, 0.16, 0.05, -0.02),
    attacked: tuple[float, ...] | None = (0.48, 0.27, 0.14, 0.3, -0.04),
    targets: tuple[int, ...] = (3,),
    trials: int = 4,
    sigma: float = 0.02,
    std: float | None = 0.04,
) -> FrequencySummary:
    """Five items, item 3 a target, unless said otherwise; `attacked` None: no attack."""
    d = len(true)
    after = clean if attacked is None else attacked
    spread = None if std is None else (std,) * d
    return FrequencySummary(
        domain_size=d,
        items=tuple(range(d)),
        labels=tuple(str(item) for item in range(d)),
        targets=() if attacked is None else targets,
        trials=trials,
        true=true,
        arms={
            "clean": EstimateSummary(clean, spread, (sigma,) * d),
            "attacked": EstimateSummary(after, spread, (sigma,) * d),
        },
    )


def cells(
    document: Mapping[str, Any], *, off: float = 1.0, trials: int = 20
) -> tuple[CellView, ...]:
    """The cells of a part, each metric measured as its closed form times `off` ± a tenth."""
    views = []
    for cell in compile(Scenario(dict(document))).cells:
        metrics = {
            name: Estimate(None, None, None)
            if theory is None
            else Estimate(theory * off, abs(theory) / 10, theory)
            for name, theory in expected_metrics(cell).items()
        }
        pure = cell.pure if cell.is_pure and "p_star" not in cell.protocol.facts() else None
        views.append(
            CellView(
                cell.index, cell.parameters, cell.path, cell.users, cell.malicious,
                cell.population.domain_size, None if pure is None else pure.p,
                None if pure is None else pure.q, cell.protocol.facts().get("hash_range"),
                trials, trials, tuple(cell.targets.tolist()), metrics,
            )
        )  # fmt: skip
    return tuple(views)


def estimates(made: Scenario, *, shift: float = 0.0, trials: int = 20) -> FrequencySummary:
    """The base cell's estimates: the truth plus `shift`, after the attack 0.1 more for targets."""
    (cell,) = compile(base(made)).cells
    true = tuple(cell.population.frequencies.tolist())
    clean = tuple(f + shift for f in true)
    targets = tuple(cell.targets.tolist())
    after = tuple(f + 0.1 * (at in targets) for at, f in enumerate(clean))
    return frequencies(
        true=true, clean=clean, attacked=after, targets=targets, trials=trials, sigma=0.01
    )


def asked(made: Scenario, selection: ChartSelection | None) -> Scenario:
    """The scenario with the cells that a chart asks for alone."""
    assert selection is not None
    return curves.select_cells(made, selection)


def along(made: Scenario, axis: curves.Variable, chart: str = "gain") -> Scenario:
    """The scenario with the cells along an axis alone, those of an error with each protocol."""
    if chart != "error":
        return asked(made, curves.chart_selection(chart, made, axis))
    document = curves.error_document(made)
    sweep = {**document["sweep"], axis.key: list(axis.grid(11))}
    return replace(made, document={**document, "sweep": sweep})


def table(made: Scenario, *views: CellView) -> Cells:
    """Some cells as the table of a run of a scenario."""
    return Cells(views, base_address(made))


def base_address(made: Scenario) -> str:
    """The address of the scenario's base."""
    return address_of(next(base(made).points()).parameters)


def snapshot(
    made: Scenario, *charts: str, key: int = 1, status: Any = "done", shift: float = 0.0
) -> Snapshot:
    """A run of the scenario: its base cell and frequencies, and the first curve of each chart."""
    views = [*cells(base(made).document)]
    for chart in charts:
        if axes := curves.closed_forms(made).axes(chart):
            views += cells(along(made, axes[0], chart).document)
    numbered = [structs.replace(view, index=number) for number, view in enumerate(views)]
    return Snapshot(
        key, status, done=20, total=20, cells=tuple(numbered), base=base_address(made),
        frequencies=estimates(made, shift=shift),
    )  # fmt: skip
