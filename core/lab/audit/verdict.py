"""The verdict of an audit: what its bounds and the law of the reports that it saw say together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ...law.pure import is_pure
from .conformity import (
    Bias,
    Interval,
    agreement,
    bias,
    coarse,
    kept_raw,
    other_rate,
    own_rate,
    repeats,
)
from .evidence import Claim, Evidence, Supported
from .found import Asked, Finding, Inspection
from .monte_carlo import epsilon_at_least
from .rounds import OF_AGREEMENT, OF_AVERAGE, OF_RATES, OF_REPEATS, Bound

NAMED: Final = 4
"""Items that are never perturbed that are named, at most."""


def concluded(
    made: Inspection,
    asked: Asked,
    claim: Claim,
    bounds: Sequence[Bound],
    seen: Evidence | None,
    look: float,
) -> Inspection:
    """An inspection with its verdict. made : the client, its speed, and what its coins showed.

    bounds : those of the rounds. seen : its reports; None before there are any. look : the share of
    the error of the average, which may be looked at after any round.
    """
    best = max(bounds, key=lambda each: each.lower, default=None)
    made = replace(made, bound=best, rounds=tuple(bounds), seen=seen)
    refutations: list[Finding] = []
    if best is not None:
        made = replace(made, epsilon_low=best.lower)
        if exceeds(best.lower, claim.epsilon):
            refutations.append(_refutation(best, claim.epsilon, asked.confidence))
    if seen is not None:
        k = seen.watched.size
        made = replace(made, pairs=k * (k - 1), events=seen.lens.width)
        made = _on_average(made, seen.supported, OF_AVERAGE * look * asked.error)
        average = made.average_low or 0.0
        if average > made.epsilon_low:
            made = replace(made, epsilon_low=average)
            if exceeds(average, claim.epsilon):
                refutations.append(_refutation_on_average(made, claim, seen.supported))
        made = _with_law(made, seen, claim, asked.error)
    made = replace(made, findings=(*refutations, *made.findings))
    if any(finding.broken for finding in made.findings):
        return replace(made, verdict="broken")
    return replace(made, verdict="proved" if asked.proved else "not-refuted")


def exceeds(lower: float, promised: float) -> bool:
    """True where a bound is above the ε that was promised, beyond rounding."""
    return lower > promised * (1 + 1e-9)


def _on_average(made: Inspection, seen: Supported, error: float) -> Inspection:
    """With the bound of the naive attacker, of users of all items together."""
    if not seen.guesses:
        return made
    low = float(epsilon_at_least(seen.right, seen.wrong, seen.guesses, 1 - error))
    ratio = seen.right / max(seen.wrong, 1)
    return replace(made, average_low=low, average=math.log(ratio) if ratio > 0 else 0.0)


def _with_law(made: Inspection, seen: Evidence, claim: Claim, error: float) -> Inspection:
    """With what the supports say, and the agreement with the protocol. error : of all verdicts."""
    if claim.sent is not None and seen.compared:
        agrees = agreement(seen)
        conforms = agrees.p_value >= OF_AGREEMENT * error
        made = replace(made, agrees=agrees, conforms=conforms)
    again = repeats(seen, OF_REPEATS * error)
    if again is not None:
        what = "hash seeds come" if again.seeds else "reports come"
        words = f"its {what} again: {again.alike} of {again.of} reports have one"
        found = Finding("repeats", words, False, made.samples)
        made = replace(made, conforms=False, findings=(*made.findings, found))
    protocol, supported = claim.protocol, seen.supported
    if not (supported.reports and is_pure(protocol)):
        return made
    if (protocol.supports(seen.raw[0][1]) < 0).any():
        return made  # reports that speak against items have other p and q
    part = OF_RATES * error / 3
    p = own_rate(supported, protocol.p, part / 2)
    q = other_rate(supported, protocol.q, part / 2)
    away = bias(supported, protocol.p, protocol.q, part)
    told = tuple(
        Finding(kind, words, False, made.samples)
        for kind, words in _told_of_supports(supported, p, q, away, part)
    )
    return replace(
        made, rates=(p, q), worst_bias=away, findings=(*made.findings, *told),
        conforms=False if away.found else made.conforms,
    )  # fmt: skip


def _told_of_supports(
    supported: Supported, p: Interval, q: Interval, away: Bias, error: float
) -> Iterator[tuple[str, str]]:
    """The kinds and the sentences of what is wrong with the supports of reports."""
    told = p.told
    for item in kept_raw(supported, told or 0.0, error)[:NAMED]:
        words = (
            f"item {item} is never perturbed: all {supported.held[item]} of its reports "
            f"support it (p is {told:.4g}); the average over all items hides that"
        )
        yield "never perturbed", words
    for rate, name in ((p, "p"), (q, "q")):
        if rate.told is not None and not rate.low <= rate.told <= rate.high:
            words = f"{name} is in [{rate.low:.5g}, {rate.high:.5g}], told {rate.told:.5g}"
            yield f"other {name}", words
    of = coarse(p, q)
    if of is not None:
        words = (
            f"its chances are multiples of 1/{of}: {round(p.value * of)}/{of} and "
            f"{round(q.value * of)}/{of}, as those of coins with few random bits"
        )
        yield "coarse coins", words
    if away.found:
        words = (
            f"the estimate of item {away.item} is off by {away.value:+.4g} "
            f"({away.low:+.4g} … {away.high:+.4g})"
        )
        yield "bias", words


def _refutation(best: Bound, promised: float, confidence: float) -> Finding:
    text = (
        f"ε is at least {best.lower:.4g}, and {promised:.4g} was promised (confidence "
        f"{confidence:g}): {best.event}, in {best.hits[0]} of {best.of[0]} reports of item "
        f"{best.first} and {best.hits[1]} of {best.of[1]} of item {best.second}"
    )
    return Finding("epsilon", text, True, best.samples)


def _refutation_on_average(made: Inspection, claim: Claim, seen: Supported) -> Finding:
    text = (
        f"ε is at least {made.average_low:.4g} on average, and {claim.epsilon:.4g} was promised "
        f"(confidence {made.confidence:g}): of {seen.guesses} guesses {seen.right} are the user's "
        f"item, and {seen.wrong} a given other one"
    )
    return Finding("epsilon", text, True, made.samples)
