"""Verdicts: what a cell says about its question, in one or two computed sentences.

A row of `ROWS` is a sentence with the metrics that it needs and the charts that it is about. Every
number comes from the view of a cell; ± is the half-width of the interval of 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import Final

from msgspec import Struct

from ldptui.core.base.summary import Estimate
from ldptui.core.view import CellView, FrequencySummary, RoundSummary

from ..catalogue import metric_words
from .format import count, estimate, percent, short
from .interval import reach_95

MOST: Final = 3
"""The most sentences of a verdict."""

SAME: Final = 0.1
"""The logarithm of a ratio of two gains below which neither counts as the larger one."""

PLAIN: Final = 200
"""A number this many times as large as the half-width of its interval is right in three digits."""

NAMED: Final = 3
"""The most targets that are named one by one."""


class VerdictCell(Struct, frozen=True):
    """A cell that result sentences are about.

    frequencies : the estimates of its items, if known.
    names : the labels of its targets; if empty, those of the frequencies.
    where : its place in a sweep, "" for the only cell.
    rounds : the rounds of a campaign.
    """

    cell: CellView
    frequencies: FrequencySummary | None = None
    names: tuple[str, ...] = ()
    where: str = ""
    rounds: RoundSummary | None = None

    def measured_value(self, name: str) -> Estimate | None:
        """The estimate of a metric in the cell; None if it is undefined."""
        found = self.cell.metrics.get(name)
        return found if found is not None and found.mean is not None else None

    def mean(self, name: str) -> float:
        """The mean of a metric over the trials of the cell."""
        found = self.measured_value(name)
        assert found is not None
        assert found.mean is not None
        return found.mean

    def reach(self, name: str) -> float:
        """The half-width of a metric's 95 % interval; 0 if there is no standard error."""
        found = self.measured_value(name)
        error = found.standard_error if found is not None else None
        return error * reach_95(self.cell.trials) if error else 0.0

    def interval(self, name: str) -> str:
        """A metric in three digits, or with its interval if that is wider: `0.16 ± 0.02 (95 %)`."""
        mean, reach = self.mean(name), self.reach(name)
        if reach < abs(mean) / PLAIN:
            return short(mean, 3, zeros=True)
        return f"{estimate(mean, reach)} (95 %)" if reach else short(mean)

    @property
    def fakes(self) -> str:
        """The number of fake users and their share of all users, in words."""
        cell = self.cell
        share = cell.malicious / (cell.users + cell.malicious)
        many = "1 fake user" if cell.malicious == 1 else f"{count(cell.malicious)} fake users"
        return f"{many} ({percent(share)})"


class Row(Struct, frozen=True):
    """A sentence of verdicts.

    say : returns the sentence, "" if it does not apply.
    needs : the metrics that a cell must have.
    charts : the names of the tabs that show this sentence first.
    """

    say: Callable[[VerdictCell], str]
    needs: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()


def verdict(topic: VerdictCell, chart: str = "", most: int = MOST) -> tuple[str, ...]:
    """The sentences about a cell, at most `most`, those about the chart first."""
    if not topic.cell.trials:
        return ()
    rows = (SHEETS[chart],) if chart in SHEETS else ROWS
    known = [
        row for row in rows if all(topic.measured_value(name) is not None for name in row.needs)
    ]
    known.sort(key=lambda row: chart not in row.charts)
    return tuple(islice(filter(None, (row.say(topic) for row in known)), most))


# The sentences.


def _goal(topic: VerdictCell) -> str:
    """The sentence about the number of fake users that the goal takes."""
    answer = topic.cell.answer
    if answer is None:
        return ""
    metric = metric_words(answer["metric"])
    goal = f"{metric.name} ≥ {short(answer['at_least'])}"
    fakes = f"{count(answer['malicious'])} fake users ({percent(answer['share'])})"
    if not answer["reached"]:
        reaches = short(answer["value"])
        return f"No number of fake users reaches {goal}: the closest, {fakes}, reaches {reaches}."
    return f"It takes {fakes} for {goal}, {known_by(topic)}."


def known_by(topic: VerdictCell) -> str:
    """Words for how a goal's answer was found, and the value in the trials there."""
    answer = topic.cell.answer
    assert answer is not None
    if answer["low"] is not None:
        least, sure = count(answer["low"] + 1), percent(answer["confidence"])
        how = f"by a search that is {sure} sure of {least} to {count(answer['malicious'])}"
    else:
        how = f"by {'a' if answer['by'] == 'closed form' else 'an'} {answer['by']}"
    found = topic.measured_value(answer["metric"])
    trials = f"; the trials reach {topic.interval(answer['metric'])}" if found is not None else ""
    return f"{how}{trials}"


def _gain(topic: VerdictCell) -> str:
    """The rise of the targets by the fakes, with their ranks before and after where known."""
    if topic.cell.answer is not None or not topic.cell.malicious or not topic.cell.targets:
        return ""
    gain, reach = topic.mean("gain"), topic.reach("gain")
    targets, ranks = _targets(topic), _ranks(topic)
    if abs(gain) <= reach:
        trials = f"{count(topic.cell.trials)} trials"
        return (
            f"{topic.fakes} move {targets} by {topic.interval('gain')}: "
            f"no gain that {trials} can tell from 0."
        )
    rise = "lift" if gain > 0 else "lower"
    total = f" by {topic.interval('gain')}{_closed_gain(topic)}" * (not ranks)
    return f"{topic.fakes} {rise} {targets}{ranks or total}."


def _size(topic: VerdictCell) -> str:
    """The sentence about the gain and its closed form, if the sentence about the targets tells
    their ranks.
    """
    if topic.cell.answer is not None or not topic.cell.malicious or not topic.cell.targets:
        return ""
    if abs(topic.mean("gain")) <= topic.reach("gain") or not _has_ranks(topic):
        return ""
    start = f"At {topic.where} the" if topic.where else "The"
    return f"{start} gain is {topic.interval('gain')}{_closed_gain(topic)}."


def _elsewhere(topic: VerdictCell) -> str:
    """The sentence about the protocol under which the same attack gains most, or least, compared
    with this one.

    "" if all gain about the same. Both gains are closed forms.
    """
    if topic.cell.answer is not None or topic.mean("gain") <= topic.reach("gain"):
        return ""
    gains = topic.cell.elsewhere
    own = gains.get(str(topic.cell.parameters.get("protocol.kind")), 0.0)
    if own <= 0:
        return ""
    times = {kind: gained / own for kind, gained in gains.items() if gained > 0}
    kind = max(times, key=lambda kind: abs(math.log(times[kind])))
    if abs(math.log(times[kind])) < SAME:
        return ""
    return f"The same fakes would gain {short(times[kind], 2)} times as much under {kind.upper()}."


def _closed_gain(topic: VerdictCell) -> str:
    """Words after a gain on its closed form: that both agree, or the closed form's number."""
    expected = topic.cell.metrics["gain"].theory
    if expected is None:
        return ""
    number = short(expected, 3)
    if number == short(topic.mean("gain"), 3):
        return ", as the closed form says"
    return f"; the closed form is {number}"


def _targets(topic: VerdictCell) -> str:
    """The targets in words; by name if they are few and their names are known."""
    targets, known, names = topic.cell.targets, topic.frequencies, topic.names
    if known is not None and not names:
        labels = dict(zip(known.items, known.labels, strict=True))
        names = tuple(labels[target] for target in targets if target in labels)
    if len(targets) > NAMED or len(names) < len(targets):
        return "1 target" if len(targets) == 1 else f"{count(len(targets))} targets"
    *first, last = names
    return f"items {', '.join(first)} and {last}" if first else f"item {last}"


def _has_ranks(topic: VerdictCell) -> bool:
    """True if the estimates of all items are known, before the attack and after it."""
    known = topic.frequencies
    return known is not None and len(known.items) >= known.domain_size and "clean" in known.arms


def _ranks(topic: VerdictCell) -> str:
    """The ranks of the targets by their mean estimates, before and after; "" where not known."""
    known = topic.frequencies
    if known is None or not _has_ranks(topic):
        return ""
    arms = (known.clean.mean, known.attacked_estimates.mean)
    before, after = (_places(known.items, means, topic.cell.targets) for means in arms)
    if before == after:
        return f", still of {before}"
    return f" from {before} to {after.removeprefix('rank ').removeprefix('ranks ')}"


def _places(items: Sequence[int], means: Sequence[float], targets: Sequence[int]) -> str:
    """The ranks of targets among the estimates, the largest first: `rank 3`, `ranks 41–101`."""
    order = sorted(range(len(items)), key=lambda at: -means[at])
    place = {items[at]: rank for rank, at in enumerate(order, 1)}
    ranks = [place[target] for target in targets]
    least, most = min(ranks), max(ranks)
    return f"rank {count(least)}" if least == most else f"ranks {count(least)}–{count(most)}"


def defended_sentence(topic: VerdictCell) -> str:
    """The sentence about the part of the gain that remains after the defence."""
    gain, after = topic.mean("gain"), topic.mean("gain_after")
    if abs(gain) <= topic.reach("gain") or after == gain:  # "none", beside those compared with it
        return ""
    part = percent(after / gain)
    if abs(after) <= topic.reach("gain_after"):
        words = "which the trials cannot tell from 0, of"
    elif after / gain > 1 and part != percent(1.0):
        words = "more than"
    else:
        words = f"{part if after / gain > 0 else 'less than nothing'} of"
    left = topic.interval("gain_after")
    return f"The defence leaves a gain of {left}, {words} the {topic.interval('gain')} without it."


def _flags(topic: VerdictCell) -> str:
    """The shares of fake and of genuine reports that a filter flags."""
    fakes, genuine = percent(topic.mean("recall")), percent(topic.mean("false_positive_rate"))
    return f"The filter flags {fakes} of the fake reports and {genuine} of the genuine ones."


def _alarm(topic: VerdictCell) -> str:
    """The sentence about the rate of alarms with the attack and without."""
    rings, false = percent(topic.mean("alarm_rate")), percent(topic.mean("false_alarm_rate"))
    return f"The alarm rings in {rings} of the collections with fakes and in {false} without."


def _campaign(topic: VerdictCell) -> str:
    """The sentence about the round with the largest share of fakes: that share, and the estimates
    of the targets there.
    """
    rounds = topic.rounds
    if rounds is None or not rounds.targets or not any(rounds.share):
        return _spent(topic)
    at = max(range(len(rounds)), key=rounds.share.__getitem__)
    before, after = (short(sum(arm[at]), 3) for arm in (rounds.clean, rounds.attacked_means))
    many = count(len(rounds.targets))
    targets = "the target" if many == "1" else f"{many} targets"
    moved = "lift" if sum(rounds.attacked_means[at]) > sum(rounds.clean[at]) else "lower"
    share = percent(rounds.share[at])
    together = ", together" * (many != "1")
    return f"{share} fakes in round {at} {moved} {targets}{together} from {before} to {after}."


def _spent(topic: VerdictCell) -> str:
    """The privacy that a user loses over all rounds of a campaign, and in its first one."""
    if topic.rounds is None:
        return ""
    first, last = short(topic.rounds.spent[0], 3), short(topic.rounds.spent[-1], 3)
    many = count(len(topic.rounds))
    return f"All {many} rounds cost a user ε = {last}, the first alone {first}."


def _report(topic: VerdictCell) -> str:
    """The sentence about how many users with a target one fake report counts for; without fakes
    about the chances of a report.
    """
    cell, known = topic.cell, topic.frequencies
    if cell.malicious and known is not None and topic.measured_value("gain") is not None:
        held = sum(
            true for item, true in zip(known.items, known.true, strict=True) if item in cell.targets
        )
        share = cell.malicious / (cell.users + cell.malicious)
        weight = short(topic.mean("gain") / share + held, 3)
        return f"One fake report counts for {weight} users who hold a target."
    if cell.p is not None and cell.q is not None:
        own, other, what = cell.p, cell.q, "supports its own item"
    elif cell.bits is not None and cell.bits.get("q_star") is not None:
        own, other, what = cell.bits["q_star"], cell.bits["p_star"], "sets a bit of its item"
    else:
        return ""
    return f"Chance that a report {what}: {short(own, 3)}, another: {short(other, 3)}."


def _error(topic: VerdictCell) -> str:
    """The error of one estimate without the attack, and how many times that with it."""
    clean = topic.mean("mse_clean")
    if clean < 0 or (topic.measured_value("mse") is not None and topic.mean("mse") < 0):
        return ""  # of a damaged store: no square is negative
    typical = short(clean**0.5, 3)
    words = f"An estimate is typically {typical} off"
    if not topic.cell.malicious or topic.measured_value("mse") is None or clean <= 0:
        return f"{words} (root of a mean squared error of {topic.interval('mse_clean')})."
    attacked = topic.mean("mse")
    times = short((attacked / clean) ** 0.5, 3)
    more = f" ({times} times)" * (times != "1")
    return f"{words}, with fakes {short(attacked**0.5, 3)}{more}."


def _hitters(topic: VerdictCell) -> str:
    """The share of the most frequent items that is named, with the attack and without."""
    clean, attacked = topic.measured_value("hitter_recall_clean"), topic.mean("hitter_recall")
    if clean is None or not topic.cell.malicious:
        return f"{percent(attacked)} of the most frequent items are named."
    return (
        f"{topic.fakes}: {percent(attacked)} of the most frequent items are named, "
        f"without {percent(topic.mean('hitter_recall_clean'))}."
    )


def _named_targets(topic: VerdictCell) -> str:
    """The targets that heavy hitters name, or that are among the top k."""
    many = len(topic.cell.targets)
    if not many or not topic.cell.malicious or topic.cell.answer is not None:
        return ""
    named = short(topic.mean("targets_in_top_k"), 3)
    of = f"{count(many)} target{'s' * (many != 1)}"
    return f"On average {named} of {of} {'is' if named == '1' else 'are'} among the top k."


def catalogue_sentence(topic: VerdictCell, about_fakes: bool) -> str:
    """The catalogue's sentence about the first metric with the fakes or without; "" if none."""
    if about_fakes and not topic.cell.malicious:
        return ""
    for name in topic.cell.metrics:
        words = metric_words(name).verdict
        if words and ("{fakes}" in words) == about_fakes and topic.measured_value(name) is not None:
            return words.format(fakes=topic.fakes, value=topic.interval(name))
    return ""


def detected_sentence(topic: VerdictCell) -> str:
    """The sentence about the items that a significance test detects, and those among them that no
    user holds.
    """
    found, false = short(topic.mean("detected"), 3), short(topic.mean("false_detected"), 2)
    return f"On average {found} items are detected, {false} of them held by nobody."


def _share(topic: VerdictCell) -> str:
    """The sentence about the share of fakes as the server estimates it, beside the true one."""
    cell = topic.cell
    true = cell.malicious / (cell.users + cell.malicious)
    estimated = topic.interval("share_estimate")
    return f"The server puts the fakes at {estimated} of all; {short(true, 3)} is true."


ROWS: Final = (
    Row(_goal, charts=("answer",)),
    Row(_hitters, ("hitter_recall",), ("levels", "items", "success")),
    Row(defended_sentence, ("gain", "gain_after"), ("frequencies", "map", "gain")),
    Row(_gain, ("gain",), ("frequencies", "map")),
    Row(_size, ("gain",), ("gain",)),
    Row(_elsewhere, ("gain",), ("frequencies", "map")),
    Row(partial(catalogue_sentence, about_fakes=True)),
    Row(detected_sentence, ("detected", "false_detected")),
    Row(_flags, ("recall", "false_positive_rate"), ("detection",)),
    Row(_alarm, ("alarm_rate", "false_alarm_rate"), ("timeline",)),
    Row(_share, ("share_estimate", "share_estimate_std")),
    Row(_error, ("mse_clean",), ("error", "trials")),
    Row(partial(catalogue_sentence, about_fakes=False)),
    Row(_named_targets, ("targets_in_top_k",), ("success",)),
    Row(_campaign, charts=("timeline",)),
)
"""The sentences, the most telling first."""

SHEETS: Final = {
    "report": Row(_report), "privacy": Row(_spent), "equations": Row(_size, ("gain",)),
}  # fmt: skip
"""The sentence over each tab of words."""
