"""The reference lines of a gain: of crafted reports, and of fakes under stricter and stricter
checks.

Our derivations; `docs/theory.md`. Each is the gain of m fakes of a share β on the same targets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, cast

import numpy as np

from ..attacks import MaximalGain, beside
from ..base.errors import LdpError
from ..bounds.undetectable import hidden_gain_against, least_gain
from ..cell import Cell
from ..law.exchangeable import Exchangeable
from ..law.mechanism import LocalMechanism
from ..law.pure import Items, PlacedItems, PureProtocol, Supporting
from ..law.support import ItemSupport
from ..population import Population
from ..population.targets import ListedTargets
from ..protocols import NAMED
from .gains import cell_gain, fake_support, gain, item_shift, rates_gain, sent_share

LINES: Final = {
    "mga": "MGA",
    "drop-out": "limit: proved coins, or no report",
    "undetectable": "limit: nobody notices",
    "least": "limit: nobody notices, at least",
    "verified": "limit: honest coins",
    "verified-input": "limit: honest item",
}
"""The name of each line.

MGA : any report is accepted. undetectable : every defence is as good as can be; at least : where
the best is not known, a gain that no defence can see. verified : fakes have to run the randomiser,
on an item of theirs; drop-out : and may keep its report back, which costs 1/p accounts for each
accepted one. verified-input : and hold the item.
"""
HIDDEN: Final = frozenset({"undetectable", "least"})
"""The lines of gains that no server can tell from honest reports."""


def gain_lines(
    protocol: Any,
    population: Population,
    targets: Items,
    share: float,
    crafted: bool = True,
) -> dict[str, float]:
    """The reference gains of a protocol, by the key of LINES.

    Parameters
    ----------
    protocol
        One whose users send reports.
    population
        The genuine users.
    targets
        int64[r], the items that are promoted.
    share
        β, the share of the fakes among all users.
    crafted
        Whether MGA is among the lines, which takes long where it matters which items are targets.

    Examples
    --------
    >>> import numpy as np
    >>> import ldptui
    >>> oue = ldptui.protocol("oue", items=4, epsilon=1.0)
    >>> users = ldptui.population("uniform", items=4, users=1000)
    >>> lines = ldptui.theory.gain_lines(oue, users, np.array([3]), 0.05)
    >>> sorted(lines)
    ['drop-out', 'mga', 'undetectable', 'verified', 'verified-input']
    """
    held = float(population.histogram[targets].sum() / population.users)
    lines = {}
    if crafted and isinstance(protocol, Supporting):
        lines["mga"] = _crafted_gain(protocol, targets, share, held)
    supported = mean_supports(protocol)
    if supported is not None:
        r = targets.size
        lines["drop-out"] = r * item_shift(protocol, alike(supported, r), share, held / r)
    if isinstance(protocol, Exchangeable):
        lines["undetectable"] = hidden_gain_against(
            protocol, population.distinct, population.histogram[targets], share
        )
    else:
        lines["least"] = least_gain(protocol.epsilon, share, held)
    return lines | {"verified": share * (1 - held), "verified-input": 0.0}


def mean_supports(protocol: Any) -> tuple[float, float] | None:
    """An honest report's mean support of its own item and of another item, given that it supports
    the former; None if unknown.

    Parameters
    ----------
    protocol
        One whose users send reports.

    Examples
    --------
    >>> import ldptui
    >>> own, other = ldptui.theory.mean_supports(ldptui.protocol("oue", items=4, epsilon=1.0))
    >>> own, round(other, 4)
    (1.0, 0.2689)
    """
    return (1.0, beside(protocol)) if isinstance(protocol, Exchangeable) else None


def alike(supported: tuple[float, float], targets: int) -> float:
    """The support probability of each of r targets if the user's item is a random one of them.

    Parameters
    ----------
    supported
        The pair that `mean_supports` returns for the protocol.
    targets
        r, the number of targets.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.alike((1.0, 0.25), 2)
    0.625
    """
    own, other = supported
    return (own + (targets - 1) * other) / targets


def _crafted_gain(protocol: Supporting, targets: Items, share: float, held: float) -> float:
    if isinstance(protocol, PlacedItems):
        hashable: Any = protocol  # a frozen dataclass
        supported = _placed_support(hashable, tuple(targets.tolist()))
        return rates_gain(protocol, supported, targets, share, held)
    r = targets.size
    return gain(protocol, _MAXIMAL.support(protocol, r), r, share, held)


_MAXIMAL: Final = MaximalGain(0.5, ListedTargets((0,)))  # any share: a report does not have it


@lru_cache(maxsize=8)
def _placed_support(protocol: Any, targets: tuple[int, ...]) -> ItemSupport:
    """The support of a crafted report where it matters which items the targets are."""
    items = np.array(targets, dtype=np.int64)
    return cast("ItemSupport", _MAXIMAL.item_support(protocol, items, items))


def gains_elsewhere(cell: Cell, kinds: Iterable[str]) -> dict[str, float]:
    """The expected gain of the same fakes and targets under each protocol kind.

    Kinds are left out that the attack or the task cannot use, or against which the fakes' reports
    are not known. Empty if the task measures no gain, if the cell's own gain has no closed form
    (without an attack, over rounds, of a protocol that is not pure, during a search for the number
    of fakes), and if the trust model changes the ε of a report.

    Parameters
    ----------
    cell
        A cell of an experiment.
    kinds
        Protocols that a budget alone binds; they get the cell's epsilon, and defaults for their
        other keys.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("quickstart").cells[5]  # β = 0.05, OUE
    >>> gains = ldptui.theory.gains_elsewhere(cell, ["grr"])
    >>> {kind: round(gain, 4) for kind, gain in gains.items()}
    {'oue': 0.4742, 'grr': 3.6869}
    """
    epsilon = cell.parameters.get("protocol.epsilon")
    if "gain" not in cell.metrics or not cell.is_pure or cell.rounds or not cell.malicious:
        return {}
    own = _gain(cell)
    if own is None or not isinstance(epsilon, int | float) or cell.pure.epsilon != epsilon:
        return {}
    gains = {str(cell.parameters["protocol.kind"]): own}
    for kind in kinds:
        if kind not in gains and (gained := _under(cell, kind, float(epsilon))) is not None:
            gains[kind] = gained
    return gains


def hidden_gain(cell: Cell) -> float | None:
    """The largest undetectable gain of a cell's fakes; None if unknown.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.hidden_gain(ldptui.compile("quickstart").cells[5]), 4)  # β = 0.05
    0.0787
    """
    if (
        not cell.is_pure
        or not cell.targets.size
        or not cell.malicious
        or not isinstance(cell.protocol, LocalMechanism)
    ):
        return None
    lines = gain_lines(
        cell.protocol, cell.population, cell.targets, sent_share(cell), crafted=False
    )
    return next((gained for line, gained in lines.items() if line in HIDDEN), None)


def _under(cell: Cell, kind: str, epsilon: float) -> float | None:
    try:
        protocol: Any = cell.task.bound(NAMED[kind](kind=kind, epsilon=epsilon), cell.population)
        for fakes in cell.fakes:
            fakes.strategy.check(protocol, fakes.targets)
        return (
            _gain(replace(cell, protocol=protocol)) if isinstance(protocol, PureProtocol) else None
        )
    except (LdpError, ValueError, OverflowError):
        return None


def _gain(cell: Cell) -> float | None:
    supported = fake_support(cell)
    return None if supported is None else cell_gain(cell, supported)
