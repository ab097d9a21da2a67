"""Columns of numbers: the frequencies of a cell's items, and the bit counts of its cohorts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from ldptui.core import theory
from ldptui.core.base.arms import UNDEFENDED, Arm
from ldptui.core.base.pulse import Pulse
from ldptui.core.base.sampling import Floats
from ldptui.core.cell import Cell
from ldptui.core.collection.counts import block_counts
from ldptui.core.law.capabilities import sends_bits
from ldptui.core.law.pure import Items
from ldptui.core.metrics.results import CellResults, Moments

from .lines import column

MAX_ITEMS: Final = 4096
"""The largest number of items whose frequencies are sent, and of targets of a cell."""

MAX_BITS: Final = 1 << 14
"""The largest number of bit counts that are sent: those of the first cohorts."""


def frequency_columns(
    cell: Cell, measured: CellResults, first: bool, sigmas: Mapping[Arm, Floats]
) -> Iterator[dict[str, Any]]:
    """The columns of `Frequencies`: those that stay (only at `first`), then those that change.

    Where the domain is very large, only some items are sent, and which ones changes as well.
    sigmas : the standard deviations of one trial's estimates in the arms that have a closed form.
    """
    arms, truth = measured.arms, cell.task.truth(cell)
    if truth is None:
        return
    d = truth.size
    items = np.arange(d)
    if d > MAX_ITEMS:
        # Without σ, the errors themselves say what is far from the truth.
        items = chosen_items(
            cell.targets,
            (truth, *(moments.mean for arm, moments in arms.items() if arm.attacked)),
            tuple(
                (moments.mean - truth) / np.maximum(sigmas.get(arm, np.ones(d)), 1e-300)
                for arm, moments in arms.items()
            ),
        )
    if first or d > MAX_ITEMS:
        yield {
            "domain_size": d,
            "items": b64encode(items.astype("<i4").tobytes()).decode(),
            "labels": None
            if cell.population.labels is None
            else [shortened(cell.population.labels[item]) for item in items],
            "targets": cell.targets[:MAX_ITEMS].tolist(),
            "true": column(truth[items]),
            "arms": [arm.name for arm in arms],
            **{
                f"{arm.name} sigma": column(sigmas[arm][items]) if arm in sigmas else None
                for arm in arms
            },
        }
    yield {
        "trials": measured.trials,
        **{f"{arm.name} mean": column(moments.mean[items]) for arm, moments in arms.items()},
        **{f"{arm.name} std": deviation(moments, items) for arm, moments in arms.items()},
        "detected": None
        if measured.detected is None
        else column(measured.detected[items] / measured.trials),
    }


def sigmas(cell: Cell) -> dict[Arm, Floats]:
    """σ of each item's estimate in one trial, in the arms that have a closed form."""
    variances = None if cell.task.truth(cell) is None else theory.estimate_variances(cell)
    if variances is None:
        return {}
    return {
        arm: np.sqrt(np.maximum(each, 0)) for arm, each in zip(UNDEFENDED, variances, strict=True)
    }


def bit_columns(cell: Cell, pulse: Pulse) -> dict[str, Any] | None:
    """The columns of `BitCounts`, of the first trial; None where there are no Bloom filters."""
    if not sends_bits(cell.protocol):
        return None
    protocol: Any = cell.protocol
    _, drawn = block_counts(cell, 0, 1, pulse)
    rows = slice(max(1, MAX_BITS // (protocol.bits + 1)))
    expected, variances = theory.expected_bit_counts(cell), theory.bit_count_variances(cell)
    columns = {
        "": drawn[0],
        "expected": expected,
        "std": None if variances is None else np.sqrt(variances),
    }
    sent: dict[str, Any] = {
        "cohorts": protocol.cohorts,
        "bits": protocol.bits,
        "p_star": protocol.noise.p_star,
        "q_star": protocol.noise.q_star,
        "held": column(protocol.design.bits_of(cell.population.frequencies)[rows]),
    }
    for name, place in (("users", slice(-1, None)), ("counts", slice(-1))):
        for what, values in columns.items():
            key = {"": name, "expected": f"expected_{name}", "std": f"{name}_std"}[what]
            sent[key] = None if values is None else column(values[rows, place])
    return sent


def chosen_items(
    targets: Items, levels: tuple[Floats, ...], residuals: tuple[Floats, ...]
) -> Items:
    """At most MAX_ITEMS items of a large domain, ascending.

    All targets (thinned out evenly where they are more than half of MAX_ITEMS), the largest of
    each of `levels`, the largest in size of each of `residuals`, and items evenly spread.

    Parameters
    ----------
    targets : int64[r]. levels, residuals : float64[d] each, d > MAX_ITEMS.
    """
    most, d = MAX_ITEMS // 2, levels[0].size
    if targets.size > most:
        targets = targets[evenly(targets.size, most)]
    ranked = [*levels, *(np.abs(residual) for residual in residuals)]
    share = MAX_ITEMS // 4 // len(ranked)
    largest = [np.argpartition(values, d - share)[d - share :] for values in ranked]
    chosen = np.union1d(targets, np.concatenate(largest))
    return np.union1d(chosen, evenly(d, MAX_ITEMS - chosen.size))


def evenly(size: int, count: int) -> Items:
    """`count` indices spread evenly over [0, size), both ends among them."""
    return np.linspace(0, size - 1, count).round().astype(np.int64)


def shortened(label: str) -> str:
    return label if len(label) <= 64 else f"{label[:63]}…"


def deviation(moments: Moments, items: Items) -> str | None:
    std = moments.std
    return None if std is None else column(std[items])
