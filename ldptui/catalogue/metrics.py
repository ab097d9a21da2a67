"""The words about the metrics of the results. The data is `metrics.toml`."""

from __future__ import annotations

from dataclasses import dataclass

from .rows import rows


@dataclass(frozen=True)
class Metric:
    """One metric in words, such as `normalised_gain`.

    column : what a column of an exported run holds. meaning : two plain sentences. formula : lines
    of at most 76 cells. Texts are empty where there is nothing to say.
    """

    metric: str
    name: str
    symbol: str = ""
    column: str = ""
    meaning: str = ""
    formula: str = ""
    source: str = ""

    @property
    def title(self) -> str:
        """The name as it begins a line."""
        return f"{self.name[:1].upper()}{self.name[1:]}"


def is_ours(metric: str) -> bool:
    """True for a metric with words here, False for one in Python."""
    return metric in rows("metrics")


def metric_words(metric: str) -> Metric:
    """The words about a metric; the name of one without a row, as in Python, is its column's."""
    row = rows("metrics").get(metric)
    if row is not None:
        return Metric(metric, **row)
    defended = metric.removesuffix("_after")
    clean = defended.removesuffix("_clean")
    arm = f"{', clean' * (clean != defended)}{', defended' * (defended != metric)}"
    return Metric(metric, clean.replace("_", " ") + arm)
