"""The rounds of a campaign as a table: a row for each."""

from __future__ import annotations

from collections.abc import Mapping

from ldptui.core.base.summary import Estimate
from ldptui.core.view import RoundSummary

from ...text import format as fmt
from ...text.interval import with_reach
from ..series import TONES
from .rounds import entry_words
from .table import MEASURED, ChartTable, TableColumn, Value


def table(rounds: RoundSummary, labels: Mapping[int, str], top_k: int) -> ChartTable:
    """The table of rounds: the users of each round, the attack's gain, the targets in the top k."""
    gains, held = rounds.metrics["gain"], rounds.metrics["target_frequency"]
    inside, error = rounds.metrics["targets_in_top_k"], rounds.metrics["mse"]
    places = min(6, fmt.decimals(estimate.standard_error for estimate in (*gains, *held)))
    columns = [
        TableColumn("round"), TableColumn("users", grouped=True),
        TableColumn("fakes", grouped=True), TableColumn("share", 4), TableColumn("ε spent"),
        TableColumn("gain", places), TableColumn("±", places), TableColumn("theory", places),
        TableColumn("z", 2, sign=True), TableColumn("f_T after", places),
        TableColumn(f"in top {top_k}", 2), TableColumn("mse", digits=3),
    ]  # fmt: skip
    shown = rounds.targets[: len(TONES)]
    for target in shown:
        name = labels.get(target, str(target))
        columns += [TableColumn(f"est. {name}", places), TableColumn(f"rank {name}")]
    rows: list[tuple[Value, ...]] = []
    for at in range(len(rounds)):
        row: list[Value] = [
            at, rounds.users[at], rounds.malicious[at], rounds.share[at], rounds.spent[at],
            gains[at].mean, gains[at].standard_error, gains[at].theory, gains[at].z,
            held[at].mean, inside[at].mean, error[at].mean,
        ]  # fmt: skip
        for place in range(len(shown)):
            row += [rounds.attacked_means[at][place], rounds.rank[at][place]]
        rows.append(tuple(row))
    trials = "one trial" if rounds.trials == 1 else f"means of {fmt.count(rounds.trials)} trials"
    trials = with_reach(trials, [rounds.trials])
    entry = entry_words(rounds, top_k)
    return ChartTable(
        "; ".join(filter(None, (f"Rounds, {trials}", entry))), tuple(columns), tuple(rows)
    )


def round_numbers(
    rounds: RoundSummary, at: int, labels: Mapping[int, str], top_k: int, *, targets_first: bool
) -> ChartTable:
    """The table of one round: a row for each metric and for each of the first targets."""
    inside = f"in top {top_k}"
    names = {"gain": "gain", "target_frequency": "f_T after", "targets_in_top_k": inside}
    metrics: list[tuple[Value, ...]] = []
    for name, words in names.items():
        estimate = rounds.metrics[name][at]
        numbers = (estimate.theory, estimate.mean, estimate.standard_error, estimate.z)
        metrics.append((words, at, *numbers, None))
    targets: list[tuple[Value, ...]] = []
    expected = rounds.expected[at]
    for place, target in enumerate(rounds.targets[: len(TONES)]):
        mean, theory = (
            rounds.attacked_means[at][place],
            None if expected is None else expected[place],
        )
        error = None if rounds.errors is None else rounds.errors[at][place]
        score = Estimate(mean, error, theory).z
        name = labels.get(target, str(target))
        targets.append((name, at, theory, mean, error, score, rounds.rank[at][place]))
    rows = [*targets, *metrics] if targets_first else [*metrics, *targets]
    places = min(6, fmt.decimals(error for *_, error, _, _ in rows if isinstance(error, float)))
    heads = ("closed form", MEASURED, "± error")
    columns = (
        TableColumn(""),
        TableColumn("round"),
        *(TableColumn(head, places) for head in heads),
    )
    return ChartTable(
        "", (*columns, TableColumn("z", 2, sign=True), TableColumn("rank")), tuple(rows)
    )
