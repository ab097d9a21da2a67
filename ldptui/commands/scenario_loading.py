"""What the options name: the scenario with its changes, and what clients and server agree on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError, got, shorten_name
from ldptui.core.base.files import check_other, is_file
from ldptui.core.base.tables import table_rows
from ldptui.core.law.pure import LocalMechanism
from ldptui.core.plugins import published_names
from ldptui.core.reports.arguments import keys_of, toml_value
from ldptui.core.reports.points import protocol as protocol_of
from ldptui.core.reports.sources import labels_in
from ldptui.core.scenario import Scenario, read_document, read_scenario

from ..session.scenario_file import locate
from ..terminal.output import note
from .option_groups import ProtocolOptions, Simulation

STDIN: Final = Path("/dev/stdin")


def scenario_of(options: Simulation, out: Path | None = None) -> tuple[Scenario, str]:
    """The scenario with the changes of the command line, and the path of its file.

    Raises LdpError where that file is to be written as well, as `out`.
    """
    from ldptui.core.store.recording import is_recording  # perturb does without it

    place = STDIN if options.scenario == "-" else locate(options.scenario)
    if is_file(place) and is_recording(place):  # a pipe is read once
        way = "ldptui replay computes it again, ldptui runs import takes it in"
        raise ScenarioError(f"is a recording and no scenario: {way}", where=str(place))
    if out is not None:
        check_other(out, place)
    written = read_document(read_scenario(place), options.scenario, place.parent)
    return _with_options(written, options), str(place.absolute())


def _with_options(scenario: Scenario, options: Simulation) -> Scenario:
    """The scenario with what the command line sets; raises ScenarioError."""
    changes = dict[str, Any]()
    for setting in options.settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise ScenarioError(f"must be KEY=VALUE, {got(setting)}", key="--set")
        # A key may have the quotes that it has in a file: "attack.share".
        changes[key.translate(_QUOTES).strip()] = toml_value(value)
    sets_share = "attack.share" in changes
    sets_goal = any(f"{key}.".startswith("goal.") for key in changes)
    given = {"trials": options.trials, "seed": options.seed, "simulate.path": options.path}
    changes |= {key: value for key, value in given.items() if value is not None}
    changed = scenario.set(changes)
    for is_set, chosen, key in ((sets_share, "attack.share", "goal"),
                                (sets_goal, "[goal]", "attack.share")):  # fmt: skip
        if is_set and scenario.without(key) != scenario and not options.quiet:
            note(f"note: {key} of {scenario.name} is left out: {chosen} is set in its place")
    for problem in changed.problems():
        written = changes.get(problem.key)
        if isinstance(written, str) and "," in written:
            values = [toml_value(each.strip()) for each in written.split(",")]
            several = json.dumps(values, ensure_ascii=False, default=str)
            form = f"--set '{problem.key}={several}'"
            rule = f"{problem.rule}; a list, which sweeps a key, is written {form}"
            raise ScenarioError(rule, problem.key, problem.where) from None
        raise problem
    _check_column(changed)
    return changed


def _check_column(scenario: Scenario) -> None:
    """Raise ScenarioError, with the option to type, if a table's column of items is not named."""
    table = scenario.document["population"]
    if table.get("column") == "":
        with table_rows(scenario.folder / table["path"]) as rows:
            header = next(rows, [])
        if len(header) > 1:
            names = ", ".join(map(shorten_name, header))
            rule = f"must be a column of {table['path']} ({names}), its first line"
            way = f"--set population.column={quote(header[0])}, or a line above it that names them"
            raise ScenarioError(f"{rule}: {way}", key="population.column")


_QUOTES: Final = str.maketrans("", "", "\"'")


OPTIONS: Final = {
    "items": "--items", "protocol.kind": "--protocol", "protocol.epsilon": "--epsilon",
    "low": "--low", "high": "--high", "keep": "--keep",
}  # fmt: skip
"""The options that set parameters, by their keys."""


def load_agreement(
    options: ProtocolOptions, span: Mapping[str, float] | None = None
) -> tuple[list[str] | None, LocalMechanism]:
    """The item labels (None for numbers) and the protocol that clients and server have agreed on.

    span : the range of the numbers that users hold instead of items.
    """
    labels = None if options.domain is None else labels_in(Path(options.domain))
    keys = keys_of(options.settings)
    if options.epsilon is not None:
        keys["epsilon"] = options.epsilon
    items = options.items if labels is None else len(labels)
    own = ":" in options.protocol or options.protocol in published_names("protocol")
    kind = options.protocol if own else options.protocol.lower()
    with by_options():
        return labels, protocol_of(kind, items, labels=labels, **(span or {}), **keys)


def span_of(low: float | None, high: float | None) -> dict[str, float]:
    """The range of the numbers that users hold; empty where they hold items.

    Raises ScenarioError where one end is missing.
    """
    if low is None and high is not None:
        raise ScenarioError("goes with --low, of a protocol of numbers", key="--high")
    if low is not None and high is None:
        raise ScenarioError("is required with --low", key="--high")
    return {} if low is None or high is None else {"low": low, "high": high}


@contextmanager
def by_options() -> Iterator[None]:
    """A context manager in which errors name the options of the command line, not the keys."""
    try:
        yield
    except ScenarioError as error:
        raise ScenarioError(error.rule, OPTIONS.get(error.key, error.key), error.where) from error
