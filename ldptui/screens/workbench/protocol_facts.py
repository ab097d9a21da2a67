"""The numbers of pane 1: σ under each kind, and which has the least."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, TypeVar

from msgspec import Struct

from ldptui.core.cell import Cell
from ldptui.core.law.longitudinal import Memoising
from ldptui.core.law.pure import item_variance
from ldptui.core.protocols import CENTRAL, NAMED
from ldptui.core.theory import frequency_std
from ldptui.core.theory.mean_theory import mean_std

from ...explain.family_explanation import find_task_explanation
from ...explain.formula_inputs import FormulaSetting, bound, setting_of
from ...explain.formula_list import SPREAD, entries
from ...session.draft import Draft
from ...text.format import MISSING, decimals, fixed_decimals, short

NEAR: Final = 1.025
"""The ratio to the least error up to which another counts as the least: OLH rounds its g."""

T = TypeVar("T")


class ProtocolFacts(Struct, frozen=True):
    """The facts beside the listed protocols, for the scenario's d, n and ε.

    spreads : by kind, the σ of one estimated frequency, or of the mean, as text; ε is that of one
        report.
    recommended : the local protocols with the least error.
    """

    spreads: dict[str, str]
    recommended: frozenset[str]


def facts_of(draft: Draft, kinds: Iterable[str]) -> ProtocolFacts:
    """The facts of these kinds for the base cell of the last valid scenario; empty before the first
    valid one.
    """
    cell = None if draft.cell is None else draft.cell.first  # σ is of one round
    epsilon = None if cell is None else _epsilon(cell)
    if cell is None or epsilon is None or cell.parameters["protocol.kind"] not in NAMED:
        return ProtocolFacts({}, frozenset())
    settings = {kind: _or_none(lambda kind=kind: _setting(cell, kind, epsilon)) for kind in kinds}  # type: ignore[misc]
    spreads = {kind: _spread(cell, setting) for kind, setting in settings.items()}
    local = {kind: spread for kind, spread in spreads.items() if kind not in CENTRAL}
    errors = {kind: _mean_error(settings[kind], spread) for kind, spread in local.items()}
    least = min((error for error in errors.values() if error is not None), default=math.nan)
    best = [
        kind
        for kind, error in errors.items()
        if error is not None
        and error <= NEAR * least
        and not isinstance(getattr(settings[kind], "protocol", None), Memoising)
    ]  # an answer kept for one collection is another kind
    central = {kind: spread for kind, spread in spreads.items() if kind in CENTRAL}
    return ProtocolFacts(write_spreads(local) | write_spreads(central), frozenset(best))


def _or_none(formula: Callable[[], T]) -> T | None:
    """The value of a formula; None if it raises any exception, so that other kinds are still shown.

    One kind whose formulas fail takes nothing from the others, so that nothing is let through.
    """
    try:
        return formula()
    except Exception:
        return None


def _epsilon(cell: Cell) -> float | None:
    """The budget of one report at which the kinds are compared; None if it has none."""
    epsilon = cell.protocol.facts().get("epsilon_one", cell.parameters.get("protocol.epsilon"))
    return float(epsilon) if isinstance(epsilon, int | float) else None


def write_spreads(spreads: dict[str, float | None]) -> dict[str, str]:
    """Standard deviations as text with equally many decimals, if that keeps them short."""
    places = decimals(list(spreads.values()))
    written = {
        kind: MISSING if spread is None else f"±{fixed_decimals(spread, places)}"
        for kind, spread in spreads.items()
    }
    if places > 6 or max(map(len, written.values()), default=0) > 8:
        return {
            kind: MISSING if spread is None else f"±{short(spread, 2)}"
            for kind, spread in spreads.items()
        }
    return written


def _setting(cell: Cell, kind: str, epsilon: float) -> FormulaSetting:
    """The setting of formulas for the cell's own protocol, or for another kind at this ε, with the
    users who report.
    """
    own, task = kind == cell.parameters["protocol.kind"], find_task_explanation(cell.task.kind)
    if own:
        return setting_of(cell).unattacked_setting if task is None else task.setting(cell)
    spec = NAMED[kind](kind=kind, epsilon=epsilon)
    if task is not None:
        return task.setting(cell, spec)
    cell.task.bound(spec, cell.population)  # of numbers, or of items
    return _elsewhere(spec, cell.population.domain_size, cell.users)


@lru_cache(maxsize=64)
def _elsewhere(spec: Any, domain_size: int, users: int) -> FormulaSetting:
    """The setting of another kind for these users, cached."""
    return bound(spec, domain_size, users=users)


def _spread(cell: Cell, setting: FormulaSetting | None) -> float | None:
    """σ of one estimated frequency, or of the mean: by the formula of pure protocols, else by the
    family's own.

    The explanation of a pure protocol contains σ too, but takes ten times as long.
    """
    if setting is None:
        return None
    protocol, users = setting.protocol, setting.users
    std = _or_none(lambda: mean_std(cell, protocol))
    if std is not None:
        return std
    if users is not None and setting.is_pure:
        return _or_none(lambda: frequency_std(protocol, users))
    return _or_none(lambda: spread_from_formulas(setting))


@lru_cache(maxsize=64)
def spread_from_formulas(setting: FormulaSetting) -> float | None:
    """The standard deviation σ that the explanation of a protocol computes, cached by setting."""
    return entries(setting)[SPREAD].value


def _mean_error(setting: FormulaSetting | None, spread: float | None) -> float | None:
    """√MSE over all items, exact for a pure protocol; σ of one frequency for others."""
    if setting is None or setting.users is None or not setting.is_pure:
        return spread
    # The variance is affine in the frequency, whose mean over the items is 1/d.
    protocol: Any = setting.protocol
    users, mean = setting.users, 1 / protocol.domain_size
    return _or_none(lambda: math.sqrt(item_variance(protocol, users, mean)))
