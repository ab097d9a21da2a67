"""Pane 4: what the protocol estimates, what an attack gains, and the numbers behind it.

`pane` has the tabs and the keys, and says what is simulated; each other module draws one thing from
the values that `shown` holds, which the pane hands down.
"""

from __future__ import annotations

from .pane import ChartsPane
