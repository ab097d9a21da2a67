"""A cheap sweep of many cells, spread over workers: what the parent pays and what it gains.

    .venv/bin/python bench/spread.py '{"place": "local:2", "cells": 1000}'

prints one JSON line, as bench/ours.py does.
"""

import contextlib
import json
import resource
import sys
import time
from typing import Any

from ldptui.core.experiment import compile as bind
from ldptui.core.running.dask_executor import cluster
from ldptui.core.running.runner import run
from ldptui.core.scenario import parse


def spread(place: str, cells: int = 1000) -> dict[str, Any]:
    """OUE under MGA, d = 128, 10^6 users, 100 trials a cell.

    place : the number of processes, or local:N for N workers of Dask. "start" is the time until
    the first block is there, "seconds" those from there on for all other trials; "parent" is this
    process's CPU time of both, with Dask's own scheduler in it.
    """
    experiment = bind(
        parse(f"""
        format = 1
        trials = 100
        population = {{ kind = "zipf", items = 128, users = 1000000, exponent = 1.1 }}
        protocol = {{ kind = "oue", epsilon = 1.0 }}
        attack = {{ kind = "mga", targets = {{ pick = "random", count = 10 }} }}
        [sweep]
        "attack.share" = {{ from = 0.01, to = 0.2, points = {cells} }}
    """)
    )
    with contextlib.ExitStack() as ends:
        executor = None if place.isdigit() else ends.enter_context(cluster(place))
        began, cpu, first, known = time.perf_counter(), time.process_time(), 0.0, 0
        workers = int(place) if executor is None else 1
        for progress in run(experiment, workers=workers, executor=executor):
            if progress.done and not first:
                first, known = time.perf_counter(), progress.done
        ended, cpu = time.perf_counter(), time.process_time() - cpu
    rate = (ended - first) / (experiment.trials - known)
    return {
        "start": first - began,
        "seconds": rate * experiment.trials,
        "parent": cpu,
        "blocks": experiment.trials // 20,
        "digest": progress.results.digest,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "worker_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(spread(**json.loads(sys.argv[1]))))
