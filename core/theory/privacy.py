"""The privacy loss of reports: ε of the probabilities, and ε over rounds.

W17: Wang, Blocki, Li, Jha, USENIX Security 2017.
"""

from __future__ import annotations

import math

from ..cell import Cell
from ..law.longitudinal import Memoising


def epsilon_of_unary(p: float, q: float) -> float:
    """ε = ln(p(1-q) / ((1-p)q)) of a unary encoding, in nats. W17 section 4.2.

    Parameters
    ----------
    p
        The probability that the bit of the own item is 1.
    q
        The probability that the bit of another item is 1, below p.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.epsilon_of_unary(0.5, 0.25), 4)
    1.0986
    """
    return math.log(p * (1 - q) / ((1 - p) * q))


def epsilon_of_direct(p: float, q: float) -> float:
    """ε = ln(p/q) of direct encoding, in nats; also of hashing with its p' and q'.

    Parameters
    ----------
    p
        The probability of the own item.
    q
        The probability of another item, below p.

    Examples
    --------
    >>> import ldptui
    >>> round(ldptui.theory.epsilon_of_direct(0.5, 1 / 6), 4)
    1.0986
    """
    return math.log(p / q)


def privacy_spent(cell: Cell) -> list[float]:
    """ε spent after each round of a campaign, in nats, of a user who takes part in all of them.

    Sequential composition of fresh reports, and of a curator's releases; less if users memoise an
    answer. The user's item is the same in all rounds.

    Parameters
    ----------
    cell
        A cell of a campaign; without one there are no rounds.

    Examples
    --------
    >>> import ldptui
    >>> cell = ldptui.compile("burst").cells[0]
    >>> [round(spent, 6) for spent in ldptui.theory.privacy_spent(cell)[:3]]
    [1.0, 2.0, 3.0]
    """
    rounds, protocol = range(1, len(cell.rounds) + 1), cell.protocol
    if not isinstance(protocol, Memoising):
        return [number * protocol.epsilon for number in rounds]
    return [protocol.epsilon_of_rounds(number) for number in rounds]
