"""The setting that all cells of a run have in common, a line for each fact."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from typing import Any, Final

from ldptui.core.attacks import Part
from ldptui.core.base.code import code_of, title_of
from ldptui.core.base.errors import one_line
from ldptui.core.cell import Cell
from ldptui.core.law.longitudinal import Memoising
from ldptui.core.law.mechanism import LocalMechanism
from ldptui.core.running.runner import RunResults
from ldptui.core.scenario import defaults_of
from ldptui.core.theory import bit_gain, privacy_spent

from ...catalogue import key_words
from .. import format as text
from ..swept import setting_word
from .number_columns import present, range_over


def constant_lines(results: RunResults, width: int) -> list[str]:
    """The settings that all cells share: a line for population, protocol, attack and run."""
    cells = results.experiment.cells
    population = [
        _kinds(cells, "population"),
        f"d = {range_over(cell.population.domain_size for cell in cells)} items",
        f"n = {range_over(cell.first.users for cell in cells)} users",
        *_keys(cells, "population"),
    ]
    protocol = [_kinds(cells, "protocol")]
    budgets = [_epsilon(cell) for cell in cells if "protocol.epsilon" in cell.parameters]
    if budgets:
        protocol.append(f"ε = {range_over(budgets)}")
    ranges = [g for cell in cells if (g := cell.protocol.facts().get("hash_range"))]
    if ranges:
        protocol.append(f"g = {range_over(ranges)}")
    bounds = [
        cell.protocol.epsilon_infinity
        for cell in cells
        if isinstance(cell.protocol, Memoising) and "p_star" not in cell.protocol.facts()
    ]
    if bounds:
        protocol.append(f"ε∞ = {range_over(bounds)}")
    noisy = [cell for cell in cells if "p_star" in cell.protocol.facts()]
    if noisy:
        protocol += _of_bits(noisy)
    elif all(cell.is_pure for cell in cells):
        chances = {(cell.pure.p, cell.pure.q) for cell in cells}
        if len(chances) == 1:
            p, q = chances.pop()
            protocol += [f"p = {text.short(p)}", f"q = {text.short(q)}"]
    protocol += [*_curators(cells), *_keys(cells, "protocol", usual=False)]
    rows = [("population", population), ("protocol", protocol), ("attack", _attack(cells))]
    if any("trust.kind" in cell.parameters for cell in cells):
        rows.insert(2, ("trust", _trust(cells)))
    if any(cell.defences for cell in cells):
        own = _keys(cells, "defence", usual=False)
        rows.append(
            ("defence", [range_over(map(_defence, cells)), *own, *verification_facts(cells)])
        )
    if any("task.kind" in cell.parameters for cell in cells):
        kinds = range_over(cell.task.kind for cell in cells)
        rows.insert(1, ("task", [kinds, *_keys(cells, "task")]))
    if any(cell.rounds for cell in cells):
        rows.append(("campaign", _campaign(cells)))
    paths = [cell.decided_path for cell in cells if cell.decided_path is not None]
    simulated = [
        _trials(cells),
        f"seed {range_over(cell.seed for cell in cells)}",
        *([f"{range_over(paths)} path"] if paths else []),
    ]
    rows.append(("run", simulated))
    return [line for name, facts in rows for line in _wrap_facts(name, facts, width)]


def _wrap_facts(name: str, facts: Sequence[str], width: int) -> list[str]:
    """The facts in lines; each stays on one line where that is possible."""
    lines = textwrap.wrap(
        f"{name:<12}{', '.join(fact.replace(' ', _NO_BREAK) for fact in facts)}",
        max(width, 30),
        subsequent_indent=" " * 12,
        break_on_hyphens=False,
    )
    return [line.replace(_NO_BREAK, " ") for line in lines]


def _kinds(cells: Sequence[Cell], table: str) -> str:
    """The kinds of a table, or the names of plug-in code."""
    words = (setting_word(cell.parameters, f"{table}.kind") for cell in cells)
    return range_over(map(one_line, words))


def _keys(cells: Sequence[Cell], table: str, *, usual: bool = True) -> list[str]:
    """The keys of a table with their values, except those that the catalogue leaves out.

    usual : include keys that have their defaults in all cells.
    """
    keys = dict.fromkeys(key for cell in cells for key in cell.parameters)
    facts = []
    for key in (key for key in keys if _PLACE.sub("", key).rpartition(".")[0] == table):
        fact, values = key_words(key).fact, present(cells, key)
        if fact and (usual or any(value not in defaults_of(key) for value in values)):
            facts.append(f"{fact} {range_over(values)}")
    return list(dict.fromkeys(facts))


_PLACE: Final = re.compile(r"\.\d+(?=\.)")
"""The place of a step among several: defence.1.eta."""


def _campaign(cells: Sequence[Cell]) -> list[str]:
    """The rounds, how the users change over them, and what taking part in all of them costs."""
    facts = [f"R = {range_over(len(cell.rounds) for cell in cells)} rounds"]
    facts += _keys(cells, "campaign", usual=False)
    drifts = present(cells, "campaign.drift.kind")
    facts += [f"drift to {range_over(drifts)}"] if drifts else []
    spent = range_over(privacy_spent(cell)[-1] for cell in cells)
    return [*facts, f"a user spends ε = {spent} over all rounds"]


def _of_bits(cells: Sequence[Cell]) -> list[str]:
    """The parameters of RAPPOR's bits, and the probabilities and budgets that follow from them."""
    facts = [range_over(present(cells, "protocol.form"))]
    for key, name in (("bits", "k"), ("hashes", "h"), ("cohorts", "m"), ("p", "p"), ("q", "q")):
        values = present(cells, f"protocol.{key}")
        if values:
            facts.append(f"{name} = {range_over(values)}")
    facts_of_cells = [cell.protocol.facts() for cell in cells]
    for name, key in (
        ("f", "f"), ("p*", "p_star"), ("q*", "q_star"),
        ("ε₁", "epsilon_one"), ("ε∞", "epsilon_infinity"),
    ):  # fmt: skip
        numbers = [each[key] for each in facts_of_cells]
        facts.append(f"{name} = {'unbounded' if None in numbers else range_over(numbers)}")
    return [*facts, "q > p: the reverse of Wang's"]


def _curators(cells: Sequence[Cell]) -> list[str]:
    """The facts of cells with a curator: which tables are neighbours, and the noise."""
    curators: list[Any] = [
        cell.protocol for cell in cells if not isinstance(cell.protocol, LocalMechanism)
    ]
    if not curators:
        return []
    facts = [range_over(f"{curator.neighbours} neighbours" for curator in curators)]
    deltas = [curator.delta for curator in curators if curator.delta]
    if deltas:
        facts.append(f"δ = {range_over(deltas)}")
    facts.append(f"noise of scale {range_over(curator.scale for curator in curators)}")
    thresholds = [curator.threshold for curator in curators if hasattr(curator, "threshold")]
    if thresholds:
        facts.append(f"threshold {range_over(thresholds)}")
    return facts


def _epsilon(cell: Cell) -> Any:
    """The ε of one report; for shuffled reports the solved local budget."""
    return cell.budgets.get("local_epsilon", cell.parameters["protocol.epsilon"])


def _trust(cells: Sequence[Cell]) -> list[str]:
    """The trust model of the cells, and the central budget of all reports together."""
    budgets = [cell.budgets for cell in cells if "local_epsilon" in cell.budgets]
    facts = (
        [f"central ε ≤ {range_over(each['central_epsilon'] for each in budgets)}"]
        if budgets
        else []
    )
    kinds = [range_over(cell.trust.kind for cell in cells), *_keys(cells, "trust"), *facts]
    return [*kinds, *sent_share_facts([cell for cell in cells if cell.trust.drop_out])]


def _defence(cell: Cell) -> str:
    """The steps of a cell's defence, in order; those in Python by their names."""
    steps = (one_line(code_of(step)) or step.kind for step in cell.defences)
    return " then ".join(steps) or "none"


def verification_facts(cells: Sequence[Cell]) -> list[str]:
    """The words about verified reports: how many users drop out."""
    pairs = [(cell, cell.sifted_cell) for cell in cells]
    return sent_share_facts([read for cell, read in pairs if read.trust is not cell.trust])


def sent_share_facts(cells: Sequence[Cell]) -> list[str]:
    """The words about the share of fakes that send their report, if they may withhold it."""
    sent = [fakes.sent for cell in cells for fakes in cell.fakes if fakes.sent < 1]
    return [f"{range_over(map(text.percent, sent))} of the fakes send their report"] if sent else []


_NO_BREAK: Final = "\u00a0"


def _trials(cells: Sequence[Cell]) -> str:
    each = range_over(cell.trials for cell in cells)
    words = f"{each} trial" if each == "1" else f"{each} trials"
    return f"{words} of each of {len(cells)} cells" if len(cells) > 1 else words


def _attack(cells: Sequence[Cell]) -> list[str]:
    attacked = [cell for cell in cells if cell.attack is not None]
    kinds = range_over(_kind(cell) for cell in cells)
    if not attacked:
        return ["none"]
    in_phases = [single.share for cell in attacked for single in cell.rounds]
    shares = range_over(present(attacked, "attack.share") or in_phases)
    facts = [
        kinds.replace("NONE", "none"),
        f"β = {shares} (m = {range_over(cell.malicious for cell in attacked)})",
    ]
    own = _keys(attacked, "attack", usual=False)
    if not any(cell.targets.size for cell in attacked):
        return [*facts, *own]
    facts.append(f"f_T = {range_over(cell.target_frequency for cell in attacked)}")
    bits = [gain for cell in attacked if (gain := bit_gain(cell)) is not None]
    if bits:
        facts.append(f"gain of the bits before decoding {range_over(bits)}")
    facts += own
    if any(cell.protocol.facts().get("hash_range") for cell in attacked):
        for key, name in (("attack.seeds", "K"), ("attack.scoring", "scoring")):
            values = present(attacked, key)
            if values:
                facts.append(f"{name} = {range_over(values)}")
    rules = range_over(_rule(cell) for cell in attacked)
    sizes = range_over(cell.targets.size for cell in attacked)
    named = {tuple(cell.targets.tolist()) for cell in attacked}
    targets = f"r = {sizes} {rules} target{'' if sizes == '1' else 's'}"
    if len(named) == 1:
        population = attacked[0].population
        labels = [
            name_target(item, population.label(item)) for item in attacked[0].targets.tolist()
        ]
        return [*facts, f"{targets}: {labels[0]}", *labels[1:10], *(["…"] if labels[10:] else [])]
    return [*facts, targets]


def _kind(cell: Cell) -> str:
    """The kind of attack, in a word; for a mixture each part with its share of the fakes."""
    if "attack.kind" in cell.parameters:
        return one_line(setting_word(cell.parameters, "attack.kind"))
    if cell.rounds:
        return " then ".join(
            dict.fromkeys(_kind(single) for single in cell.rounds if single.attack)
        )
    parts: Sequence[Part] = getattr(cell.attack, "parts", ())
    if len(parts) == 1:
        return title_of(parts[0].attack)
    whole = sum(part.weight for part in parts)
    return " + ".join(
        f"{text.percent(part.weight / whole)} {title_of(part.attack)}" for part in parts
    )


def name_target(item: int, label: str) -> str:
    """The label of a target, with its number if the label is another number."""
    both = label.isdecimal() and label != str(item)
    return f"{label} (item {item})" if both else one_line(label)


def _rule(cell: Cell) -> object:
    """The rule by which the targets were chosen, in a word or two."""
    if "attack.size" in cell.parameters:
        return "random set of"
    if cell.attack is not None and cell.attack.targets is None:
        return "different"
    return cell.parameters.get("attack.targets.pick", "listed")
