"""What the fake users of a cell are known to support, whatever they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..attacks import Fakes, ItemSupport
from ..cell import Cell
from ..protocols import Rappor
from ..protocols.curators import Curator
from ..pure import Items, PureProtocol


def each_support(cell: Cell) -> Iterator[tuple[int, ItemSupport | None]]:
    """How many fakes of each kind there are, and what one of them supports."""
    assert not isinstance(cell.protocol, Rappor)
    for fakes in cell.fakes:
        law = None
        if foreseen(cell, fakes):
            law = fakes.strategy.item_support(cell.protocol, fakes.targets, cell.targets)
        yield fakes.count, law


def foreseen(cell: Cell, fakes: Fakes) -> bool:
    """Whether it is known what these fakes aim at: of who reacts, in the first round alone."""
    return not fakes.strategy.reacts or (cell.round == 0 and len(cell.rounds) < 2)


def fake_support(cell: Cell) -> ItemSupport | None:
    """What one fake report supports on average over all fakes; None where that is not known.

    The number of fakes of each kind is fixed, so that their variances add up.
    """
    assert not isinstance(cell.protocol, Rappor)
    if not all(foreseen(cell, fakes) for fakes in cell.fakes):
        return None
    return support_of(cell.protocol, cell.fakes, cell.targets)


def support_of(
    protocol: PureProtocol | Curator, fakes: Sequence[Fakes], counted: Items
) -> ItemSupport | None:
    """The same of any fakes; the variance is of how many of the `counted` targets are supported."""
    rates, variance, malicious = np.zeros(protocol.domain_size), 0.0, sum(f.count for f in fakes)
    for some in fakes:
        supported = some.strategy.item_support(protocol, some.targets, counted)
        if supported is None:
            return None
        weight = some.count / malicious if malicious else 1 / len(fakes)
        rates += weight * supported.rates
        variance += weight * supported.variance
    return ItemSupport(rates, variance)
