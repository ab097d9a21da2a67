"""Longitudinal kinds: an answer that a user keeps for good, and noise on it that each report has.

Two randomisers in a chain. The first is drawn once an item and kept (memoised): any number of
reports of the item cost no more than its ε∞. The second is drawn for every report, so that one
report costs only ε₁. A single collection sees both at once, which is a pure protocol at ε₁;
over the rounds of a campaign the reports of one user share the kept answer.

`chain` has the two pairs of probabilities and what they cost, `bits` the counts of users who keep
independent bits, whichever protocol has them.
"""

from __future__ import annotations

from .bits import MOST_LEAVING, Bits, BitUsers, KeepsBits, OneBitEach, Sent, memoised_counts
from .chain import Chain, bit_epsilon_of_rounds
from .response import HashingChain, LGRRSpec, LOLOHASpec, Response, ResponseChain
from .unary import LOSUESpec, LOUESpec, LSUESpec, UnaryChain

SPECS = (LSUESpec, LOSUESpec, LOUESpec, LGRRSpec, LOLOHASpec)
