"""`ldptui cite`: an entry for every paper that the catalogue names, and those of a scenario."""

from __future__ import annotations

import re

import pytest

import ldptui
from ldptui import __version__
from ldptui.catalogue import kind_words, listed_kinds
from ldptui.catalogue.keys import allowed_values, key_words, listed_keys
from ldptui.commands import cli
from ldptui.commands.scenario_library import sources_of
from ldptui.core.protocols import KINDS as PROTOCOL_KINDS
from ldptui.core.protocols.budget import Budget
from ldptui.core.scenario import KINDS
from ldptui.explain.citations import DERIVED, papers
from ldptui.explain.formula_inputs import FormulaSetting
from ldptui.explain.formula_list import entries

OWN = ("we derive", "derived here", "our own algebra", "is ours", "inequality")
"""The words of a source that is no paper."""
LETTERS = r"\b[A-Z]{2,}\d*\b|\b[A-Z][a-z]*\d\d\b"
"""How a table cites a paper."""


def test_every_paper_that_a_kind_names_has_an_entry() -> None:
    named_by_kinds = [paper.cited for paper in papers()[1:] if not paper.what]
    pieces = {
        piece.strip()
        for table in KINDS
        for kind in listed_kinds(table)
        for piece in kind_words(table, kind).source.split(";")
    } - {""}
    assert len(pieces) > 30
    for piece in pieces:
        named = any(paper.cited in piece for paper in papers()[1:])
        assert named != any(words in piece for words in OWN), piece
    assert [n for n in named_by_kinds if not any(n in piece for piece in pieces)] == []


def test_every_entry_is_whole() -> None:
    keys = []
    for paper in papers():
        entry = paper.entry
        assert entry.count("{") == entry.count("}")
        assert "ldptui-" not in entry
        fields = set(re.findall(r"^  ([\w-]+) = \{", entry, re.MULTILINE))
        assert fields >= (
            {"author", "title", "year"} if paper.cited else {"author", "title", "howpublished"}
        )
        keys += re.findall(r"^@\w+\{(\w+),$", entry, re.MULTILINE)
    assert len({*keys}) == len(keys) == len(papers())


def test_every_paper_has_letters_and_a_name_of_its_own() -> None:
    for names in (
        [paper.cited for paper in papers()],
        [paper.key for paper in papers() if paper.key],
        [*DERIVED, *(paper.key for paper in papers())],
    ):
        assert len({*names} - {""}) == len([name for name in names if name])


def test_every_source_of_a_closed_form_is_listed() -> None:
    """The letters of each protocol that a budget binds, as `ldptui theory` prints them."""
    known, seen = {paper.key for paper in papers()} | {*DERIVED}, set()
    for kind, spec in PROTOCOL_KINDS.items():
        if issubclass(spec, Budget) and kind != "plugin":
            bound = spec(kind=kind, epsilon=1.0).bind(64)  # type: ignore[call-arg]
            rows = entries(FormulaSetting(bound, {"kind": kind})).values()
            seen |= {word for row in rows for word in re.findall(LETTERS, row.source)}
    assert len(seen) > 10
    assert seen - known == set()


@pytest.mark.parametrize(
    ("scenario", "key", "value", "paper"),
    [
        ("quickstart", "attack.scoring", "bucket", "li2025mitigating"),
        ("rappor-normal", "protocol.adjust", "benjamini-hochberg", "benjamini1995controlling"),
        ("trust-circuits", "trust.noise", "gaussian", "balle2018improving"),
        ("defence-cost", "defence.0.kind", "floor", "clopper1934confidence"),
    ],
)
@pytest.mark.parametrize("swept", [False, True])
def test_a_choice_cites_a_paper_of_its_own(
    scenario: str, key: str, value: str, paper: str, swept: bool
) -> None:
    document = ldptui.load(scenario).set({key: [value] if swept else value})
    cited = " ".join(sources_of(document))
    (entry,) = [each for each in papers() if f"{{{paper}," in each.entry]
    assert entry.cited in cited
    assert entry.cited not in " ".join(sources_of(ldptui.load("quickstart")))


def test_every_choice_with_a_paper_is_one_of_its_key() -> None:
    with_papers = [key for key in listed_keys() if key_words(key).sources]
    assert len(with_papers) >= 3
    for key in with_papers:
        rule = allowed_values(key)
        assert all(choice in rule for choice in key_words(key).sources), rule


def test_a_scenario_cites_its_own_papers(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["cite"]) == 0
    own = capsys.readouterr().out
    assert re.findall(r"@\w+\{(\w+),", own) == ["ldptui"]
    assert f"  howpublished = {{Software, version {__version__}}},\n" in own
    assert cli.main(["cite", "quickstart"]) == 0
    cited = re.findall(r"@\w+\{(\w+),", capsys.readouterr().out)
    assert cited == ["ldptui", "wang2017locally", "cao2021data"]
