"""The items of a scenario: from a file of data, given one by one, and its random targets."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.scenario_files import PLAIN, refused, swept

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.experiment import compile
from ldptui.core.scenario import (
    parse,
)


def csv_scenario(**keys: str) -> str:
    lines = "".join(f'{key} = "{value}"\n' for key, value in keys.items())
    return PLAIN[: PLAIN.index("[attack]")].replace(
        'kind = "zipf"\nitems = 16\nusers = 1000\nexponent = 1.0\n', f'kind = "csv"\n{lines}'
    )


def test_a_csv_column_gives_items_users_and_sorted_labels(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(
        'id,colour\n1,red\n2,"blue, dark"\n3,red\n\n', encoding="utf-8"
    )
    scenario = parse(csv_scenario(path="people.csv", column="colour"), folder=tmp_path)
    (cell,) = compile(scenario).cells
    assert cell.population.labels == ("blue, dark", "red")
    assert cell.population.histogram.tolist() == [1, 2]


def test_a_column_of_counts_gives_totals_and_targets_by_label(tmp_path: Path) -> None:
    (tmp_path / "totals.csv").write_text("word,n\nb,5\na,0\nb,2\nc,10\n", encoding="utf-8")
    text = csv_scenario(path="totals.csv", column="word", count="n")
    text += '[attack]\nkind = "mga"\nshare = 0.1\ntargets = { items = ["c", 0] }\n'
    (cell,) = compile(parse(text, folder=tmp_path)).cells
    assert cell.population.histogram.tolist() == [0, 7, 10]
    assert cell.targets.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("content", "keys", "error", "message"),
    [
        (b"a,b\n1,2\n", {"column": "c"}, ScenarioError, "population.column must be a column of"),
        (b"a\nx\nx\n", {"column": "a"}, ScenarioError, "must hold at least 2 different items"),
        (b"", {"column": "a"}, ScenarioError, "which is empty"),
        (b"a,b\n1\n2,3\n", {"column": "b"}, ScenarioError, "line 2 has 1 cells"),
        (
            b"a,n\nx,1\ny,-2\n",
            {"column": "a", "count": "n"},
            ScenarioError,
            'must be a whole number, at least 0, in data.csv line 3, got "-2"',
        ),
        (b"a,n\nx,0\ny,0\n", {"column": "a", "count": "n"}, ScenarioError, "must add up to"),
        (b"a\n\xff\n", {"column": "a"}, FileError, "is not UTF-8 text"),
        ("a\nb\n".encode("utf-16"), {"column": "a"}, FileError, "it is UTF-16: save it as UTF-8"),
        (None, {"column": "a"}, FileError, "cannot be read: No such file"),
    ],
)
def test_bad_data_are_refused(
    tmp_path: Path,
    content: bytes | None,
    keys: dict[str, str],
    error: type[Exception],
    message: str,
) -> None:
    if content is not None:
        (tmp_path / "data.csv").write_bytes(content)
    with pytest.raises(error) as caught:
        compile(parse(csv_scenario(path="data.csv", **keys), folder=tmp_path))
    assert message in str(caught.value)


def test_items_and_users_are_refused_where_the_data_give_them() -> None:
    text = csv_scenario(path="x.csv", column="a").replace('kind = "csv"', 'kind = "csv"\nitems = 3')
    assert "population.items is not a known key" in refused(text)


def test_explicit_counts() -> None:
    counts = PLAIN.replace('kind = "zipf"\nitems = 16\nusers = 1000\nexponent = 1.0', "{}")
    text = counts.replace("{}", 'kind = "counts"\ncounts = [5, 0, 7]', 1)
    (cell,) = compile(parse(text)).cells
    assert (cell.users, cell.population.domain_size) == (12, 3)
    for bad in ("[5]", "[0, 0]", "[-1, 2]", '["a", 2]', "[1.5, 2]", "5"):
        text = counts.replace("{}", f'kind = "counts"\ncounts = {bad}', 1)
        assert "population.counts must" in refused(text)


def test_random_targets_are_nested_and_shared_by_protocols_attacks_and_shares() -> None:
    text = swept(
        protocol__kind='["grr", "oue"]',
        attack__kind='["ria", "mga"]',
        attack__share="[0.1, 0.2]",
        attack__targets__count="[1, 3, 8]",
    )
    by_count: dict[object, set[tuple[int, ...]]] = {}
    for cell in compile(parse(text)).cells:
        targets = tuple(cell.targets.tolist())
        by_count.setdefault(cell.parameters["attack.targets.count"], set()).add(targets)
    ((one,), (three,), (eight,)) = by_count.values()
    assert eight[:3] == three
    assert three[:1] == one
