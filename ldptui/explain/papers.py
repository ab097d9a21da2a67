"""The bibliography: the papers that formulas, tables and the lab cite, by their letters."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

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
