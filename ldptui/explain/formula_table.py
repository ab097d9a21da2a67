"""The table of closed forms: the fields of a pure protocol, and the sentences below the rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ldptui.core import theory

from ..text import format as text
from .attack_formulas import gain_keys
from .citations import cited
from .family_explanation import NOT_TOLD, Story, story_named
from .formula import Formula
from .formula_inputs import Setting
from .gain_line_formulas import bound_keys
from .pure_formulas import errors_of_the_best

P_AND_Q: Final = (
    *("p", "q", "variance_per_user", "gain_factor", "report_bits", "frequency_std"),
    *gain_keys(),
    *bound_keys(),
)
"""The fields of every pure protocol, in the order of the table."""

CRAFTED: Final = gain_keys()[-1]
"""The field of the deviation of the last gain: where it has a value, all of them have."""


SAME: Final = 0.9995
"""Errors whose ratio is above are the same: GRR is SS where w = 1 is best."""


def has_gains(rows: Mapping[str, Formula]) -> bool:
    return gain_keys()[0] in rows


SPREAD: Final = "frequency_std"
"""The field of σ: the standard deviation of one estimated frequency, of every protocol."""


def in_a_line(setting: Setting, rows: Mapping[str, Formula]) -> str:
    """The numbers that a family is known by, and σ: `p = 0.5  q = 0.2689  σ = 0.00192`."""
    story = story_named(setting.family) or UNTOLD
    parts = [_brief(rows[key]) for key in story.brief if key in rows]
    spread = [f"σ = {text.short(rows[SPREAD].value, 3)}"] if SPREAD in rows else []
    return "  ".join(filter(None, [*parts, *spread, story.remark(setting)]))


def _brief(row: Formula) -> str:
    """A number with its symbol; a word without one."""
    assert row.entry is not None  # or the row would have no field
    symbol = row.entry.name.partition(",")[0]
    if math.isfinite(row.value):
        return f"{symbol} = {text.short(row.value)}"
    return f"{symbol} {row.result}".strip()


def pure_notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    """The formula of the gain, and which protocol has the least variance."""
    if has_gains(rows):
        yield "G = β[(S − rq)/(p − q) − f_T], S = targets that a fake report supports"
    yield from advice(setting, rows)


def hashing_notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    """The notes of `pure_notes` where fakes search for a seed."""
    if has_gains(rows):
        search = setting.search
        yield "G = β[(S − rq)/(p − q) − f_T], S = targets that a fake report supports"
        best = f"best of K = {search.seeds} seeds, scored by {search.scoring}"
        yield f"E[M] = targets matched by the {best}"
    yield from advice(setting, rows)


def coded_notes(*letters: str) -> Callable[[Setting, Mapping[str, Formula]], Iterator[str]]:
    """The notes of a family whose gains depend on which items the targets are, with its papers."""

    def notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
        if has_gains(rows):
            yield "G = β[(S − rq)/(p − q) − f_T], S = support of the targets, the first r items"
        yield f"least error here: {_least_error(setting)}"
        yield from missing(setting)
        yield from cited({"W17", *letters})

    return notes


def advice(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    if CRAFTED in rows:
        yield "σ² = β² Var[Σ_T f~] + m Var[S]/((n + m)(p − q))², same genuine reports"
    yield f"least error here: {_least_error(setting)}"
    yield from _least_of_all(setting)
    yield from missing(setting)
    sources = [row.entry.source for row in rows.values() if row.entry is not None]
    yield from cited({"W17", "CJG", *" ".join(sources).split()})


def _least_error(setting: Setting) -> str:
    d, epsilon = setting.protocol.domain_size, setting.protocol.epsilon
    border = text.short(theory.exact_border(epsilon))
    rule = f"by Var* alone 3e^ε + 2 = {text.short(3 * math.exp(epsilon) + 2)}, W17 5"
    if theory.least_error(d, epsilon) == "grr":
        return f"GRR (d < {border}; {rule})"
    return f"OUE or OLH (d ≥ {border}; {rule})"


def _least_of_all(setting: Setting) -> Iterator[str]:
    """SS, whose error is the least of all, and where the two rules name different protocols."""
    d, epsilon = setting.protocol.domain_size, setting.protocol.epsilon
    error, other = errors_of_the_best(d, epsilon)
    if error < SAME * other:
        least: Any = theory.least_of_all(d, epsilon)
        less = text.short(100 * (1 - error / other), 3)
        yield (
            f"SS has {less} % less, where a report may name w = {least.subset_size} items "
            f"({text.short(least.report_bits, 3)} bits)"
        )
    if theory.recommended(d, epsilon) != theory.least_error(d, epsilon):
        yield "the two rules differ here: Var* is the variance of an item that nobody holds"


def missing(setting: Setting) -> Iterator[str]:
    """A note that names the options with which the table would say more."""
    options = {
        "--users": setting.users,
        "--share": setting.share,
        "--targets": setting.r,
        "--target-frequency": setting.held,
    }
    needed = [option for option, value in options.items() if value is None]
    if needed:
        yield f"for the rest give {', '.join(needed)}"


def _untold_notes(setting: Setting, rows: Mapping[str, Formula]) -> Iterator[str]:
    yield f"formulas of its own: {NOT_TOLD}"
    if setting.is_pure:
        yield from pure_notes(setting, rows)


UNTOLD: Final = Story(lambda _: iter(()), table=P_AND_Q, notes=_untold_notes)
"""The table of a family without a story: its formulas are those of every pure protocol."""
