"""Protocols whose reports are numbers that add up: each item's are right on average.

The share of a fake report is then its numbers themselves: p = 1 and q = 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.sampling import Floats
from ..law.capabilities import Collection
from ..law.pure import Oracle


class Summed(Oracle):
    """Closed forms of estimates that are means of the users' numbers.

    A protocol has the variance of one user's numbers as `unit_variance` of the true frequencies.
    """

    p = 1.0
    q = 0.0
    unit_variance: Any

    def means(self, collection: Collection) -> tuple[Floats, Floats | None] | None:
        """f before the attack; after it, the mean over all users."""
        truth, everyone = collection.frequencies, collection.users + collection.malicious
        if not collection.foreseen:
            return truth, None
        fakes = sum((count * law.rates for count, law in collection.fakes), np.zeros(truth.size))
        return truth, (collection.users * truth + fakes) / everyone

    def variances(self, collection: Collection) -> tuple[Floats, Floats | None] | None:
        """The variance of the mean over the genuine users; after the attack, over all users."""
        users, everyone = collection.users, collection.users + collection.malicious
        each = self.unit_variance(collection.frequencies)
        if not collection.foreseen:
            return each / users, None
        fakes = sum((count * law.variances for count, law in collection.fakes), np.zeros(each.size))
        return each / users, (users * each + fakes) / everyone**2
