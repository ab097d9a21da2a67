"""Reading the scenario of a command: by path or name, with its options put in."""

from __future__ import annotations

import tomllib
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.scenario import Scenario, read_document, read_text

from ..session.locating import locate
from ..terminal.output import note
from .options import Simulating


def scenario_of(options: Simulating) -> tuple[Scenario, str]:
    """The scenario with what the command line sets, and the file that it came from."""
    place = locate(options.scenario)
    written = read_document(read_text(place), str(place), place.parent)
    return _with_options(written, options), str(place.absolute())


def _with_options(scenario: Scenario, options: Simulating) -> Scenario:
    """The scenario with what the command line sets; raises ScenarioError."""
    changes = dict[str, Any]()
    for setting in options.settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise ScenarioError(f"must be KEY=VALUE, {got(setting)}", key="--set")
        # A key may have the quotes that it has in a file: "attack.share".
        changes[key.translate(_QUOTES).strip()] = toml_value(value)
    rival = scenario.rival(changes)
    if rival is not None and not options.quiet:
        chosen = "attack.share" if rival == "goal" else "[goal]"
        note(f"note: {rival} of {scenario.name} is left out: {chosen} is set in its place")
    given = {"trials": options.trials, "seed": options.seed, "simulate.path": options.path}
    changes |= {key: value for key, value in given.items() if value is not None}
    changed = scenario.set(changes)
    for problem in changed.problems():
        raise problem
    return changed


_QUOTES: Final = str.maketrans("", "", "\"'")


def toml_value(written: str) -> Any:
    """The value after the = of --set: a TOML value, else the words themselves."""
    try:
        parsed = tomllib.loads(f"value = {written}")
    except (ValueError, RecursionError):
        return written
    return parsed["value"] if parsed.keys() == {"value"} else written
