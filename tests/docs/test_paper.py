"""The paper about ldptui: every work that it cites is known, and it becomes a page."""

from __future__ import annotations

import importlib.util
import re

import pytest
from support.pages import ROOT

PAPER = ROOT / "paper" / "paper.md"


def test_every_citation_has_an_entry_and_every_entry_is_cited() -> None:
    text = PAPER.read_text(encoding="utf-8")
    body = text.split("\n---\n", 1)[1]
    cited = set(re.findall(r"@(\w+)", body))
    own = (PAPER.parent / "paper.bib").read_text(encoding="utf-8")
    ours = (ROOT / "ldptui" / "explain" / "papers.bib").read_text(encoding="utf-8")
    entries = [set(re.findall(r"^@\w+\{(\w+),", bib, re.MULTILINE)) for bib in (own, ours)]
    assert cited <= entries[0] | entries[1]
    assert entries[0] <= cited
    assert not entries[0] & entries[1]


def test_the_paper_has_the_sections_and_the_length_of_its_journal() -> None:
    text = PAPER.read_text(encoding="utf-8")
    heads = re.findall(r"^# (.+)$", text, re.MULTILINE)
    assert heads == [
        "Summary", "Statement of need", "State of the field", "Software design",
        "Research impact statement", "AI usage disclosure", "Acknowledgements", "References",
    ]  # fmt: skip
    assert 750 <= len(text.split("\n---\n", 1)[1].split()) <= 1750


@pytest.mark.long
def test_the_paper_is_built() -> None:
    assert importlib.util.find_spec("pypandoc"), "make test-long installs what the paper needs"
    import pypandoc

    page = pypandoc.convert_file(
        str(PAPER), "html", extra_args=["--citeproc", "--standalone", "--fail-if-warnings"],
        cworkdir=str(PAPER.parent),
    )  # fmt: skip
    assert page.count('class="csl-entry"') > 10
    assert "Cao, Xiaoyu" in page
