"""What an audit found, told: a table, a chart of the bounds, sentences, and values for JSON."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ldptui.core.lab.audit import Claim, Inspection, Power
from ldptui.core.law.capabilities import memoises

from ...lab.asking import plain
from ...terminal.output import width
from ...text import format as text
from ...text.table.layout import plain_table
from .at_work import Question

SHORT: Final = 34
"""Characters of a client's name in a table, at most."""
UNPROVED: Final = (
    "side channels: the time that a report takes, its length, what else the client sends",
    "the quality of the generator behind the coins, but for what is tested above",
    "other items, other arguments, other versions and other machines than those that ran",
    "floating point, but for the lowest digits of the numbers that are reported",
)
"""The limits of every audit; `unproved` adds the cost of several reports of one user."""


def unproved(question: Question) -> Iterator[str]:
    """The limits of an audit: each is something that it does not prove."""
    yield from UNPROVED
    yield from dict.fromkeys(_several(named.claim) for named in question.clients)


def _several(claim: Claim) -> str:
    """The cost of several reports of one user, which an audit of single reports leaves open."""
    protocol: Any = claim.protocol
    if not (memoises(protocol) and math.isfinite(protocol.epsilon_infinity)):
        return "several reports of one user, whose ε add up"
    return (
        f"several reports of one user of {claim.kind}: while the client keeps its answer, which is "
        f"not tested, those of one item cost ε∞ = {text.short(protocol.epsilon_infinity)}, however "
        "many, and a new item as much again at most"
    )


POWER_HEADS: Final = (
    "power", "refutes ε ≥", "reports for ε = {}", "shown at ε = {}", "on average"
)  # fmt: skip
"""The heads of the table of powers."""


def power_lines(question: Question, powers: Sequence[Power]) -> Iterator[str]:
    """The power of the audit, which is printed before anything runs."""
    asked, promised = question.asked, text.chosen(question.promise.epsilon)
    yield (
        f"audit: ε = {promised} promised, d = {text.count(question.promise.items)}, at most "
        f"{text.count(asked.samples)} reports of each client, confidence {asked.confidence:g}"
    )
    if not powers:
        yield "power: not known for these keys"
        yield ""
        return
    heads = [head.format(value) for head, value in zip(
        POWER_HEADS, ("", "", text.chosen(powers[0].asked), promised, ""), strict=True
    )]  # fmt: skip
    rows = [
        (
            each.like,
            "none" if each.refutes is None else text.short(each.refutes),
            "more than 10^12" if each.needed is None else text.count(each.needed),
            text.short(each.expected), text.short(each.naive),
        )
        for each in powers
    ]  # fmt: skip
    yield plain_table(heads, rows).rstrip()
    yield "a client that follows the protocol with such an ε is refuted with probability"
    yield "0.9; one that keeps its promise shows that much by the best event, and on"
    yield "average to the naive attacker"
    unsure = [each.like for each in powers if not each.sure]
    if unsure:
        yield f"of {', '.join(unsure)} at most: items may share bits, and of numbers the best two"
        yield "and the best part of the line have to be found"
    yield ""


def power_sentence(power: Power, promised: float) -> str:
    """The power of an audit against clients of one protocol, in a sentence."""
    refuted = "No ε is refuted" if power.refutes is None else (
        f"A client that follows {power.like} with ε ≥ {text.short(power.refutes)} is refuted with "
        "probability 0.9"
    )  # fmt: skip
    naive = "" if power.naive is None else f", {text.short(power.naive, 3)} on average"
    return (
        f"{refuted}; one that keeps ε = {text.short(promised)} shows "
        f"{text.short(power.expected, 3)} by the best event{naive}."
    )


def told(question: Question, found: Sequence[Inspection]) -> str:
    """The table, the chart and the sentences of all clients."""
    rows = [
        (
            _short(each.client), verdict_word(each), text.short(each.epsilon_low, 3),
            text.short(each.average_low, 3), AGREES[each.conforms],
            text.count(each.samples), text.rate(each.speed),
        )
        for each in found
    ]  # fmt: skip
    heads = ("client", "verdict", "ε at least", "on average", "conforms", "reports", "speed")
    lines = [plain_table(heads, rows).rstrip(), "", *_chart(question, found), ""]
    for each in found:
        lines += [*_sentences(each), ""]
    return "\n".join([*lines, *_notes(question, found)]) + "\n"


AGREES: Final = {True: "yes", False: "NO", None: text.MISSING}
"""Whether reports follow the protocol that is claimed, in a table."""


def verdict_word(each: Inspection) -> str:
    """The verdict on a client, in a table."""
    word = "BROKEN" if each.verdict == "broken" else each.verdict.replace("-", " ")
    return word if each.whole else f"{word} (partial)"


def _short(name: str) -> str:
    return name if len(name) <= SHORT else f"…{name[1 - SHORT :]}"  # the end of a path tells it


def _chart(question: Question, found: Sequence[Inspection]) -> Iterator[str]:
    """The bounds on ε beside the promise, a bar for each client."""
    names = max(len(_short(each.client)) for each in found)
    shown = width() if sys.stdout.isatty() else 80
    room = max(20, min(60, shown - names - 10))
    most = 1.25 * max(question.promise.epsilon, *(each.epsilon_low for each in found))
    mark = round(question.promise.epsilon / most * room)
    yield f"{'':<{names}}  ε shown, beside the promise (┃)"
    for each in found:
        filled = round(min(each.epsilon_low / most, 1.0) * room)
        cells = ["█" if at < filled else " " for at in range(room + 1)]
        cells[mark] = "┃"
        bar = "".join(cells).rstrip()
        yield f"{_short(each.client):<{names}}  {bar} {text.short(each.epsilon_low, 3)}".rstrip()
    low, promise = "0", text.chosen(question.promise.epsilon)
    scale = [" "] * (room + 12)
    for at, label in ((0, low), (max(2, mark - len(promise) // 2), promise)):
        scale[at : at + len(label)] = label
    yield f"{'':<{names}}  {''.join(scale).rstrip()}"


def _sentences(each: Inspection) -> Iterator[str]:
    """What there is to say of one client."""
    yield f"{each.client}:"
    for finding in each.findings:
        mark = "BROKEN: " if finding.broken else ""
        yield f"  {mark}{finding.text} [{text.count(finding.samples)} reports]"
    if not each.findings:
        yield "  nothing was found"
    if each.rates is not None:
        for name, rate in zip("pq", each.rates, strict=True):
            yield (
                f"  {name} = {text.short(rate.value, 5)} in [{text.short(rate.low, 5)}, "
                f"{text.short(rate.high, 5)}]; told {text.short(rate.told, 5)}"
            )
    if each.worst_bias is not None:
        away = each.worst_bias
        yield (
            f"  largest bias of an estimate: {text.short(away.value, 3, sign=True)} of item "
            f"{away.item}, in [{text.short(away.low, 3, sign=True)}, "
            f"{text.short(away.high, 3, sign=True)}]"
        )
    if each.agrees is not None:
        yield (
            f"  compared with the protocol's own reports: p = "
            f"{text.short(each.agrees.p_value, 2)} ({each.agrees.comparisons} comparisons; "
            f"farthest off: {each.agrees.worst})"
        )


def _notes(question: Question, found: Sequence[Inspection]) -> Iterator[str]:
    first = found[0]
    pairs, tests = text.count(first.pairs), max(len(each.rounds) for each in found)
    yield (
        f"each bound is the best of {pairs} pairs of items and of all events of "
        f"{text.count(first.events)} categories, chosen on other reports than those that test it; "
        f"{tests} {'test is' if tests == 1 else 'tests are'} paid for"
    )
    if any(each.average_low is not None for each in found):
        yield (
            "on average: the naive attacker's bound over users of all items together, which hides "
            "what a client does to single items"
        )
    yield "not refuted is no proof; what an audit does not see:"
    yield from (f"  - {line}" for line in unproved(question))
    if question.promise.opaque or (
        not question.promise.kind and any(e.agrees is None for e in found)
    ):
        yield "without --as nothing is known of p, q and the law: lines are compared as text"


def document(
    question: Question, found: Sequence[Inspection], powers: Sequence[Power]
) -> dict[str, Any]:
    """The values for JSON."""
    return {
        "epsilon": question.promise.epsilon,
        "items": question.promise.items,
        "power": plain(powers[0]) if powers else None,
        "powers": [plain(each) for each in powers],
        "clients": [_values(each) for each in found],
    }


def _values(each: Inspection) -> dict[str, Any]:
    rates: Any = each.rates or (None, None)
    return {
        "client": each.client,
        "verdict": each.verdict,
        "epsilon_low": each.epsilon_low,
        "confidence": each.confidence,
        "samples": each.samples,
        "conforms": each.conforms,
        "findings": [finding.text for finding in each.findings],
        "details": [plain(finding) for finding in each.findings],
        "average_low": each.average_low,
        "bound": plain(each.bound),
        "p": plain(rates[0]),
        "q": plain(rates[1]),
        "bias": plain(each.worst_bias),
        "agreement": plain(each.agrees),
        "pairs": each.pairs,
        "events": each.events,
        "tests": len(each.rounds),
        "speed": each.speed if math.isfinite(each.speed) else None,
        "whole": each.whole,
    }
