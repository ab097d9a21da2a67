"""Time our side of one measure, in a process of its own, so that its peak memory is its own too.

    .venv/bin/python bench/ours.py reports '{"protocol": "OLH", "users": 100000}'

prints one JSON line: {"seconds": [one per repeat], "peak_mb", …}.
"""

import functools
import itertools
import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from collection_timing import (
    ITEMS,
    PROTOCOLS,
    SHARE,
    TARGETS,
    counts,
    craft,
    distribution,
    kept,
    kinds,
    numbers,
    reports,
    timed,
)

from ldptui.core.attacks import (
    Attack,
    MaximalGain,
    PickTargets,
    RandomItem,
    RandomReport,
    malicious_users,
)
from ldptui.core.base.arms import ATTACKED, CLEAN
from ldptui.core.cell import Cell
from ldptui.core.collection.counts import genuine_counts, sent_counts
from ldptui.core.defences import CORRECTIONS, TrialReports
from ldptui.core.defences.fiad import FIAD
from ldptui.core.experiment import compile as bind
from ldptui.core.law.pure import Estimates, SeedSearch, estimate
from ldptui.core.metrics import FrequencyConclusion, measure
from ldptui.core.population import Population
from ldptui.core.protocols import OUE
from ldptui.core.running.runner import run
from ldptui.core.scenario import parse
from ldptui.core.task import Frequencies

ATTACKS: dict[str, Callable[..., Attack]] = {
    "rpa": RandomReport,
    "ria": RandomItem,
    "mga": MaximalGain,
}


def trial(protocol: str, attack: str, users: int, repeats: int = 21) -> dict[str, Any]:
    """CPU seconds of one whole trial on the counts path: genuine, attack, estimates, metrics.

    "seconds" draws one trial alone; "block" is a trial's part of a block of 20 as `run` makes it,
    with the fingerprints and the moments of every item's estimate.
    """
    histogram = np.random.default_rng(1).multinomial(users, np.full(ITEMS, 1 / ITEMS))
    strategy = ATTACKS[attack](share=SHARE, targets=PickTargets("random", TARGETS))
    cell = Cell(
        index=0,
        parameters={},
        seed=1,
        trials=20,
        population=Population(histogram, None, "bench", np.full(ITEMS, 1 / ITEMS)),
        protocol=PROTOCOLS[protocol](ITEMS, 1.0),
        attack=strategy,
        targets=np.arange(TARGETS),
        malicious=malicious_users(users, SHARE),
        path="counts",
        top_k=20,
        task=Frequencies(),
    )

    def alone() -> None:
        clean = genuine_counts(cell, 0, 1)
        attacked = clean + sent_counts(cell, 0, 1)[0]
        before = Estimates(estimate(clean, users, cell.pure))
        after = Estimates(estimate(attacked, users + cell.malicious, cell.pure))
        made = {CLEAN: before, ATTACKED: after}
        measure(FrequencyConclusion(made, cell.population.frequencies, cell.leaders, cell.targets))

    alone()  # the law of the seed search is computed once and kept
    seconds, _ = timed(alone, repeats, time.process_time)
    block, _ = timed(lambda: cell.block(0), max(3, repeats // 4), time.process_time)
    return {"seconds": seconds, "block": [total / 20 for total in block]}


def defended(kind: str, users: int = 10**6, repeats: int = 9) -> dict[str, Any]:
    """CPU seconds of one trial of MGA on OLH with a correction, as a part of a block of 20.

    "without" is the same trial without a defence.
    """
    text = f"""
        format = 1
        population = {{ kind = "zipf", items = {ITEMS}, users = {users}, exponent = 1.1 }}
        protocol = {{ kind = "olh", epsilon = 1.0 }}
        [attack]
        kind = "mga"
        share = {SHARE}
        targets = {{ pick = "random", count = {TARGETS} }}
    """
    eta = "eta = 0.05" if "eta" in CORRECTIONS[kind].__dataclass_fields__ else ""
    (plain,) = bind(parse(text)).cells
    (cell,) = bind(parse(f"{text}\n[[defence]]\nkind = {json.dumps(kind)}\n{eta}")).cells
    blocks = {}
    for name, made in (("without", plain), ("seconds", cell)):
        made.block(0)  # what is computed once and kept
        seconds, _ = timed(functools.partial(made.block, 0), repeats, time.process_time)
        blocks[name] = [total / 20 for total in seconds]
    return blocks


def sweep(users: int = 10**9, trials: int = 100, shares: int = 20) -> dict[str, Any]:
    """A figure's worth of MGA, file to results: 3 protocols x 20 shares, on two workers."""
    text = f"""
        format = 1
        trials = {trials}
        population = {{ kind = "zipf", items = {ITEMS}, users = {users}, exponent = 1.1 }}
        protocol = {{ epsilon = 1.0 }}
        attack = {{ kind = "mga", targets = {{ pick = "random", count = {TARGETS} }} }}
        [sweep]
        "protocol.kind" = ["grr", "oue", "olh"]
        "attack.share" = {{ from = 0.01, to = 0.2, points = {shares} }}
    """

    def work() -> int:
        for progress in run(bind(parse(text)), workers=2):
            done = progress.done
        return done

    seconds, done = timed(work, 1)
    return {"seconds": seconds, "trials": done}


def campaign(users: int = 10**6, rounds: int = 100, trials: int = 20) -> dict[str, Any]:
    """A campaign file to results: a ramp of MGA over the rounds, 3 protocols, one process."""
    text = f"""
        format = 1
        trials = {trials}
        population = {{ kind = "zipf", items = {ITEMS}, users = {users}, exponent = 1.1 }}
        protocol = {{ epsilon = 1.0 }}
        campaign = {{ churn = 0.05 }}
        [attack]
        targets = {{ pick = "random", count = {TARGETS} }}
        [[attack.phase]]
        rounds = {rounds}
        share = {{ from = 0.0, to = 0.05 }}
        mix = [{{ kind = "mga", weight = 1 }}]
        [sweep]
        "protocol.kind" = ["grr", "oue", "olh"]
    """

    def work() -> int:
        for progress in run(bind(parse(text))):
            done = progress.done
        return done

    seconds, done = timed(work, 1)
    return {"seconds": seconds, "trials": done}


def hitters(
    path: str,
    users: int,
    bits: int = 48,
    groups: int = 10,
    encoding: str = "random",
    share: float = SHARE,
    repeats: int = 3,
) -> dict[str, Any]:
    """Trials of PEM that looks for the 20 most frequent of 1024 items: both arms, and metrics.

    "seconds" are of the clock, "cpu" of the processor; "named" is the mean number of the 20 that
    one trial without fakes finds.
    """
    attack = f"""
        [attack]
        kind = "mga"
        share = {share}
        targets = {{ pick = "random", count = {TARGETS} }}
    """
    (cell,) = bind(
        parse(f"""
        format = 1
        population = {{ kind = "zipf", items = {ITEMS}, users = {users}, exponent = 1.3 }}
        protocol = {{ kind = "olh", epsilon = 1.0 }}
        simulate = {{ path = "{path}" }}
        [task]
        kind = "heavy-hitters"
        k = 20
        bits = {bits}
        groups = {groups}
        encoding = "{encoding}"
        {attack if share else ""}
        """)
    ).cells
    trials = 20 if path == "counts" else 1
    cell.block(1, 1)  # what is computed once and kept, and the compiled loops
    start = time.process_time()
    seconds, block = timed(lambda: cell.block(0, trials), repeats)
    cpu = (time.process_time() - start) / repeats / trials
    found = block.metrics["hitter_recall_clean"].mean()
    return {"seconds": [total / trials for total in seconds], "cpu": cpu, "named": 20 * found}


def _poisoned(users: int) -> tuple[Any, Any]:
    """OUE and the reports of its users, a twentieth of them fakes of MGA at ten targets."""
    bound, rng = OUE(ITEMS, 1.0), np.random.default_rng(1)
    fakes = bound.craft(np.arange(500, 510), users // 20, SeedSearch(), rng)
    genuine = bound.perturb(rng.integers(0, ITEMS, users - len(fakes)), rng)
    return bound, np.concatenate([genuine, fakes])[rng.permutation(users)]


def mine(users: int = 10**6, repeats: int = 1) -> dict[str, Any]:
    """FIAD on all reports: columns, mining up to ten items, flags and scores.

    "cpu" is the time of all cores together, which other programs hardly change.
    """
    bound, reports = _poisoned(users)
    received = TrialReports(bound, reports, np.random.default_rng(1))
    start = time.process_time()
    seconds, verdict = timed(lambda: FIAD().sift(received), repeats)
    cpu = (time.process_time() - start) / repeats
    return {"seconds": seconds, "cpu": cpu, "flagged": int(users - verdict.kept.sum())}


def mine_plain(users: int = 10**5, sets: int = 2000) -> dict[str, Any]:
    """CPU seconds for one pair, counted as a program does that takes one itemset after the other.

    One boolean matrix of reports; for each set, the rows in which all its columns are true.
    """
    bound, reports = _poisoned(users)
    bits = bound.supports(reports)
    pairs = list(itertools.islice(itertools.combinations(range(ITEMS), 2), sets))
    count = lambda: [bits[:, pair].all(axis=1).sum() for pair in pairs]  # noqa: E731
    seconds, _ = timed(count, 1, time.process_time)
    return {"seconds": [total / sets for total in seconds]}


MEASURES: dict[str, Callable[..., dict[str, Any]]] = {
    "reports": reports,
    "counts": counts,
    "kinds": kinds,
    "kept": kept,
    "numbers": numbers,
    "distribution": distribution,
    "trial": trial,
    "defended": defended,
    "craft": craft,
    "sweep": sweep,
    "campaign": campaign,
    "hitters": hitters,
    "mine": mine,
    "mine_plain": mine_plain,
}


def main() -> None:
    measure, options = sys.argv[1], json.loads(sys.argv[2])
    result = MEASURES[measure](**options)
    unit = 2**20 if sys.platform == "darwin" else 2**10  # ru_maxrss: bytes there, KB elsewhere
    for key, who in (("peak_mb", resource.RUSAGE_SELF), ("worker_mb", resource.RUSAGE_CHILDREN)):
        result[key] = resource.getrusage(who).ru_maxrss / unit
    print(json.dumps(result))


if __name__ == "__main__":
    main()
