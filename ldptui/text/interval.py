"""The half-width of intervals, drawn or printed, and the words for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

NORMAL_95: Final = 1.959963984540054
"""Half-width of the interval that holds 95% of a normal law, in standard deviations."""

INTERVAL: Final = "± 95 % by Student's t"


def reach_95(trials: int) -> float:
    """The half-width, in standard errors, of the 95 % interval of a mean of normal values.

    Student's t of trials - 1 degrees of freedom.
    """
    from scipy.special import stdtrit

    return float(stdtrit(max(1, trials - 1), 0.975))


def with_reach(title: str, trials: Iterable[int]) -> str:
    """The title of a table of means with standard errors, with the factor for a 95 % interval.

    If the numbers of trials differ, the factor is the largest one: that of the fewest trials.
    """
    counts = {count for count in trials if count > 1}
    return f"{title}; 95 %: ± × {reach_95(min(counts)):.2f}" if counts else title


def share_words(shares: Iterable[float], trials: int) -> list[str]:
    """The sentences below a table of shares of trials, with their standard errors.

    A share of 0 or 1 has a standard error of 0; for it a sentence gives the exact bound of Clopper
    and Pearson: a true share p shows no miss in all trials with probability p^trials.
    """
    words = [mean_words([trials])]
    if trials > 1 and not {0.0, 1.0}.isdisjoint(shares):
        words.append(
            f"0 of {trials} still allows {1 - 0.05 ** (1 / trials):.2g} (95 %), "
            f"and {trials} of {trials} as much below 1"
        )
    return words


def mean_words(trials: Iterable[int]) -> str:
    """The note below a table that explains `mean ± standard error` for these numbers of trials.

    It names the factor from the error to the 95 % interval.
    """
    tried = {*trials}
    counts = {count for count in tried if count > 1}
    if not counts:
        return "one trial: no standard error" if 1 in tried else "no trial: nothing is measured"
    fewest = min(counts)
    over = f"{fewest} trials" if len(counts) == 1 else f"the trials, {fewest} or more"
    return (
        f"mean ± standard error over {over}: times {reach_95(fewest):.2f} for 95 % by Student's t"
    )
