"""The interface of every mechanism whose counts are simulated, with its parameters bound.

`Mechanism` is common to protocols and curators; `LocalMechanism` adds the reports of users. What
only some have is in other classes (`moments`, `longitudinal`) or in the functions that need it.
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
    """The name of a protocol in messages: `called`, else the name of its class."""
    return getattr(protocol, "called", "") or type(protocol).__name__


def is_a(mechanism: object, kind: type[Any] | tuple[type[Any], ...]) -> bool:
    """Whether a mechanism, or a class of mechanisms, is of the class or classes `kind`."""
    return issubclass(mechanism if isinstance(mechanism, type) else type(mechanism), kind)


@dataclass(frozen=True, eq=False)
class Estimates:
    """The server's estimates from the counts of several trials.

    frequencies : float64[trials, d].
    detected : bool[trials, d], the items that a significance test finds; None without a test.
    flags : the detections of a defence; None without a defence that detects fakes.
    """

    frequencies: Floats
    detected: BoolArray | None = None
    flags: Flags | None = None


class Mechanism(ABC):
    """The base of all mechanisms whose counts are simulated: protocols and curators.

    Counts are the server's sums over users, of a shape that depends on the protocol: int64[d]
    support counts of a pure protocol, bit counts of Bloom filters, a curator's histogram with
    noise. The first axis of several counts is trials. `targets` is always an array of distinct
    items.

    family : one word for the family of the protocol: "direct", "unary", "hashing", …
    called : the name in messages, if that of the class does not serve.
    lacks : the reason in words why the mechanism lacks a distribution of reports ("crafted", …) or
    an ability ("estimates", "columns"), by its name; "disguised" is also the reason for "solved".
    least_support : the least support of an item by one report: -1 if reports also oppose items.
    place : the noun for an entry of a report: "item", or "bit" for RAPPOR.
    simulated_only : the reason why real users must not send its reports, after "must not be"; or
    "".
    apart : the difference between the counts path and the reports path, in words; or "".
    linked : whether the server may know who sent a report, by the randomness that it assigned.
    by_reports : whether it is simulated by single reports only, without counts.
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
        """The requested distribution of reports, or a `Lack` with the reason if there is none."""

    @abstractmethod
    def sample_counts(self, histogram: Counts, rng: Rng) -> Counts:
        """Random counts of honest users. histogram : int64[trials, d], the users of each item."""

    @abstractmethod
    def unperturbed_counts(self, histogram: Counts, rng: Rng) -> Counts:
        """Random counts of fakes without noise. histogram : int64[trials, d], the fakes of each
        item.
        """

    def estimates(self, counts: Counts, users: int) -> Estimates:  # noqa: ARG002
        """The estimated frequencies of all items, from counts [trials, …] of n users.

        Raises ScenarioError for a mechanism that does not estimate frequencies.
        """
        raise ScenarioError(f"must not be {self.lacks['estimates']}", key="kind")

    def lack(self, ask: Ask) -> Lack:
        """The reason why the mechanism lacks the requested distribution of reports."""
        name = "disguised" if ask.law == "solved" else ask.law
        reason = f"{name_of(self)}, {REASONS.get(ask.law, 'which has no such law')}"
        return Lack(self.lacks.get(name, reason))

    def find_law(self, ask: Ask) -> Law:
        """The requested distribution of reports; raises ScenarioError if the mechanism lacks it."""
        law = self.law_of(ask)
        if isinstance(law, Lack):
            raise ScenarioError(f'must not be "{ask.law}" against {law.reason}', key="law")
        return law

    def find_support(self, law: LawName, r: int, search: SeedSearch = SEARCH) -> Support:
        """The support of a report for r targets, from a distribution by name; raises
        ScenarioError.
        """
        return self.find_law(Ask(law, np.arange(r), search)).towards()

    def doubts(self, users: int) -> tuple[str, ...]:  # noqa: ARG002
        """The reasons why estimates from this many users may be unreliable, a sentence each."""
        return ()

    @property
    def code(self) -> str:
        """The name of the plug-in code that makes the reports; "" for built-in protocols."""
        return ""

    @property
    def unread_code_name(self) -> str:
        """The name of the plug-in code that must be permitted before the mechanism is
        known; or "".
        """
        return ""

    @property
    def address_fields(self) -> Mapping[str, Any]:
        """The fields that the protocol adds to a cell's address, by name, besides its
        parameters.
        """
        return {}

    @property
    def most_epsilon(self) -> float:
        """The largest ε that the protocol's other keys allow; infinite if no key limits ε."""
        return math.inf

    def facts(self) -> dict[str, Any]:
        """Derived numbers of the protocol for views of a cell, by name, such as g of hashing."""
        return {}

    @property
    def warnings(self) -> tuple[str, ...]:
        """The reasons why reports reveal more, or estimates are worse, than promised, a sentence
        each.
        """
        return ()


class LocalMechanism(Mechanism):
    """The base of protocols whose users send reports; the first axis of reports is users.

    `sample_counts` has the distribution of `support_counts` of the users' honest reports.
    """

    @property
    @abstractmethod
    def report_bits(self) -> float:
        """The number of bits of one report: log2 of the number of possible reports."""

    @abstractmethod
    def perturb(self, values: Items, rng: Rng | None = None) -> Reports:
        """Honest reports of the users' items, for real users, or simulated with `rng`.

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
        """Reports of items without noise, from fakes who skip the randomiser.

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
        """int64[d]: the number of reports that support each item; RAPPOR counts bits by cohort.

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
        """Every possible report with its probability under every item; None if there are too many
        reports.

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
        """The reports that plug-in code made, unchanged if they are valid.

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
        """bool[n, k]: whether each report supports each of k items.

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
        """Uniform random reports from the set of all reports, as the random report attack (RPA)
        sends.

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
        """Reports that support as many targets as possible, as the maximal gain attack (MGA) sends.

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
        """Reports that support as few targets as possible, and are otherwise like honest ones.

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
    """Raise ScenarioError for a mechanism whose counts cannot be drawn without reports."""
    rule = 'must be "reports" or "auto", as no counts of such reports are drawn, got "counts"'
    raise ScenarioError(rule, key="simulate.path")


def lacking(
    mechanism: object, kinds: type | tuple[type, ...], name: str, reason: str
) -> str | None:
    """The reason in words why a mechanism is of none of the classes `kinds`; None if it is of one.

    name : the key of the reason in `lacks`. reason : the default, after the mechanism's name.
    """
    if is_a(mechanism, kinds):
        return None
    reasons: dict[str, str] = getattr(mechanism, "lacks", {})
    return reasons.get(name, f"{name_of(mechanism)}, {reason}")


def check_estimates(mechanism: Mechanism, key: str = "kind") -> None:
    """Raise ScenarioError for a mechanism that does not estimate the frequencies of items."""
    if "estimates" in mechanism.lacks:
        raise ScenarioError(f"must not be {mechanism.lacks['estimates']}", key=key)
