"""every attack on your own setting, under every defence"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import EPSILON, SHARE, USERS

from ..text import format as text
from .choices import local
from .draft_values import targets_or_three
from .options import AllowedWords, Argument, Blank
from .parameters import Items, Targets, pairs, users_of
from .question import Steps, question

if TYPE_CHECKING:
    from .deployment_answer import DeploymentAnswer


def _is_uncounted(form: Mapping[str, Any]) -> bool:
    """Return whether no file says how many users there are."""
    return not any(form.get("reports") or ())


@question(
    "Deployment",
    "What can fakes do to my deployment?",
    group="My deployment",
    offer="enter puts the defence at the cursor, and its worst attack, into the scenario.",
)
def deployment(
    *reports: Annotated[
        str, "REPORTS", Argument(positional=True, role="reports"), Blank((), hint="file, folder")
    ],
    protocol: Annotated[
        str, "KIND", AllowedWords(local), Blank("oue", "protocol.kind", pairs(local), bare=True)
    ] = "oue",
    epsilon: Annotated[float, EPSILON, "E", Blank(1.0, "protocol.epsilon")] = 1.0,
    items: Annotated[Items | None, "D", Argument(renames=("domain_size",), either=True)] = None,
    domain: Annotated[str | None, "FILE", Argument(either=True)] = None,
    users: Annotated[
        int | None,
        USERS,
        "N",
        Blank(100_000, users_of, steps="1-2-5", only=_is_uncounted),
    ] = None,
    share: Annotated[float, SHARE, "B", Blank(0.05, "attack.share", steps="hundredths")] = 0.05,
    targets: Annotated[Targets, "R", Blank(3, targets_or_three)] = 3,
) -> Steps[DeploymentAnswer]:
    """Put every attack on a deployment beside every defence, and beside other protocols: closed
    forms where there are, quick simulations elsewhere; the worst cell, what no defence can tell,
    and what the planner would change. REPORTS are files of its reports, which tell its users and
    its frequencies; without them n is given, and frequencies follow Zipf's law.

    Parameters
    ----------
    reports : files of its reports, folders, patterns
    protocol : the protocol of the deployment
    epsilon : privacy budget ε of a report
    items : domain size d
    domain : the names of the items, one a line, in place of d
    users : genuine users n, where no reports tell them
    share : share β of fake users
    targets : items r that the fakes lift together, the rarest

    Examples
    --------
    ldptui deployment --protocol oue --epsilon 1 --items 128 --users 1e5 --share 0.05 --targets 3
    ldptui deployment reports.csv --protocol oue --epsilon 1 --items 16
    """
    from pathlib import Path

    from ldptui.core.reports.sources import labels_in, sources

    from .deployment_answer import ATTACKS, DeploymentAnswer, plan_change
    from .deployment_cells import Deployment, Outcome, count_rows, floor, outcomes
    from .mechanisms import DRAWN

    labels = None if domain is None else labels_in(Path(domain))
    size = items if labels is None else len(labels)
    if size is None:
        raise ScenarioError("is required, or a file of their names", key="items")
    counts: tuple[int, ...] = ()
    if any(reports):
        files = sources([each for each in reports if each])
        yield f"counting the reports of {text.count(len(files))} files"
        users, counts = _count(files, protocol, size, epsilon, labels)
    if users is None:
        raise ScenarioError("is required, or files of reports", key="users")
    yield "closed forms of every attack"
    mine = Deployment(protocol, epsilon, size, users, share, targets, counts)
    hidden, found = floor(mine, ATTACKS[0]), list[Outcome]()
    best, plan = plan_change(mine)
    rivals = [kind for kind in dict.fromkeys((*DRAWN, best)) if kind != protocol]
    for outcome in outcomes(mine, ATTACKS, rivals):
        found.append(outcome)
        if outcome.attack == ATTACKS[-1]:
            answer = DeploymentAnswer(mine, tuple(found), hidden, plan)
            yield answer
            yield f"{len(answer.rows)} of {count_rows(rivals)} rows are known"
    return DeploymentAnswer(mine, tuple(found), hidden, plan)


def _count(
    files: Sequence[Any], kind: str, items: int, epsilon: float, labels: Sequence[str] | None
) -> tuple[int, tuple[int, ...]]:
    """The users of files of reports, and how many hold each item: estimates, none negative."""
    from ldptui.core.attacks import split
    from ldptui.core.lab.synthetic import on_the_simplex
    from ldptui.core.reports.report_files import counted_in

    from .mechanisms import bound

    made = bound(kind, items, epsilon)
    counted = counted_in(files, made, labels)
    found = made.estimates(counted.counts[None], counted.reports).frequencies[0]
    return counted.reports, tuple(split(counted.reports, on_the_simplex(found).tolist()))
