"""A question asked by its command, which prints the answer, or by its form, which shows it.

A form is answered in the background worker, which may stop it between any two steps of Python.
Whoever asks, a `ScenarioError` names the argument or the field that is wrong.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
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
    from .inputs import FormPlace, Steps


def command(name: str, arguments: Namespace) -> int:
    """Print the answer to what a command is given; its exit code: 6 for a promise that is broken.

    A ScenarioError names the argument.
    """
    asked, values = load_question(name), vars(arguments)
    own = {option.name for option in asked.options}
    named = None if "out" in own else getattr(arguments, "out", None)
    out = None if named in (None, "-") else Path(named)
    page = None if arguments.page is None else Path(arguments.page)
    try:
        given = asked.check(asked.argued(values))
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
        raise ScenarioError(error.rule, flag) from error
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
    """Work on a tab's question; raises LdpError. A ScenarioError has the name of a field, or ""."""
    from .inputs import FormPlace

    asked, values = load_question(question["tab"]), question["values"]
    whole = next((field for name, field in READ.items() if name in asked.fields), "")
    path = str(values.get("path") or "")
    try:
        ask = FormPlace(question["document"], question["folder"], path)
        return (yield from _answer_form(asked, values, ask))
    except ScenarioError as error:
        raise _of_field(error, asked, whole) from error
    except FileError as error:
        raise ScenarioError(str(error), whole) from error


def _answer_form(asked: Question[Any, Any], values: Mapping[str, Any], ask: FormPlace) -> Steps:
    """Answer a question with the values of its form; its page is written where a path is given."""
    from .inputs import offer_columns

    given, writes = asked.typed(values), False
    for option in asked.options:
        match option.argument.role:
            case "scenario" if option.required:
                given[option.name] = ask.scenario()
            case "protocol":
                table = (ask.document or {}).get("protocol", {})
                if table.get("kind") == given.get(option.name):
                    given[option.name] = dict(table)  # with its own parameters
            case "code" if given.get(option.name):
                given[option.name] = str(ask.folder / given[option.name])
            case "reports":
                given[option.name] = tuple(map(ask.place, filter(None, given.get(option.name, ()))))
            case "names" if given.get(option.name):
                given[option.name] = str(ask.file(given[option.name], option.name))
            case "clients":
                given[option.name] = tuple(_client_places(given.get(option.name, ()), ask))
            case "output":
                given[option.name], writes = ask.path, True
            case "table" if given.get(option.name) or option.required:
                path = ask.file(given.get(option.name, ""), option.name)
                given[option.name] = str(path)
                columns = [each.name for each in asked.options if each.argument.role == "column"]
                yield from offer_columns(path, *columns)
    given = asked.check(given)
    steps = asked.work(given)
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            answer: QuestionAnswer = end.value
            break
        yield make_sheet(asked, step, given) if isinstance(step, QuestionAnswer) else step
    if ask.path and not writes:
        check_replaced(Path(ask.path), asked.page_flag)
        write_page(Path(ask.path), asked, answer, given)
    sheet = make_sheet(asked, answer, given)
    if ask.path and not writes:
        sheet = replace(sheet, verdict=(f"Wrote {ask.path}.", *sheet.verdict))
    return sheet


def _client_places(names: Sequence[str], ask: FormPlace) -> Iterator[str]:
    """Clients of a form, their files as paths; raises ScenarioError."""
    for row, name in enumerate(names):
        file, colon, rest = name.rpartition(":")
        try:
            if name.lower().endswith(".csv"):
                yield str(ask.file(name))
            elif colon and file.endswith(".py"):
                yield f"{ask.file(file)}:{rest}"
            elif name:
                yield name
        except ScenarioError as error:
            raise ScenarioError(error.rule, key=f"clients.{row}") from error


def _of_field(error: ScenarioError, asked: Question[Any, Any], whole: str) -> ScenarioError:
    """The error as one of a field, or else as a whole sentence about the table."""
    option = find_option(asked.blanks, error.key)
    if option is None:
        return ScenarioError(str(error), whole)
    if option.type != "rows":
        return ScenarioError(error.rule, option.name)
    name, row, parameter = (*error.key.split(".", 2), "", "")[:3]
    return ScenarioError(f"{parameter} {error.rule}".strip(), f"{name}.{row or 0}")
