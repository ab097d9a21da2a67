"""`ldptui cite`: an entry for every paper that the catalogue names, and those of a scenario."""

from __future__ import annotations

import re

import pytest

from ldptui import __version__
from ldptui.catalogue import kind_words, listed_kinds
from ldptui.commands import cli
from ldptui.commands.library import entries
from ldptui.core.scenario import KINDS

OWN = ("we derive", "derived here", "our own algebra", "is ours", "inequality")
"""The words of a source that is no paper."""


def test_every_paper_that_a_kind_names_has_an_entry() -> None:
    papers = [name for name, _ in entries()[1:]]
    pieces = {
        piece.strip()
        for table in KINDS
        for kind in listed_kinds(table)
        for piece in kind_words(table, kind).source.split(";")
    } - {""}
    assert len(pieces) > 30
    for piece in pieces:
        named = any(name in piece for name in papers)
        assert named != any(words in piece for words in OWN), piece
    assert [name for name in papers if not any(name in piece for piece in pieces)] == []


def test_every_entry_is_whole() -> None:
    keys = []
    for name, entry in entries():
        assert entry.count("{") == entry.count("}")
        assert "ldptui-cited" not in entry
        fields = set(re.findall(r"^  ([\w-]+) = \{", entry, re.MULTILINE))
        assert fields >= (
            {"author", "title", "year"} if name else {"author", "title", "howpublished"}
        )
        keys += re.findall(r"^@\w+\{(\w+),$", entry, re.MULTILINE)
    assert len({*keys}) == len(keys) == len(entries())


def test_a_scenario_cites_its_own_papers(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cite"]) == 0
    own = capsys.readouterr().out
    assert re.findall(r"@\w+\{(\w+),", own) == ["ldptui"]
    assert f"  howpublished = {{Software, version {__version__}}},\n" in own
    assert cli.main(["cite", "quickstart"]) == 0
    cited = re.findall(r"@\w+\{(\w+),", capsys.readouterr().out)
    assert cited == ["ldptui", "wang2017locally", "cao2021data"]
    assert cli.main(["cite", "nothing-of-this-name"]) == 3
    assert "neither a file nor a bundled scenario" in capsys.readouterr().err
