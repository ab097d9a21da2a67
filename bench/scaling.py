"""The groups of `make bench` on more than one worker, and on compiled loops."""

import json
import statistics
import sys
from collections.abc import Iterator

from rows import ITEMS, PEERS, Row, ours, peer, run_json, scaled


def scaling(quick: bool) -> Iterator[Row]:
    """A sweep on one process, on two, and on two workers of Dask, in turns."""
    cells, turns = (100, 1) if quick else (1000, 2)
    taken: dict[str, list[dict[str, float]]] = {"1": [], "2": [], "local:2": []}
    digests = set()
    for _ in range(turns):
        for place, measured in taken.items():
            options = json.dumps({"place": place, "cells": cells})
            measured.append(run_json(sys.executable, "bench/spread.py", options))
            digests.add(measured[-1]["digest"])
    work = statistics.median(turn["parent"] for turn in taken["1"])
    alone = statistics.median(turn["seconds"] for turn in taken["1"])
    for place, name in (("2", "2 processes"), ("local:2", "2 workers of Dask")):
        found = taken[place]
        seconds, start, parent = (
            statistics.median(turn[key] for turn in found) for key in ("seconds", "start", "parent")
        )
        same = "one digest" if len(digests) == 1 else "DIGESTS DIFFER"
        yield Row(
            f"a sweep of {cells:,} cells on {name}",
            f"{alone / seconds:.2f}x",
            "≥ 1.8x",
            alone / seconds >= 1.8 and len(digests) == 1,
            f"without the start: {scaled(seconds)} against {scaled(alone)}, start {scaled(start)}; "
            f"{found[0]['worker_mb']:.0f} MB a worker; {same}",
        )
        yield Row(
            f"what {name} cost the parent",
            f"{100 * parent / work:.1f} %",
            "≤ 5 %",
            parent <= 0.05 * work,
            f"of the work's CPU time; {scaled(parent / found[0]['blocks'])} a block",
        )


def loops(quick: bool) -> Iterator[Row]:
    """The reports path with NumPy's loops and with compiled ones, beside the peers."""
    users, peer_users = (50_000, 1_000) if quick else (200_000, 5_000)
    for protocol, least in (("OLH", 5), ("OUE", 1)):
        made = {
            compiled: ours("reports", protocol=protocol, users=users, compiled=compiled)
            for compiled in (False, True)
        }
        each = {compiled: min(found["seconds"]) / users / ITEMS for compiled, found in made.items()}
        peers = {
            name: peer(name, protocol, peer_users)["seconds"] / peer_users / ITEMS for name in PEERS
        }
        beside = ", ".join(
            f"{name} {taken * 1e9:.3g} ns: {taken / each[True]:,.0f}x, without numba "
            f"{taken / each[False]:,.0f}x"
            for name, taken in peers.items()
        )
        yield Row(
            f"reports path, {protocol}, compiled loops",
            f"{each[False] / each[True]:.1f}x",
            f"≥ {least}x",
            each[False] / each[True] >= least,
            f"{each[False] * 1e9:.2f} to {each[True] * 1e9:.2f} ns a pair, "
            f"{made[False]['peak_mb']:.0f} and {made[True]['peak_mb']:.0f} MB; {beside}",
        )
