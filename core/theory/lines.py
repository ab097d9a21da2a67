"""The lines of a gain: what crafted reports gain, and what is left of it under ever more checks.

We derive them; `docs/bounds.md`. Each is the gain of m fakes of a share β on the same targets.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, cast

import numpy as np

from ..attacks import MaximalGain, beside
from ..bounds.undetectable import hidden_gain_against, least_gain
from ..law.capabilities import places, tells_support
from ..law.hiding import accepts, hides, loses
from ..law.pure import Items, Supporting
from ..law.support import ItemSupport
from ..population import Population
from ..population.targets import ListedTargets
from .gains import gain, item_shift, rates_gain

LINES: Final = {
    "mga": "MGA",
    "drop-out": "proved, or kept back",
    "undetectable": "undetectable",
    "least": "undetectable, at least",
    "verified": "proved reports",
    "verified-input": "proved items",
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
    """The gain by the key of LINES; those are left out that are not known of the protocol.

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
    if crafted and tells_support(protocol):
        lines["mga"] = _crafted(protocol, targets, share, held)
    supported = accepted(protocol)
    if supported is not None:
        r = targets.size
        lines["drop-out"] = r * item_shift(protocol, alike(supported, r), share, held / r)
    if hides(protocol) or loses(protocol):
        lines["undetectable"] = hidden_gain_against(
            protocol, population.distinct, population.histogram[targets], share
        )
    else:
        lines["least"] = least_gain(protocol.epsilon, share, held)
    return lines | {"verified": share * (1 - held), "verified-input": 0.0}


def accepted(protocol: Any) -> tuple[float, float] | None:
    """The mean support for its own item, and for another given one, of a report for the own one.

    None where that is not known of the protocol, or says nothing.

    Parameters
    ----------
    protocol
        One whose users send reports.

    Examples
    --------
    >>> import ldptui
    >>> own, other = ldptui.theory.accepted(ldptui.protocol("oue", items=4, epsilon=1.0))
    >>> own, round(other, 4)
    (1.0, 0.2689)
    """
    if hides(protocol):
        return 1.0, beside(protocol)
    return protocol.accepted if accepts(protocol) else None


def alike(supported: tuple[float, float], targets: int) -> float:
    """The rate at which each target is supported, if one of them, any, is the own item.

    Parameters
    ----------
    supported
        What `accepted` knows of the protocol.
    targets
        r, their number.

    Examples
    --------
    >>> import ldptui
    >>> ldptui.theory.alike((1.0, 0.25), 2)
    0.625
    """
    own, other = supported
    return (own + (targets - 1) * other) / targets


def _crafted(protocol: Supporting, targets: Items, share: float, held: float) -> float:
    """The gain of MGA."""
    if places(protocol):
        hashable: Any = protocol  # a frozen dataclass
        supported = _placed(hashable, tuple(targets.tolist()))
        return rates_gain(protocol, supported, targets, share, held)
    r = targets.size
    return gain(protocol, _MAXIMAL.support(protocol, r), r, share, held)


_MAXIMAL: Final = MaximalGain(0.0, ListedTargets((0,)))


@lru_cache(maxsize=8)
def _placed(protocol: Any, targets: tuple[int, ...]) -> ItemSupport:
    """The support of a crafted report where it matters which items the targets are."""
    items = np.array(targets, dtype=np.int64)
    return cast("ItemSupport", _MAXIMAL.item_support(protocol, items, items))
