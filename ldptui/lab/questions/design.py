"""The options of the topic design."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ldptui.core.base.ranges import EPSILON, SHARE, USERS, Range

from ..options import Argument, Blank, Choices, Option, Topic
from .offered import alike, local
from .shared import BEST, ITEMS, TRIALS, seed, targets_of, users_of

if TYPE_CHECKING:
    from ...session.draft import Draft

WEIGHTS: Final = 4
"""Things that are weighed: the error, the gain, the guess, the bits."""


def _dials() -> Choices:
    from ldptui.core.protocols import DIALS

    return alike(BEST, *DIALS)


def _kind(draft: Draft) -> Any:
    kind = None if draft.cell is None else draft.cell.parameters.get("protocol.kind")
    return kind if kind in local() else None


DESIGN: Final = Topic(
    "design",
    "Design",
    "design",
    "the protocol that bears an attack best, of every p, g and w",
    "Find the unary encoding, local hashing or subset selection with the least worst-case\n"
    "error in spite of a share of fakes, or with the least weighted sum of error, gain,\n"
    "attacker's success and bits; print the hardening curve, and the cost beside a protocol\n"
    "of yours.",
    "example: ldptui design --items 128 --users 1000000 --epsilon 1 --share 0.01 --check",
    (
        Option(
            "among",
            "text",
            argument=Argument("KIND", "ue, lh or ss alone; best of all (default)", BEST),
            blank=Blank(BEST, choices=_dials, bare=True),
        ),
        Option(
            "beside",
            "text",
            argument=Argument("KIND", "the pure protocol to compare it with (oue)", "oue"),
            blank=Blank("oue", _kind, lambda: alike(*local())),
        ),
        ITEMS,
        Option(
            "users",
            "integer",
            USERS,
            argument=Argument("N", "genuine users n", required=True),
            blank=Blank(1_000_000, users_of, steps="ladder"),
        ),
        Option(
            "epsilon",
            range=EPSILON,
            argument=Argument("E", "privacy budget ε, in nats", required=True),
            blank=Blank(1.0, "protocol.epsilon"),
        ),
        Option(
            "share",
            range=SHARE,
            argument=Argument("B", "share β of fake users (0.01)", 0.01),
            blank=Blank(0.01, "attack.share", steps="hundredths"),
        ),
        Option(
            "targets",
            "integer",
            Range(1),
            argument=Argument("R", "items that fakes lift together (1)", 1),
            blank=Blank(1, targets_of),
        ),
        Option(
            "weights",
            "numbers",
            size=WEIGHTS,
            renames=("mse", "gain", "guessed", "bits"),
            argument=Argument(
                "E,G,S,B",
                "minimise a weighted sum of squared error, gain, attacker's success and bits,\n"
                "each beside the least there is, and not the worst-case error",
            ),
            blank=Blank(optional=True),
        ),
        Option(
            "check",
            "flag",
            argument=Argument(words="simulate the protocol that is found", default=False),
        ),
        TRIALS,
        replace(seed("check"), blank=None),
    ),
    live=True,
    group="privacy",
)
