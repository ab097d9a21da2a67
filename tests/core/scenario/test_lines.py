"""The scanner of a scenario's text: lines of keys in tables, lists and texts."""

from __future__ import annotations

import tomllib

import pytest

from ldptui import scenarios
from ldptui.core.scenario import flatten, key_lines, line_of, sweep_of, value_at

TEXTS = {name: scenarios.path(name).read_text(encoding="utf-8") for name in scenarios.names()}


@pytest.mark.parametrize("name", TEXTS)
def test_every_key_of_a_scenario_is_read_with_its_line(name: str) -> None:
    text = TEXTS[name]
    document, lines = tomllib.loads(text), text.splitlines()
    swept = sweep_of(document)
    document.pop("sweep", None)
    for key, _ in flatten(document):
        line = line_of(text, key, swept=False)
        assert line is not None
        assert key.rpartition(".")[2] in lines[line - 1]
    for key in swept:
        assert key in lines[(line_of(text, key) or 0) - 1]
    for place, _ in key_lines(text):
        assert place.startswith("sweep") or value_at(document, place) is not None


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
        assert line_of(text, key) == line


def test_the_line_of_a_value_or_of_its_sweep() -> None:
    text = '[attack]\nshare = 0.1\n[sweep]\n"attack.share" = [1]\n'
    assert line_of(text, "attack.share") == 4
    assert line_of(text, "attack.share", swept=False) == 2


def test_long_lists_cost_little() -> None:
    text = "counts = [\n" + "12345,\n" * 200_000 + "]\nlast = 1\n"
    assert dict(key_lines(text))["last"] == 200_003
