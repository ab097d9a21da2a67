"""What a picker offers for a field: each value with its sentence, and why one cannot be had now."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ..catalogue import key_words, kind_words, metric_words, shelves
from ..session.draft import edit_key, new_sweep
from ..widgets.picker import Offer, PickerScreen

if TYPE_CHECKING:
    from textual.app import App

    from ..messages import ChoicesAsked
    from ..session.draft import Draft

GIVEN_LATER: Final = ("name", "path")
"""What is typed once a value is chosen: a plug-in's name, a file."""
SWEPT: Final = "sweep.key"
TABLES: Final = {"mechanism": "protocol", "beside": "protocol"}
"""The tables of kinds behind fields that have other names."""


Meant: TypeAlias = Callable[["Draft", str, Any], tuple[str, Any] | None]
"""The edit of another key that choosing a value of a field stands for; None for the field's own."""


def pick(
    app: App[Any],
    asked: ChoicesAsked,
    draft: Draft | None = None,
    meant: Meant = lambda *_: None,
) -> None:
    """Show the picker of a field; what is picked is the field's.

    draft : to try the values in. meant : what a value edits there.
    """
    leaf = asked.key.rpartition(".")[2]
    title = asked.title or (asked.key.split(".")[0] if leaf == "kind" else leaf)
    why = why_not(asked, draft, meant) if draft is not None and draft.parses else None
    offers = [_offer(asked, value, word) for value, word in asked.options]
    if any(offer.folded for offer in offers):
        order = ["", *shelves().values()]
        offers.sort(key=lambda offer: order.index(offer.group))

    def take(offer: Offer | None) -> None:
        if offer is not None:
            # As the field's own doing: a message does not go beyond the widget that is at work.
            asked.field.call_later(asked.chosen, offer.value)

    app.push_screen(PickerScreen(title, offers, asked.value, why), take)


def _offer(asked: ChoicesAsked, value: Any, word: str) -> Offer:
    """A value with the sentence that the catalogue has about it."""
    table, _, leaf = asked.key.partition(".")
    group = ""
    if asked.key == SWEPT:
        says = key_words(value).first
    elif leaf == "metric":
        says = metric_words(str(value)).meaning.partition(". ")[0].removesuffix(".")
    else:
        named = asked.key.rpartition(".")[2]
        kind = kind_words(table if named == "kind" else TABLES.get(named, named), str(value))
        says, group = kind.reason, shelves().get(kind.shelf, "")
    return Offer(value, word, says, group=group, folded=bool(group))


def why_not(
    asked: ChoicesAsked, draft: Draft, meant: Meant = lambda *_: None
) -> Callable[[Any], str] | None:
    """Why a value cannot be had, as the draft's own check says; None where it is not asked."""
    if asked.key.rpartition(".")[2] not in ("kind", "metric") and asked.key != SWEPT:
        return None
    before = {(problem.key, problem.message) for problem in draft.problems}
    free = edit_key(draft, f"sweep.{asked.value}", None) if asked.key == SWEPT else draft

    def why(value: Any) -> str:
        if asked.key == SWEPT:
            tried = edit_key(free, f"sweep.{value}", new_sweep(free, value))
        else:
            tried = edit_key(free, *(meant(free, asked.key, value) or (asked.key, value)))
        for problem in tried.problems:
            later = problem.key.rpartition(".")[2] in GIVEN_LATER
            if not later and (problem.key, problem.message) not in before:
                rule = problem.message.removeprefix(f'must not be "{value}" ')
                return f"{_about(problem.key, asked.key)}{rule}"
        return ""

    return why


def _about(key: str, asked: str) -> str:
    """The name of the key that a rule is about, where it is another than the one asked."""
    return "" if key in ("", asked) else f"{key_words(key).noun} "
