"""The rounds of a campaign: one quantity over them at a time, and the numbers of each round."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

from ldptui.core.view import CellView, RoundSummary

from ...catalogue import is_ours, metric_words
from ..chart_data import ChartData
from ..series import Plot
from . import rounds as figures
from .frame import ChartOption, Frame, FrameView, chosen_option, draw_plot
from .round_table import round_numbers, table
from .setting_words import base_words, words_of_arm

COURSES: Final = {
    "estimates": "estimates", "gain": "gain", "ranks": "ranks", "top": "top k", "spent": "privacy",
}  # fmt: skip
WITHOUT_TARGETS: Final = {"spent": "privacy", "mse_clean": "error"}
"""The courses over the rounds, with the word for each; any metric over them is one more."""


def frame(data: ChartData, chosen: Mapping[str, str]) -> Frame | str:
    """The charts of a campaign's rounds; the cursor is at the round that all charts show."""
    rounds, base = data.rounds, data.base
    if rounds is None or base is None:
        return ""
    labels = {}
    if (seen := data.frequencies) is not None:
        labels = dict(zip(seen.items, seen.labels, strict=True))
    top = min(int(base.parameters.get("simulate.top_k", 20)), base.domain_size)
    names = dict(COURSES if rounds.targets else WITHOUT_TARGETS)
    wanted = chosen.get("view", "")
    names |= {name: metric_words(name).name for name, each in rounds.metrics.items()
              if (not is_ours(name) or name == wanted) and name not in names
              and any(estimate.mean is not None for estimate in each)}  # fmt: skip
    options: dict[str, ChartOption] = {}
    if chosen_option(names, wanted).chosen == "estimates":
        targets = {str(at): f"target {labels.get(item, item)}"
                   for at, item in enumerate(rounds.targets)}  # fmt: skip
        options["walk"] = chosen_option({"": "all targets", **targets}, chosen.get("walk"))
    picked = int(options["walk"].chosen) if options.get("walk") and options["walk"].chosen else None
    views = {}
    for name, words in names.items():
        plot = _course(name, rounds, base, labels, top, picked)
        read = partial(round_numbers, rounds, labels=labels, top_k=top,
                       targets_first=name in ("estimates", "ranks"))  # fmt: skip
        views[name] = FrameView(words, draw_plot(plot), range(len(rounds)), read)
    aside = base_words(data.scenario)
    return Frame(table(rounds, labels, top), views, options, at=data.round, aside=aside)


def _course(
    view: str, rounds: RoundSummary, base: CellView, labels: Mapping[int, str], top: int,
    picked: int | None,
) -> Plot:  # fmt: skip
    """The plot of one quantity over the rounds.

    picked : the position of one target.
    """
    match view:
        case "estimates":
            return figures.estimates(rounds, labels, picked)
        case "ranks":
            return figures.ranks(rounds, labels, base.domain_size, top)
        case "top":
            return figures.in_top(rounds, top)
        case "spent":
            return figures.budget_plot(rounds)
    words = metric_words(view)
    title, unit = (words_of_arm(each, [base]) for each in (words.title, words.name))
    if view == "gain":
        title, unit = "Gain of the attack", "gain, total over the targets (after - before)"
    return figures.metric(rounds, view, f"{title} over the rounds", unit, base.metrics.get(view))
