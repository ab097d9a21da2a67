"""The lines of a gain: what crafted reports gain, and what is left of it under ever more checks.

We derive them; `docs/bounds.md`. Each is the gain of m fakes of a share β on the same targets.
"""

from __future__ import annotations

from typing import Any, Final

from ..attacks import MaximalGain, beside
from ..bounds.undetectable import hidden_against
from ..capabilities import hides
from ..population import Population
from ..pure import Items, PureProtocol
from ..targets import ListedTargets
from .gains import item_shift, rates_gain

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
    protocol: PureProtocol, population: Population, targets: Items, share: float
) -> dict[str, float]:
    """The gain by the key of LINES; those are left out that are not known of the protocol."""
    frequencies, r = population.frequencies, targets.size
    held = float(frequencies[targets].sum())
    mga: Any = MaximalGain(share, ListedTargets((0,)))
    crafted = mga.item_support(protocol, targets, targets)
    lines = {"mga": rates_gain(protocol, crafted, targets, share, held)}
    if hides(protocol):
        supported = (1 + (r - 1) * beside(protocol)) / r
        lines["drop-out"] = r * item_shift(protocol, supported, share, held / r)
        hidden = hidden_against(protocol, frequencies, targets, share) if share else None
        lines["undetectable"] = 0.0 if hidden is None else hidden.gain
    return lines | {"verified": share * (1 - held), "verified-input": 0.0}
