"""Reading the scenario of a command: by path or name, with its options put in."""

from __future__ import annotations

import tomllib
from argparse import Namespace
from typing import Any, Final

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.scenario import Scenario, load

from ..session.locating import locate
from ..terminal.output import note


def scenario_of(options: Namespace) -> tuple[Scenario, str]:
    """The scenario with what the command line sets, and the file that it came from."""
    place = locate(options.scenario)
    return _with_options(load(place), options), str(place.absolute())


def _with_options(scenario: Scenario, options: Namespace) -> Scenario:
    """The scenario with what the command line sets; raises ScenarioError."""
    settings = []
    for setting in options.settings:
        key, equals, value = setting.partition("=")
        if not equals or not key.strip():
            raise ScenarioError(f"must be KEY=VALUE, {got(setting)}", key="--set")
        # A key may have the quotes that it has in a file: "attack.share".
        settings.append((key.translate(_QUOTES).strip(), toml_value(value)))
    changed = _without_rival(scenario, [key for key, _ in settings], options.quiet)
    for key, value in settings:
        changed = changed.with_value(key, value)
    for key, value in (
        ("trials", options.trials),
        ("seed", options.seed),
        ("simulate.path", options.path),
    ):
        if value is not None:
            changed = changed.with_value(key, value)
    if changed is not scenario:
        for problem in changed.problems():
            raise problem
    return changed


_QUOTES: Final = str.maketrans("", "", "\"'")


def _without_rival(scenario: Scenario, keys: list[str], quiet: bool) -> Scenario:
    """The scenario without the share that a goal set by hand stands for, or the other way round."""
    goal = any(key == "goal" or key.startswith("goal.") for key in keys)
    share = any(key.removeprefix("sweep.") == "attack.share" for key in keys)
    if goal == share:  # neither; or both, which is refused
        return scenario
    rival, chosen = ("attack.share", "[goal]") if goal else ("goal", "attack.share")
    changed = scenario.without(rival)
    if changed != scenario and not quiet:
        note(f"note: {rival} of {scenario.name} is left out: {chosen} is set in its place")
    return changed


def toml_value(written: str) -> Any:
    """The value after the = of --set: a TOML value, else the words themselves."""
    try:
        parsed = tomllib.loads(f"value = {written}")
    except (ValueError, RecursionError):
        return written
    return parsed["value"] if parsed.keys() == {"value"} else written
