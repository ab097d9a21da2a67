"""BibTeX of ldptui, and of the papers behind a scenario: ldptui cite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import resources
from typing import Final

from ldptui.core.scenario import Scenario, load
from ldptui.core.scenario.sweep import kinded

from .. import __version__
from ..catalogue import kind_words
from ..session.locating import locate
from ..terminal import exits
from ..terminal.output import write_out
from .options import Cite

CITED: Final = re.compile(r"^  ldptui-cited = \{(.*)\},\n", re.MULTILINE)
"""The field of an entry that says how the catalogue's sources name the paper."""


def cite(options: Cite) -> int:
    """Print the entry of ldptui, and those of the papers behind a scenario if one is named."""
    own, *papers = entries()
    sources = " ".join(sources_of(load(locate(options.scenario)))) if options.scenario else ""
    cited = [entry for name, entry in papers if name in sources]
    write_out("\n".join([own[1], *cited]), exactly=True)
    return exits.DONE


def entries() -> list[tuple[str, str]]:
    """How sources name each paper, and its entry; first that of ldptui, which none names."""
    text = resources.files("ldptui.explain").joinpath("papers.bib").read_text(encoding="utf-8")
    text = text.replace("{VERSION}", f"{{{__version__}}}")
    made = []
    for entry in re.findall(r"^@.*?^\}\n", text, re.MULTILINE | re.DOTALL):
        name = CITED.search(entry)
        made.append(("" if name is None else name[1], CITED.sub("", entry)))
    return made


def sources_of(scenario: Scenario) -> Iterator[str]:
    """The catalogue's sources of every kind that a scenario has or sweeps."""
    named = {(name, table.get("kind")) for name, _, table in kinded(scenario.document)}
    for key, values in scenario.sweep.items():
        table, _, leaf = key.rpartition(".")
        if leaf == "kind":
            named |= {(table, value) for value in values}
    for table, kind in sorted(named, key=str):
        yield kind_words(table.partition(".")[0], str(kind)).source
