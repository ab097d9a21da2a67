"""The papers behind the program: one list, which tables cite, `cite` prints and a page shows."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from .. import __version__


@dataclass(frozen=True)
class Paper:
    """An entry of `papers.bib`.

    key : the letters by which tables cite it, "" if none do.
    cited : its name in the catalogue's sources; "" for ldptui itself.
    listed : its line below a table.
    what : what ldptui takes from it, besides the kinds whose source it is.
    entry : the BibTeX.
    """

    key: str
    cited: str
    listed: str
    what: str
    entry: str

    def field(self, name: str) -> str:
        """A field of the entry, "" where it has none."""
        found = re.search(rf"^  {name} = \{{(.*)\}},$", self.entry, re.MULTILINE)
        return "" if found is None else found[1]


@cache
def papers() -> tuple[Paper, ...]:
    """All entries of `papers.bib`, ldptui first, in the order of the tables."""
    text = resources.files("ldptui.explain").joinpath("papers.bib").read_text(encoding="utf-8")
    text = text.replace("VERSION", __version__)
    return tuple(map(_read, re.findall(r"^@.*?^\}\n", text, re.MULTILINE | re.DOTALL)))


_OWN: Final = re.compile(r"^  ldptui-(\w+) = \{(.*)\},\n", re.MULTILINE)


def _read(entry: str) -> Paper:
    own: dict[str, str] = dict(_OWN.findall(entry))
    cited = own.get("cited", "")
    listed = own.get("listed", cited)
    return Paper(own.get("key", ""), cited, listed, own.get("what", ""), _OWN.sub("", entry))


DERIVED: Final = {
    "trust": "we derive it: docs/lab.md",
    "plan": "we derive it from W17 theorem 2 and the gain: docs/theory.md",
    "design": "we derive it from W17 theorem 2 and the gain: docs/theory.md",
}
"""The texts for what a table cites and no paper has."""


def cite_papers(letters: Container[str]) -> list[str]:
    """The full names of the papers with these letters, a line each."""
    named = {paper.key: paper.listed for paper in papers() if paper.key} | DERIVED
    return [f"{name}: {paper}" for name, paper in named.items() if name in letters]
