"""RAPPOR: a Bloom filter of the item, with permanent and with instantaneous noise on its bits.

Erlingsson, Pihur, Korolova, "RAPPOR", CCS 2014. The letters are the paper's: k bits,
h hashes, m cohorts, f, p, q. Its p and q are reversed with respect to Wang's: here
q = Pr[bit sent as 1 | permanent bit 1] exceeds p = Pr[… | permanent bit 0], and q* > p* alike.

Four forms. `full`: Bloom filter, memoised permanent randomised response (PRR), then a fresh
instantaneous one (IRR) for every report. `one-time`: without IRR, which is p = 0 and q = 1.
`basic`: one bit per item instead of a Bloom filter; `basic-one-time` is symmetric unary encoding.
The basic forms are pure protocols. The other two are not: a report supports bits of its cohort, and
frequencies come from decoding the counts of all bits.
"""

from __future__ import annotations

from .count_forms import (
    bit_count_std,
    bit_support_gain,
    cohort_share,
    count_std,
    ideal_bit_support_gain,
    learnable_items,
)
from .filters import (
    BasicRappor,
    bloom_bits,
    epsilon_of_rounds,
    false_attribution,
    naive_epsilon_of_rounds,
)
from .forms import RapporSpec, ignored_keys
from .noise import BitNoise, solved_f
from .rappor import Rappor

SPECS = (RapporSpec,)
