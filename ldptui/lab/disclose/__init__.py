"""Disclose: what a "de-identified" table, or a relation of users and attributes, gives away."""

from __future__ import annotations

from collections.abc import Sequence

from ldptui.core.base.errors import ScenarioError, got

from ..asking import Ask, Steps, joined, offered
from ..questions.curators import DiscloseOptions
from . import relation, table


def answer(options: DiscloseOptions, ask: Ask) -> Steps:
    """What a file gives away: a relation, if its two columns are named, or a table."""
    path, columns = ask.file(options.file), options.relation
    # A title says what was typed; a form knows where that is.
    name = path.name if ask.tab else options.file
    known: Sequence[str] = ()
    if ask.tab:
        known = yield from offered(path, "quasi", "sensitive", "user", "attribute")
        if options.what == "relation":
            columns = (options.user, options.attribute)
            for field, column in zip(("user", "attribute"), columns, strict=True):
                if column not in known:
                    rule = f"must be one of {joined(known[:8])}"
                    raise ScenarioError(rule + (f", {got(column)}" if column else ""), key=field)
    if columns:
        if not ask.tab and (options.quasi or options.sensitive):
            raise ScenarioError("cannot be given with --quasi or --sensitive", key="relation")
        return (yield from relation.answer(path, name, columns, options.observed))
    if not options.quasi:
        rule = "must name the columns that others may know"
        if ask.tab:
            rule = f"name columns that others may know: {joined(known[:8])}"
        raise ScenarioError(rule, key="quasi")
    for column in options.sensitive:
        if column in options.quasi:
            rule = "must not be a quasi-identifier too" if ask.tab else (
                "must not name a quasi-identifier"
            )  # fmt: skip
            raise ScenarioError(f"{rule}, {got(column)}", key="sensitive")
    return (yield from table.answer(path, name, options))
