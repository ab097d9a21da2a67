"""Results and closed forms as text tables, laid out for the width of the terminal. Pure text.

A table of a sweep has one row for each cell: the swept keys, then the groups of columns of each
metric. Groups that do not fit beside each other follow in a further block of rows.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from core.attacks import Mixture
from core.campaign import entry_of, rounds_of
from core.cell import Cell
from core.central import Curator, Stability
from core.goal import Goal
from core.metrics import METRICS
from core.results import CellResults, Estimate
from core.runner import Results
from core.theory import bit_gain, expected_metrics, privacy_spent

from . import format as text

METRIC_NAMES: Final = {
    "gain": "gain",
    "normalised_gain": "normalised gain",
    "target_frequency": "target frequency, attacked",
    "target_frequency_clean": "target frequency, clean",
    "mse": "mean squared error, attacked",
    "mse_clean": "mean squared error, clean",
    "l1_error": "L1 error, attacked",
    "max_error": "max error, attacked",
    "targets_in_top_k": "targets among the top",
    "detected": "detected items",
    "false_detected": "of them held by nobody",
}

SHORT_KEYS: Final = {
    "attack.targets.count": "targets",
    "attack.targets.items": "targets",
    "attack.targets.pick": "targets",
}
"""Column heads that are not the last word of the key."""

GAP: Final = "   "


@dataclass(frozen=True)
class Column:
    """One column: its head and its texts, padded to one width; numbers stand to the right."""

    head: str
    cells: tuple[str, ...]
    words: bool = False

    @property
    def width(self) -> int:
        return max(len(self.head), *(len(cell) for cell in self.cells))

    def placed(self, cell: str) -> str:
        return cell.ljust(self.width) if self.words else cell.rjust(self.width)


@dataclass(frozen=True)
class Group:
    """Columns that stay together, under one title."""

    title: str
    columns: tuple[Column, ...]

    @property
    def width(self) -> int:
        inner = sum(column.width for column in self.columns) + 2 * (len(self.columns) - 1)
        return max(inner, len(self.title))


@dataclass(frozen=True)
class Style:
    """How to emphasise: escape sequences, or nothing."""

    colour: bool = False

    def strong(self, line: str) -> str:
        return f"\x1b[1m{line}\x1b[0m" if self.colour and line.strip() else line

    def faint(self, line: str) -> str:
        return f"\x1b[2m{line}\x1b[0m" if self.colour and line.strip() else line


def results_table(results: Results, width: int = 80, colour: bool = False) -> str:
    """What a run measured, as lines of at most `width` cells where that is possible."""
    style = Style(colour)
    scenario, cells = results.experiment.scenario, results.experiment.cells
    lines = [style.strong(line) for line in textwrap.wrap(_one_line(scenario.title), width)]
    lines += [style.faint(line) for line in _constants(results, width)]
    if any(cell.answer is not None for cell in cells):
        lines += ["", *_answers(results, style)]
    finished = [
        (cell, measured, expected_metrics(cell))
        for cell, measured in zip(cells, results.cells, strict=True)
        if measured.trials
    ]
    if len(cells) == 1 and finished:
        lines += ["", *_listed(*finished[0], style)]
        if cells[0].rounds:
            lines += ["", *_by_round(*finished[0][:2], width, style)]
    elif finished:
        lines += ["", *_swept(results, finished, width, style)]
    lines += ["", *(style.faint(line) for line in _closing(results, finished, width))]
    return "\n".join(line.rstrip() for line in lines) + "\n"


Finished = tuple[Cell, CellResults, dict[str, float | None]]


def _constants(results: Results, width: int) -> list[str]:
    """What was simulated, a line each for the population, the protocol, the attack and the run."""
    cells = results.experiment.cells
    population = [
        _over(cell.parameters["population.kind"] for cell in cells),
        f"d = {_over(cell.population.domain_size for cell in cells)} items",
        f"n = {_over(cell.first.users for cell in cells)} users",
    ]
    for key in ("exponent", "ratio", "mean", "std", "path", "column", "count"):
        values = _present(cells, f"population.{key}")
        if values:
            population.append(f"{key} {_over(values)}")
    protocol = [_over(str(cell.parameters["protocol.kind"]).upper() for cell in cells)]
    budgets = _present(cells, "protocol.epsilon")
    if budgets:
        protocol.append(f"ε = {_over(budgets)}")
    ranges = [cell.hash_range for cell in cells if cell.hash_range is not None]
    if ranges:
        protocol.append(f"g = {_over(ranges)}")
    noisy = [cell for cell in cells if cell.noise is not None]
    if noisy:
        protocol += _rappor(noisy)
    elif all(cell.is_pure for cell in cells):
        chances = {(cell.pure.p, cell.pure.q) for cell in cells}
        if len(chances) == 1:
            p, q = chances.pop()
            protocol += [f"p = {text.short(p)}", f"q = {text.short(q)}"]
    protocol += _curators(cells)
    rows = [("population", population), ("protocol", protocol), ("attack", _attack(cells))]
    if any(cell.rounds for cell in cells):
        rows.append(("campaign", _campaign(cells)))
    simulated = [
        _trials(cells),
        f"seed {_over(cell.seed for cell in cells)}",
        f"{_over(cell.path for cell in cells)} path",
    ]
    rows.append(("run", simulated))
    lines = []
    for name, facts in rows:
        lines += textwrap.wrap(
            # A fact stays on one line where that is possible.
            f"{name:<12}{', '.join(fact.replace(' ', _NO_BREAK) for fact in facts)}",
            max(width, 30),
            subsequent_indent=" " * 12,
            break_on_hyphens=False,
        )
    return [line.replace(_NO_BREAK, " ") for line in lines]


def _campaign(cells: Sequence[Cell]) -> list[str]:
    """The rounds, how the users change over them, and what taking part in all of them costs."""
    facts = [f"R = {_over(len(cell.rounds) for cell in cells)} rounds"]
    for key, name in (("campaign.churn", "churn"), ("campaign.drift.kind", "drift to")):
        values = [value for value in _present(cells, key) if value]
        if values:
            facts.append(f"{name} {_over(values)}")
    spent = _over(privacy_spent(cell)[-1] for cell in cells)
    return [*facts, f"a user spends ε = {spent} over all rounds"]


def _rappor(cells: Sequence[Cell]) -> list[str]:
    """RAPPOR's parameters, and what follows from them."""
    facts = [_over(_present(cells, "protocol.form"))]
    for key, name in (("bits", "k"), ("hashes", "h"), ("cohorts", "m"), ("p", "p"), ("q", "q")):
        values = _present(cells, f"protocol.{key}")
        if values:
            facts.append(f"{name} = {_over(values)}")
    noises = [(cell.noise, cell.hashes) for cell in cells if cell.noise is not None]
    for name, numbers in (
        ("f", [noise.f for noise, _ in noises]),
        ("p*", [noise.p_star for noise, _ in noises]),
        ("q*", [noise.q_star for noise, _ in noises]),
        ("ε₁", [noise.epsilon_one(h) for noise, h in noises]),
        ("ε∞", [noise.epsilon_infinity(h) for noise, h in noises]),
    ):
        bounded = math.isfinite(max(numbers))
        facts.append(f"{name} = {_over(numbers) if bounded else 'unbounded'}")
    return [*facts, "q > p: the reverse of Wang's"]


def _curators(cells: Sequence[Cell]) -> list[str]:
    """Of the cells with a curator: which tables look alike, and the noise that takes."""
    curators = [cell.protocol for cell in cells if isinstance(cell.protocol, Curator)]
    if not curators:
        return []
    facts = [_over(f"{one.neighbours} neighbours" for one in curators)]
    deltas = [one.delta for one in curators if one.delta]
    if deltas:
        facts.append(f"δ = {_over(deltas)}")
    facts.append(f"noise of scale {_over(one.scale for one in curators)}")
    thresholds = [one.threshold for one in curators if isinstance(one, Stability)]
    if thresholds:
        facts.append(f"threshold {_over(thresholds)}")
    return facts


_NO_BREAK: Final = "\u00a0"


def _trials(cells: Sequence[Cell]) -> str:
    each = _over(cell.trials for cell in cells)
    words = f"{each} trial" if each == "1" else f"{each} trials"
    return f"{words} of each of {len(cells)} cells" if len(cells) > 1 else words


def _attack(cells: Sequence[Cell]) -> list[str]:
    attacked = [cell for cell in cells if cell.attack is not None]
    kinds = _over(_kind(cell) for cell in cells)
    if not attacked:
        return ["none"]
    shares = _over(_present(attacked, "attack.share") or _phase_shares(attacked))
    facts = [
        kinds.replace("NONE", "none"),
        *dict.fromkeys(str(name) for name in _present(attacked, "attack.name")),
        f"β = {shares} (m = {_over(cell.malicious for cell in attacked)})",
        f"f_T = {_over(cell.target_frequency for cell in attacked)}",
    ]
    bits = [gain for cell in attacked if (gain := bit_gain(cell)) is not None]
    if bits:
        facts.append(f"gain of the bits before decoding {_over(bits)}")
    cohorts = _present(attacked, "attack.cohort")
    if cohorts:
        facts.append(f"share in one cohort {_over(cohorts)}")
    if any(cell.hash_range is not None for cell in attacked):
        for key, name in (("attack.seeds", "K"), ("attack.scoring", "scoring")):
            values = _present(attacked, key)
            if values:
                facts.append(f"{name} = {_over(values)}")
    rules = _over(_rule(cell) for cell in attacked)
    sizes = _over(cell.targets.size for cell in attacked)
    named = {tuple(cell.targets.tolist()) for cell in attacked}
    targets = f"r = {sizes} {rules} target{'' if sizes == '1' else 's'}"
    if len(named) == 1:
        population = attacked[0].population
        labels = [_one_line(population.label(item)) for item in attacked[0].targets.tolist()]
        return [*facts, f"{targets}: {labels[0]}", *labels[1:10], *(["…"] if labels[10:] else [])]
    return [*facts, targets]


def _phase_shares(cells: Sequence[Cell]) -> list[object]:
    """β of every round, as the phases of the attack have it."""
    return [one.share for cell in cells for one in cell.rounds]


def _kind(cell: Cell) -> str:
    """What the fakes do, in a word; of a mixture each part with its share of the fakes."""
    if "attack.kind" in cell.parameters:
        return str(cell.parameters["attack.kind"]).upper()
    if cell.rounds:
        return " then ".join(dict.fromkeys(_kind(one) for one in cell.rounds if one.attack))
    assert isinstance(cell.attack, Mixture)
    if len(cell.attack.parts) == 1:
        return cell.attack.parts[0].attack.kind.upper()
    weights = [part.weight for part in cell.attack.parts]
    parts = zip(cell.attack.parts, weights, strict=True)
    words = [f"{text.short(100 * w / sum(weights), 3)} % {p.attack.kind.upper()}" for p, w in parts]
    return " + ".join(words)


def _answers(results: Results, style: Style) -> list[str]:
    """How many fake users it takes to reach the goal, a row for each cell."""
    asked = [(cell, cell.goal, cell.answer) for cell in results.experiment.cells]
    found = [(cell, goal, answer) for cell, goal, answer in asked if goal and answer]
    swept = [key for key in results.experiment.scenario.sweep if not key.startswith("goal.")]
    wanted = [_goal(cell, goal) for cell, goal, _ in found]
    metrics, levels = {metric for metric, _ in wanted}, {level for _, level in wanted}
    several = len(metrics) > 1 or len(levels) > 1
    rows = []
    for (cell, goal, answer), (metric, level) in zip(found, wanted, strict=True):
        numbers = [text.percent(answer.share), text.count(answer.malicious)]
        numbers = numbers[::-1] if goal.over == "malicious" else numbers
        numbers[0] = numbers[0] if answer.reached else f"never; closest {numbers[0]}"
        seen = "expected" if answer.by == "closed form" else "measured"
        how = answer.by if answer.low is None else f"search, m > {text.count(answer.low)}"
        keys = [str(cell.parameters.get(key, "")) for key in swept]
        keys += [level if len(metrics) == 1 else f"{metric} {level}"] * several
        rows.append([*keys, *numbers, f"{text.short(answer.value)} {seen}", how])
    heads = [key.rpartition(".")[2] for key in swept] + ["goal"] * several
    numbers = ["share β", "fakes m"]
    numbers = numbers[::-1] if found[0][1].over == "malicious" else numbers
    named = [*metrics] * (len(metrics) == 1) + [*levels] * (not several)
    title = " ".join([f"{_TAKES} for", *named] if named else [_TAKES])
    lines = [
        style.strong(title),
        *plain_table([*heads, *numbers, "reaches", "by"], rows).split("\n"),
    ]
    sure = {answer.confidence for _, _, answer in found if answer.low is not None}
    if sure:
        lines[-1] = style.faint(
            f"a search is {text.percent(max(filter(None, sure)))} sure of both ends"
        )
    return [line for line in lines if line]


_TAKES: Final = "fake users that it takes"


def _goal(cell: Cell, goal: Goal) -> tuple[str, str]:
    """The metric and the value that it shall have."""
    name = METRIC_NAMES.get(goal.metric, goal.metric.replace("_", " "))
    if goal.metric == "targets_in_top_k":
        name = f"targets in top {cell.top_k}"
    return name.removesuffix(", attacked"), f"≥ {text.short(goal.at_least)}"


def _rule(cell: Cell) -> object:
    """How the targets were chosen, in a word or two."""
    if "attack.size" in cell.parameters:
        return "random set of"
    if isinstance(cell.attack, Mixture) and cell.attack.targets is None:
        return "different"
    return cell.parameters.get("attack.targets.pick", "listed")


def _listed(
    cell: Cell, measured: CellResults, theory: dict[str, float | None], style: Style
) -> list[str]:
    """The metrics of one cell, a row each."""
    rows = []
    for metric in METRICS:
        name = METRIC_NAMES.get(metric, metric.replace("_", " "))
        estimate = measured.estimate(metric, theory[metric])
        if estimate.mean is None:
            continue
        if cell.attack is None:
            name = name.removesuffix(", attacked")
            if metric == "mse_clean":
                continue
        if metric == "targets_in_top_k":
            name = f"{name} {cell.top_k}, of {cell.targets.size}"
        rows.append((name, estimate))
    columns = (
        Column("metric", _left(name for name, _ in rows), words=True),
        Column(
            "measured",
            _around([text.estimate(one.mean, one.standard_error) for _, one in rows], " ± "),
        ),
        Column("theory", _around([text.short(one.theory, 5) for _, one in rows], ".")),
        Column("z", _right(_z(one) for _, one in rows)),
    )
    return _block([Group("", columns)], style, set())


SHOWN_ROUNDS: Final = 12
"""Rows of the view by round: the first round, the last one and evenly between."""


def _by_round(cell: Cell, measured: CellResults, width: int, style: Style) -> list[str]:
    """Some rounds of a campaign, a row each; and when the targets came to the top k."""
    every = rounds_of(cell, measured)
    step = max(len(every) - 1, 1) / (min(len(every), SHOWN_ROUNDS) - 1 or 1)
    numbers = sorted({round(at * step) for at in range(min(len(every), SHOWN_ROUNDS))})
    shown = [every[number] for number in numbers]

    def of(metric: str) -> list[Estimate]:
        return [one.metrics[metric] for one in shown]

    first = [Column("round", _right(str(one.number) for one in shown))]
    if cell.targets.size:
        first.append(Column("β", _around([text.short(one.share, 3) for one in shown], ".")))
    spent = Column("ε spent", _around([text.short(one.spent) for one in shown], "."))
    groups = [_beside("mean squared error", of("mse"))]
    if cell.targets.size:
        inside, frequency = of("targets_in_top_k"), of("target_frequency")
        power = _power(frequency)
        top = Column(f"in top {cell.top_k}", _with_errors(inside, _power(inside)))
        groups = [
            _beside("gain", of("gain")),
            Group(f"targets{_unit(power)}", (Column("after", _with_errors(frequency, power)), top)),
        ]
    keys, lines = Group("", (*first, spent)), list[str]()
    for block in _blocks(keys, groups, width):
        lines += [*([""] if lines else []), *_block(block, style, set())]
    told = _entry(cell, measured)
    return [*lines, *([""] if told else []), *(style.faint(line) for line in told)]


def _entry(cell: Cell, measured: CellResults) -> list[str]:
    """When all targets first were in the top k, in words."""
    if not cell.targets.size:
        return []
    entry, trials = entry_of(cell, measured), measured.trials
    if not entry.reached:
        return [f"the targets are never all in the top {cell.top_k}"]
    when = f"from round {text.estimate(entry.mean, entry.standard_error)} on average"
    often = f"in {entry.reached} of {trials} trials"
    return [f"all targets are in the top {cell.top_k} {when}, {often}"]


def _blocks(keys: Group, groups: Sequence[Group], width: int) -> list[list[Group]]:
    """The groups side by side, in as many blocks as the width asks for, each after the keys."""
    blocks: list[list[Group]] = []
    room = 0
    for group in groups:
        if not blocks or group.width + len(GAP) > room:
            blocks.append([keys])
            room = width - keys.width
        blocks[-1].append(group)
        room -= group.width + len(GAP)
    return blocks


def _swept(results: Results, finished: list[Finished], width: int, style: Style) -> list[str]:
    """One row for each cell, in as many blocks as the width asks for."""
    breaks = _breaks(results, finished)
    lines: list[str] = []
    for block in _blocks(_keys(results, finished), _groups(finished), width):
        lines += [*([""] if lines else []), *_block(block, style, breaks)]
    return lines


def _keys(results: Results, finished: list[Finished]) -> Group:
    """The swept keys, and what helps to read them: f_T where targets vary, trials if partial."""
    swept = list(results.experiment.scenario.sweep)
    heads = [SHORT_KEYS.get(key, key.rpartition(".")[2]) for key in swept]
    columns = []
    for key, head in zip(swept, heads, strict=True):
        name = key if heads.count(head) > 1 else head
        if head == "kind":
            name = key.partition(".")[0]
        values = [cell.parameters.get(key) for cell, _, _ in finished]
        if any(isinstance(value, str | list) for value in values):
            columns.append(Column(name, _left(value_text(value) for value in values), words=True))
        else:
            columns.append(Column(name, _around([value_text(value) for value in values], ".")))
    held = [cell.target_frequency if cell.attack else None for cell, _, _ in finished]
    if any(key.startswith("attack.targets.") for key in swept) and len(set(held)) > 1:
        columns.append(Column("f_T", _around([value_text(value) for value in held], ".")))
    if not results.complete:
        done = [f"{measured.trials}/{cell.trials}" for cell, measured, _ in finished]
        columns.append(Column("trials", _right(done)))
    return Group("", tuple(columns))


def _groups(finished: list[Finished]) -> list[Group]:
    """The columns of each metric that the table shows."""
    tested = any(measured.estimate("detected").mean is not None for _, measured, _ in finished)
    heads = {"detected": "items", "false_detected": "false"}
    detected = [_measured("detected", heads, finished)] if tested else []
    if all(cell.attack is None for cell, _, _ in finished):
        return [
            _compared("mean squared error", "mse", finished),
            _measured("errors", {"max_error": "largest", "l1_error": "sum (L1)"}, finished),
            *detected,
        ]
    tops = {cell.top_k for cell, _, _ in finished}
    top = str(tops.pop()) if len(tops) == 1 else "k"
    return [
        _compared("gain", "gain", finished),
        _measured(
            "target frequency",
            {"target_frequency_clean": "before", "target_frequency": "after"},
            finished,
        ),
        _compared("mean squared error", "mse", finished),
        _measured("targets", {"targets_in_top_k": f"in top {top}"}, finished),
        *([_entries(finished)] if any(cell.rounds for cell, _, _ in finished) else []),
        *detected,
    ]


def _entries(finished: list[Finished]) -> Group:
    """In which round all targets first were in the top k, and in how many trials they ever were."""
    entries = [(entry_of(cell, measured), measured.trials) for cell, measured, _ in finished]
    when = [Estimate(entry.mean, entry.standard_error, None) for entry, _ in entries]
    trials = _right(f"{entry.reached}/{count}" for entry, count in entries)
    columns = Column("round", _with_errors(when, _power(when))), Column("trials", trials)
    return Group("all in top k from", columns)


def _compared(title: str, metric: str, finished: list[Finished]) -> Group:
    """A metric, measured and expected."""
    return _beside(
        title, [measured.estimate(metric, theory[metric]) for _, measured, theory in finished]
    )


def _beside(title: str, estimates: Sequence[Estimate]) -> Group:
    """Estimates beside their closed forms."""
    power = _power(estimates)
    columns = (
        Column("measured", _with_errors(estimates, power)),
        Column("theory", _around([_theory(one, power) for one in estimates], ".")),
        Column("z", _right(_z(one) for one in estimates)),
    )
    return Group(title + _unit(power), columns)


def _measured(title: str, metrics: dict[str, str], finished: list[Finished]) -> Group:
    """Metrics without their theory, side by side in one unit."""
    found = {
        metric: [measured.estimate(metric) for _, measured, _ in finished] for metric in metrics
    }
    power = _power([one for estimates in found.values() for one in estimates])
    columns = [Column(head, _with_errors(found[metric], power)) for metric, head in metrics.items()]
    return Group(title + _unit(power), tuple(columns))


def _closing(results: Results, finished: list[Finished], width: int) -> list[str]:
    """How to read the table, how well it agrees with the theory, and what names the numbers."""
    scores = [
        abs(z)
        for _, measured, theory in finished
        for metric in ("gain", "mse")
        if (z := measured.estimate(metric, theory[metric]).z) is not None
    ]
    notes = ["mean ± standard error over the trials; z = (measured − theory) / standard error"]
    if scores:
        notes.append(f"largest |z| of those shown ({len(scores)}): {max(scores):.1f}")
    if results.error:
        notes.append(results.error)
    if not results.ended:
        notes.append(
            f"partial: interrupted after {text.count(results.trials)} of "
            f"{text.count(results.experiment.trials)} trials"
        )
    notes.append(f"digest {results.digest}")
    return [line for note in notes for line in textwrap.wrap(note, width)]


def theory_table(
    title: str, rows: Sequence[tuple[str, str, str, str]], notes: Sequence[str]
) -> str:
    """Closed forms as (quantity, value, formula, source), between a title and notes."""
    columns = (
        Column("quantity", _left(row[0] for row in rows), words=True),
        Column("value", _around([row[1] for row in rows], ".")),
        Column("formula", _left(row[2] for row in rows), words=True),
        Column("source", _left(row[3] for row in rows), words=True),
    )
    lines = [title, "", *_block([Group("", columns)], Style(), set()), "", *notes]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of words."""
    columns = tuple(
        Column(head, _left(row[place] for row in rows), words=True)
        for place, head in enumerate(heads)
    )
    lines = _block([Group("", columns)], Style(), set())
    return "\n".join(line.rstrip() for line in lines) + "\n"


# Laying out.


def _block(groups: Sequence[Group], style: Style, breaks: set[int]) -> list[str]:
    """Titles, heads, a rule and the rows of some groups side by side; empty lines at `breaks`."""
    lines = []
    if any(group.title for group in groups):
        lines.append(style.strong(GAP.join(group.title.ljust(group.width) for group in groups)))
    lines.append(
        style.strong(
            GAP.join(
                "  ".join(one.placed(one.head) for one in group.columns).ljust(group.width)
                for group in groups
            )
        )
    )
    lines.append(style.faint(GAP.join("─" * group.width for group in groups)))
    for row in range(len(groups[0].columns[0].cells)):
        if row in breaks:
            lines.append("")
        parts = []
        for group in groups:
            cells = []
            for column in group.columns:
                cell = column.placed(column.cells[row])
                cells.append(style.faint(cell) if column.head == "theory" else cell)
            inner = sum(column.width for column in group.columns) + 2 * (len(cells) - 1)
            parts.append("  ".join(cells) + " " * (group.width - inner))
        lines.append(GAP.join(parts))
    return lines


def _breaks(results: Results, finished: list[Finished]) -> set[int]:
    """The rows before which the keys but the last one change, where groups of rows are long."""
    swept = list(results.experiment.scenario.sweep)
    if len(swept) < 2 or len(results.experiment.scenario.sweep[swept[-1]]) < 3:
        return set()
    outer = [str([cell.parameters.get(key) for key in swept[:-1]]) for cell, _, _ in finished]
    return {row for row in range(1, len(outer)) if outer[row] != outer[row - 1]}


def _left(words: Iterable[str]) -> tuple[str, ...]:
    listed = list(words)
    width = max(map(len, listed), default=0)
    return tuple(word.ljust(width) for word in listed)


def _right(words: Iterable[str]) -> tuple[str, ...]:
    listed = list(words)
    width = max(map(len, listed), default=0)
    return tuple(word.rjust(width) for word in listed)


def aligned(numbers: Sequence[str]) -> tuple[str, ...]:
    """Numbers as texts of one width, with their points below each other."""
    return _around(numbers, ".")


def _around(words: Sequence[str], mark: str) -> tuple[str, ...]:
    """The words with their marks below each other; whole numbers end where a point would be."""
    parts = []
    for word in words:
        end = word.find(mark) if mark in word else word.find("e") if "e" in word else len(word)
        parts.append((word[:end], word[end:]))
    before = _right(part[0] for part in parts)
    after = _left(part[1] for part in parts)
    return tuple(left + right for left, right in zip(before, after, strict=True))


# Numbers.


def _with_errors(estimates: Sequence[Estimate], power: int | None) -> tuple[str, ...]:
    """`value ± error` with both points aligned; the error has two digits in each row."""
    if power is None:
        return _around([_scientific(one.mean, one.standard_error) for one in estimates], " ± ")
    values, errors = [], []
    for one in estimates:
        if one.mean is None:
            values.append(text.MISSING)
            errors.append("")
        elif not one.standard_error:
            values.append(text.short(_scaled(one.mean, power), 5))
            errors.append("" if one.standard_error is None else "0")
        else:
            error = _scaled(one.standard_error, power)
            places = text.decimals([error])
            values.append(text.fixed(_scaled(one.mean, power), places))
            errors.append(text.fixed(error, places))
    left, right = _around(values, "."), _around(errors, ".")
    if not any(errors):
        return left
    return tuple(
        f"{value} {'±' if error.strip() else ' '} {error}"
        for value, error in zip(left, right, strict=True)
    )


def _scientific(value: float | None, error: float | None) -> str:
    """`(1.235 ± 0.012)e-6`, whatever the size."""
    if value is None or value == 0:
        return text.short(value)
    power = math.floor(math.log10(abs(value)))
    if not error:
        return f"{text.fixed(_scaled(value, power), 4)}e{power}"
    scaled = _scaled(error, power)
    places = text.decimals([scaled])
    return f"({text.fixed(_scaled(value, power), places)} ± {text.fixed(scaled, places)})e{power}"


def _theory(estimate: Estimate, power: int | None) -> str:
    """The closed form, as precise as what it is compared with."""
    value, error = estimate.theory, estimate.standard_error
    if value is None:
        return text.MISSING
    if power is None:
        return _scientific(value, None)
    if not error:
        return text.short(_scaled(value, power), 5)
    return text.fixed(_scaled(value, power), text.decimals([_scaled(error, power)]))


def _z(estimate: Estimate) -> str:
    return text.fixed(estimate.z, 1, sign=True)


def _power(estimates: Iterable[Estimate]) -> int | None:
    """The power of ten that a column shares; None where its numbers are too far apart."""
    known = [one for one in estimates if one.mean is not None]
    largest = max((abs(one.mean or 0.0) for one in known), default=0.0)
    if not largest:
        return 0
    exponent = math.floor(math.log10(largest))
    power = 0 if -2 <= exponent <= 5 else 3 * math.floor(exponent / 3)
    errors = [_scaled(one.standard_error, power) for one in known if one.standard_error]
    return power if text.decimals(errors) <= 6 or not errors else None


def _scaled(value: float, power: int) -> float:
    return value * 10.0**-power if abs(power) < 300 else value


def _unit(power: int | None) -> str:
    return f", in {text.power_of_ten(power)}" if power else ""


# Words.


def _present(cells: Sequence[Cell], key: str) -> list[object]:
    return [cell.parameters[key] for cell in cells if key in cell.parameters]


def _over(values: Iterable[object]) -> str:
    """What a parameter is over all cells: its value, its range, or its few words."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) > 1 and all(isinstance(value, int | float) for value in distinct):
        numbers: list[Any] = distinct
        return f"{value_text(min(numbers))} … {value_text(max(numbers))}"
    return ", ".join(value_text(value) for value in distinct)


def value_text(value: object) -> str:
    """One parameter as text: a number, a word, or a shortened list."""
    if value is None:
        return text.MISSING
    if isinstance(value, int):
        return text.count(value) if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return text.short(value)
    if isinstance(value, list):
        return _shortened(value)
    return _one_line(str(value))


def _shortened(items: Sequence[object]) -> str:
    """A list in a column: whole if it is short, else its ends and how long it is."""
    whole = ", ".join(_one_line(str(item)) for item in items)
    if len(whole) <= 16:
        return whole
    return f"{_one_line(str(items[0]))[:12]}, … ({len(items)})"


def _one_line(words: str) -> str:
    """Text without line ends and control characters."""
    return "".join(c if c.isprintable() else " " for c in words)
