"""Who holds what: the laws of the populations, and data as they are given."""

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from support import budget
from support.budget import Verdict
from support.cases import cell, counts
from support.report_laws import Case

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.population import (
    POPULATIONS,
    Beta,
    CSVColumn,
    CSVColumns,
    Explicit,
    Geometric,
    Lognormal,
    Normal,
    NumbersColumn,
    Records,
    Uniform,
    Zipf,
)

HERE = Path()
D, N = 12, 10**7
LAWS: dict[str, tuple[Any, NDArray[np.float64]]] = {
    "zipf": (Zipf(D, N, 1.3), 1 / np.arange(1, D + 1) ** 1.3),
    "zipf flat": (Zipf(D, N, 0.0), np.ones(D)),
    "uniform": (Uniform(D, N), np.ones(D)),
    "geometric": (Geometric(D, N, 0.7), np.power(0.7, np.arange(D))),
    "normal": (
        Normal(D, N, 4.0, 2.5),
        stats.norm.cdf(np.arange(D) + 0.5, 4, 2.5) - stats.norm.cdf(np.arange(D) - 0.5, 4, 2.5),
    ),
    "beta": (
        Beta(D, N, 2.0, 5.0),
        stats.beta.cdf(np.arange(1, D + 1) / D, 2, 5) - stats.beta.cdf(np.arange(D) / D, 2, 5),
    ),
    "lognormal": (
        Lognormal(D, N, 0.2, 0.8),
        np.diff(stats.lognorm.cdf(np.arange(D + 1) / D, 0.8, scale=0.2)),
    ),
}
every_law = pytest.mark.parametrize("name", LAWS)


def follows(weights: NDArray[np.float64], histogram: NDArray[np.int64]) -> Verdict:
    return budget.law(histogram, weights / weights.sum())


@every_law
def test_users_choose_their_items_by_the_law(name: str, seed: int) -> None:
    spec, weights = LAWS[name]
    drawn = spec.bind(seed, HERE)
    assert (drawn.domain_size, drawn.users, drawn.labels) == (D, N, None)
    assert drawn.histogram.dtype == np.int64
    assert follows(weights, drawn.histogram)
    tilted = weights * (1 + 0.01 * np.arange(D))
    assert not follows(tilted, drawn.histogram)
    assert not follows(np.roll(weights, 1) + 0.01 * np.arange(D), drawn.histogram)


@every_law
def test_a_population_is_its_seed_and_its_law(name: str) -> None:
    spec, _ = LAWS[name]
    first, again, other = spec.bind(1, HERE), spec.bind(1, HERE), spec.bind(2, HERE)
    assert np.array_equal(first.histogram, again.histogram)
    assert not np.array_equal(first.histogram, other.histogram)
    assert first.address == again.address


def test_addresses_differ() -> None:
    addresses = {spec.bind(0, HERE).address for spec, _ in LAWS.values()}
    addresses |= {Zipf(D, N, 1.2).bind(0, HERE).address, Zipf(D, N + 1, 1.3).bind(0, HERE).address}
    assert len(addresses) == len(LAWS) + 2


def test_every_kind_of_a_scenario_is_tested() -> None:
    assert set(POPULATIONS) == {spec.kind for spec, _ in LAWS.values()} | {
        "columns", "counts", "csv", "plugin", "values",
    }  # fmt: skip


def test_frequencies_are_the_realised_ones() -> None:
    drawn = Explicit((6, 0, 3, 1)).bind(5, HERE)
    assert drawn.frequencies.tolist() == [0.6, 0, 0.3, 0.1]
    assert (drawn.users, drawn.domain_size, drawn.labels) == (10, 4, None)
    assert drawn.label(2) == "2"
    with pytest.raises(ValueError, match="read-only"):
        drawn.histogram[0] = 1


def test_a_normal_law_narrower_than_any_number_of_deviations() -> None:
    assert Normal(5, 10, 2.0, 1e-320).weights().tolist() == [0, 0, 1, 0, 0]
    assert Normal(5, 10, 2.5, 1e-320).weights().tolist() == [0, 0, 0.5, 0.5, 0]
    with pytest.raises(ScenarioError, match="mean must be near the items"):
        Normal(5, 10, 1e308, 1e-320).bind(0, HERE)


def test_a_normal_population_beside_the_items() -> None:
    with pytest.raises(ScenarioError, match="mean must be near the items 0 … 9, got 1e"):
        Normal(10, 100, 1e6, 1.0).bind(0, HERE)


def test_many_users_and_one_user() -> None:
    assert Zipf(5, 10**13, 1.0).bind(0, HERE).users == 10**13
    assert Uniform(2, 1).bind(0, HERE).histogram.tolist() in ([0, 1], [1, 0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Zipf(1, 10, 1.0), r"items must be in \[2, 2\^20\], got 1"),
        (lambda: Zipf(5, 0, 1.0), r"users must be in \[1, 10\^13\], got 0"),
        (lambda: Zipf(5, 10, math.nan), "exponent must be"),
        (lambda: Zipf(5, 10, -1.0), "exponent must be"),
        (lambda: Geometric(5, 10, 1.0), r"ratio must be in \(0, 1\), got 1.0"),
        (lambda: Geometric(5, 10, 0.0), r"ratio must be in \(0, 1\), got 0.0"),
        (lambda: Normal(5, 10, math.inf, 1.0), "mean must be finite"),
        (lambda: Normal(5, 10, 2.0, 0.0), "std must be greater than 0"),
        (lambda: Explicit((5,)), "counts must list at least 2 items, got 1"),
        (lambda: Explicit((5, -1)), "counts must be at least 0, got -1"),
        (lambda: Explicit((0, 0)), "must add up to at least 1"),
        (lambda: Explicit((2**62, 2**62)), r"below 2\^63"),
    ],
)
def test_refused(make: Any, message: str) -> None:
    with pytest.raises(ScenarioError, match=message):
        make()


# CSV.


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "data.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def bound(folder: Path, column: str = "fruit", count: str | None = None) -> dict[str, int]:
    population = CSVColumn("data.csv", column, count).bind(0, folder)
    assert population.labels is not None
    assert list(population.labels) == sorted(population.labels)
    return dict(zip(population.labels, population.histogram.tolist(), strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "id,fruit\n1,pear\n2,apple\n3,pear\n4,fig\n",
        "id,fruit\r\n1,pear\r\n2,apple\r\n\r\n3,pear\r\n4,fig",
        "\ufeffid,fruit\n1,pear\n2,apple\n3,pear\n4,fig\n",
        'fruit,note\npear,"a,\nb"\napple,\n"pear",x\n"fig",\n',
    ],
    ids=["plain", "windows", "byte order mark", "quoted"],
)
def test_one_user_a_row(tmp_path: Path, text: str) -> None:
    written(tmp_path, text)
    assert bound(tmp_path) == {"apple": 1, "fig": 1, "pear": 2}


def test_rows_that_are_totals(tmp_path: Path) -> None:
    written(tmp_path, "fruit,users\npear,20\napple, 7 \npear,3\nfig,0\n")
    assert bound(tmp_path, count="users") == {"apple": 7, "fig": 0, "pear": 23}


@pytest.mark.parametrize(
    ("text", "count", "error", "message"),
    [
        ("id,tree\n1,oak\n", None, ScenarioError, "must be a column of data.csv .id, tree., got"),
        ("", None, ScenarioError, "which is empty"),
        ("id,fruit\n1,pear\n2\n", None, ScenarioError, "data.csv line 3 has 1 cells, too few"),
        ("fruit\npear\npear\n", None, ScenarioError, "at least 2 different items, got 1"),
        ("fruit\n", None, ScenarioError, "at least 2 different items, got 0"),
        ("fruit,n\na,1,234\nb,2\n", "n", ScenarioError, "header, 2, got 3 in data.csv line 2"),
        ("fruit,fruit\na,b\n", None, ScenarioError, "one column of .*, 'fruit' heads 2"),
        ("fruit,n\na,1\nb,x\n", "n", ScenarioError, 'whole number.*line 3, got "x"'),
        ("fruit,n\na,1\nb,-2\n", "n", ScenarioError, 'whole number.*got "-2"'),
        ("fruit,n\na,1\nb,1.5\n", "n", ScenarioError, 'whole number.*got "1.5"'),
        ("fruit,n\na,1\nb\n", "n", ScenarioError, "whole number.*it is empty"),
        ("id,fruit\n1,pear\n2,\n", None, ScenarioError, "data.csv line 3 has none in 'fruit'"),
        ("fruit,n\na,1\n ,2\n", "n", ScenarioError, "in every row, data.csv line 3 has none"),
        ("fruit,n\na,0\nb,0\n", "n", ScenarioError, "at least 1 user, got 0"),
        ("fruit,n\na,1\nb,2\n", "m", ScenarioError, 'count must be a column.*got "m"'),
        (f"fruit,n\na,{2**62}\nb,{2**62}\n", "n", ScenarioError, r"less than 2\^63"),
        ("fruit,n\na,²\nb,1\n", "n", ScenarioError, 'whole number.*got "²"'),
        (b"fruit\npe\xffar\n", None, FileError, "not UTF-8"),
        ("fruit\n\0\n", None, FileError, "is not text"),
    ],
)
def test_bad_data(
    tmp_path: Path, text: str | bytes, count: str | None, error: Any, message: str
) -> None:
    written(tmp_path, text)
    with pytest.raises(error, match=message):
        bound(tmp_path, count=count)


@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
def test_a_device_or_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", "pipe"):
        with pytest.raises(FileError, match="must be a file, got a device or a pipe"):
            CSVColumn(path, "fruit").bind(0, tmp_path)


def test_labels_reach_a_run(tmp_path: Path) -> None:
    written(tmp_path, "fruit\n" + "pear\n" * 30 + "apple\n" * 10 + "fig\n")
    population = CSVColumn("data.csv", "fruit").bind(0, tmp_path)
    assert [population.label(item) for item in range(3)] == ["apple", "fig", "pear"]
    clean, _ = counts(cell([10, 1, 30], Case("grr", 3, 20.0)))
    assert clean[0].tolist() == population.histogram.tolist()


def test_numbers_of_a_beta_law() -> None:
    """Beta(2, 5): f(x) = 30 x (1 − x)⁴, integrated over each part of [0, 1]."""
    weights = POPULATIONS["beta"](items=10, users=1, a=2.0, b=5.0).weights()  # type: ignore[union-attr]
    edges = np.linspace(0, 1, 11)
    up_to = 1 - (1 - edges) ** 5 * (1 + 5 * edges)
    assert weights == pytest.approx(np.diff(up_to))
    assert weights != pytest.approx(np.diff(1 - (1 - edges) ** 5))
    with pytest.raises(ScenarioError, match="a must be"):
        POPULATIONS["beta"](items=10, users=1, a=0.0, b=5.0)


def test_a_lognormal_law_as_narrow_as_it_gets() -> None:
    assert Lognormal(4, 10, 0.6, 1e-300).weights().tolist() == [0, 0, 1, 0]
    for median, sigma in ((0.0, 1.0), (1.0, 1.0), (0.5, 0.0), (0.5, 11.0)):
        with pytest.raises(ScenarioError, match=r"must be in \("):
            Lognormal(4, 10, median, sigma)


def numbers(tmp_path: Path, *cells: str, clip: bool = False, items: int = 4) -> NumbersColumn:
    (tmp_path / "ages.csv").write_text("\n".join(["id,age", *(f"1,{cell}" for cell in cells), ""]))
    return NumbersColumn("ages.csv", "age", 0.0, 8.0, items, clip)


def test_numbers_of_a_file_are_counted_in_parts(tmp_path: Path) -> None:
    held = numbers(tmp_path, "0", "1.999", "2", "8", "7.5").bind(0, tmp_path)
    assert (held.histogram.tolist(), held.span, held.labels) == ([2, 1, 0, 2], (0.0, 8.0), None)
    rng = np.random.default_rng(0)
    drawn = rng.uniform(0, 8, 5000)
    many = numbers(tmp_path, *map(repr, drawn.tolist()), items=37).bind(0, tmp_path)
    assert np.array_equal(many.histogram, np.histogram(drawn, 37, (0, 8))[0])
    below = replace(numbers(tmp_path, "-4", "-2.1", "-2", "4"), low=-4.0, high=4.0)
    assert below.bind(0, tmp_path).histogram.tolist() == [2, 1, 0, 1]


def test_numbers_outside_are_refused_or_clipped(tmp_path: Path) -> None:
    for wrong, shown in (("8.1", '"8.1"'), ("x", '"x"'), ("", "a missing value"), ("inf", "inf")):
        rule = rf"line 3: age must be a number in \[0, 8\] \(clip = true .*{shown}"
        with pytest.raises(ScenarioError, match=rule):
            numbers(tmp_path, "1", wrong).bind(0, tmp_path)
    held = numbers(tmp_path, "-5", "8.1", "1", clip=True).bind(0, tmp_path)
    assert held.histogram.tolist() == [2, 0, 0, 1]
    with pytest.raises(ScenarioError, match="line 3: age must be a number"):
        numbers(tmp_path, "1", "x", clip=True).bind(0, tmp_path)


def test_a_constant_column_tells_nothing(tmp_path: Path) -> None:
    rule = "column must hold at least 2 different numbers, got only 3 in 'age' of ages.csv"
    with pytest.raises(ScenarioError, match=rule):
        numbers(tmp_path, "3", "3.0").bind(0, tmp_path)
    with pytest.raises(ScenarioError, match="column must hold a number in at least one row"):
        numbers(tmp_path).bind(0, tmp_path)
    with pytest.raises(ScenarioError, match=r"high must be above low, got 0\.0"):
        NumbersColumn("ages.csv", "age", 0.0, 0.0, 4)


@pytest.mark.parametrize(
    ("table", "columns", "count", "rule"),
    [
        ("a,b\nx,y\nz,w\n", ("a",), None, "columns must name at least 2 columns, each once"),
        ("a,b\nx,y\nz,w\n", ("a", "a"), None, "columns must name at least 2 columns, each once"),
        ("a,b\nx,y\nx,w\n", ("a", "b"), None, "at least 2 different values each, got 1 in 'a'"),
        ("a,b\nx,\nz,w\n", ("a", "b"), None, "line 2 has none in 'b': a missing value?"),
        ("a,b\nx\nz,w\n", ("a", "b"), None, "line 2 has 1 cells, too few for the column 'b'"),
        ("a,b,n\nx,y,-1\nz,w,1\n", ("a", "b"), "n", "must be a whole number, at least 0"),
        ("a,b\nx,y\nz,w\n", ("a", "c"), None, "columns must be a column of people.csv"),
    ],
)
def test_a_table_of_records_is_refused_in_a_sentence(
    tmp_path: Path, table: str, columns: Any, count: str | None, rule: str
) -> None:
    (tmp_path / "people.csv").write_text(table)
    with pytest.raises(ScenarioError) as refused:
        CSVColumns("people.csv", columns, count).bind(0, tmp_path)
    assert rule in str(refused.value)


def test_the_records_of_a_table_are_its_rows(tmp_path: Path) -> None:
    holders = {("a", "x"): 3, ("a", "z"): 1, ("b", "x"): 1, ("b", "y"): 2}
    rows = [record for record, n in holders.items() for _ in range(n)]
    (tmp_path / "people.csv").write_text("one,two\n" + "".join(f"{a},{b}\n" for a, b in rows))
    made = CSVColumns("people.csv", ("one", "two")).bind(0, tmp_path)
    assert isinstance(made, Records)
    assert made.labels == ("one=a", "one=b", "two=x", "two=y", "two=z")
    assert made.histogram.tolist() == [4, 3, 4, 2, 1]
    assert (made.users, made.frequencies.sum()) == (7, 2.0)
    assert made.weights @ np.ones(5) == pytest.approx(1)
    assert replace(made).groups.tolist() == list(holders.values())
    pair = made.with_pair("two", "one")
    assert pair.labels is not None
    assert pair.labels[5:8] == ("two=x & one=a", "two=x & one=b", "two=y & one=a")
    assert pair.histogram[5:].tolist() == [3, 1, 0, 2, 1, 0]
    assert pair.with_pair("two", "one") is pair
