"""The options of the topic deployment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from ldptui.core.base.ranges import EPSILON, SHARE, USERS

from ..options import Argument, Blank, Choices
from .offered import alike, local
from .shared import Items, Targets, users_of


def _protocols() -> Choices:
    return alike(*local())


def _counted(form: Mapping[str, Any]) -> bool:
    """Return whether no file says how many users there are."""
    return not any(form.get("reports") or ())


@dataclass(frozen=True, kw_only=True)
class Options:
    """reports : files of reports of the deployment, which tell its users and its frequencies."""

    protocol: Annotated[str, Blank("oue", "protocol.kind", _protocols, bare=True)] = "oue"
    epsilon: Annotated[float, EPSILON, Blank(1.0, "protocol.epsilon")] = 1.0
    items: Items
    users: Annotated[
        int | None, USERS, Blank(100_000, users_of, optional=True, steps="ladder", only=_counted)
    ] = None
    share: Annotated[float, SHARE, Blank(0.05, "attack.share", steps="hundredths")] = 0.05
    targets: Annotated[Targets, Blank(3)] = 3
    reports: Annotated[
        tuple[str, ...],
        Argument(positional=True),
        Blank((), hint="file, folder"),
    ] = ()
