"""A question asked by its command, which prints the answer, or by its form, which shows it.

A form is answered in the background worker, which may stop it between any two steps of Python.
Whoever asks, a `ScenarioError` names the argument or the field that is wrong.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.base.files import check_other, check_replaced, is_file

from ..terminal import exits
from ..terminal.output import check_writable, note
from . import load_question
from .options import find_option
from .question import Question, finish
from .question_answer import QuestionAnswer
from .writing import make_sheet, write_answer, write_page

if TYPE_CHECKING:
    from .inputs import Offers, Steps


def command(name: str, arguments: Namespace) -> int:
    """Print the answer of a question's command; returns the exit code (6 if a promise is broken).

    A ScenarioError names the argument.
    """
    asked, values = load_question(name), vars(arguments)
    own = {option.name for option in asked.options}
    named = None if "out" in own else getattr(arguments, "out", None)
    out = None if named in (None, "-") else Path(named)
    page = None if arguments.page is None else Path(arguments.page)
    try:
        given = asked.check(asked.options_from_arguments(values))
        _check_out(asked, given, out, arguments.force)
        if page is not None:
            check_replaced(page, asked.page_flag)
        found = finish(asked.work(given))
    except ScenarioError as error:
        option = find_option(asked.options, error.key)
        if option is None or error.where:
            raise
        _, row, parameter = (*error.key.split(".", 2), "", "")[:3]
        flag = f"{option.flag} {values[option.name][int(row)]}: {parameter}" if parameter else (
            option.flag
        )  # fmt: skip
        if not error.rule.startswith("is required"):
            raise ScenarioError(error.rule, flag) from error
        note(f"ldptui {name}: {flag} {error.rule} (see ldptui {name} --help)")
        return exits.USAGE
    wrote = [] if arguments.quiet else [f"wrote {path}" for path in (page, out) if path]
    if page is not None:
        write_page(page, asked, found, given)
    write_answer(asked, found, arguments.format, out, "" if out else ", ".join(wrote))
    for line in wrote if out else ():
        note(line)
    if found.is_undecided:
        return exits.NO_VERDICT
    if found.is_broken:
        return exits.ALARM
    return exits.MISFIT if found.is_misfit else exits.DONE


def _check_out(
    asked: Question[Any, Any], given: Mapping[str, Any], out: Path | None, force: bool
) -> None:
    """Refuse an output that is read as well, or that is there already; raises LdpError."""
    if out is None:
        return
    for option in asked.options:
        if option.argument.role in ("reports", "table", "names"):
            places = given.get(option.name) or ()
            for place in (places,) if isinstance(places, str) else places:
                check_other(out, place)
    if is_file(out) and not force:
        rule = f"must be a new file, and {out} is there already (--force replaces it)"
        raise ScenarioError(rule, key="--out")
    check_writable(out)


READ: Final = {"file": "file", "prior": "prior", "reports": "reports.0"}
"""The options that name what is read, and the fields that show what is wrong with it."""


def steps(question: Mapping[str, Any]) -> Steps:
    """The steps that answer the question of a lab form; raises LdpError."""
    asked = load_question(question["tab"])
    whole = next((field for name, field in READ.items() if name in asked.fields), "")
    try:
        given = asked.options_from_form(question["values"])
        yield from _find_inputs(asked, given, question["document"], question["folder"])
        return (yield from _answer_form(asked, given, str(question["values"].get("path") or "")))
    except ScenarioError as error:
        raise _of_field(error, asked, whole) from error
    except FileError as error:
        raise ScenarioError(str(error), whole) from error


def _find_inputs(
    asked: Question[Any, Any], given: dict[str, Any], document: Any, folder: Path
) -> Iterator[Offers]:
    """Add the workbench's scenario and the paths of files to a form's values; yields the column
    names that a file offers.
    """
    from ldptui.core.scenario import Scenario

    from .inputs import find_file, offer_columns

    columns = [option.name for option in asked.options if option.argument.role == "column"]
    for option in asked.options:
        name, role = option.name, option.argument.role
        value = given.get(name)
        match role:
            case "scenario" if option.required:
                if document is None:
                    raise ScenarioError("the scenario has no population yet: esc, then mend it")
                given[name] = Scenario(dict(document), "", folder)
            case "protocol":
                table = (document or {}).get("protocol", {})
                if table.get("kind") == value:
                    given[name] = dict(table)  # with its own parameters
            case "reports" if asked.uses_collection and not any(value or ()):
                rule = "must name a file of reports, a folder or a pattern; ctrl+o chooses one"
                raise ScenarioError(rule, name)
            case "reports":
                given[name] = tuple(find_file(folder, each) for each in value or () if each)
            case "clients":
                given[name] = tuple(
                    find_file(folder, each) if each.lower().endswith(".csv") or ".py:" in each
                    else each for each in value or () if each
                )  # fmt: skip
            case "table" if option.required and not value:
                raise ScenarioError("type the path of a CSV file, or choose one with ctrl+o", name)
            case "code" | "names" | "table" if value:
                given[name] = find_file(folder, value)
                if role != "code" and not is_file(Path(given[name])):
                    raise ScenarioError(f"must be a file, got {given[name]}", key=name)
                if role == "table":
                    yield from offer_columns(Path(given[name]), *columns)


def _answer_form(asked: Question[Any, Any], given: dict[str, Any], path: str) -> Steps:
    """Answer a question with the values of its form; path : of its page, or of its output."""
    output = next((each.name for each in asked.options if each.argument.role == "output"), None)
    if output is not None:
        given[output] = path
    given = asked.check(given)
    steps = asked.work(given)
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            answer: QuestionAnswer = end.value
            break
        yield make_sheet(asked, step, given) if isinstance(step, QuestionAnswer) else step
    sheet = make_sheet(asked, answer, given)
    if path and output is None:
        check_replaced(Path(path), asked.page_flag)
        write_page(Path(path), asked, answer, given)
        sheet = replace(sheet, verdict=(f"Wrote {path}.", *sheet.verdict))
    return sheet


def _of_field(error: ScenarioError, asked: Question[Any, Any], whole: str) -> ScenarioError:
    """The error as one of a field, or else as a whole sentence about the table."""
    option = find_option(asked.blanks, error.key)
    if option is None:
        return ScenarioError(str(error), whole)
    if option.type != "rows":
        return ScenarioError(error.rule, option.name)
    name, row, parameter = (*error.key.split(".", 2), "", "")[:3]
    return ScenarioError(f"{parameter} {error.rule}".strip(), f"{name}.{row or 0}")
