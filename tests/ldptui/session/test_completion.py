"""Completions at a place of a scenario's text, which may not parse."""

import pytest

from ldptui.session.draft.completion import completion

SCENARIO = """\
format = 1
|
[population]
kind = "zipf"
users = 10

[protocol]
kind = "olh"

[attack]
kind = "mga"
targets = { pick = "random", count = 3 }

[sweep]
"""


def offered(text: str) -> list[str]:
    """The texts that are offered where the bar stands."""
    return [offer.text for offer in completion(text.replace("|", "", 1), text.index("|")).offers]


def at(line: str, table: str) -> str:
    """The scenario with a line more at the end of a table."""
    head, _, tail = SCENARIO.replace("|", "").partition(f"[{table}]\n")
    body, gap, rest = tail.partition("\n\n")
    return f"{head}[{table}]\n{body}\n{line}{gap}{rest}"


def test_top_level_keys() -> None:
    assert "seed = " in offered(SCENARIO)
    assert "format = " not in offered(SCENARIO)  # it is there
    assert offered(SCENARIO.replace("|", "tri|")) == ["trials = "]


@pytest.mark.parametrize(
    ("line", "table", "words"),
    [
        ("it|", "population", ["items = "]),
        ("us|", "population", []),  # it is there
        ("me|", "population", []),  # not of this kind
        ("hash|", "protocol", ["hash_range = "]),
        ("see|", "attack", ["seeds = "]),
        ('scoring = "b|', "attack", ['"bucket"']),
        ("seeds = 1|", "attack", []),
        ('targets = { pick = "random", c|', "attack", ["count = "]),
        ('targets = { pick = "le|', "attack", ['"least-frequent"']),
        ("# see|", "attack", []),
        ("[sim|", "attack", ["[simulate]"]),
        ('"attack.sh|', "sweep", ['"attack.share" = ']),
        ("[def|", "attack", ["[[defence]]"]),
        ("[[def|", "attack", ["[[defence]]"]),
        ('[[defence]]\nkind = "ldprecover-|', "attack", ['"ldprecover-star"']),
        ('[[defence]]\nkind = "ldprecover"\ne|', "attack", ["eta = "]),
        ('"defence.0.et|', "sweep", ['"defence.0.eta" = ']),
        ('"defence.1.et|', "sweep", ['"defence.1.eta" = ']),
        ('"attack.phase.2.mix.1.see|', "sweep", ['"attack.phase.2.mix.1.seeds" = ']),
        ('"defence.1.kind" = ["norm", "fi|', "sweep", ['"fiad"']),
        ('"defence.0.flag" = ["in|', "sweep", ['"in-turn"']),
        ('"protocol.kind" = ["olh", "ou|', "sweep", ['"oue"']),
        ("trials = [|", "sweep", []),
    ],
)
def test_what_is_offered(line: str, table: str, words: list[str]) -> None:
    assert offered(at(line, table)) == words


def test_the_kind_comes_first() -> None:
    assert offered("[[defence]]\n|")[0] == "kind = "


def test_a_kind_below_the_cursor_counts() -> None:
    text = '[population]\nex|\nkind = "zipf"\n'
    assert offered(text) == ["exponent = "]
    assert offered(text.replace("zipf", "uniform")) == []


def test_kinds_come_with_their_reason() -> None:
    found = completion('[protocol]\nkind = "o', len('[protocol]\nkind = "o'))
    assert [offer.text for offer in found.offers] == ['"oue"', '"olh"']
    assert found.typed == '"o'
    assert all(offer.meaning for offer in found.offers)


def test_what_is_all_there_is_not_offered_again() -> None:
    assert offered('[protocol]\nkind = "oue"|') == []
    assert offered("[attack]\nshare|") == []


def test_a_part_of_a_mixture_has_the_keys_of_its_kind() -> None:
    text = '[attack]\nmix = [\n  { kind = "mga-a", we|'
    assert offered(text) == ["weight = "]
    assert offered(text.replace("we|", "sub|")) == ["subset = "]
    assert offered(text.replace("we|", "sha|")) == []
    assert '"ria"' in offered(text.replace('"mga-a", we|', '"ri|'))


def test_a_drift_has_the_kinds_of_populations() -> None:
    assert offered('[campaign]\ndrift = { kind = "geo|') == ['"geometric"']
