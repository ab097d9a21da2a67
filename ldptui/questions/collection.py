"""The options of every question about reports of real users: which files, and of which protocol.

All forms about reports are about one collection. Nothing here imports NumPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec.structs import replace

from ldptui.core.base.files import PACKED, READ
from ldptui.core.base.ranges import ALPHA, DOMAIN, EPSILON, Range

from .choices import EXAMPLE, alike, curators, having, kinds, numbers
from .options import Argument, Blank, Keys, OnlyIf, OptionSpec
from .options import Settings as Settings
from .parameters import keys

ENDS: Final = (*READ, *(f"{end}.gz" for end in PACKED))
"""The ends of the names of files of reports."""
NAMES: Final = ("reports", "protocol", "epsilon", "items", "domain", "low", "high")
"""The options of a collection, but for the keys of its protocol."""


def senders() -> tuple[tuple[Any, str], ...]:
    """The kinds of protocols whose users send reports, with their words."""
    return alike(*(kind for kind in kinds() if kind not in curators()))


def sender_keys(known: Iterable[str]) -> Iterator[OptionSpec]:
    """Yields the options for those protocol keys that no other field of a form about
    reports has.
    """
    for option in keys((*known, *NAMES)):
        assert option.blank is not None
        yield replace(option, blank=replace(option.blank, only=partial(_has_key, option.name)))


def is_of_collection(option: str) -> bool:
    """True if all questions about reports share an option's value."""
    return option in NAMES or any(each.name == option for each in keys(NAMES))


def _has_key(name: str, form: Mapping[str, Any]) -> bool:
    """Return whether the protocol of the files has a key."""
    return having("protocol", name)(form)


def is_ranged(form: Mapping[str, Any]) -> bool:
    """True if the users of the report files hold numbers of a range."""
    return form.get("protocol") in numbers()


def is_distributed(form: Mapping[str, Any]) -> bool:
    """True if the reports determine the distribution of the users' numbers."""
    from ldptui.core.protocols import KINDS

    mechanism: Any = KINDS[form["protocol"]].mechanism if is_ranged(form) else None
    return mechanism is not None and mechanism.has_distribution


def is_listed(form: Mapping[str, Any]) -> bool:
    """True if the users of the report files hold items of a list."""
    return not is_ranged(form)


def _is_numbered(form: Mapping[str, Any]) -> bool:
    """Return whether the items of the files have no names."""
    return is_listed(form) and not form.get("domain")


Reports: TypeAlias = Annotated[
    Any,
    "REPORTS",
    Argument(positional=True, role="reports"),
    Blank((EXAMPLE,), hint="file, folder"),
]
"""Files of reports; in Python also what a protocol perturbed, batches of that, or its counts."""
Sender: TypeAlias = Annotated[
    Any, "KIND", Argument(role="sender"), Blank("oue", choices=senders, bare=True)
]
"""The kind of the protocol of reports; in Python also the protocol itself."""
SenderBudget: TypeAlias = Annotated[
    float | None, EPSILON, "E", Blank(1.0, only=partial(_has_key, "epsilon"))
]
SenderItems: TypeAlias = Annotated[
    int | None,
    DOMAIN,
    "D",
    Argument(renames=("domain_size",), either=True),
    Blank(16, only=_is_numbered),
]
DomainFile: TypeAlias = Annotated[
    str | None,
    "FILE",
    Argument(either=True, role="names"),
    Blank(only=is_listed),
]
Low: TypeAlias = Annotated[
    float | None, Range(), "X", Argument(either=True), Blank(0.0, only=is_ranged)
]
High: TypeAlias = Annotated[
    float | None, Range(), "X", OnlyIf("low", "of a protocol of numbers"),
    Blank(100.0, only=is_ranged),
]  # fmt: skip
BitOrder: TypeAlias = Literal["big", "little"]
"""Whether the first bit of a byte is its highest one, as in our files, or the lowest."""
Program: TypeAlias = Literal["rappor", "pure-ldp", "multi-freq-ldpy", "ldp-toolbox"] | None
"""A program whose files of reports are read in a way of their own."""
SenderKeys: TypeAlias = Annotated[str, Keys(sender_keys)]
Labels: TypeAlias = Annotated[Any, Argument(role="value")]
"""The names of the items, which Python alone gives; else they are of the domain's file."""
Confidence: TypeAlias = Annotated[float, ALPHA, "C", Blank(steps="hundredths")]
NewFile: TypeAlias = Annotated[str | None, "FILE"]
"""A file that is written besides the answer."""
