"""Disclose: what a "de-identified" table, or a relation of users and attributes, gives away."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from ldptui.core.base.errors import ScenarioError, got

from ...terminal import exits
from ..asking import Ask, Offers, Steps, header_of
from ..output import joined, laid_out, show
from . import relation, table


def run(options: Namespace) -> int:
    """Print the disclosures of a file."""
    path, observed = Path(options.file), options.observed
    if options.relation:
        if options.quasi or options.sensitive:
            raise ScenarioError("cannot be given with --quasi or --sensitive", key="relation")
        held = relation.relation_of(path, options.relation)
        values = relation.values_of(held, observed)
        show(options, values, laid_out(*relation.report(options.file, values, observed)))
        return exits.DONE
    if not options.quasi:
        raise ScenarioError("must name the columns that others may know", key="quasi")
    _apart(options.quasi, options.sensitive, "must not name a quasi-identifier")
    values = table.values_of(path, options.quasi, options.sensitive, observed)
    show(options, values, laid_out(*table.report(options.file, values)))
    return exits.DONE


def work(ask: Ask) -> Steps:
    path, options = ask.file(), ask.given
    known = header_of(path)
    yield Offers(dict.fromkeys(("quasi", "sensitive", "user", "attribute"), known))
    if options.what == "relation":
        for field, name in (("user", options.user), ("attribute", options.attribute)):
            if name not in known:
                rule = f"must be one of {joined(known[:8])}" + (f", {got(name)}" if name else "")
                raise ScenarioError(rule, key=field)
        return (yield from relation.work(path, [options.user, options.attribute], options.observed))
    if not options.quasi:
        raise ScenarioError(f"name columns that others may know: {joined(known[:8])}", key="quasi")
    _apart(options.quasi, options.sensitive, "must not be a quasi-identifier too")
    return (yield from table.work(path, options.quasi, options.sensitive, options.observed))


def _apart(quasi: Sequence[str], sensitive: Sequence[str], rule: str) -> None:
    """Raise ScenarioError for a column that is a quasi-identifier and sensitive."""
    for name in sensitive:
        if name in quasi:
            raise ScenarioError(f"{rule}, {got(name)}", key="sensitive")
