"""What ldptui brings along: scenarios, the schema, papers, pages, the keys as a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ldptui.core.base.errors import FileError, ScenarioError, got, suggest
from ldptui.core.base.files import is_folder, is_there, whole_file
from ldptui.core.experiment import compile  # noqa: A004
from ldptui.core.plugins import CodePermission, code_locations, permit_code
from ldptui.core.scenario import Scenario, load, parse, read_document, read_scenario
from ldptui.core.scenario import schema as scenario_schema
from ldptui.core.scenario.sweep import tables_with_kind

from .. import scenarios as bundled
from ..catalogue import key_words, kind_words
from ..catalogue.schema_words import describe_schema
from ..explain.citations import papers
from ..session.scenario_file import locate
from ..terminal import exits
from ..terminal.output import note, write_out
from ..text import format as text
from ..text import table


def print_scenarios() -> int:
    """Print the names and titles of the bundled scenarios."""
    rows = [(name, load(bundled.path(name)).title) for name in bundled.names()]
    write_out(table.plain_table(("name", "title"), rows))
    return exits.DONE


def print_scenario(name: str) -> int:
    """Print the file of a bundled scenario."""
    write_out(_find_bundled(name).read_text(encoding="utf-8"), exactly=True)
    return exits.DONE


def _find_bundled(name: str) -> Path:
    if name not in bundled.names():
        hint = suggest(name, bundled.names(), "see ldptui scenarios list")
        raise ScenarioError(f"{name} is not a bundled scenario{hint}")
    return bundled.path(name)


def copy_all(names: Sequence[str]) -> int:
    """Copy bundled scenarios and their data; the last name may be the target file or folder.
    Returns the exit code.
    """
    others, last = names[:-1], names[-1]
    if not others or last in bundled.names():
        others, last = names, f".{os.sep}"
    elif len(others) > 1 and not (is_folder(last) or last.endswith(os.sep)):
        raise ScenarioError(f"must be a folder for several scenarios, {got(last)}", key="PATH")
    for source in [_find_bundled(name) for name in others]:
        _copy(source, last)
    return exits.DONE


def _copy(source: Path, to: str) -> None:
    """Copy a scenario, its data, its attack and the schema for editors; overwrite nothing."""
    goal = Path(to)
    if is_folder(goal) or to.endswith(os.sep):
        goal = goal / source.name
    written = source.read_text(encoding="utf-8")
    copies = [(goal, source.read_bytes())]
    document = read_document(written).document
    needed = [document["population"]["path"]] if "path" in document["population"] else []
    needed += [f"{document['attack']['name']}.py"] if "name" in document.get("attack", {}) else []
    if not is_there(goal.parent / bundled.SCHEMA):  # one of another version does as well
        needed.append(bundled.SCHEMA)
    for data in needed:
        copies.append((goal.parent / data, (source.parent / data).read_bytes()))
    for place, content in copies:
        if is_there(place) and (place == goal or place.read_bytes() != content):
            raise FileError(f"{place} cannot be written: it exists already")
    for place, content in copies:
        with whole_file(place) as file:
            file.write(content)
        write_out(f"wrote {place}\n")


def check_file(place: str, allowed: CodePermission) -> int:
    """Print every problem of a scenario file, or else its numbers of cells and trials and where the
    code is that it names; returns the exit code.

    allowed : the permission for that code, which is not run.
    """
    path = locate(place)
    try:
        written = read_scenario(path)  # once: it may be a pipe
        scenario = parse(written, str(path), path.parent)
    except ScenarioError as first:
        problems = [first]
        if first.line is None and first.key:
            unchecked = read_document(written, str(path), path.parent)
            problems = unchecked.problems() or problems
        for problem in problems:
            note(str(problem))
        return exits.USAGE
    experiment = compile(scenario)
    numbers = {"cell": len(experiment.cells), "trial": experiment.trials}
    sizes = (text.plural(number, name) for name, number in numbers.items())
    write_out(f"{place}: valid: {', '.join(sizes)}\n")
    try:
        permit_code(experiment, allowed)
    except ScenarioError as error:
        note(f"note: {error}")
    else:
        for source in code_locations(experiment, allowed):
            note(f"note: the {source.label} is in {source.place}")
    return exits.DONE


def schema_text() -> str:
    """The JSON Schema of a scenario as text, with the catalogue's descriptions."""
    return json.dumps(describe_schema(scenario_schema()), indent=1, ensure_ascii=False) + "\n"


def print_citations(name: str | None) -> int:
    """Print the BibTeX entry of ldptui, and those of the papers behind a scenario; returns the exit
    code.
    """
    own, *others = papers()
    sources = " ".join(sources_of(load(locate(name)))) if name else ""
    cited = [paper.entry for paper in others if paper.cited in sources]
    write_out("\n".join([own.entry, *cited]), exactly=True)
    return exits.DONE


def sources_of(scenario: Scenario) -> Iterator[str]:
    """Yields the catalogue's sources of every kind and choice that a scenario has or sweeps."""
    named = {
        (f"{name}.{leaf}", str(value))
        for name, _, table in tables_with_kind(scenario.document)
        for leaf, value in table.items()
    }
    named |= {(key, str(value)) for key, values in scenario.sweep.items() for value in values}
    for key, value in sorted(named):
        if key.endswith(".kind"):
            yield kind_words(key.partition(".")[0], value).source
        else:
            yield key_words(key).sources.get(value, "")
