"""The numbers of pane 1: σ under every kind, which has the least, and those of the chosen one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ...text.format import MISSING, decimals, fixed, short

if TYPE_CHECKING:
    from core.cell import Cell
    from core.population import Population
    from core.protocols import BitNoise

    from ...session.draft import Draft

NEAR: Final = 1.025
"""The ratio to the least error up to which another counts as the least: OLH rounds its g."""

T = TypeVar("T")


@dataclass(frozen=True)
class Facts:
    """The facts beside the protocols, at the scenario's d, n and ε.

    families : of each kind, in the order of the table of kinds. spreads : σ of one estimated
    frequency, as text, of the same; for RAPPOR ε is ε₁ of one report. recommended : the local
    protocols with the least. why : the rule that says so. numbers : of the chosen kind.
    """

    families: dict[str, str]
    spreads: dict[str, str]
    recommended: frozenset[str]
    why: str
    numbers: str


def facts_of(draft: Draft) -> Facts | None:
    """The facts of the last valid scenario's base; None before there was one."""
    from core.protocols import CENTRAL, KINDS, family_of

    cell = draft.cell
    if cell is None or cell.parameters["protocol.kind"] not in KINDS:
        return None
    cell = cell.first  # σ is of one round
    epsilon = _epsilon(cell)
    if epsilon is None:
        return None
    spreads = {kind: _or_none(lambda kind=kind: _spread(cell, kind, epsilon)) for kind in KINDS}  # type: ignore[misc]
    local = {kind: spread for kind, spread in spreads.items() if kind not in CENTRAL}
    errors = {
        kind: _or_none(lambda kind=kind: _mean_error(cell, kind, epsilon))  # type: ignore[misc]
        for kind in local
    }
    least = min((error for error in errors.values() if error is not None), default=math.nan)
    best = [kind for kind, error in errors.items() if error is not None and error <= NEAR * least]
    return Facts(
        families={kind: family_of(kind) for kind in KINDS},
        spreads=_written(local) | _written({kind: spreads[kind] for kind in CENTRAL}),
        recommended=frozenset(best),
        why=_why(cell, epsilon, best),
        numbers=_or_none(lambda: _numbers(cell)) or "",
    )


def _or_none(formula: Callable[[], T]) -> T | None:
    """The value of a kind's formula; None where it raises, for whatever reason.

    One kind whose formulas fail takes nothing from the others, so that nothing is let through.
    """
    try:
        return formula()
    except Exception:
        return None


def _epsilon(cell: Cell) -> float | None:
    """The budget of one report, at which the kinds are compared; None where there is none."""
    if cell.noise is not None:
        return cell.noise.epsilon_one(cell.hashes)
    epsilon = cell.parameters.get("protocol.epsilon")
    return float(epsilon) if isinstance(epsilon, int | float) else None


def _why(cell: Cell, epsilon: float, best: list[str]) -> str:
    """The kinds with the least mean squared error, at this d and ε."""
    symbol = "ε₁" if cell.noise is not None else "ε"
    where = f"d = {cell.population.domain_size}, {symbol} = {short(epsilon, 3)}"
    return f"least MSE at {where}: {'/'.join(best).upper()}"


def _written(spreads: dict[str, float | None]) -> dict[str, str]:
    """Spreads with the same number of decimals, so that they compare, where that is short."""
    places = decimals(list(spreads.values()))
    written = {
        kind: MISSING if spread is None else f"±{fixed(spread, places)}"
        for kind, spread in spreads.items()
    }
    if places > 6 or max(map(len, written.values()), default=0) > 8:
        return {
            kind: MISSING if spread is None else f"±{short(spread, 2)}"
            for kind, spread in spreads.items()
        }
    return written


def _mechanism(cell: Cell, kind: str, epsilon: float) -> Any:
    """The cell's own protocol, or another kind at this ε."""
    from core.protocols import KINDS

    if kind == cell.parameters["protocol.kind"]:
        return cell.protocol
    return KINDS[kind](kind=kind, epsilon=epsilon).bind(cell.population.domain_size)


def _spread(cell: Cell, kind: str, epsilon: float) -> float | None:
    """σ of one frequency under a kind at this ε."""
    return _error(_mechanism(cell, kind, epsilon), cell.population)


def _mean_error(cell: Cell, kind: str, epsilon: float) -> float:
    """√MSE over all items, exact for a pure protocol; σ of one frequency for others."""
    import numpy as np

    from core.pure import is_pure, item_variance

    mechanism, population = _mechanism(cell, kind, epsilon), cell.population
    if not is_pure(mechanism):
        return _error(mechanism, population)
    # The variance is affine in the frequency, whose mean over the items is 1/d.
    mean = 1 / population.domain_size
    return math.sqrt(np.mean(item_variance(mechanism, population.users, mean)))


def _error(mechanism: Any, population: Population) -> float:
    """σ of the frequency of an item that nobody holds; of a curator √MSE over all items."""
    from core.lab.locality import central_mse
    from core.protocols.rappor import count_std
    from core.pure import is_pure, sends_reports
    from core.theory import frequency_std

    if is_pure(mechanism):
        return frequency_std(mechanism, population.users)
    if sends_reports(mechanism):
        bits: Any = mechanism
        return count_std(bits.noise, bits.hashes, population.users) / population.users
    return math.sqrt(central_mse(mechanism, *population.distinct))


def _numbers(cell: Cell) -> str:
    """The probabilities of the chosen protocol, and σ of one frequency."""
    if cell.noise is not None:
        return _rappor(cell, cell.noise)
    mechanism: Any = cell.protocol
    numbers = []
    if cell.is_pure:
        numbers += [f"p = {short(mechanism.p)}", f"q = {short(mechanism.q)}"]
        if cell.hash_range is not None:
            numbers.append(f"g = {cell.hash_range}")
    else:
        numbers.append(f"noise scale s = {short(mechanism.scale, 3)}")
        if mechanism.delta:
            numbers.append(f"threshold {short(mechanism.threshold, 3)}")
    spread = _error(mechanism, cell.population)
    return "  ".join([*numbers, f"σ = {short(spread, 3)}"])


def _rappor(cell: Cell, noise: BitNoise) -> str:
    """Its form, what it gives away, and its chances, which stand the other way round to Wang's."""
    bounded = short(noise.epsilon_infinity(cell.hashes), 3) if noise.memoised else "unbounded"
    numbers = [
        str(cell.parameters["protocol.form"]),
        f"ε₁ = {short(noise.epsilon_one(cell.hashes), 3)}",
        f"ε∞ = {bounded}" if noise.memoised else f"ε∞ {bounded}",
        f"p* = {short(noise.p_star)}",
        f"q* = {short(noise.q_star)}",
        "reverse of Wang's p, q",
    ]
    return "  ".join(numbers)
