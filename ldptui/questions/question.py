"""A question is one typed function; its library call, command, form and chart derive from it.

The decorator `question` makes a `Question` of the function: called, it checks what it is given as
its command and its form do, and returns the answer. A function that takes long is a generator,
which yields what it works on, or what is known so far, and returns the answer. Nothing here imports
NumPy: bodies import what they need when they run.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property, update_wrapper
from types import GeneratorType, MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    ParamSpec,
    TypeAlias,
    TypeVar,
    overload,
)
from warnings import warn

from msgspec import Struct

from ldptui.core.base.errors import LdpWarning, ScenarioError, suggest

from .options import OptionSpec
from .question_answer import QuestionAnswer
from .signature import read_example, read_heading, read_parameters, refuse_both

if TYPE_CHECKING:
    from ..charts.series import Tone

P = ParamSpec("P")
A = TypeVar("A", bound=QuestionAnswer)
Steps: TypeAlias = Generator[str | A, None, A]
"""What a function that takes long yields: words on what it works on, or what is known so far."""


class Curves(Struct, frozen=True):
    """The description of a chart of an answer over one of the question's options.

    option : that option, on the x-axis.
    points : its values, or a function that returns them from the given options and the answer.
    lines : a field of the answer and a colour for the label of each line; "errors.*" stands for
        each kind of protocol. If the answer lacks such a field, there is no chart.
    without : options that a point leaves out.
    held : options that a point takes from fields of the answer, as the solved quantity.
    fixed : options that every point has.
    """

    title: str
    option: str
    points: Sequence[float] | Callable[[Mapping[str, Any]], Sequence[float]]
    lines: Mapping[str, tuple[str, Tone]]
    x: str
    y: str
    without: Sequence[str] = ()
    held: Mapping[str, str] = MappingProxyType({})
    fixed: Mapping[str, Any] = MappingProxyType({})
    is_log: bool = True
    is_log_y: bool = False
    marked: str = ""


@dataclass(eq=False, repr=False)
class Question(Generic[P, A]):
    """A typed function with the words, form and charts that make it a command and a tab of the lab.

    title : the name of its tab.
    question : what it answers.
    group, place : the group of its tab, of `topics.GROUPS`, and its place there.
    live : the answer is computed at every keystroke.
    curves : its charts over an option.
    written : title and name of the file that its tab writes, if that is not its page; {column}
        stands for that option.
    hint : a last sentence for the command.
    offer : a last sentence for a form whose answer proposes edits.
    page_flag : the flag of the page, if not --page.
    """

    function: Callable[P, A | Steps[A]]
    title: str
    question: str
    _: KW_ONLY
    group: str = "Teaching"
    place: int = 99
    live: bool = False
    curves: Sequence[Curves] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    hint: str = ""
    offer: str = ""
    page_flag: str = "--page"

    def __post_init__(self) -> None:
        update_wrapper(self, self.function)
        self.name = self.function.__name__
        page = {"title": "Write the page", "name": f"{self.name}.md"}
        self.home, self.written = self.function.__module__, self.written or page

    def __repr__(self) -> str:
        return f"ldptui.{self.name}{inspect.signature(self.function)}"

    # The signature.

    @cached_property
    def options(self) -> tuple[OptionSpec, ...]:
        return read_parameters(self.function)

    @cached_property
    def _rest(self) -> tuple[str, ...]:
        """The name of the parameter that takes all positional arguments, if there is one."""
        found = inspect.signature(self.function).parameters.values()
        return tuple(each.name for each in found if each.kind is each.VAR_POSITIONAL)

    @property
    def uses_collection(self) -> bool:
        """True if the question is about the reports that all questions about reports share."""
        return any(option.argument.role == "sender" for option in self.options)

    @property
    def blanks(self) -> tuple[OptionSpec, ...]:
        """The options that the form shows."""
        return tuple(option for option in self.options if option.blank is not None)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the options that the form shows."""
        return tuple(option.name for option in self.blanks)

    @property
    def about(self) -> str:
        """The description of the question: the first paragraph of its docstring."""
        return read_heading(self.function)

    @property
    def example(self) -> str:
        """The example command lines of its help."""
        return read_example(self.function)

    @property
    def usage(self) -> str:
        """The command with its positional arguments."""
        words = [
            option.flag + " …" * (option.type == "rows")
            for option in self.options
            if option.argument.positional and (option.required or option.type == "rows")
        ]
        return " ".join([self.name, *words])

    @property
    def summary(self) -> str:
        """The line of the list of commands: the first line of the module's docstring."""
        return (inspect.getdoc(inspect.getmodule(self.function)) or "").splitlines()[0].rstrip(".")

    # Answers.

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> A:
        """The answer; raises ScenarioError with the name of the option as key.

        Warns of each reason to doubt it.
        """
        answer = finish(self.work(self.bind(*args, **kwargs)))
        for doubt in answer.doubts:
            warn(doubt, LdpWarning, stacklevel=2)
        return answer

    def bind(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The options by name; raises ScenarioError for an unknown or missing option."""
        names = [option.name for option in self.options]
        for name in kwargs:
            if name not in names:
                rule = f"is no option of {self.name}{suggest(name, names)}"
                raise ScenarioError(rule, key=name)
        try:
            bound = inspect.signature(self.function).bind_partial(*args)
        except TypeError as error:
            raise ScenarioError(f"cannot be asked so: {error}", key=self.name) from None
        if twice := sorted(bound.arguments.keys() & kwargs):
            raise ScenarioError("is given twice", key=twice[0])
        return {**bound.arguments, **kwargs}

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options, checked and converted; raises ScenarioError.

        A command, a form and the library all go through here.
        """
        checked = {}
        for option in self.options:
            if given.get(option.name) is None:
                if option.required:
                    raise ScenarioError("is required", key=option.name)
                continue
            checked[option.name] = option.check(given[option.name])
        for option in self.options:
            option.check_beside(checked)
        either = [option for option in self.options if option.argument.either]
        refuse_both(
            checked,
            [option.name for option in either],
            needed=any(option.argument.needed for option in either),
        )
        return checked

    def work(self, given: Mapping[str, Any]) -> Steps[A]:
        """The steps that compute the answer; raises ScenarioError."""
        checked = self.check(given)
        several = [checked.pop(name, ()) for name in self._rest]
        function: Callable[..., Any] = self.function
        answer = function(*(each for rest in several for each in rest), **checked)
        made: A = (yield from answer) if isinstance(answer, GeneratorType) else answer
        return made

    # A command and a form.

    def options_from_arguments(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The options given by the arguments of the command."""
        return {
            option.name: values[option.name]
            for option in self.options
            if option.words is not None and values[option.name] is not None
        }

    def options_from_form(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The options given by the fields of the form that apply."""
        return {
            option.name: value
            for option in self.blanks
            if option.is_shown(values) and (value := values.get(option.name)) not in (None, "")
        }


def finish(steps: Steps[A]) -> A:
    """The answer at the end of a question's steps."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: A = end.value
            return answer


class question:  # noqa: N801 - a decorator
    """The decorator that makes a function a `Question`."""

    def __init__(self, title: str, question: str, **more: Any) -> None:
        self._words, self._more = (title, question), more

    @overload
    def __call__(self, function: Callable[P, Steps[A]]) -> Question[P, A]: ...
    @overload
    def __call__(self, function: Callable[P, A]) -> Question[P, A]: ...
    def __call__(self, function: Callable[..., Any]) -> Question[Any, Any]:
        return Question(function, *self._words, **self._more)


BUDGETS: Final = tuple(10 ** (step / 20 - 1) for step in range(41))
"""ε from 0.1 to 10, 20 values a decade."""


def space_points(option: str, ratio: float, steps: int = 32, *, is_whole: bool = False) -> Any:
    """A function of an answer that returns the x-values of a chart, from 1/ratio to ratio times a
    value of the answer.
    """

    def points(given: Mapping[str, Any]) -> Sequence[float]:
        if (now := getattr(given["answer"], option)) is None:
            return ()
        places = [now * ratio ** (2 * step / steps - 1) for step in range(steps + 1)]
        return [max(1, round(place)) for place in places] if is_whole else places

    return points


def along_option(
    asked: Question[Any, A], curves: Curves, given: Mapping[str, Any], answer: A
) -> Iterator[tuple[float, A | None]]:
    """Yields the values of an option and the answer at each, None if the value is refused.

    The option's value in the answer itself is one of them, if there are any.
    """
    fixed = {name: value for name, value in given.items() if name not in curves.without}
    fixed |= {name: getattr(answer, field, None) for name, field in curves.held.items()}
    fixed |= curves.fixed
    points = curves.points
    places = {*(points({**given, "answer": answer}) if callable(points) else points)}
    if places and (now := getattr(answer, curves.option, None)) is not None:
        places.add(now)
    for value in sorted(places):
        try:
            yield float(value), finish(asked.work({**fixed, curves.option: value}))
        except ScenarioError:
            yield float(value), None
