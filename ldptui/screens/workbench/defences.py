"""What the server does about fake users, one step after the other, as rows of a form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ...catalogue import kind_words, listed_kinds
from ...session.draft import keys_of, value_of
from ...session.draft.attack_script import MUTED, rearranged, tables_in
from ...text.format import short
from ...widgets.form import FormRow, own_row, remark

if TYPE_CHECKING:
    from ldptui.core.cell import Cell

    from ...session.draft import Draft

TABLE: Final = "defence"
NO_DEFENCE: Final = "none"
EMPTY: Final = "nothing yet · M compares all defences for your setting"


def defence_rows(draft: Draft) -> Iterator[FormRow]:
    """The steps in order, each with its kind, a reason and its keys; the last row adds one."""
    steps = steps_of(draft)
    yield remark("then", "then the server:" if steps else f"then the server: {EMPTY}")
    yield remark("needs", needs(draft))
    kinds = [(kind, kind) for kind in listed_kinds(TABLE)]
    for at, step in enumerate(steps):
        table, kind = f"{TABLE}.{at}", kind_of(step)
        label = f"step {at + 1}{' (off)' * is_off(step)}"
        yield own_row(draft, f"{table}.kind", label=label, options=kinds)
        yield remark(f"why-{at}", kind_words(TABLE, kind).reason)
        for name in keys_of(TABLE, kind):
            if name != MUTED:
                yield own_row(draft, f"{table}.{name}", optional=True)
    yield FormRow(TABLE, slot="defend", remark="+ add a defence")


def described_steps(draft: Draft | None) -> str:
    """The steps in a few words, muted ones in brackets: `(fiad), norm-sub`; "" for none."""
    steps = steps_of(draft) if draft is not None and draft.parses else []
    return ", ".join(f"({kind_of(step)})" if is_off(step) else kind_of(step) for step in steps)


def steps_of(draft: Draft) -> list[dict[str, Any]]:
    """The tables of the defences as they stand in the text."""
    return tables_in(value_of(draft, TABLE))


def needs(draft: Draft) -> str:
    """The messages left where they are verified; the memory of filters, and doubts about them."""
    cell = draft.cell
    if cell is None:
        return ""
    rows = _verified(cell)
    if cell.filters:
        from ldptui.core.experiment.limits import held_bytes, in_bytes

        rows.append(f"holds the reports of a trial, about {in_bytes(held_bytes(cell))}")
        rows += (f"! {sentence}" for sentence in cell.warnings)
    return "\n".join(rows)


def _verified(cell: Cell) -> list[str]:
    """The coins that a verified randomiser tosses, and the fakes that drop out; none without it."""
    rows = []
    if cell.verifier is not None and cell.asked is not None:
        pure = cell.sifted.pure
        rows.append(f"p = {short(pure.p)}, q = {short(pure.q)}: ε = {short(pure.epsilon)} is spent")
    if cell.sifted.fakes and (sent := cell.sifted.fakes[0].sent) < 1:
        rows.append(f"about {sent * cell.malicious:.0f} of {cell.malicious} fakes send a report")
    return rows


def kind_of(step: Mapping[str, Any]) -> str:
    """The kind of a step."""
    return str(step.get("kind", "?"))


def is_off(step: Mapping[str, Any]) -> bool:
    """Return whether a step is muted."""
    return step.get(MUTED) is True


def changed_steps(
    steps: Sequence[Mapping[str, Any]], what: str, at: int
) -> tuple[list[dict[str, Any]], int]:
    """The steps after one was added, duplicated, removed, moved or muted; the one to choose."""
    kept = [dict(step) for step in steps]
    if what == "add":
        return [*kept[:at], {"kind": _first(kept)}, *kept[at:]], at
    return rearranged(kept, what, at)


def _first(steps: Sequence[Mapping[str, Any]]) -> str:
    """The kind to add: the first that is not there yet and needs nothing to be given."""
    present = {step.get("kind") for step in steps} | {NO_DEFENCE}
    free = [kind for kind in listed_kinds(TABLE) if kind not in present]
    return next((kind for kind in free if not {*keys_of(TABLE, kind)} - {MUTED}), NO_DEFENCE)
