"""My deployment, from numbers that are typed or from files of its reports."""

from __future__ import annotations

from ldptui.core.attacks import split
from ldptui.core.base.errors import ScenarioError

from ...lab.asking import Ask, Steps
from ...lab.questions.collected import Collection
from ...lab.questions.reports import DeploymentOptions
from ...questions.deployment_cells import Deployment
from ...questions.deployment_matrix import matrix
from ...text import format as text
from ..collected import estimate
from ..sources import labels_in
from .collection import counted_of, opened

CORRECTION = "norm-sub"
"""It makes frequencies of estimates: none is negative, and they add up to 1."""


def answer(options: DeploymentOptions, ask: Ask) -> Steps:
    """The matrix of protocol, attack and defence."""
    named = options.domain and len(labels_in(ask.folder / options.domain))
    items, users = named or options.items, options.users
    counts: tuple[int, ...] = ()
    if any(options.reports):
        collection = Collection(
            reports=options.reports, protocol=options.protocol, epsilon=options.epsilon,
            items=options.items, domain=options.domain,
        )  # fmt: skip
        files = opened(collection, ask)
        yield f"counting the reports of {text.count(len(files.reports))} files"
        found = estimate(counted_of(files), files.protocol, corrections=[CORRECTION])
        users, counts = found.reports, tuple(split(found.reports, found.values.tolist()))
    if users is None:
        raise ScenarioError("is required, or files of reports", key="users")
    if items is None:
        raise ScenarioError("is required, or a file of their names", key="items")
    yield "closed forms of every attack"
    return (
        yield from matrix(
            Deployment(
                options.protocol, options.epsilon, items, users, options.share,
                options.targets, counts,
            )
        )
    )  # fmt: skip
