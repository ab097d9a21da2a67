"""A question asked by its command, which prints the answer, or by its form, which shows it.

A topic that is no question yet has a command of its own, and `answer(options, ask)`, a generator
that says what it works on and returns its `Answer`. A form is answered in the background worker,
which may stop it between any two steps of Python. Whoever asks, a `ScenarioError` names the
argument or the field that is wrong.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.base.files import check_replaced, write_atomically

from ..terminal import exits
from .inputs import Ask, Steps, offered
from .options import concerned
from .question import Question, finish
from .question_answer import QuestionAnswer
from .topics import Topic, find_topic
from .writing import make_page, make_sheet, write_answer


def command(name: str, arguments: Namespace) -> int:
    """Print the answer to what a command is given; its exit code: 6 for a promise that is broken.

    A ScenarioError names the argument.
    """
    topic, values = find_topic(name), vars(arguments)
    try:
        given = topic.argued(values)
        found = finish(topic.work(given))
        write_answer(topic, found, given, arguments.format, arguments.page)
    except ScenarioError as error:
        option = concerned(topic.options, error.key)
        if option is None or error.where:
            raise
        _, row, parameter = (*error.key.split(".", 2), "", "")[:3]
        flag = f"{option.flag} {values[option.name][int(row)]}: {parameter}" if parameter else (
            option.flag
        )  # fmt: skip
        raise ScenarioError(error.rule, flag) from error
    if found.is_broken:
        return exits.ALARM
    return exits.MISFIT if found.is_misfit else exits.DONE


def _answer(topic: Topic) -> Callable[[Any, Ask], Steps]:
    answer: Callable[[Any, Ask], Steps] = import_module(topic.home).answer
    return answer


READ: Final = {"file": "file", "prior": "prior", "reports": "reports.0"}
"""The options that name what is read, and the fields that show what is wrong with it."""


def steps(question: Mapping[str, Any]) -> Steps:
    """Work on a tab's question; raises LdpError. A ScenarioError has the name of a field, or ""."""
    topic, values = find_topic(question["tab"]), question["values"]
    whole = next((field for name, field in READ.items() if name in topic.fields), "")
    path = str(values.get("path") or "")
    try:
        ask = Ask(True, question["document"], question["folder"], path)
        if isinstance(topic, Question):
            return (yield from _answer_form(topic, values, ask))
        answer = yield from _answer(topic)(topic.typed(values), ask)
        return replace(answer, figures=tuple(answer.figures))
    except ScenarioError as error:
        raise _of_field(error, topic, whole) from error
    except FileError as error:
        raise ScenarioError(str(error), whole) from error


def _answer_form(asked: Question[Any, Any], values: Mapping[str, Any], ask: Ask) -> Steps:
    """Answer a question with the values of its form; its page is written where a path is given."""
    given, writes = asked.typed(values), False
    for option in asked.options:
        match option.argument.role:
            case "scenario":
                given[option.name] = ask.scenario()
            case "protocol":
                table = (ask.document or {}).get("protocol", {})
                if table.get("kind") == given.get(option.name):
                    given[option.name] = dict(table)  # with its own parameters
            case "code" if given.get(option.name):
                given[option.name] = str(ask.folder / given[option.name])
            case "reports":
                given[option.name] = tuple(ask.place(each) for each in given.get(option.name, ()))
            case "clients":
                given[option.name] = tuple(_client_places(given.get(option.name, ()), ask))
            case "output":
                given[option.name], writes = ask.path, True
            case "table" if given.get(option.name) or option.required:
                path = ask.file(given.get(option.name, ""), option.name)
                given[option.name] = str(path)
                columns = [each.name for each in asked.options if each.argument.role == "column"]
                yield from offered(path, *columns)
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
        write_atomically(Path(ask.path), make_page(asked, answer, given))
    sheet = make_sheet(asked, answer, given)
    if ask.path and not writes:
        sheet = replace(sheet, verdict=(f"Wrote {ask.path}.", *sheet.verdict))
    return replace(sheet, figures=tuple(sheet.figures))


def _client_places(names: Sequence[str], ask: Ask) -> Iterator[str]:
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


def _of_field(error: ScenarioError, topic: Topic, whole: str) -> ScenarioError:
    """The error as one of a field, or else as a whole sentence about the table."""
    option = concerned(topic.blanks, error.key)
    if option is None:
        return ScenarioError(str(error), whole)
    if option.type != "rows":
        return ScenarioError(error.rule, option.name)
    name, row, parameter = (*error.key.split(".", 2), "", "")[:3]
    return ScenarioError(f"{parameter} {error.rule}".strip(), f"{name}.{row or 0}")
