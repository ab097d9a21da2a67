"""Help for where you are: what the field means, and the keys that work here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from textual.app import ComposeResult
from textual.binding import ActiveBinding
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from ldptui.core.kernels.loops import LOOPS

from ..catalogue import allowed_values, key_words, kind_words, listed_kinds, tab_words
from ..charts.kinds import KINDS
from ..session.draft import input_of
from ..terminal.keyboard import ALT_DIGITS, RUN, key_of
from ..widgets.words import DOT
from .dialogs.prompts import TextScreen

Kind: TypeAlias = tuple[str, str]
"""A table of a scenario, and one of its kinds: ("protocol", "oue")."""

ABOUT: Final = (
    "Users answer a question in private: each report is noisy, and the server estimates from all "
    "of them how many hold each item. An attacker adds fake users whose reports are not noisy but "
    "crafted. Choose a protocol (1), set the population and the privacy budget (2) and the attack "
    "(3); the charts (4) follow every change, and {} runs all trials and the sweep."
)
DIGEST: Final = (
    "A finished run shows its digest, xxh3:… over every count that was drawn: the same scenario "
    "and seed give the same digest with the same version, however many processes shared the work."
)
SCRIPT: Final = (
    "TOML: the name of a table in brackets, then name = value, one a line; text in quotes, a list "
    "in [ ]. What is wrong stands below the text and in the status line. An attack is one kind, a "
    "mixture (mix = …), or the phases of a campaign, one after the other; each phase has its "
    "rounds, its share of fakes and its mixture. In the form P adds a phase. An example:"
)
PHASES: Final = """
[attack]
targets = { pick = "least-frequent", count = 3 }

[[attack.phase]]                      # ten quiet rounds
rounds = 10
share = 0.0
mix = [ { kind = "mga", weight = 1.0 } ]

[[attack.phase]]                      # then a ramp of two kinds
rounds = 20
share = { from = 0.0, to = 0.05 }
mix = [ { kind = "mga", weight = 0.8 }, { kind = "ria", weight = 0.2 } ]

[campaign]
rounds = 30
churn = 0.1                           # a tenth of the users is new in each round
"""
KEY_WIDTH: Final = 18
MUTED: Final = "$foreground-muted"
SIGNS: Final = (
    ("● ○", "chosen, and what else can be chosen"),
    ("↔", "swept: it takes more than one value in a run"),
    ("=", "follows from other values; what is typed there takes its place"),
    ("✗", "cannot be as it is; the reason stands below"),
)
"""The signs beside the fields of a form, with their meanings."""
PANES: Final = ("1 … 5", "the panes; alt+1 … alt+5 or f2 … f6 also while typing")
SELECTING: Final = ("shift+drag", "select text with the mouse, in most terminals")


class HelpScreen(TextScreen):
    """The help screen (f1): the help of a scenario key, a field of the lab or a tab, then the keys
    that work there.

    subject : `protocol.epsilon`, `tab.gain`, `lab.plan.users`, `script`; for any other subject the
        help of the program.
    kinds : the kinds to explain, each with its table: ("protocol", "rappor").
    words : the help of a dialog, which has no subject.
    """

    def __init__(
        self,
        subject: str,
        active_bindings: Iterable[ActiveBinding],
        kinds: Sequence[Kind] = (),
        words: str = "",
    ) -> None:
        super().__init__("Help · keys below")
        self._subject, self._active, self._kinds = subject, tuple(active_bindings), kinds
        self._words = words

    def compose(self) -> ComposeResult:
        if self._words:
            self.parts = [Content(self._words), *self._keys()]
        else:
            words = help_text(self._subject, key_of(self.app, *RUN), self._kinds)
            self.parts = [*words, *self._keys(), *self._signs()]
        yield from super().compose()

    def _keys(self) -> Iterator[Content]:
        """Yields the keys by the place where they work, the nearest first."""
        places: dict[str, dict[tuple[str, str], list[str]]] = {}
        for active in self._active:
            binding = active.binding
            if binding.id is None or not binding.description:
                continue
            rows = places.setdefault(_place(active.node), {})
            keys = rows.setdefault((binding.action, binding.description), [])
            key = self.app.get_key_display(binding)
            if binding.key not in ALT_DIGITS and key not in keys:
                keys.append(key)
        for place in sorted(places, key=lambda name: name == EVERYWHERE):
            named = places[place].items()
            yield _table(f"Keys · {place}", [(" ".join(keys), words) for (_, words), keys in named])

    def _signs(self) -> Iterator[Content]:
        """Yields the signs of the forms, and how one moves between panes."""
        if not self._subject.startswith("tab."):
            yield _table("Signs", SIGNS)
        panes = () if self._subject.startswith("lab.") else (PANES,)
        yield _table("Moving", (*panes, SELECTING))


EVERYWHERE: Final = "everywhere"


def _place(node: DOMNode) -> str:
    """The name of the place where a binding works: the title of the pane around it."""
    if isinstance(node, Screen) or not isinstance(node, Widget):
        return EVERYWHERE
    around = (each for each in node.ancestors_with_self if isinstance(each, Widget))
    title = next((str(each.border_title) for each in around if each.border_title), "here")
    return Content.from_markup(title).plain.partition(" · ")[0]


def help_text(subject: str, run_key: str, kinds: Sequence[Kind] = ()) -> Iterator[Content]:
    """Yields the help of a subject in paragraphs: meaning, range, formula, paper."""
    place, _, name = subject.partition(".")
    if place == "lab":
        yield from _lab_text(*name.split(".")[:2])
    elif place == "tab":
        yield from _tab_text(name, kinds)
        yield Content("\n").join([Content(""), _heading("ldptui"), Content(ABOUT.format(run_key))])
    elif subject == "script":
        yield Content("\n").join([_heading("The scenario as text"), Content(SCRIPT)])
        yield Content(PHASES)
    elif key_words(subject).meaning:
        yield from _key_text(subject, kinds)
    else:
        loops = f"Loops that count reports: {LOOPS.words}."
        paragraphs = (ABOUT.format(run_key), "", DIGEST, "", loops)
        yield Content("\n").join([_heading("ldptui"), *map(Content, paragraphs)])


def _key_text(key: str, kinds: Sequence[Kind]) -> Iterator[Content]:
    """Yields the help of a scenario's key; for the key `kind` the chosen kind, then all kinds."""
    words = key_words(key)
    title = _heading(words.title).append(Content.styled(f"   {key}", MUTED))
    yield Content("\n").join([title, Content(words.meaning)])
    table, _, leaf = key.partition(".")
    if leaf.rpartition(".")[2] == "kind":
        yield from _kinds_text(kinds)
        for kind in (kind_words(table, kind) for kind in listed_kinds(table)):
            name, reason = (f"\n{kind.kind:<{KEY_WIDTH}} ", "bold"), (f"\n{kind.reason}", MUTED)
            yield Content.assemble(name, kind.name, reason)
    else:
        choices = input_of(key)[1] if words.words else None  # as the form names them
        allowed = DOT.join(word for _, word in choices) if choices else allowed_values(key)
        yield Content.assemble("\n", ("Allowed   ", MUTED), allowed)
    yield from _formula(words.formula, words.source)


def _kinds_text(kinds: Sequence[Kind]) -> Iterator[Content]:
    """Yields the description of each kind with its formula and source."""
    for kind in (kind_words(*each) for each in kinds):
        if kind.text:
            yield Content("\n").join([Content(""), _heading(kind.name), Content(kind.text)])
            yield from _formula(kind.formula, kind.source)


def _tab_text(tab: str, kinds: Sequence[Kind]) -> Iterator[Content]:
    """The help of a tab, then of the protocol and the attack whose reports it shows."""
    words = tab_words(tab)
    title = KINDS[tab].title if tab in KINDS else "Runs"
    parts = (_heading(title), Content(words.shows), Content(""), Content(words.reading))
    yield Content("\n").join(parts)
    yield from _formula(words.formula, words.source)
    yield from _kinds_text(kinds)


def _lab_text(topic: str, name: str = "") -> Iterator[Content]:
    """The help of a topic of the lab: its field, its answer, then the notions behind it."""
    from ..questions import load_question
    from ..questions.field_help import answer_words, lab_field_help, notions

    field = lab_field_help(name) if name else None
    if field is not None:
        yield Content("\n").join([_heading(field.title), Content(field.meaning)])
        allowed = field.allowed or allowed_values(field.key)
        yield Content.assemble("\n", ("Allowed   ", MUTED), allowed)
        yield from _formula(field.formula, field.source)
        yield Content("")
    question = load_question(topic)
    heading = _heading(f"{question.title}: {question.question}")
    yield Content("\n").join([heading, Content(answer_words(topic))])
    for notion in notions(topic):
        reason = Content.styled(notion.reason, MUTED)
        yield Content("\n").join([Content(""), _heading(notion.name), reason, Content(notion.text)])
        yield from _formula(notion.formula, notion.source)


def _formula(formula: str, source: str) -> Iterator[Content]:
    if formula:
        yield Content.assemble("\n", (formula.strip("\n"), "$text-primary"))
    if source:
        yield Content.assemble("\n", (f"Source    {source}", MUTED))


def _heading(words: str) -> Content:
    return Content.styled(words, "bold $text-accent")


def _table(heading: str, rows: Iterable[tuple[str, str]]) -> Content:
    """Keys or signs with their words, a row each."""
    parts: list[Any] = []
    for keys, words in rows:
        parts += (f"\n{keys:<{KEY_WIDTH}} ", "bold"), words
    return Content.assemble("\n", _heading(heading), *parts)
