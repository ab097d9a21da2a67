"""The doors of every protocol to its laws, by the names that plug-ins and notebooks know."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Protocol

import numpy as np

from ..base.errors import ScenarioError
from ..base.sampling import Counts
from .law import Ask, Items, Lack, Law, LawName, Reports, Rng, SeedSearch
from .support import Support

OTHERWISE: Final[dict[LawName, str]] = {
    "subset": "which crafts no report for a part of them",
    "disguised": "of whose reports no number of ones is known",
    "solved": "whose reports are not a free bit for each item",
    "avoided": "which has no report without a target",
    "widest": "whose reports tell no mean",
    "pointed": "whose reports tell no mean",
}
"""The reasons of protocols that give none of their own, said after the name."""


def name_of(protocol: object) -> str:
    """The name of a protocol in sentences."""
    return getattr(protocol, "called", "") or type(protocol).__name__


class Doors(Protocol):
    """A protocol that tells its laws; each door asks for one of them, and for one of its paths.

    called : its name in sentences, where that of its class is none. lacks : why there is no law of
    a name, or no capability; "disguised" is the reason of "solved" as well. least_support : the
    least that one report says of an item: -1 where reports also speak against items. place : what a
    bit, or a cell, of a report stands for. simulated_only : why no real user may send its reports,
    as said after "must not be"; empty where they may.
    """

    called: ClassVar[str] = ""
    lacks: ClassVar[dict[str, str]] = {}
    least_support: ClassVar[float] = 0.0
    place: ClassVar[str] = "item"
    simulated_only: ClassVar[str] = ""

    @abstractmethod
    def law_of(self, ask: Ask) -> Law | Lack:
        """The law that is asked for, or the reason why there is none."""
        ...

    def lack(self, ask: Ask) -> Lack:
        """The reason why there is no such law."""
        name = "disguised" if ask.law == "solved" else ask.law
        otherwise = f"{name_of(self)}, {OTHERWISE.get(ask.law, 'which has no such law')}"
        return Lack(self.lacks.get(name, otherwise))

    @property
    def code(self) -> str:
        """The name of the code in Python that makes its reports; "" where there is none."""
        return ""

    @property
    def awaited(self) -> str:
        """The name of the code that has to be allowed before anything is known of it; "" else."""
        return ""

    @property
    def addressed(self) -> Mapping[str, Any]:
        """The parts of a cell's address that its protocol adds, besides its own fields."""
        return {}

    @property
    def most_epsilon(self) -> float:
        """The largest ε that the keys but ε leave room for; infinite where none bounds it."""
        return math.inf

    def facts(self) -> dict[str, Any]:
        """The numbers of its own that views of a cell show: g of hashing, as `hash_range`."""
        return {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons to doubt what its reports tell or promise, a sentence each."""
        return ()

    def known(self, ask: Ask) -> Law:
        """The law that is asked for; raises ScenarioError where there is none."""
        law = self.law_of(ask)
        if isinstance(law, Lack):
            raise ScenarioError(f'must not be "{ask.law}" against {law.reason}', key="law")
        return law

    def random_reports(self, count: int, rng: Rng) -> Reports:
        """Reports uniform over the encoded space (the random report attack, RPA)."""
        return self.known(Ask("random")).reports(count, rng)

    def craft(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:
        """Reports that support as many targets as possible (the maximal gain attack, MGA)."""
        return self.known(Ask("crafted", targets, search)).reports(count, rng)

    def avoid(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:
        """Reports that support as few targets as possible, and look honest elsewhere."""
        return self.known(Ask("avoided", targets, search)).reports(count, rng)

    def random_counts(self, count: Counts, rng: Rng) -> Counts:
        """Counts of int64[trials] uniformly random reports."""
        return np.asarray(self.known(Ask("random")).counts(count, rng))

    def craft_counts(self, targets: Items, count: Counts, search: SeedSearch, rng: Rng) -> Counts:
        """Counts of int64[trials] crafted reports."""
        return np.asarray(self.known(Ask("crafted", targets, search)).counts(count, rng))

    def honest_support(self, r: int) -> Support:
        """An honest report of one of r targets, any of them."""
        return self.known(Ask("honest", np.arange(r))).towards()

    def random_support(self, r: int) -> Support:
        """A uniformly random report, towards r targets."""
        return self.known(Ask("random", np.arange(r))).towards()

    def unperturbed_support(self, r: int) -> Support:
        """One of r targets, encoded and not perturbed."""
        return self.known(Ask("unperturbed", np.arange(r))).towards()

    def crafted_support(self, r: int, search: SeedSearch) -> Support:
        """A report that is crafted for r targets."""
        return self.known(Ask("crafted", np.arange(r), search)).towards()

    def avoided_support(self, r: int, search: SeedSearch) -> Support:
        """A report that avoids r targets."""
        return self.known(Ask("avoided", np.arange(r), search)).towards()
