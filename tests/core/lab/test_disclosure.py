"""Disclosure of a table and of a relation, against brute force."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldptui.core.base.errors import FileError, ScenarioError
from ldptui.core.lab.columns import NumberedColumn, read_columns
from ldptui.core.lab.disclosure import Inference, Relation, diversity, group, members

TABLE = """\
zip,age,disease
476,2,heart
476,2,heart
476,3,cancer
905,4,flu
905,4,heart
905,4,cancer
476,3,cancer
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def column(name: str, values: list[Any]) -> NumberedColumn:
    seen = list(dict.fromkeys(values))
    return NumberedColumn(name, np.array([seen.index(v) for v in values]), tuple(map(str, seen)))


# k, l and t.


def test_a_small_table_by_hand(table: Path) -> None:
    zips, age, disease = read_columns(table, ["zip", "age", "disease"])
    classes = group([zips, age])
    assert classes.k == 2
    assert sorted(classes.sizes.tolist()) == [2, 2, 3]
    assert classes.unique_share == 0
    assert classes.share_below(3) == pytest.approx(4 / 7)
    found = diversity(classes, disease)
    assert found.l_distinct == 1
    assert found.l_entropy == 1
    assert found.homogeneous_share == pytest.approx(4 / 7)
    # The whole table: 3 heart, 3 cancer, 1 flu; the class of hearts alone is 4/7 away from it.
    assert found.t_equal == pytest.approx(4 / 7)
    assert found.order == "alphabet"
    whole = diversity(group([column("one", [0] * 7)]), disease)
    assert whole.l_distinct == 3
    assert [whole.t_equal, whole.t_ordered] == pytest.approx([0, 0])


def test_the_published_example_of_t_closeness() -> None:
    """Li, Li, Venkatasubramanian 2007, section 4: salaries 3k … 11k, equally frequent."""
    salaries = [3, 4, 5, 6, 7, 8, 9, 10, 11]
    low, high = [3, 4, 5], [6, 8, 11]
    rest = [s for s in salaries if s not in (*low, *high)]
    rows = [("low", s) for s in low] + [("high", s) for s in high] + [("rest", s) for s in rest]
    classes = group([column("class", [name for name, _ in rows])])
    found = diversity(classes, column("salary", [s for _, s in rows]))
    assert (found.order, found.t_ordered) == ("number", pytest.approx(0.375))


rows_of = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.sampled_from([9, 10, 2, 30, 4])),
    min_size=1,
    max_size=40,
)


@settings(max_examples=150)
@given(rows_of)
def test_classes_and_distances_against_brute_force(rows: list[tuple[int, int, int]]) -> None:
    columns = [
        column(name, list(values))
        for name, values in zip("abs", zip(*rows, strict=True), strict=True)
    ]
    classes = group(columns[:2])
    people: dict[tuple[int, int], list[int]] = defaultdict(list)
    for a, b, s in rows:
        people[a, b].append(s)
    assert classes.k == min(map(len, people.values()))
    assert classes.unique_share * len(rows) == pytest.approx(
        sum(len(v) == 1 for v in people.values())
    )
    found = diversity(classes, columns[2])
    assert found.order == "number"
    values = sorted({s for _, _, s in rows})
    whole = Counter(s for _, _, s in rows)
    distinct, entropy, equal, ordered = [], [], [], []
    for row in classes.first.tolist():
        own = people[rows[row][:2]]
        p = np.array([own.count(v) / len(own) for v in values])
        q = np.array([whole[v] / len(rows) for v in values])
        distinct.append(len(set(own)))
        entropy.append(-sum(x * math.log(x) for x in p if x))
        equal.append(np.abs(p - q).sum() / 2)
        ordered.append(np.abs(np.cumsum(p - q)).sum() / max(1, len(values) - 1))
    assert found.l_distinct == min(distinct)
    assert math.log(found.l_entropy) == pytest.approx(min(entropy), abs=1e-9)
    assert found.t_equal == pytest.approx(max(equal), abs=1e-9)
    assert found.t_ordered == pytest.approx(max(ordered), abs=1e-9)


# Relations.

FIRST = {"1": "ab", "2": "bc", "3": "c", "4": "c"}
RESTORED = {**FIRST, "3": "ac"}


def test_whoever_is_seen_with_a_also_has_b() -> None:
    relation = Relation.of(FIRST)
    assert not relation.private
    found, complete = relation.implications()
    assert complete
    assert found == (Inference(("a",), ("b",)),)
    assert relation.names(relation.closure(0b001)) == ("a", "b")
    assert relation.identified_users == ("1", "2")
    assert relation.always == ()


def test_giving_a_to_user_3_restores_it() -> None:
    relation = Relation.of(RESTORED)
    assert relation.private
    assert relation.implications() == ((), True)
    assert relation.identified_users == ("1", "2", "3")


relations = st.dictionaries(
    st.integers(0, 7).map(str), st.sets(st.sampled_from("abcdef"), min_size=1), min_size=1
)


@settings(max_examples=200)
@given(relations)
def test_relations_against_brute_force(held: dict[str, set[str]]) -> None:
    relation = Relation.of(held)
    attributes = sorted(set().union(*held.values()))

    def users(observed: set[str]) -> set[str]:
        return {user for user, own in held.items() if observed <= own}

    def learnt(observed: set[str]) -> set[str]:
        return set.intersection(*(set(held[user]) for user in users(observed)))

    seen = [
        set(chosen)
        for size in range(1, len(attributes) + 1)
        for chosen in combinations(attributes, size)
        if users(set(chosen))
    ]
    for observed in seen:
        mask = sum(1 << attributes.index(a) for a in observed)
        assert set(relation.names(relation.closure(mask))) == learnt(observed)
    assert relation.private == all(learnt(s) == s for s in seen)
    # The implications found give every closure, one after the other, and nothing else.
    found, complete = relation.implications(len(attributes))
    assert complete
    assert relation.private == (not found)
    for observed in seen:
        closed = set(observed)
        for _ in found:
            for one in found:
                if closed.issuperset(one.observed):
                    closed.update(one.implied)
        assert closed == learnt(observed)
    for user, own in held.items():
        assert (user in relation.identified_users) == (users(own) == {user})


def test_members_of_a_set() -> None:
    assert list(members(0b101001)) == [0, 3, 5]
    with pytest.raises(ScenarioError, match="at least one attribute"):
        Relation.of({"1": ""})


# Bad input.


@pytest.mark.parametrize(
    ("text", "names", "words"),
    [
        (TABLE, ["zip", "sex"], 'must be a column of .* got "sex"'),
        ("a,b\n", ["a"], "at least one row"),
        ("", ["a"], "which is empty"),
        ("a,b\n1,2\n3\n", ["a", "b"], "row 2 has 1 cells"),
        ("a,b\n1,2,3\n", ["a"], "bad.csv must have at most .* header, 2, got 3 in row 1"),
        ("a,a\n1,2\n", ["a"], "must be one column of .*, 'a' heads 2"),
        ("a\n" + "\n".join(map(str, range(30))), ["a"], "at most 20 different values, got more"),
    ],
)
def test_bad_tables_are_one_sentence(
    tmp_path: Path, text: str, names: list[str], words: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ScenarioError, match=words) as caught:
        read_columns(path, names, most=20)
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        read_columns(tmp_path / "none.csv", ["a"])
    (tmp_path / "bytes.csv").write_bytes(b"a\n\xff\xfe\n")
    with pytest.raises(FileError, match="not UTF-8"):
        read_columns(tmp_path / "bytes.csv", ["a"])


def test_columns_that_cannot_be_used(table: Path) -> None:
    zips, disease = read_columns(table, ["zip", "disease"])
    assert zips.numbers().sum() == 4 * 476 + 3 * 905
    with pytest.raises(ScenarioError, match="numeric, but the column 'disease' holds 'heart'"):
        disease.numbers()
    with pytest.raises(ScenarioError, match="at least one row"):
        group([NumberedColumn("a", np.array([], dtype=np.int64), ())])
    with pytest.raises(ScenarioError, match="at least one column"):
        group([])
