"""The options of every topic about reports of real users: which files, and of which protocol."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec.structs import replace

from ldptui.core.base.files import FORMATS, PACKED
from ldptui.core.base.ranges import DOMAIN, EPSILON

from .choices import EXAMPLE, alike, curators, having, kinds, numbers
from .options import Argument, Blank, Keys, Option, Settings, options_of
from .parameters import keys

ENDS: Final = (*FORMATS, *(f"{end}.gz" for end in PACKED))
"""The ends of the names of files of reports."""


def senders() -> tuple[tuple[Any, str], ...]:
    """The kinds whose users send reports."""
    return alike(*(kind for kind in kinds() if kind not in curators()))


RUN: Final = "run"
"""The value of the field `subject` of a form that is about a run of the workbench's scenario."""


def filed(form: Mapping[str, Any]) -> bool:
    """Return whether the reports are in files."""
    return form.get("subject") != RUN


def _keys(known: Iterable[str]) -> Iterator[Option]:
    """The options of the other keys, which have a meaning where the reports are in files."""
    for option in keys(known):
        assert option.blank is not None
        yield replace(option, blank=replace(option.blank, only=partial(_has_key, option.name)))


def _has_key(name: str, form: Mapping[str, Any]) -> bool:
    """Return whether the protocol of the files has a key."""
    return filed(form) and having("protocol", name)(form)


def _budgeted(form: Mapping[str, Any]) -> bool:
    """Return whether the protocol of the files has a budget."""
    return _has_key("epsilon", form)


def ranged(form: Mapping[str, Any]) -> bool:
    """Return whether the users of the files hold numbers of a range."""
    return filed(form) and form.get("protocol") in numbers()


def listed(form: Mapping[str, Any]) -> bool:
    """Return whether the users of the files hold items of a list."""
    return filed(form) and not ranged(form)


def _numbered(form: Mapping[str, Any]) -> bool:
    """Return whether the items of the files have no names."""
    return listed(form) and not form.get("domain")


@dataclass(frozen=True, kw_only=True)
class Named:
    """What clients and server agree on, in a command that reads no reports.

    items : d, where items are numbers. domain : the file of the items' names.
    """

    protocol: str
    epsilon: float | None = None
    items: Annotated[int | None, Argument(either=True)] = None
    domain: Annotated[str | None, Argument(either=True)] = None
    settings: Settings = ()


@dataclass(frozen=True, kw_only=True)
class Numbered(Named):
    """The same where users may hold numbers in a range instead of items."""

    low: Annotated[float | None, Argument(either=True)] = None
    high: float | None = None


Piped: TypeAlias = Literal["csv", "jsonl", "parquet", "arrow"]
"""The formats of reports on standard input."""


@dataclass(frozen=True, kw_only=True)
class Collection:
    """A collection that is opened: files of reports, and what clients and server agreed on.

    reports : files, folders and patterns. protocol : its kind. items : d, where items are numbers.
    domain : the file of the items' names, a name a line; it goes before `items`. low, high : the
    ends of the range, where users hold numbers instead of items. keys : the other
    keys of the protocol, as they were typed in a form; settings : as a command has them. All tabs
    about reports are about one collection. quiet, out, force : of the command.
    """

    reports: Annotated[
        tuple[str, ...],
        Argument(positional=True),
        Blank((EXAMPLE,), hint="file, folder", only=filed),
    ] = ()
    protocol: Annotated[str, Blank("oue", choices=senders, bare=True, only=filed)]
    epsilon: Annotated[float | None, EPSILON, Blank(1.0, optional=True, only=_budgeted)] = None
    items: Annotated[
        int | None,
        DOMAIN,
        Argument(renames=("domain_size",), either=True),
        Blank(16, optional=True, only=_numbered),
    ] = None
    domain: Annotated[str | None, Argument(either=True), Blank(optional=True, only=listed)] = None
    low: Annotated[float | None, Argument(either=True), Blank(0.0, only=ranged)] = None
    high: Annotated[float | None, Blank(100.0, only=ranged)] = None
    keys: Annotated[Mapping[str, str], Keys(_keys)] = dataclasses.field(default_factory=dict)
    settings: Settings = ()
    quiet: bool = False
    out: str | None = None
    force: bool = False

    @property
    def typed(self) -> dict[str, Any]:
        """The values of the fields, as a form has them."""
        own = {name: getattr(self, name) for name in SHARED if name in OWN}
        return own | dict.fromkeys(SHARED - OWN) | dict(self.keys)


OWN: Final = {field.name for field in dataclasses.fields(Collection)}
SHARED: Final = frozenset(
    option.name for option in options_of(Collection, {}) if option.blank is not None
)
"""The names of the options of a collection, its protocol's keys among them."""
