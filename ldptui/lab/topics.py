"""The one table of the lab's topics: each is a command and a tab of the same name.

`ldptui.lab.questions.NAME` declares what a topic asks for. `ldptui.lab.NAME` has `run(options)`,
which prints what the command found, and `work(ask)`, which answers the tab. A new topic is these
two files, a row here, and its words in `help.toml`. Nothing here imports NumPy.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from ldptui.core.base.errors import ScenarioError

from .options import Option, Topic, add_arguments
from .questions.accuracy import ACCURACY
from .questions.check import CHECK
from .questions.choose import CHOOSE
from .questions.design import DESIGN
from .questions.disclose import DISCLOSE
from .questions.ledger import LEDGER
from .questions.offered import kinds
from .questions.plan import PLAN
from .questions.price import PRICE
from .questions.sensitivity import SENSITIVITY
from .questions.shared import EXAMPLES
from .questions.synthetic import SYNTHETIC

if TYPE_CHECKING:
    from ..session.draft import Draft

TOPICS: Final[Mapping[str, Topic]] = {
    topic.name: topic
    for topic in (
        ACCURACY,
        PRICE,
        CHOOSE,
        SENSITIVITY,
        LEDGER,
        CHECK,
        DISCLOSE,
        SYNTHETIC,
        PLAN,
        DESIGN,
    )
}


def parser(name: str, make: Callable[..., argparse.ArgumentParser]) -> argparse.ArgumentParser:
    """The parser of a topic's command; `make` takes its name, description and epilog."""
    topic = TOPICS[name]
    example = topic.example
    if "{kinds}" in example:
        example = textwrap.fill(example.replace("{kinds}", ", ".join(kinds())), 84)
    made = make(f"ldptui {name}", topic.about, example)
    add_arguments(made, topic.options)
    made.add_argument("--format", choices=("table", "json"), default="table")
    return made


def starting(
    name: str, draft: Draft | None, typed: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The values of a topic's form: those that were typed, over those that it starts with: the
    draft's own where it has them, and bundled examples of tables."""
    typed = typed or {}
    values: dict[str, Any] = {}
    for option in TOPICS[name].blanks:
        assert option.blank is not None
        start = option.default if option.blank.start is None else option.blank.start
        followed = None if draft is None else _followed(option, draft)
        values[option.name] = start if followed is None else followed
    if values.get("file") is EXAMPLES:
        values["file"] = EXAMPLES.get(str(typed.get("what", values["what"])), "")
    return values | dict(typed)


def _followed(option: Option, draft: Draft) -> Any:
    """The draft's value for an option; None where it has none that the option takes."""
    assert option.blank is not None
    follows = option.blank.follows
    if not follows:
        return None
    if callable(follows):
        value = follows(draft)
    else:
        from ..session.draft import value_of

        value = value_of(draft, follows)
    if option.fields:
        return value if any(value == choice for choice, _ in option.fields) else None
    if isinstance(value, tuple):
        return value
    try:
        option.read(value)
    except ScenarioError:
        return None
    return value
