"""Support counts of reports: added up over batches, stored in files, merged exactly."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from warnings import warn

import numpy as np

from ..base.errors import LdpWarning, ScenarioError, got
from ..base.files import Source, StdinFile, whole_file
from ..base.sampling import Counts
from ..base.tables import text_file
from ..law.exchangeable import Exchangeable
from ..law.mechanism import name_of
from ..law.numeric_protocol import NumericProtocol
from ..law.pure import LocalMechanism, Reports
from ..protocols.dbitflip.flips import BitFlips
from .arguments import LARGEST, file_path, local, names, reports_of
from .column_layout import nobody

END: Final = ".counts"
"""The end of the names of files of counts."""

FORMAT: Final = 1

HEAD: Final = ("ldptui", "format")
BODY: Final = ("reports", "counts", "digest")
"""The keys of a file of counts, before what reports have to share and after it."""


@dataclass(frozen=True, eq=False)
class Counted:
    """The support counts of the reports of one protocol: a sufficient statistic for its estimates.

    The counts of parts of the users can be added.

    Attributes
    ----------
    protocol
        The protocol with its parameters bound.
    counts
        As `protocol.support_counts` returns them.
    reports
        The number of reports.
    labels
        The names of the items, None if they are numbers.

    Examples
    --------
    >>> from ldptui import protocol
    >>> grr = protocol("grr", items=4, epsilon=1.0)
    >>> (counted(np.array([0, 3], np.uint32), grr) + counted(np.array([3], np.uint32), grr)).counts
    array([1, 0, 0, 2])
    """

    protocol: LocalMechanism
    counts: Counts
    reports: int
    labels: tuple[str, ...] | None = None

    def __add__(self, other: Counted) -> Counted:
        """The counts of both; raises ScenarioError where the reports are of different protocols."""
        _check_same("the counts", other.shared_settings, self.shared_settings)
        counts, reports = self.counts + other.counts, self.reports + other.reports
        return Counted(self.protocol, counts, reports, self.labels)

    @property
    def shared_settings(self) -> dict[str, Any]:
        """The parameters, for JSON, that reports must share to be counted together.

        The protocol's class and parameters, the number of items, and the SHA-256 of their names.
        """
        return {**_parameters(self.protocol), "domain": _digest(self.labels)}

    def write(self, path: str | Path) -> None:
        """Write a file of counts, to be read by `read_counts`.

        Parameters
        ----------
        path
            That of the file, which appears whole or not at all.

        Raises
        ------
        FileError
            Where the file cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> from ldptui import protocol
        >>> grr = protocol("grr", items=4, epsilon=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "monday.counts"
        ...     counted(np.array([0, 3], np.uint32), grr).write(path)
        ...     read_counts(path, grr).reports
        2
        """
        held = {**self.shared_settings, "reports": self.reports, "counts": self.counts.tolist()}
        document = {"ldptui": "counts", "format": FORMAT, **held, "digest": _digest_of(held)}
        with whole_file(file_path(path)) as file:
            file.write(f"{json.dumps(document)}\n".encode())


def counted(
    reports: Reports | Iterable[Reports],
    protocol: LocalMechanism,
    labels: Sequence[str] | None = None,
) -> Counted:
    """The counts of reports, which `estimate` takes; counts can be added.

    Parameters
    ----------
    reports
        As `protocol.perturb` makes them; or batches of them, as `read_reports` gives, of which one
        at a time is held.
    protocol
        As `protocol` makes it.
    labels
        The names of the items, None where they are numbers.

    Raises
    ------
    ScenarioError
        For reports that the protocol does not send.

    Examples
    --------
    >>> from ldptui import protocol
    >>> oue = protocol("oue", items=4, epsilon=1.0)
    >>> counted(np.array([[0b10010000], [0b10000000]], np.uint8), oue).counts
    array([2, 0, 0, 1])
    """
    shown = names(labels, local(protocol).domain_size)
    known = None if shown is None else tuple(shown)
    total = Counted(protocol, protocol.support_counts(nobody(protocol)), 0, known)
    for batch in reports if isinstance(reports, Iterator) else iter((reports,)):
        made = reports_of(batch, protocol)
        counts = total.counts + protocol.support_counts(made)
        total = Counted(protocol, counts, total.reports + len(made), known)
    return total


def read_counts(
    path: str | Source, protocol: LocalMechanism, labels: Sequence[str] | None = None
) -> Counted:
    """The counts of a file that `Counted.write` or `ldptui estimate --counts-out` wrote.

    Parameters
    ----------
    path
        The path of the file.
    protocol
        As `protocol` makes it.
    labels
        The names of the items, None where they are numbers.

    Raises
    ------
    ScenarioError
        Where it is no such file, or holds counts of another protocol, another budget or another
        domain.
    FileError
        Where the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from ldptui import protocol
    >>> grr = protocol("grr", items=4, epsilon=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "monday.counts"
    ...     counted(np.array([0, 3], np.uint32), grr).write(path)
    ...     read_counts(path, grr).counts
    array([1, 0, 0, 1])
    """
    path = path if isinstance(path, StdinFile) else file_path(path)
    nothing = counted(nobody(local(protocol)), protocol, labels)
    with text_file(path, "a file of counts") as file:
        text, more = file.readline(), file.readline()
    try:
        document = None if more else json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.get("ldptui") != "counts":
        raise ScenarioError(f"{path} must be a file of counts, as --counts-out writes one")
    if document.get("format") != FORMAT:
        found = got(document.get("format"))
        raise ScenarioError(f"{path} must have the format {FORMAT} of files of counts, {found}")
    _check_same(str(path), document, nothing.shared_settings)
    for key in document:
        if key not in (*HEAD, *nothing.shared_settings, *BODY):
            raise ScenarioError(f"{path} has a key that files of counts have not, {got(key)}")
    held = {key: document[key] for key in (*nothing.shared_settings, *BODY[:2]) if key in document}
    if document.get("digest", _digest_of(held)) != _digest_of(held):
        rule = "must be as it was written: its digest is that of other counts"
        raise ScenarioError(f"{path} {rule}, {got(document['digest'])}")
    reports = document.get("reports")
    if type(reports) is not int or not 0 <= reports < 2**53:
        raise ScenarioError(f"{path} must have a number of reports below 2^53, {got(reports)}")
    counts = _as_counts(document.get("counts"), nothing.counts, reports)
    if counts is None:
        shape = "×".join(map(str, nothing.counts.shape))
        rule = f"must have {shape} counts of at most {reports} reports each"
        raise ScenarioError(f"{path} {rule}")
    if (why := _impossible(protocol, counts, reports)) is not None:
        raise ScenarioError(f"{path} must have counts that reports of {why}")
    return Counted(protocol, counts, reports, nothing.labels)


def read_all(
    paths: Sequence[Source], protocol: LocalMechanism, labels: Sequence[str] | None
) -> list[Counted]:
    """The counts in each of these files; raises LdpError, and warns of two files with the same
    counts.
    """
    sources: dict[str, Source] = {}
    made = []
    for path in paths:
        each = read_counts(path, protocol, labels)
        digest = _digest_of({"counts": each.counts.tolist(), "reports": each.reports})
        if digest in sources and each.reports:
            words = f"{path} holds the same counts as {sources[digest]}: are they added twice?"
            warn(words, LdpWarning, stacklevel=2)
        sources.setdefault(digest, path)
        made.append(each)
    return made


def _as_counts(held: Any, like: Counts, reports: int) -> Counts | None:
    """Counts of a file, of the shape and type of others; None where they can be none."""
    whole = like.dtype.kind == "i"
    types = {int} if whole else {int, float}
    try:
        counts, cells = np.array(held), np.array(held, dtype=object).ravel().tolist()
        if counts.shape != like.shape or {*map(type, cells)} - types:
            return None
        within = np.abs(counts) <= (reports if whole else reports * LARGEST)
        return counts.astype(like.dtype) if within.all() else None
    except (ValueError, TypeError, OverflowError):
        return None


def _impossible(protocol: Any, counts: Counts, reports: int) -> str | None:
    """The reason why no such number of reports has these counts, after "reports of"; else None."""
    name, least = name_of(protocol), getattr(protocol, "least_support", 0.0)
    if counts.dtype.kind == "i" and (counts < least * reports).any():
        return f"{name} can have: none below {least * reports:g}, {got(int(counts.min()))}"
    made = _reports_of(protocol, counts)
    if made is not None and made != reports:
        return f"{name} can have: these are of {made:g} reports, {got(reports)}"
    return None


def _reports_of(protocol: Any, counts: Counts) -> float | None:
    """The number of reports that counts are of; None where counts of one report vary in sum."""
    if isinstance(protocol, BitFlips):  # each of D items
        return float(counts[0].sum() / protocol.sampled)
    if counts.ndim == 2:  # of cohorts, whose last column counts users
        return float(counts[:, -1].sum())
    if isinstance(protocol, NumericProtocol):
        return float(counts.sum()) if counts.shape[-1] > 1 else None
    size = protocol.report_size if isinstance(protocol, Exchangeable) else None
    return None if size is None else float(counts.sum() / size)


def _digest_of(held: Mapping[str, Any]) -> str:
    """The SHA-256 of what a file of counts holds."""
    return sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()


def _check_same(where: str, held: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Refuse what reports of another kind would be counted with; raises ScenarioError."""
    there, wanted = (
        json.loads(json.dumps(each), parse_float=_round_number) for each in (held, asked)
    )
    for key, value in wanted.items():
        if there.get(key) != value:
            rule = f"must be of reports with {key} {_words(asked[key])}"
            raise ScenarioError(f"{where} {rule}, got {_words(held.get(key))}")


def _round_number(number: str) -> float:
    """A number to ten digits: those of another machine differ in their last ones."""
    return float(f"{float(number):.9e}")


def _words(value: Any) -> str:
    """A value of `Counted.shared_settings` in a sentence; digests are cut."""
    if value is None:
        return "none"
    return value[:16] if isinstance(value, str) else got(value).removeprefix("got ")


def _parameters(protocol: LocalMechanism) -> dict[str, Any]:
    """The class and the parameters of a protocol, for JSON; names of items as their digest."""
    known = {
        field.name: _plain(getattr(protocol, field.name))
        for field in fields(protocol)  # type: ignore[arg-type]
        if field.repr and field.name != "labels"
    }
    span = {"range": [protocol.low, protocol.high]} if isinstance(protocol, NumericProtocol) else {}
    return {"protocol": type(protocol).__name__, **known, **span}


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value.item() if hasattr(value, "item") else value


def _digest(labels: Sequence[str] | None) -> str | None:
    if labels is None:
        return None
    return sha256("\n".join(label.strip() for label in labels).encode()).hexdigest()
