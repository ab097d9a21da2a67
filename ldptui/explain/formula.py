"""One formula at work, and the papers that formulas are from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..text.format import short

W17: Final = "Wang et al. 2017"
CJG: Final = "Cao, Jia, Gong 2021"
RAP: Final = "Erlingsson et al. 2014"

PAPERS: Final = {
    "W17": "Wang, Blocki, Li, Jha, USENIX Security 2017",
    "RAP": "Erlingsson, Pihur, Korolova, RAPPOR, CCS 2014",
    "ACG": "Arcolezi, Couchot, Al Bouna, Xiao, Digital Communications and Networks 2022",
    "BS": "Bassily, Smith, STOC 2015",
    "YB": "Ye, Barg, IEEE Transactions on Information Theory 2018",
    "ASZ": "Acharya, Sun, Zhang, Hadamard response, AISTATS 2019",
    "FNNT": "Feldman, Nelson, Nguyen, Talwar, ICML 2022",
    "ADP": "Apple Differential Privacy Team, Learning with Privacy at Scale, 2017",
    "DKY": "Ding, Kulkarni, Yekhanin, NIPS 2017",
    "DR": "Dwork, Roth, The Algorithmic Foundations of Differential Privacy, 2014",
    "GRS": "Ghosh, Roughgarden, Sundararajan, STOC 2009",
    "V": "Vadhan, The Complexity of Differential Privacy, 2017",
    "PSI": "PSI library, histogram statistic",
    "CJG": "Cao, Jia, Gong, USENIX Security 2021",
}
"""The papers by the letters that a table cites them with."""

DIGITS: Final = 5
FINE: Final = 8
"""Digits of numbers whose difference is small, so that what is shown can be recomputed."""


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
    """One formula at work: `formula` = `substituted` = `result`.

    title : the quantity in words, empty where only the table of closed forms has it. substituted :
    the right side with its numbers, at most 100 cells. result : the number as text. value : the
    number itself. number : of the equation in the project's list, or None. part : the heading it
    belongs to.
    """

    title: str
    formula: str
    substituted: str
    result: str
    value: float
    source: str
    number: int | None = None
    part: str = ""
    entry: Entry | None = None

    @property
    def brief(self) -> str:
        """The right side alone, set closer: `e^ε/(e^ε + d − 1)`."""
        if self.entry is not None and self.entry.formula:
            return self.entry.formula
        right = self.formula.rpartition("= ")[2].partition(":")[0].replace(" / ", "/")
        return re.sub(r"\b([a-z]) \(", r"\1(", re.sub(r"\) ([a-z])", r")\1", right))


def numeric(
    part: str,
    title: str,
    formula: str,
    substituted: str,
    value: float,
    source: str,
    number: int | None = None,
    entry: Entry | None = None,
) -> Formula:
    """A formula whose result is its value."""
    result = short(value, DIGITS)
    return Formula(title, formula, substituted, result, value, source, number, part, entry)


def listed(
    key: str, name: str, value: float, formula: str, source: str, *, field: str = ""
) -> Formula:
    """A formula that only the table of closed forms has."""
    result = field or short(value, DIGITS)
    entry = Entry(key, name, source, formula, field)
    return Formula("", formula, "", result, value, source, entry=entry)
