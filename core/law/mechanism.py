"""The interface of everything that a trial of counts can run on, parameters bound.

`Mechanism` has what a curator has as well, `LocalMechanism` the reports of users. What only some
have, such as closed forms of their own, are classes of their own (`moments`, `longitudinal`,
`numbers`), or functions of whoever asks for them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..base.errors import ScenarioError
from ..base.flags import Flags
from ..base.sampling import Counts, Floats
from .enumeration import ReportLaw
from .law import Ask, Items, Lack, Law, LawName, Reports, Rng, SeedSearch
from .support import Support

BoolArray: TypeAlias = NDArray[np.bool_]

REASONS: Final[dict[LawName, str]] = {
    "subset": "which crafts no report for a part of them",
    "disguised": "of whose reports no number of ones is known",
    "solved": "whose reports are not a free bit for each item",
    "avoided": "which has no report without a target",
    "widest": "whose reports tell no mean",
    "pointed": "whose reports tell no mean",
}
"""The reasons of protocols that give none of their own, said after the name."""

SEARCH: Final = SeedSearch()
"""The effort on a hash family where none is given."""


def name_of(protocol: object) -> str:
    """The name of a protocol in messages."""
    return getattr(protocol, "called", "") or type(protocol).__name__


def is_a(mechanism: object, kind: type[Any] | tuple[type[Any], ...]) -> bool:
    """True if a mechanism, or a class of mechanisms, is of the class `kind`."""
    return issubclass(mechanism if isinstance(mechanism, type) else type(mechanism), kind)


@dataclass(frozen=True, eq=False)
class Estimates:
    """The server's estimates from the counts of several trials.

    frequencies : float64[trials, d].
    detected : bool[trials, d], the items that it takes for held by somebody; None where the
        protocol does not test for that.
    flags : the claims of a defence that looks for fakes; None where none does.
    """

    frequencies: Floats
    detected: BoolArray | None = None
    flags: Flags | None = None


class Mechanism(ABC):
    """The base of all mechanisms whose counts are simulated: protocols and curators.

    Counts are what the server adds up over the users, of whatever shape it has: the support counts
    int64[d] of a pure protocol, bit counts of Bloom filters, a curator's histogram and its noise.
    `targets` is an array of distinct items; the first axis of counts is trials.

    family : one word, which its kin share: "direct", "unary", "hashing", …
    called : its name in sentences, where that of its class is none. lacks : why there is no law of
    a name, or nothing else that some have, in words; "disguised" is the reason of "solved" as well.
    least_support : the least that one report says of an item: -1 where reports also speak against
    items. place : what a bit, or a cell, of a report stands for. simulated_only : why no real user
    may send its reports, as said after "must not be"; empty where they may. apart : the difference
    between its counts path and its reports path, where the counts of items are drawn apart.
    linked : True if the server may know whose a report is, by what it drew for it. by_reports :
    True if it is simulated report by report alone.
    """

    family: ClassVar[str]
    called: ClassVar[str] = ""
    lacks: ClassVar[dict[str, str]] = {}
    least_support: ClassVar[float] = 0.0
    place: ClassVar[str] = "item"
    simulated_only: ClassVar[str] = ""
    apart: ClassVar[str] = ""
    linked: Any = False
    by_reports: ClassVar[bool] = False

    domain_size: int
    epsilon: Any

    @abstractmethod
    def law_of(self, ask: Ask) -> Law | Lack:
        """The distribution of reports that an attack requests, or a `Lack` with the reason why
        there is none.
        """

    @abstractmethod
    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        """Counts of honest users. histogram : int64[trials, d], the users of each item."""

    @abstractmethod
    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        """Counts of fakes who report an item without noise. histogram : int64[trials, d]."""

    def estimates(self, counts: Counts, users: int) -> Estimates:  # noqa: ARG002
        """The frequencies of all items, from counts [trials, …] of n users."""
        raise ScenarioError(f"must not be {self.lacks['estimates']}", key="kind")

    def lack(self, ask: Ask) -> Lack:
        """The reason why the mechanism has no such distribution of reports."""
        name = "disguised" if ask.law == "solved" else ask.law
        reason = f"{name_of(self)}, {REASONS.get(ask.law, 'which has no such law')}"
        return Lack(self.lacks.get(name, reason))

    def find_law(self, ask: Ask) -> Law:
        """The distribution of reports that an attack requests; raises ScenarioError if there is
        none.
        """
        law = self.law_of(ask)
        if isinstance(law, Lack):
            raise ScenarioError(f'must not be "{ask.law}" against {law.reason}', key="law")
        return law

    def find_support(self, law: LawName, r: int, search: SeedSearch = SEARCH) -> Support:
        """The support of a report of a named distribution, for r targets; raises ScenarioError."""
        return self.find_law(Ask(law, np.arange(r), search)).towards()

    def doubts(self, users: int) -> tuple[str, ...]:  # noqa: ARG002
        """The reasons why estimates from this many users may be unreliable, a sentence each."""
        return ()

    @property
    def code(self) -> str:
        """The name of the plug-in code that makes the reports; "" without plug-in code."""
        return ""

    @property
    def unread_code_name(self) -> str:
        """The name of the plug-in code that must be permitted before the mechanism is known; "" if
        there is none.
        """
        return ""

    @property
    def address_fields(self) -> Mapping[str, Any]:
        """The protocol's contribution to a cell's address, besides its own fields."""
        return {}

    @property
    def most_epsilon(self) -> float:
        """The largest ε that the protocol's other keys allow; infinite if no key limits ε."""
        return math.inf

    def facts(self) -> dict[str, Any]:
        """The protocol's own numbers for views of a cell, by name, such as `hash_range`, the g of
        hashing.
        """
        return {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons why the protocol's reports may reveal more or tell less than promised, a
        sentence each.
        """
        return ()


class LocalMechanism(Mechanism):
    """The base of protocols whose users send reports; the first axis of reports is users.

    Each sampler of counts has the law of `support_counts` of such reports.
    """

    @property
    @abstractmethod
    def report_bits(self) -> float:
        """The number of bits of one report: log2 of the number of possible reports."""

    @abstractmethod
    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        """Honest reports of these items: to be sent by real users, or with `rng` simulated.

        Parameters
        ----------
        values
            int64[n], the item of each user.
        rng
            A generator of NumPy; left out, the operating system's cryptographic one draws.

        Raises
        ------
        ScenarioError
            For a value that is no item, with its place.

        Examples
        --------
        >>> import ldptui
        >>> len(ldptui.protocol("grr", items=4, epsilon=1.0).perturb([0, 3, 0]))
        3
        """

    @abstractmethod
    def unperturbed(self, values: Items, rng: Rng) -> Reports:
        """Reports of these items without noise, as fakes who skip the randomiser send them.

        Parameters
        ----------
        values
            int64[n], the item of each report.
        rng
            A generator of NumPy, for what a report draws besides its noise, as a hash seed.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> grr = ldptui.protocol("grr", items=4, epsilon=1.0)
        >>> grr.unperturbed(np.array([0, 3]), np.random.default_rng(0)).tolist()
        [0, 3]
        """

    @abstractmethod
    def support_counts(self, reports: Reports) -> Counts:
        """The number of reports that support each item: int64[d]; RAPPOR counts bits by cohort.

        Parameters
        ----------
        reports
            Reports of `perturb`, the first axis users.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> grr = ldptui.protocol("grr", items=4, epsilon=1.0)
        >>> grr.support_counts(np.array([0, 3, 0])).tolist()
        [2, 0, 0, 1]
        """

    def enumerate_reports(self) -> ReportLaw | None:
        """Every report with its probability under every item; None if they are too many.

        Examples
        --------
        >>> import ldptui
        >>> law = ldptui.protocol("grr", items=4, epsilon=1.0).enumerate_reports()
        >>> law.probabilities.shape
        (4, 4)
        """
        return None

    @abstractmethod
    def validate_reports(self, reports: object, count: int) -> Reports:
        """The reports that plug-in code made, validated; raises ValueError.

        Parameters
        ----------
        reports
            An array of the shape and type that `perturb` returns.
        count
            The number of users.

        Raises
        ------
        ValueError
            With what must hold and what was found: "must be int64[5], got float64[5]".

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> grr = ldptui.protocol("grr", items=4, epsilon=1.0)
        >>> grr.validate_reports(np.array([0, 3]), 2).tolist()
        [0, 3]
        """

    def look(self, reports: Reports, items: Items) -> BoolArray:  # noqa: ARG002
        """bool[n, len(items)]: whether each report supports each of these items.

        No column where a report is a bit for each item as it is, or where that is not known.

        Parameters
        ----------
        reports
            Reports of `perturb`, the first axis users.
        items
            int64[k], distinct items.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> grr = ldptui.protocol("grr", items=4, epsilon=1.0)
        >>> grr.look(np.array([0, 3]), np.array([3])).tolist()
        [[False], [True]]
        """
        return np.empty((len(reports), 0), dtype=np.bool_)

    def random_reports(self, count: int, rng: Rng) -> Reports:
        """Uniform random reports of the encoded space, as the random report attack RPA sends.

        Parameters
        ----------
        count
            How many reports.
        rng
            A generator of NumPy.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> oue, rng = ldptui.protocol("oue", items=8, epsilon=1.0), np.random.default_rng(0)
        >>> len(oue.random_reports(2, rng))
        2
        """
        return self.find_law(Ask("random")).reports(count, rng)

    def craft(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:
        """Reports that support as many targets as possible, as the maximal gain attack MGA sends.

        Parameters
        ----------
        targets
            int64[r], the items.
        count
            How many reports.
        search
            How many hash seeds a fake under local hashing tries.
        rng
            A generator of NumPy.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> from ldptui.core.law.law import SeedSearch
        >>> oue, rng = ldptui.protocol("oue", items=8, epsilon=1.0), np.random.default_rng(0)
        >>> len(oue.craft(np.array([3]), 2, SeedSearch(), rng))
        2
        """
        return self.find_law(Ask("crafted", targets, search)).reports(count, rng)

    def avoid(self, targets: Items, count: int, search: SeedSearch, rng: Rng) -> Reports:
        """Reports that support as few targets as possible, and look honest elsewhere.

        Parameters
        ----------
        targets
            int64[r], the items.
        count
            How many reports.
        search
            How many hash seeds a fake under local hashing tries.
        rng
            A generator of NumPy.

        Examples
        --------
        >>> import ldptui, numpy as np
        >>> from ldptui.core.law.law import SeedSearch
        >>> oue, rng = ldptui.protocol("oue", items=8, epsilon=1.0), np.random.default_rng(0)
        >>> len(oue.avoid(np.array([3]), 2, SeedSearch(), rng))
        2
        """
        return self.find_law(Ask("avoided", targets, search)).reports(count, rng)


def refuse_counts(*_: object) -> NoReturn:
    """Raise ScenarioError for a mechanism that is simulated report by report, without a law of its
    counts.
    """
    rule = 'must be "reports" or "auto", as no counts of such reports are drawn, got "counts"'
    raise ScenarioError(rule, key="simulate.path")


def lacking(
    mechanism: object, kinds: type | tuple[type, ...], name: str, reason: str
) -> str | None:
    """The reason why a mechanism is of none of the classes `kinds`, with its name; None if it is of
    one.

    name : that of what it lacks, in `lacks`. reason : said after the name of the mechanism where it
    gives none of its own.
    """
    if is_a(mechanism, kinds):
        return None
    reasons: dict[str, str] = getattr(mechanism, "lacks", {})
    return reasons.get(name, f"{name_of(mechanism)}, {reason}")


def check_estimates(mechanism: Mechanism, key: str = "kind") -> None:
    """Raise ScenarioError for a mechanism that does not estimate frequencies of items."""
    if "estimates" in mechanism.lacks:
        raise ScenarioError(f"must not be {mechanism.lacks['estimates']}", key=key)
