"""What a form of a question about curators and tables starts with: values of the draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .offered import has
from .shared import users_of

if TYPE_CHECKING:
    from ...session.draft import Draft


def release(kind: str, epsilon: float, delta: Any, times: Any) -> str:
    """An entry of the ledger, as it is typed."""
    spent = f"{kind}={epsilon:.6g}"
    if isinstance(delta, int | float) and delta > 0:
        spent += f",{delta:g}"
    return f"{spent}x{times}" if isinstance(times, int) and times > 1 else spent


def value_of(draft: Draft, key: str) -> Any:
    from ...session.draft import value_of as value

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
    """RAPPOR's f, p, q and hashes."""
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
