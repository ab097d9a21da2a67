"""One report, step by step: of a genuine user, and of a fake one.

Every step shows what really happened to one report that the protocol or the attack made: the code
that draws is theirs, and the intermediate values are recovered from the report itself.
"""

from __future__ import annotations

from .steps import SENT_AS_IT_IS, Cells, Chance, Group, Life, Meter, Step
