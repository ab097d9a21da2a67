"""Every word about keys, kinds and metrics, once: a row of a TOML file each.

A new key of a scenario has its type, range, choices and default at its dataclass in `core`, and its
row in keys.toml; a new kind has its row in kinds.toml, a new metric in metrics.toml, a
new tab in tabs.toml.
"""

from __future__ import annotations

from .keys import (
    Key,
    allowed_values,
    has_words,
    key_label,
    key_words,
    listed_keys,
    protocol_keys,
    start_of,
    title_of,
)
from .kind_rows import (
    KindWords,
    MetricWords,
    TabWords,
    families,
    folded_groups,
    in_order,
    is_ours,
    kind_words,
    leading_metrics,
    listed_kinds,
    metric_words,
    swept_kinds,
    tab_words,
)
