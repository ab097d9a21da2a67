"""What forms start with: values of the draft, and the choices of a protocol."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from .choices import OWN, alike, has, kinds, local, numbers
from .options import OptionSpec
from .parameters import BEST, items_of, keys, targets_of, users_of

if TYPE_CHECKING:
    from ..session.draft import Draft


CONCLUDED: Final = ("alpha", "adjust")
"""Keys of what the server concludes, on which no report depends."""
NOISE: Final = ("f", "p", "q", "form")
"""The keys of the noise of bits, which is one option."""


def is_audited(form: Mapping[str, Any]) -> bool:
    """True if samples are drawn: on request, and always for a mechanism in Python."""
    return bool(form.get("audit")) or form.get("protocol") == OWN


def checked_keys(known: Iterable[str]) -> Iterator[OptionSpec]:
    """Yields an option for each key of a protocol on which its reports depend."""
    return keys((*known, *NOISE, "domain_size", *CONCLUDED))


def checked_kinds() -> tuple[tuple[str, str], ...]:
    return (*alike(*kinds(), "exponential"), (OWN, "your own"))


def dials() -> tuple[str, ...]:
    """The kinds of protocols with a free parameter p, g or w."""
    from ldptui.core.protocols import DIALS

    return tuple(DIALS)


def kind_of_draft(draft: Draft) -> Any:
    """The kind of the draft's protocol; None if it is not a pure protocol."""
    kind = None if draft.cell is None else draft.cell.parameters.get("protocol.kind")
    return kind if kind in local() else None


MEAN: Final = "mean"
"""The task of a plan whose users hold numbers."""


def planned_kinds() -> tuple[str, ...]:
    """The protocols that plans support."""
    return (BEST, *local(), *numbers())


def task_of_draft(draft: Draft) -> str | None:
    """The task ("frequencies" or "mean") that the draft's protocol serves; None if undecided."""
    if draft.cell is None:
        return None
    kind = draft.cell.first.parameters["protocol.kind"]
    return MEAN if kind in numbers() else "frequencies"


def within_of_draft(draft: Draft) -> float | None:
    """A twentieth of the draft's range of numbers, as a first accuracy of the mean."""
    if draft.cell is None or task_of_draft(draft) != MEAN:
        return None
    protocol: Any = draft.cell.first.protocol
    return float(f"{(protocol.high - protocol.low) / 20:.2g}")


def list_trust_models() -> tuple[str, ...]:
    """The trust models that plans support."""
    from ldptui.core.lab.trust_models import TRUST_MODELS

    return tuple(TRUST_MODELS)


def is_shuffled(form: Mapping[str, Any]) -> bool:
    """True if the privacy promise has a δ (shuffled reports)."""
    return form.get("trust") == "shuffled" and form.get("task") == "frequencies"


def targets_or_ten(draft: Draft) -> int | None:
    """The number of the draft's targets; without targets ten, or d - 1 for fewer items."""
    return targets_of(draft) or _targets_below(draft, 10)


def targets_or_three(draft: Draft) -> int | None:
    """The number of the draft's targets; without targets three, or d - 1 for fewer items."""
    return targets_of(draft) or _targets_below(draft, 3)


def _targets_below(draft: Draft, most: int) -> int | None:
    """`most` targets, but fewer than the draft has items; None for an unknown domain."""
    items = items_of(draft)
    return None if items is None else max(1, min(most, items - 1))


def release(kind: str, epsilon: float, delta: Any, times: Any) -> str:
    """A budget as an entry of the ledger's form."""
    spent = f"{kind}={epsilon:.6g}"
    if isinstance(delta, int | float) and delta > 0:
        spent += f",{delta:g}"
    return f"{spent}x{times}" if isinstance(times, int) and times > 1 else spent


def value_of(draft: Draft, key: str) -> Any:
    from ..session.draft import value_of as value

    return value(draft, key)


def _rounds(draft: Draft) -> int:
    return int(value_of(draft, "campaign.rounds") or 10)


def entries_of_draft(draft: Draft) -> tuple[str, ...] | None:
    epsilon = value_of(draft, "protocol.epsilon")
    if not (isinstance(epsilon, int | float) and epsilon > 0):
        return None
    delta, kind = value_of(draft, "protocol.delta"), str(value_of(draft, "protocol.kind"))
    return (release(kind, epsilon, delta, _rounds(draft)),)


def noise_of_draft(draft: Draft) -> str | None:
    """RAPPOR's f, p, q and hashes in the draft, as the form takes them; None for other
    protocols.
    """
    if not has(value_of(draft, "protocol.kind"), "hashes"):
        return None
    noise = [value_of(draft, f"protocol.{name}") for name in ("f", "p", "q", "hashes")]
    known = all(isinstance(number, int | float) for number in noise)
    return ", ".join(f"{number:g}" for number in noise) if known else None


def rounds_of_draft(draft: Draft) -> int | None:
    return None if noise_of_draft(draft) is None else _rounds(draft)


def rows_of_draft(draft: Draft) -> int | None:
    users = users_of(draft)
    return None if users is None else min(users, 1_000_000)
