"""The scanner of a scenario's text: lines of keys, tables that are open, texts that are no TOML."""

from __future__ import annotations

import tomllib

import pytest

from ldptui import scenarios
from ldptui.core.scenario import flatten, keys_below, line_of, scan, sweep_of, value_at

TEXTS = {name: scenarios.path(name).read_text(encoding="utf-8") for name in scenarios.names()}


@pytest.mark.parametrize("name", TEXTS)
def test_every_key_of_a_scenario_is_read_with_its_line(name: str) -> None:
    text = TEXTS[name]
    document, lines = tomllib.loads(text), text.splitlines()
    swept = sweep_of(document)
    document.pop("sweep", None)
    places = dict(scan(text).places)
    for key, _ in flatten(document):
        assert key.rpartition(".")[2] in lines[places[key] - 1]
    for key in swept:
        assert f"sweep.{key}" in places
        assert key in lines[places[f"sweep.{key}"] - 1]
    for place in places:
        assert place.startswith("sweep") or value_at(document, place) is not None


@pytest.mark.every(3)
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_cut_anywhere_is_read(name: str) -> None:
    text = TEXTS[name]
    known = {key for key, _ in scan(text).places}
    for end in range(0, len(text), 7):
        cut = scan(text, end)
        assert {key for key, _ in cut.places} <= known
        assert cut.tables
        assert text[:end].endswith(cut.typed)
        keys_below(text, end)


def test_what_looks_like_a_table_in_a_text_is_none() -> None:
    text = 'about = """\n[attack]\nshare = 1 # "\n"""\n[protocol]\nepsilon = 1\n'
    assert line_of(text, "protocol.epsilon") == 6
    assert line_of(text, "attack.share") is None


def test_tables_of_lists_have_their_numbers() -> None:
    text = """\
[attack]
mix = [
  { kind = "mga", weight = 1 }, # one
  { kind = "ria", weight = 2 },
]
[[attack.phase]]
rounds = 1
mix = [{ kind = "mga" }, { kind = "ria" }]
[[attack.phase]]
rounds = 2
[attack.phase.share]
from = 0.1
"""
    for key, line in (
        ("attack.mix.1.weight", 4),
        ("attack.phase", 6),
        ("attack.phase.0.mix.1.kind", 8),
        ("attack.phase.1.rounds", 10),
        ("attack.phase.1.share.from", 12),
    ):
        assert (key, line) in scan(text).places


def test_the_line_of_a_value_or_of_its_sweep() -> None:
    text = '[attack]\nshare = 0.1\n[sweep]\n"attack.share" = [1]\n'
    assert line_of(text, "attack.share") == 4
    assert line_of(text, "attack.share", swept=False) == 2


def test_an_unclosed_table_ends_at_the_next_header() -> None:
    text = '[attack]\ntargets = { pick = "random", count = [\n[protocol]\nkind = "'
    here = scan(text)
    assert [table.path for table in here.tables] == ["protocol"]
    assert (here.key, here.typed) == ("kind", '"')


def test_the_keys_below_a_place_are_those_of_its_table() -> None:
    text = '[protocol]\n\nkind = "olh"\nepsilon = 1.0\n[attack]\nkind = "mga"\n'
    assert keys_below(text, text.index("\n\n") + 1) == {"kind": "olh", "epsilon": "1.0"}


def test_long_lists_cost_little() -> None:
    text = "counts = [\n" + "12345,\n" * 200_000 + "]\nlast = 1\n"
    here = scan(text)
    assert dict(here.places)["last"] == 200_003
