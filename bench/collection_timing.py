"""Our side of the measures of one collection: counts drawn, or every user's report."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ldptui.core.collection.reports import users_at_once
from ldptui.core.kernels.loops import LOOPS
from ldptui.core.law.distributions import fit_distribution
from ldptui.core.law.longitudinal import Attendance, Memoising
from ldptui.core.law.mechanism import LocalMechanism, is_a
from ldptui.core.law.numeric_protocol import heard_mean
from ldptui.core.law.pure import SeedSearch
from ldptui.core.protocols import KINDS, OLH
from ldptui.core.protocols.budget import Budget

PROTOCOLS: dict[str, Callable[[int, float], Any]] = {
    kind.upper(): lambda items, epsilon, kind=kind, spec=spec: spec(  # type: ignore[misc]
        kind=kind, epsilon=epsilon
    ).bind(items)
    for kind, spec in KINDS.items()
}
ITEMS, SHARE, TARGETS = 1024, 0.05, 10


def timed(
    work: Callable[[], Any], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> tuple[list[float], Any]:
    seconds = []
    for _ in range(repeats):
        start = clock()
        result = work()
        seconds.append(clock() - start)
    return seconds, result


def reports(
    protocol: str, users: int, items: int = ITEMS, repeats: int = 3, compiled: bool | None = None
) -> dict[str, Any]:
    """Every user's real report, then their counts and the estimate: what the peers do.

    compiled : the loops, from the first user on or never; None: as a run has them.
    """
    if compiled is not None:
        LOOPS.missing = "" if compiled else "NumPy's are measured"
    if compiled:
        LOOPS.load()
    bound = PROTOCOLS[protocol](items, 1.0)
    rng = np.random.default_rng(1)
    values = rng.integers(items, size=users)
    truth = np.bincount(values, minlength=items) / users

    def work() -> Any:
        counts: Any = 0
        step = users_at_once(bound)
        for at in range(0, users, step):
            counts = counts + bound.support_counts(bound.perturb(values[at : at + step], rng))
        return bound.estimates(counts, users).frequencies

    if compiled:
        work()
    seconds, estimated = timed(work, repeats, time.process_time)
    return {"seconds": seconds, "rms_error": float(np.sqrt(np.mean((estimated - truth) ** 2)))}


def kinds(users: int = 100_000, n: int = 10**9, repeats: int = 3) -> dict[str, Any]:
    """Every local kind that a budget binds: counts of n users, and reports of `users`, in one run.

    "counts" is a trial's part of a block of 20, "reports" perturbs and counts; kinds take turns.
    Seconds are those of the processor, whatever else it does; OLH's loops are NumPy's, as all are.
    """
    LOOPS.missing = "NumPy's are measured"
    specs: dict[str, Any] = {
        kind: spec
        for kind, spec in KINDS.items()
        if is_a(spec.mechanism, LocalMechanism) and issubclass(spec, Budget)
    }
    bound = {kind: spec(kind=kind, epsilon=1.0).bind(ITEMS) for kind, spec in specs.items()}
    rng = np.random.default_rng(1)
    histogram = np.broadcast_to(rng.multinomial(n, np.full(ITEMS, 1 / ITEMS)), (20, ITEMS))
    values = rng.integers(ITEMS, size=users)
    taken: dict[str, dict[str, list[float]]] = {"counts": {}, "reports": {}}

    def reported(protocol: Any) -> Any:
        step = users_at_once(protocol)
        for at in range(0, users, step):
            protocol.support_counts(protocol.perturb(values[at : at + step], rng))

    clock = time.process_time
    for _ in range(repeats):
        for kind, protocol in bound.items():
            if not protocol.by_reports:
                seconds, _ = timed(partial(protocol.sample_counts, histogram, rng), 2, clock)
                taken["counts"].setdefault(kind, []).append(min(seconds) / 20)
            seconds, _ = timed(partial(reported, protocol), 1, clock)
            taken["reports"].setdefault(kind, []).append(seconds[0])
    return {"seconds": [], **taken}


def numbers(protocol: str, users: int, repeats: int = 3) -> dict[str, Any]:
    """Every user's real report of a number, then their counts and the estimate of the mean."""
    bound = PROTOCOLS[protocol](ITEMS, 1.0)
    rng = np.random.default_rng(1)
    held = rng.uniform(-1, 1, users)

    def work() -> float:
        counts = bound.support_counts(bound.tell(held, rng))
        return float(heard_mean(bound, counts[None])[0][0])

    seconds, mean = timed(work, repeats, time.process_time)
    return {"seconds": seconds, "rms_error": abs(mean - float(held.mean()))}


def distribution(kind: str, fit: str = "", n: int = 10**9, repeats: int = 5) -> dict[str, Any]:
    """Counts of n users who hold 1,024 numbers, in 1,024 bins; with `fit`, their distribution too.

    The table of the protocol is made before, as a run makes it once.
    """
    held = np.diff(np.linspace(0, 1, ITEMS + 1) ** 2)
    rng = np.random.default_rng(1)
    histogram = rng.multinomial(n, held)[None]
    bound = KINDS[kind](kind=kind, epsilon=1.0).bind(ITEMS)
    bound = replace(bound, cells=True) if fit else bound

    def work() -> Any:
        counts = bound.sample_counts(histogram, rng)
        return fit_distribution(bound, counts, fit == "ems") if fit else counts

    work()
    seconds, _ = timed(work, repeats, time.process_time)
    return {"seconds": seconds}


def kept(n: int = 10**9, rounds: int = 20, repeats: int = 3) -> dict[str, Any]:
    """Every kind that keeps an answer: counts of n users, a trial and round, all in one run."""
    specs = {kind: spec for kind, spec in KINDS.items() if is_a(spec.mechanism, Memoising)}
    bound = {kind: spec(kind=kind, epsilon=1.0).bind(ITEMS) for kind, spec in specs.items()}
    rng, clock = np.random.default_rng(1), time.process_time
    held = [rng.multinomial(n, np.full(ITEMS, 1 / ITEMS))] * rounds
    left = [np.zeros(ITEMS, dtype=np.int64)] * rounds
    attendance = Attendance(held, left, 20, rng, lambda _: rng)
    taken: dict[str, list[float]] = {}
    for _ in range(repeats):
        for kind, protocol in bound.items():
            if not protocol.by_reports:
                draw = partial(protocol.memoised_counts, attendance)
                seconds, _ = timed(lambda draw=draw: [*draw()], 1, clock)  # type: ignore[misc]
                taken.setdefault(kind, []).append(seconds[0] / (20 * rounds))
    return {"seconds": [], "kept": taken}


def counts(protocol: str, users: int, items: int = ITEMS, repeats: int = 50) -> dict[str, Any]:
    """The same estimate from counts that are drawn instead of the users; no seconds if none are."""
    bound = PROTOCOLS[protocol](items, 1.0)
    if bound.by_reports:
        return {"seconds": []}
    rng = np.random.default_rng(1)
    histogram = rng.multinomial(users, np.full(items, 1 / items))[None]
    seconds, _ = timed(
        lambda: bound.estimates(bound.sample_counts(histogram, rng), users),
        repeats,
        time.process_time,
    )
    return {"seconds": seconds}


def craft(fakes: int = 4000, targets: int = TARGETS, repeats: int = 5) -> dict[str, Any]:
    """Seconds per fake user: 1000 seeds searched for one that puts many targets into a bucket."""
    bound = OLH(ITEMS, 1.0)
    rng = np.random.default_rng(1)
    chosen = np.arange(targets)
    seconds, _ = timed(lambda: bound.craft(chosen, fakes, SeedSearch(1000), rng), repeats)
    return {"seconds": [total / fakes for total in seconds], "hash_range": bound.hash_range}
