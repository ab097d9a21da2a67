"""The lines of a gain: what crafted reports gain, and what is left of it under ever more checks.

We derive them; `docs/bounds.md`. Each is the gain of m fakes of a share β on the same targets.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, cast

import numpy as np

from ..attacks import MaximalGain, beside
from ..bounds.undetectable import hidden_gain_against
from ..capabilities import hides
from ..population import Population
from ..pure import Items, PureProtocol
from ..support import ItemSupport
from ..targets import ListedTargets
from .gains import gain, item_shift, rates_gain

LINES: Final = {
    "mga": "MGA",
    "drop-out": "verified, drop-out",
    "undetectable": "undetectable",
    "verified": "verified",
    "verified-input": "verified input",
}
"""The name of each line.

MGA : any report is accepted. undetectable : every defence is as good as can be. verified : fakes
have to run the randomiser, on an item of theirs; drop-out : and may keep its report back, which
costs 1/p accounts for each accepted one. verified input : and hold the item.
"""


def gain_lines(
    protocol: PureProtocol,
    population: Population,
    targets: Items,
    share: float,
    crafted: bool = True,
) -> dict[str, float]:
    """The gain by the key of LINES; those are left out that are not known of the protocol.

    crafted : whether MGA is among them, which takes long where it matters which items are targets.
    """
    r, held = targets.size, float(population.histogram[targets].sum() / population.users)
    lines = {"mga": _crafted(protocol, targets, share, held)} if crafted else {}
    if hides(protocol):
        supported = (1 + (r - 1) * beside(protocol)) / r
        lines["drop-out"] = r * item_shift(protocol, supported, share, held / r)
        lines["undetectable"] = hidden_gain_against(
            protocol, population.distinct, population.histogram[targets], share
        )
    return lines | {"verified": share * (1 - held), "verified-input": 0.0}


def _crafted(protocol: PureProtocol, targets: Items, share: float, held: float) -> float:
    """The gain of MGA."""
    if hasattr(protocol, "placed_support"):
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
