"""what a table gives away: k-anonymity, l-diversity, t-closeness"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal

from ldptui.core.base.errors import ScenarioError, got
from ldptui.core.base.ranges import Range

from ..text import format as text
from .choices import EXAMPLES, where
from .options import Argument, Blank
from .question import Steps, question
from .question_answer import QuantityRow, QuestionAnswer, hidden

if TYPE_CHECKING:
    from pathlib import Path

    from ldptui.core.lab.columns import NumberedColumn
    from ldptui.core.lab.disclosure import Classes, Inference, Relation, Spread

    from ..charts.series import Bar
    from .sheet import Figure

MOST_ATTRIBUTES: Final = 2000
SHOWN: Final = 16
"""Bars of a chart."""
SIZES: Final = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""The least sizes of the groups of classes."""
CELLS: Final = 400
"""Users times attributes, at most, where additions that restore privacy are tried."""


@dataclass(frozen=True)
class TableAnswer(QuestionAnswer):
    """The answer of `disclose` for a table: its k-anonymity, l-diversity and t-closeness.

    class_sizes : pairs of a class size and the number of classes of that size.
    unique_columns : the quasi-identifiers whose values are all different.
    groups : the values and the size of each class, the smallest first; empty if there are too many
        for a chart.
    given_away : for a sensitive column, the largest class with one value of it, in words.
    left_out : the columns of the table that are neither.
    """

    rows: int
    quasi: Sequence[str]
    classes: int
    k: int
    unique_share: float
    share_below_5: float
    class_sizes: Sequence[tuple[int, int]]
    sensitive: Mapping[str, Spread]
    unique_columns: Sequence[str]
    groups: Sequence[tuple[str, int]] = hidden(())
    given_away: Mapping[str, str] = hidden()
    left_out: Sequence[str] = hidden(())

    @property
    def title(self) -> str:
        return f"{text.count(self.rows)} rows, quasi-identifiers {_join(self.quasi)}"

    @property
    def sentences(self) -> Iterator[str]:
        known, rows = _join(self.quasi), text.count(self.rows)
        alone = round(self.unique_share * self.rows)
        away = {name: round(each.homogeneous_share * self.rows)
                for name, each in self.sensitive.items()}  # fmt: skip
        many = f"{text.count(alone)} of {rows} people" if alone else f"Nobody of {rows} people"
        told = [f"{name} is given away for {text.count(lost) if lost else 'nobody'}"
                for name, lost in away.items()]  # fmt: skip
        private = "no attribute privacy" if any(away.values()) else "attribute privacy holds"
        end = f": {private}" if told else ""
        yield f"{'; '.join([f'{many} can be identified by {known} (k = {self.k})', *told])}{end}."
        yield f"k-anonymity: k = {self.k}, the rows of the smallest class."
        if self.left_out:
            yield f"{_join(self.left_out)}: left out, neither known to others nor sensitive."
        for name in self.unique_columns:
            yield f"{name} is unique: no two rows agree on it."
        if not self.sensitive:
            yield "l-diversity, t-closeness and attribute privacy are those of sensitive columns."
        for name, spread in self.sensitive.items():
            least, most = text.count(spread.l_distinct), text.short(spread.t_equal, 3)
            yield f"l-diversity: l = {least}, the fewest values of {name} in a class."
            yield f"t-closeness: t = {most}, the distance of {name} in a class from the whole."
            lost = self.given_away[name]
            said = f"fails: {lost}" if lost else "holds: no class has one value"
            yield f"Attribute privacy of {name} {said}."

    def quantities(self) -> Iterator[QuantityRow]:
        alone, below = text.percent(self.unique_share), text.percent(self.share_below_5)
        yield QuantityRow("k", text.count(self.k), "rows of the smallest class", "k")
        yield QuantityRow("classes", text.count(self.classes), "different quasi-identifiers", "k")
        yield QuantityRow("unique rows", alone, "alone in their class", "k")
        yield QuantityRow("rows in small classes", below, "of fewer than 5 rows", "k")
        for name, spread in self.sensitive.items():
            away = text.percent(spread.homogeneous_share)
            distinct, by = text.count(spread.l_distinct), f"earth mover's, by {spread.order}"
            yield QuantityRow(f"{name}: distinct l", distinct, "fewest values of a class", "l")
            yield QuantityRow(
                f"{name}: entropy l", spread.l_entropy, "least e^entropy of a class", "l"
            )
            yield QuantityRow(
                f"{name}: t, equal", spread.t_equal, "largest Σ|p − q|/2 of a class", "t"
            )
            yield QuantityRow(f"{name}: t, ordered", spread.t_ordered, by, "t")
            yield QuantityRow(f"{name}: given away", away, "rows whose class has one value", "l")

    def figures(self) -> Iterator[Figure]:
        """Yields a bar chart of how many people are in each class: those who share the same
        quasi-identifiers.

        With too many classes for a chart, it shows how many people are in classes of 1, 2, 3–4, …
        people.
        """
        from ..charts.series import Bar

        if self.groups:
            bars = [Bar(name, size, target=size == 1) for name, size in self.groups]
            yield _people_bars("People who fit what is known", bars, _join(self.quasi))
            return
        rows: Counter[int] = Counter()
        for size, number in self.class_sizes:
            rows[max(least for least in SIZES if least <= size)] += size * number
        bars = []
        for start, after in zip(SIZES, [*SIZES[1:], None], strict=True):
            label = f"{start} or more" if after is None else f"{start}–{after - 1}"
            label = "1, identified" if start == 1 else str(start) if after == start + 1 else label
            bars.append(Bar(label, rows[start], target=start == 1))
        while len(bars) > 1 and not bars[-1].value:
            bars.pop()
        yield _people_bars("People by how many fit what is known", bars, _join(self.quasi))


@dataclass(frozen=True)
class RelationAnswer(QuestionAnswer):
    """The answer of `disclose` for a relation of users and attributes: its attribute privacy.

    always : the attributes that all users have.
    complete : True if every set of attributes was tried.
    observed : the largest number of attributes that are seen.
    fits : how many users have all attributes of each user, by the user's name and attributes;
        empty for a large relation.
    repairs : pairs of a user and an attribute that restore privacy.
    """

    users: int
    attributes: int
    private: bool
    always: Sequence[str]
    implications: Sequence[Inference]
    complete: bool
    identified: Sequence[str]
    observed: int = hidden(2)
    fits: Mapping[str, int] = hidden()
    repairs: Sequence[tuple[str, str]] = hidden(())

    @property
    def title(self) -> str:
        return f"{self.users} users, {self.attributes} attributes"

    @property
    def _list_implied(self) -> list[str]:
        return [
            f"whoever is seen with {_join(rule.observed)} also has {_join(rule.implied)}"
            for rule in self.implications
        ]

    @property
    def sentences(self) -> Iterator[str]:
        named = text.count(len(self.identified)) if self.identified else "Nobody"
        users = f"{named} of {text.count(self.users)} people can be identified by all they have"
        if self.private:
            yield f"{users}; attribute privacy: nothing seen implies more (φ∘ψ = Id)."
            return
        # If nothing small implies anything, the attributes of everybody are known unobserved.
        first = next(iter(self._list_implied), f"everybody has {_join(self.always)}")
        yield f"{users}; no attribute privacy (φ∘ψ ≠ Id): {first}."
        if self.repairs:
            (user, attribute), *more = self.repairs
            yield f"Giving {attribute} to user {user} as well restores it" + (
                f"; so would {len(more)} other single additions." if more else "."
            )

    def quantities(self) -> Iterator[QuantityRow]:
        shown = "yes" if self.private else "no"
        yield QuantityRow("attribute privacy", shown, "φ∘ψ = Id on every set somebody has", "E")
        rules, alone = text.count(len(self.implications)), text.count(len(self.identified))
        yield QuantityRow("implications", rules, f"from {self.observed} seen at most", "E")
        yield QuantityRow("identified users", alone, "by all their attributes", "E")

    @property
    def notes(self) -> Iterator[str]:
        yield from self._list_implied[:20]
        if self.private:
            yield "attribute privacy holds: no set of observed attributes implies another"
        if self.always:
            yield f"everybody has {_join(self.always)}"
        if not self.complete:
            yield "there are too many sets of attributes to try them all"
        if self.identified:
            yield f"identified: {', '.join(self.identified[:20])}"

    def figures(self) -> Iterator[Figure]:
        """Yields the chart of how many people have all that each user has, fewest first."""
        from ..charts.series import Bar

        bars = [Bar(name, number, target=number == 1) for name, number in self.fits.items()]
        if self.users > len(bars):
            named = len(self.identified)
            bars = [Bar("identified", named, target=True), Bar("others", self.users - named)]
        bars.sort(key=lambda bar: bar.value)
        yield _people_bars("People who have all that one has", bars, "attributes")


def _people_bars(title: str, bars: Sequence[Bar], known: str) -> Figure:
    """The chart of how many people fit what is known of somebody; those who fit alone are marked.

    known : what is known, in words.
    """
    from ..charts.series import Bars
    from .sheet import shares

    note = f"▸ identified: nobody else has the same {known}" * any(bar.target for bar in bars)
    rest = f"{len(bars) - SHOWN} more" if len(bars) > SHOWN else ""
    return shares(
        Bars(title, tuple(bars[:SHOWN]), rest=rest, note=note, item="who", value="people")
    )


def _join(names: Sequence[str]) -> str:
    """Names in a row: a, b and c."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or text.MISSING


def _guess_quasi(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The columns before the last that have a value twice; all of these if none has."""
    names = header[:-1]
    known = [name for at, name in enumerate(names)
             if len({row[at] for row in rows if at < len(row)}) < len(rows)]  # fmt: skip
    return ", ".join(known or names)


@question("Disclose", "What does a table give away?", place=3)
def disclose(
    file: Annotated[
        str, "FILE", Argument(positional=True, renames=("path",), role="table"), Blank(EXAMPLES)
    ],
    *,
    quasi: Annotated[
        tuple[str, ...],
        "COLUMNS",
        Argument(role="column"),
        Blank("age, zip, sex", only=where("what", "table"), guess=_guess_quasi),
    ] = (),
    sensitive: Annotated[
        tuple[str, ...],
        "COLUMNS",
        Argument(role="column"),
        Blank("illness", only=where("what", "table"), guess=lambda h, _: h[-1]),
    ] = (),
    relation: Annotated[
        tuple[str, ...],
        "USER,ATTRIBUTE",
        Argument(role="column"),
        Blank(
            "user, attribute",
            only=where("what", "relation"),
            guess=lambda h, _: ", ".join(h[:2]),
        ),
    ] = (),
    observed: Annotated[int, Range(1, 8), "N", Blank(only=where("what", "relation"))] = 2,
    what: Annotated[
        Literal["table", "relation"] | None,
        Blank("table", guess=lambda h, _: "relation" if len(h) == 2 else "table"),
    ] = None,
) -> Steps[TableAnswer | RelationAnswer]:
    """Measure what a table gives away: k-anonymity, l-diversity, t-closeness; or of a relation
    which attributes give others away. FILE is a CSV file with a header.

    Parameters
    ----------
    file : a CSV table
    quasi : quasi-identifiers, separated by commas
    sensitive : sensitive columns, likewise
    relation : the two columns of a table whose rows say that a user has an attribute
    observed : how many attributes of a user of a relation are seen at most

    Examples
    --------
    ldptui disclose people.csv --quasi age,zip,sex --sensitive disease
    ldptui disclose likes.csv --relation user,page
    """
    from pathlib import Path

    path = Path(file)
    if relation or what == "relation":
        if quasi or sensitive:
            raise ScenarioError("cannot be given with --quasi or --sensitive", key="relation")
        yield f"reading {path.name} and closing its sets of attributes"
        return _relation_answer(_read_relation(path, relation), observed)
    if not quasi:
        raise ScenarioError("must name the columns that others may know", key="quasi")
    for column in sensitive:
        if column in quasi:
            raise ScenarioError(f"must not name a quasi-identifier, {got(column)}", key="sensitive")
    yield f"reading {path.name} and grouping its rows by {_join(quasi)}"
    return _table_answer(path, quasi, sensitive)


def _table_answer(path: Path, quasi: Sequence[str], sensitive: Sequence[str]) -> TableAnswer:
    """What a CSV table gives away; raises LdpError."""
    import numpy as np

    from ldptui.core.lab.disclosure import MOST_VALUES, diversity, group

    from .inputs import header_of, named_columns

    columns = named_columns(path, quasi, "quasi", MOST_VALUES)
    private = named_columns(path, sensitive, "sensitive") if sensitive else []
    classes = group(columns)
    sizes, numbers = np.unique(classes.sizes, return_counts=True)
    return TableAnswer(
        classes.rows, quasi, classes.sizes.size, classes.k, classes.unique_share,
        classes.share_below(5), list(zip(sizes.tolist(), numbers.tolist(), strict=True)),
        {column.name: diversity(classes, column) for column in private},
        [column.name for column in columns if len(column.values) == classes.rows],
        _list_groups(classes, columns),
        {column.name: _example_of_loss(classes, columns, column) for column in private},
        [name for name in header_of(path) if name not in (*quasi, *sensitive)],
    )  # fmt: skip


def _example_of_loss(
    classes: Classes, columns: Sequence[NumberedColumn], sensitive: NumberedColumn
) -> str:
    """The largest class with one value of a sensitive column, in words; "" if there is none."""
    import numpy as np

    first = sensitive.codes[classes.first]
    others = np.bincount(classes.of_row, weights=sensitive.codes != first[classes.of_row])
    sizes = np.where(others == 0, classes.sizes, 0)
    at = int(sizes.argmax())
    if not sizes[at]:
        return ""
    row = int(classes.first[at])
    seen = _join([f"{column.name} “{column.values[column.codes[row]]}”" for column in columns])
    value = sensitive.values[sensitive.codes[row]]
    return f"{seen} give {sensitive.name} “{value}” away ({text.plural(int(sizes[at]), 'row')})"


def _list_groups(classes: Classes, columns: Sequence[NumberedColumn]) -> list[tuple[str, int]]:
    """The values of each class and its size, the smallest first; none of more than a chart has."""
    if classes.sizes.size > SHOWN:
        return []
    names = [", ".join(column.values[column.codes[row]] for column in columns)
             for row in classes.first.tolist()]  # fmt: skip
    return sorted(zip(names, classes.sizes.tolist(), strict=True), key=lambda each: each[1])


def _read_relation(path: Path, names: Sequence[str]) -> Relation:
    """The relation of two columns, users and their attributes; raises LdpError."""
    from ldptui.core.lab.disclosure import Relation

    from .inputs import named_columns

    if len(names) != 2:
        rule = f"must be two columns, of users and of attributes, got {len(names)}"
        raise ScenarioError(rule, key="relation")
    users, attributes = named_columns(path, names, "relation")
    if len(attributes.values) > MOST_ATTRIBUTES:
        raise ScenarioError(
            f"must have at most {MOST_ATTRIBUTES} different attributes, got "
            f"{len(attributes.values)} in {attributes.name!r}",
            key="relation",
        )
    held: dict[str, set[str]] = {user: set() for user in users.values}
    for user, attribute in zip(users.codes.tolist(), attributes.codes.tolist(), strict=True):
        if attributes.values[attribute]:  # an empty cell: a user without attributes
            held[users.values[user]].add(attributes.values[attribute])
    return Relation.of(held)


def _relation_answer(relation: Relation, observed: int) -> RelationAnswer:
    implications, is_complete = relation.implications(observed)
    users, names = len(relation.users), relation.attributes
    is_small = users * len(names) <= CELLS
    return RelationAnswer(
        users, len(names), relation.private, relation.always, implications, is_complete,
        relation.identified_users, observed,
        {f"{user}: {', '.join(relation.names(held))}": relation.having(held).bit_count()
         for user, held in zip(relation.users, relation.held, strict=True) if is_small},
        relation.repairs() if is_small and not relation.private else (),
    )  # fmt: skip
