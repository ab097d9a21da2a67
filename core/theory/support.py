"""The reports that the fake users of a cell are known to send, whatever they do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ..attacks import Fakes
from ..base.sampling import Counts, Floats, binomial_law
from ..cell import Cell
from ..law.law import BitLaw
from ..law.moments import Collection
from ..law.pure import Items, Supporting
from ..law.support import ItemSupport
from ..protocols.rappor import Rappor


@lru_cache(maxsize=4)
def collected(cell: Cell) -> Collection:
    """The collection of a cell, as closed forms have to know it.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> collection = ldptui.theory.collected(ldptui.compile("quickstart").cells[5])
    >>> [count for count, law in collection.fakes]
    [5263]
    """
    fakes = tuple((fakes.count, _law_of(cell, fakes)) for fakes in cell.fakes)
    rounds = tuple(_of_round(part) for part in cell.rounds)
    return Collection(cell.population.histogram, fakes, rounds)


def _of_round(cell: Cell) -> Collection:
    fakes = tuple((fakes.count, _law_of(cell, fakes)) for fakes in cell.fakes)
    return Collection(cell.population.histogram, fakes)


def _law_of(cell: Cell, fakes: Fakes) -> ItemSupport | BitLaw | None:
    """The law of one fake's report, as the protocol knows it; None where it is not known."""
    if not foreseen(cell, fakes):
        return None
    protocol = cell.protocol
    if isinstance(protocol, Rappor):
        return fakes.strategy.bits(protocol, fakes.targets)
    if isinstance(protocol, Supporting):
        return fakes.strategy.item_support(protocol, fakes.targets, cell.targets)
    return None


def foreseen(cell: Cell, fakes: Fakes) -> bool:
    """Return whether the aim of these fakes is known: who reacts has one in round 0 alone."""
    return not fakes.strategy.reacts or (cell.round == 0 and len(cell.rounds) < 2)


@lru_cache(maxsize=64)
def arriving(fakes: int, sent: float) -> tuple[Counts, Floats]:
    """The law of the number of fakes who send a report, each with probability `sent`."""
    return binomial_law(fakes, sent)


def sent_share(cell: Cell) -> float:
    """β where every fake sends a report, else its mean E[M/(n + M)] over the number M of those.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.sent_share(ldptui.compile("quickstart").cells[5]), 4)
    0.05
    """
    sent = min((fakes.sent for fakes in cell.fakes), default=1.0)
    if sent == 1:
        return cell.share
    senders, law = arriving(cell.malicious, sent)
    return float(law @ (senders / (cell.users + senders)))


def fake_support(cell: Cell) -> ItemSupport | None:
    """The support of one report, averaged over all fakes; None where it is not known.

    The number of fakes of each kind is fixed, so that their variances add up.

    Parameters
    ----------
    cell
        A cell of an experiment.

    Examples
    --------
    >>> import ldptui
    >>> supported = ldptui.theory.fake_support(ldptui.compile("quickstart").cells[5])
    >>> float(supported.rates[40])  # MGA on OUE sets the bit of each target
    1.0
    """
    if not isinstance(cell.protocol, Supporting) or not all(
        foreseen(cell, fakes) for fakes in cell.fakes
    ):
        return None
    return support_of(cell.protocol, cell.fakes, cell.targets)


def support_of(protocol: Supporting, fakes: Sequence[Fakes], counted: Items) -> ItemSupport | None:
    """The support of one report, averaged over these fakes; None where it is not known.

    Parameters
    ----------
    protocol
        A protocol that supports items with its p and q.
    fakes
        The fakes of each kind, as `cell.fakes` has them.
    counted
        int64[r], the targets whose supported number has the variance that is given.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("quickstart").cells[5]
    >>> ldptui.theory.support_of(cell.pure, cell.fakes, cell.targets).variance
    0.0
    """
    rates, variance, malicious = np.zeros(protocol.domain_size), 0.0, sum(f.count for f in fakes)
    for group in fakes:
        supported = group.strategy.item_support(protocol, group.targets, counted)
        if supported is None:
            return None
        weight = group.count / malicious if malicious else 1 / len(fakes)
        rates += weight * supported.rates
        variance += weight * supported.variance
    return ItemSupport(rates, variance)
