"""One formula at work: a row of a family over the numbers of a setting."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from ..text.format import short
from .expression import Numbers, filled, put_in, sides, symbols, value_of

PAPERS: Final = {
    "DR": "Dwork, Roth, The Algorithmic Foundations of Differential Privacy, 2014",
    "PSI": "PSI library, histogram statistic",
    "V": "Vadhan, The Complexity of Differential Privacy, 2017",
    "GRS": "Ghosh, Roughgarden, Sundararajan, STOC 2009",
    "AKMV": "Amin, Kulesza, Muñoz, Vassilvitskii, ICML 2019",
    "NS": "Norm-Sub: Wang, Lopuhaä-Zwakenberg, Li, Škorić, Li, NDSS 2020",
    "W17": "Wang, Blocki, Li, Jha, USENIX Security 2017",
    "KOV": "Kairouz, Oh, Viswanath, ICML 2015",
    "RAP": "Erlingsson, Pihur, Korolova, RAPPOR, CCS 2014",
    "ACG": "Arcolezi, Couchot, Al Bouna, Xiao, Digital Communications and Networks 2022",
    "BS": "Bassily, Smith, STOC 2015",
    "YB": "Ye, Barg, IEEE Transactions on Information Theory 2018",
    "ASZ": "Acharya, Sun, Zhang, Hadamard response, AISTATS 2019",
    "FNNT": "Feldman, Nelson, Nguyen, Talwar, ICML 2022",
    "ADP": "Apple Differential Privacy Team, Learning with Privacy at Scale, 2017",
    "DKY": "Ding, Kulkarni, Yekhanin, NIPS 2017",
    "DJW": "Duchi, Jordan, Wainwright, JASA 2018",
    "Wang19": "PM and HM: Wang, Xiao, Yang, Zhao, Hui, Shin, Shin, Yu, ICDE 2019",
    "Li20": "SW: Li, Wang, Lopuhaä-Zwakenberg, Škorić, Li, SIGMOD 2020",
    "CJG": "Cao, Jia, Gong, USENIX Security 2021",
    "k": "Sweeney, k-anonymity, 2002",
    "l": "Machanavajjhala et al., l-diversity, ICDE 2006",
    "t": "Li, Li, Venkatasubramanian, t-closeness, ICDE 2007",
    "E": "Erdmann, Topology of Privacy, 2017",
    "BBGN": "Balle, Bell, Gascón, Nissim, The Privacy Blanket of the Shuffle Model, CRYPTO 2019",
    "FMT21": "Feldman, McMillan, Talwar, FOCS 2021",
    "FMT23": "Feldman, McMillan, Talwar, SODA 2023",
    "VR24": "Wang et al., variation-ratio reductions, VLDB 2024",
    "CGB": "Corrigan-Gibbs, Boneh, Prio, NSDI 2017",
    "trust": "we derive it: docs/trust.md",
    "plan": "we derive it from W17 theorem 2 and the gain: docs/bounds.md",
    "design": "we derive it from W17 theorem 2 and the gain: docs/bounds.md",
    "CP": "Clopper, Pearson, Biometrika 1934",
}
"""The papers by the letters that a table cites them with, in the order in which it lists them."""


def cited(letters: Container[str]) -> list[str]:
    """The full names of these papers, a line each."""
    return [f"{name}: {paper}" for name, paper in PAPERS.items() if name in letters]


W17: Final = "Wang et al. 2017"
CJG: Final = "Cao, Jia, Gong 2021"
RAP: Final = "Erlingsson et al. 2014"

DIGITS: Final = 5


@dataclass(frozen=True)
class Entry:
    """A formula's row in the table of closed forms (`ldptui theory`) and its field in JSON.

    key : the field. name : the quantity, empty where the table has no row of it. source : as the
    table cites it. formula : the right side alone; empty for that of the formula. field : what JSON
    has in place of the value.
    """

    key: str
    name: str = ""
    source: str = ""
    formula: str = ""
    field: str = ""


@dataclass(frozen=True)
class Formula:
    """One formula: a row of a family, and where it is shown the numbers of a setting.

    title : the quantity in words, empty where only the table of closed forms has it. text : the
    formula in the language of `expression`, or in words. number : of the equation in the project's
    list, or None. put : a sentence in the place of the right side with its numbers. said : one in
    the place of the value. part : the heading that the formula belongs to. numbers : by name, all
    that it is over.

    The value is the number that has the name of the entry, or of the left side: one that `core`
    computes. Without such a number it is what the text makes of the others.
    """

    title: str
    text: str
    source: str = ""
    number: int | None = None
    entry: Entry | None = None
    put: str = ""
    said: str = ""
    part: str = ""
    numbers: Numbers = field(default_factory=dict, repr=False, compare=False)

    @property
    def key(self) -> str:
        """The field in the table of closed forms, empty where the table has no such row."""
        return "" if self.entry is None else self.entry.key

    @property
    def formula(self) -> str:
        """The formula in symbols."""
        return symbols(self.text)

    @cached_property
    def value(self) -> float:
        """The number itself; raises KeyError where a number that it needs is not known."""
        left, right = sides(self.text)
        for name in (self.key, left or symbols(right)):
            if name in self.numbers:
                return self.numbers[name]
        return value_of(right, self.numbers)

    @cached_property
    def substituted(self) -> str:
        """The right side with its numbers, at most 100 cells; raises KeyError like the value."""
        if self.put:
            return filled(self.put, self.numbers)
        return put_in(sides(self.text)[1], self.numbers) if self.title else ""

    @property
    def result(self) -> str:
        """The number as text."""
        field = "" if self.entry is None else self.entry.field
        return self.said or field or short(self.value, DIGITS)

    @property
    def brief(self) -> str:
        """The right side alone, set closer: `e^ε/(e^ε + d − 1)`."""
        if self.entry is not None and self.entry.formula:
            return self.entry.formula
        right = self.formula.rpartition("= ")[2].partition(":")[0].replace(" / ", "/")
        return re.sub(r"\b([a-z]) \(", r"\1(", re.sub(r"\) ([a-z])", r")\1", right))

    def at(self, numbers: Numbers, part: str = "") -> Formula:
        """The formula over these numbers and its own, under a heading."""
        return replace(self, numbers={**numbers, **self.numbers}, part=part)


def listed(key: str, name: str, text: str, source: str, field: str = "") -> Formula:
    """A formula that only the table of closed forms has."""
    return Formula("", text, source, entry=Entry(key, name, source, text, field))


def told(rows: Iterable[Formula], numbers: Numbers, part: str = "") -> Iterator[Formula]:
    """The rows over these numbers, as far as the numbers are known."""
    for row in rows:
        formula = row.at(numbers, part)
        try:
            formula.value, formula.substituted  # noqa: B018 - KeyError where one is not known
        except KeyError:
            continue
        yield formula
