"""whether clients of any language keep their ε"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from ldptui.core.base.ranges import ALPHA, EPSILON, Range

from ..text import format as text
from .choices import alike, local
from .options import Argument, Blank, Settings
from .parameters import Seed
from .question import Steps, question
from .question_answer import HIDDEN, QuestionAnswer, Table

if TYPE_CHECKING:
    from ldptui.core.lab.audit import AuditReport

    from .sheet import Figure

HEADS: Final = ("client", "verdict", "ε at least", "conforms", "reports")
CONFORMS: Final = {True: "yes", False: "NO", None: text.MISSING}
UNPROVED: Final = (
    "side channels: the time that a report takes, its length, what else the client sends",
    "several reports of one user, and what a report keeps of earlier ones",
    "the quality of the generator behind the coins, other versions and other machines",
)
"""What no audit sees."""


@dataclass(frozen=True)
class AuditAnswer(QuestionAnswer):
    """The answer of `audit`: a report on each client that promises an ε."""

    epsilon: float
    items: int
    clients: Sequence[AuditReport]
    is_strict: bool = dataclasses.field(default=False, metadata=HIDDEN)

    @property
    def title(self) -> str:
        return f"Promise ε = {text.chosen_value(self.epsilon)}, d = {text.count(self.items)}"

    @property
    def is_broken(self) -> bool:
        return any(each.is_broken for each in self.clients)

    @property
    def is_misfit(self) -> bool:
        return self.is_strict and any(each.conforms is False for each in self.clients)

    @property
    def sentences(self) -> Iterator[str]:
        broken = [each.client for each in self.clients if each.is_broken]
        promise = f"the promised ε = {text.chosen_value(self.epsilon)}"
        if broken:
            are = "is" if len(broken) == 1 else "are"
            yield f"{', '.join(broken)} {are} BROKEN: reports do not keep {promise}."
        else:
            yield f"Not refuted: the reports agree with {promise}, which is no proof."
        for each in self.clients:
            yield from (f"{each.client}: {finding}" for finding in self._findings(each))

    def _findings(self, each: AuditReport) -> Iterator[str]:
        """The sentences about a client: its bound first, then its coins and its distribution."""
        (a, b), (first, second), (of, other) = each.items, each.hits, each.of
        yield (
            f"ε is at least {text.short(each.epsilon_low, 4)} (confidence {each.confidence:g}): "
            f"{each.event}, in {text.count(first)} of {text.count(of)} reports of item {a} and "
            f"{text.count(second)} of {text.count(other)} of item {b}."
        )
        if each.repeats:
            yield "fresh starts send the same reports: its coins are those of a fixed seed."
        if each.p_value is not None:
            agrees = "agree with" if each.conforms else "are NOT those of"
            yield (
                f"its reports {agrees} the protocol that it claims to follow: "
                f"p = {text.short(each.p_value, 2)}; farthest off: {each.farthest}."
            )

    @property
    def notes(self) -> Iterator[str]:
        yield f"no audit sees {'; '.join(UNPROVED)}."

    def table(self, is_brief: bool = False) -> Table:
        del is_brief
        return HEADS, [
            (
                each.client,
                "BROKEN" if each.is_broken else "not refuted",
                text.short(each.epsilon_low, 3),
                CONFORMS[each.conforms],
                text.count(each.samples),
            )
            for each in self.clients
        ]

    @property
    def sources(self) -> Sequence[str]:
        return ("CP",)

    def figures(self) -> Iterator[Figure]:
        """The bound on ε of each client beside the promise."""
        from ..charts.series import Bar, Bars
        from .sheet import figure

        bars = tuple(
            Bar(each.client, each.epsilon_low, true=self.epsilon, target=each.is_broken)
            for each in self.clients
        )
        title = "ε shown, beside the promise"
        chart = Bars(title, bars, item="who", value="at least", truth="promised")
        rows = [("", each.client, each.epsilon_low, self.epsilon) for each in self.clients]
        yield figure(chart, ("", "client", "ε at least", "promised"), rows)


def _claims() -> tuple[tuple[Any, str], ...]:
    return (("", "what it is"), *alike(*local()))


@question("Audit", "Do these clients keep ε?", group="Check", place=2)
def audit(
    *clients: Annotated[
        str,
        "CLIENT",
        Argument(positional=True, role="clients"),
        Blank(("grr", "oue"), hint="kind, file"),
    ],
    epsilon: Annotated[float, EPSILON, "E", Blank(1.0, "protocol.epsilon")],
    items: Annotated[
        int, Range(2, 2**12), "D", Argument(renames=("domain_size",)), Blank(16, steps="1-2-5")
    ],
    kind: Annotated[
        str,
        "KIND",
        Argument(renames=("protocol.kind",), flags=("--as",)),
        Blank(choices=_claims),
    ] = "",
    command: Annotated[tuple[str, ...], "TEXT", Argument(repeated=True)] = (),
    settings: Annotated[Settings, "KEY=VALUE"] = (),
    samples: Annotated[int, Range(1000, 10**8), "N", Blank(50_000, steps="1-2-5")] = 200_000,
    confidence: Annotated[float, ALPHA, "C", Blank(steps="hundredths")] = 0.999,
    seed: Annotated[Seed, Blank(0)] = 0,
    time_limit: Annotated[float, Range(0, 86400, "(]"), "S"] = 300.0,
    strict: bool = False,
) -> Steps[AuditAnswer]:
    """Audit clients: whether their reports can keep the promised ε, and follow the protocol
    that they claim. Exit code 6 where one is broken.

    Parameters
    ----------
    clients : a protocol of ours, FILE.py:NAME, where NAME(items, epsilon) gives an object with
        perturb(values, rng), or FILE.csv with columns item and report; only what is named runs
    epsilon : the promised ε, in nats
    items : items are the numbers 0 … D - 1
    kind : the protocol that they claim to follow
    command : a program and its arguments, which reads an item a line and writes a report a line,
        a row of CSV or an object of JSON; may be repeated
    settings : another key of the protocol, as hash_range=8; may be repeated
    samples : reports of each client
    confidence : the confidence of all verdicts on a client together
    seed : the seed of the items
    time_limit : seconds that one start of a program may take
    strict : end with 7 where a client does not conform

    Examples
    --------
    ldptui audit oue --epsilon 1 --items 16
    ldptui audit client.py:Client --as olh --epsilon 1 --items 16
    ldptui audit --command "./client --epsilon 1" --as grr --epsilon 1 --items 16
    """
    from ldptui.core.lab.audit import ClientClaim, Effort, audit_client

    from .audit_clients import open_clients

    promise, effort = ClientClaim(items, epsilon), Effort(samples, confidence, seed)
    named = open_clients(clients, command, promise, kind.lower(), settings, time_limit)
    found = list[Any]()
    for claim, start in named:
        found.append((yield from audit_client(start(), claim, effort)))
        if len(found) < len(named):
            yield AuditAnswer(epsilon, items, tuple(found), strict)
    return AuditAnswer(epsilon, items, tuple(found), strict)
