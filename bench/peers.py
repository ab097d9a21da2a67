"""Time one peer: perturb n users and estimate d frequencies, as its documentation shows.

Runs inside the peer's own environment, so it imports nothing of ours:

    .venv-bench/pure-ldp/bin/python bench/peers.py pure-ldp OLH --items 1024 --users 100000

and prints one JSON line: {"seconds", "rms_error", "named", "numpy", "version"}. The error of the
estimate, and how many of the 20 most frequent items have one, are there to show that the work was
really done; compiling (numba) and importing are not timed. Seconds are those of the processor.
"""

# ruff: noqa: NPY002 - published code draws by the old functions, one number a call
import argparse
import json
import math
import time
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

import numpy as np

Estimator = Callable[[Sequence[int]], Any]
"""Items of the users -> estimated frequencies of the d items."""

BLOCK = 100_000
"""Users per call of the peer that must hold every report: 8 KB a unary report, 0.8 GB a block."""


def pure_ldp(protocol: str, d: int, epsilon: float) -> Estimator:
    """pure-ldp: a client and a server per protocol, one user at a time; raw estimates.

    Without `index_mapper` item 0 counts as item d-1; `use_olh`/`use_oue` default to off, on both
    sides.
    """
    from pure_ldp.frequency_oracles import (
        apple_cms,
        direct_encoding,
        hadamard_response,
        histogram_encoding,
        local_hashing,
        unary_encoding,
    )

    if protocol == "PEM":
        return _hitters(d, epsilon)
    if protocol in ("CMS", "HCMS"):
        return _sketch(apple_cms, protocol == "HCMS", d, epsilon)
    switches: dict[str, dict[str, bool]] = {"THE": {"use_the": True}}
    client_class, server_class, options = {
        "THE": (histogram_encoding.HEClient, histogram_encoding.HEServer, {}),
        "SHE": (histogram_encoding.HEClient, histogram_encoding.HEServer, {}),
        "GRR": (direct_encoding.DEClient, direct_encoding.DEServer, {}),
        "SUE": (unary_encoding.UEClient, unary_encoding.UEServer, {}),
        "OUE": (unary_encoding.UEClient, unary_encoding.UEServer, {"use_oue": True}),
        "OLH": (local_hashing.LHClient, local_hashing.LHServer, {"use_olh": True}),
        "HR": (
            hadamard_response.HadamardResponseClient,
            hadamard_response.HadamardResponseServer,
            {},
        ),
    }[protocol]
    options["index_mapper"] = lambda item: item

    def estimate(values: Sequence[int]) -> Any:
        server = server_class(epsilon, d, **options, **switches.get(protocol, {}))
        shared = {"hash_funcs": server.get_hash_funcs()} if protocol == "HR" else {}
        client = client_class(epsilon, d, **options, **shared)
        for value in values:
            server.aggregate(client.privatise(value))
        return server.estimate_all(range(d), suppress_warnings=True) / len(values)

    return estimate


def _sketch(module: Any, hadamard: bool, d: int, epsilon: float) -> Estimator:
    """The same of a sketch with the tables that ours starts with: 2048 rows of 1024 buckets."""

    class Server(module.CMSServer):  # type: ignore[misc, name-defined]
        """Its domain size is None, of which NumPy 2.4 makes no array."""

        d = property(lambda self: (), lambda self, value: None)  # noqa: ARG005

    def estimate(values: Sequence[int]) -> Any:
        server = Server(epsilon, 2048, 1024, is_hadamard=hadamard)
        client = module.CMSClient(epsilon, server.get_hash_funcs(), 1024, is_hadamard=hadamard)
        for value in values:
            server.aggregate(client.privatise(value))
        return server.estimate_all(range(d), suppress_warnings=True) / len(values)

    return estimate


def _hitters(d: int, epsilon: float) -> Estimator:
    """The 20 most frequent of d = 2^bits items by PEM, a bit a level from the sixth on, under OLH.

    Items that are not named count as 0. Its server hashes all 2^λ prefixes for each report.
    """
    from pure_ldp.heavy_hitters.prefix_extending import PEMClient, PEMServer

    bits = (d - 1).bit_length()

    def estimate(values: Sequence[int]) -> Any:
        client, server = (kind(epsilon, 5, bits, 1) for kind in (PEMClient, PEMServer))
        for value in values:
            server.aggregate(client.privatise(f"{value:0{bits}b}"))
        named, counts = server.find_heavy_hitters(k=20)
        estimated = np.zeros(d)
        estimated[[int(code, 2) for code in named]] = np.array(counts) / len(values)
        return estimated

    return estimate


def multi_freq_ldpy(protocol: str, d: int, epsilon: float) -> Estimator:
    """multi-freq-ldpy: functions, numba where hashing does not forbid it; clipped estimates."""
    from multi_freq_ldpy.long_freq_est import L_GRR, L_OSUE, L_OUE, L_SUE
    from multi_freq_ldpy.pure_frequency_oracles import GRR, LH, SS, UE

    ever = 2 * epsilon  # of all reports, as ours where it is left out

    client, aggregate = {
        "SS": (
            lambda value: SS.SS_Client(value, d, epsilon),
            lambda reports: SS.SS_Aggregator_MI(reports, d, epsilon),
        ),
        "GRR": (
            lambda value: GRR.GRR_Client(value, d, epsilon),
            lambda reports: GRR.GRR_Aggregator_MI(reports, d, epsilon),
        ),
        "SUE": (
            lambda value: UE.UE_Client(value, d, epsilon, False),
            lambda reports: UE.UE_Aggregator_MI(reports, epsilon, False),
        ),
        "OUE": (
            lambda value: UE.UE_Client(value, d, epsilon, True),
            lambda reports: UE.UE_Aggregator_MI(reports, epsilon, True),
        ),
        "OLH": (
            lambda value: LH.LH_Client(value, d, epsilon, True),
            lambda reports: LH.LH_Aggregator_MI(reports, d, epsilon, True),
        ),
        "L-SUE": (
            lambda value: L_SUE.L_SUE_Client(value, d, ever, epsilon),
            lambda reports: L_SUE.L_SUE_Aggregator_MI(reports, ever, epsilon),
        ),
        "L-OSUE": (
            lambda value: L_OSUE.L_OSUE_Client(value, d, ever, epsilon),
            lambda reports: L_OSUE.L_OSUE_Aggregator_MI(reports, ever, epsilon),
        ),
        "L-OUE": (
            lambda value: L_OUE.L_OUE_Client(value, d, ever, epsilon),
            lambda reports: L_OUE.L_OUE_Aggregator_MI(reports, ever, epsilon),
        ),
        "L-GRR": (
            lambda value: L_GRR.L_GRR_Client(value, d, ever, epsilon),
            lambda reports: L_GRR.L_GRR_Aggregator_MI(reports, d, ever, epsilon),
        ),
    }[protocol]

    def estimate(values: Sequence[int]) -> Any:
        blocks = [values[start : start + BLOCK] for start in range(0, len(values), BLOCK)]
        weighted = (len(block) * aggregate([client(value) for value in block]) for block in blocks)
        return sum(weighted) / len(values)

    return estimate


def diffprivlib(protocol: str, epsilon: float) -> Estimator:
    """diffprivlib: Laplace noise on a number, one call a user; a report beyond an end is that end.

    protocol : LAPLACE-LDP. What an end says is left as it is, so that this mean is drawn to 0.
    """
    from diffprivlib.mechanisms import LaplaceTruncated

    if protocol != "LAPLACE-LDP":
        raise SystemExit(f"diffprivlib has no {protocol}")

    def estimate(values: Sequence[float]) -> Any:
        mechanism = LaplaceTruncated(epsilon=epsilon, sensitivity=2, lower=-1, upper=1)
        return sum(mechanism.randomise(value) for value in values) / len(values)

    return estimate


def plain(protocol: str, epsilon: float) -> Estimator:
    """SR, PM and SW as the code of papers has them: a function of a number and ε, a user.

    No package to install has them (pure-ldp, multi-freq-ldpy, ldp-toolbox, trasgodp and
    ldp-hierarchical-mechanism were looked through). Published code computes the parameters for each
    user, and draws by NumPy; with them computed once and Python's own draws it takes an eighth.
    """

    def sr(number: float, epsilon: float) -> float:
        up = (math.exp(epsilon) - 1) * number / (2 * math.exp(epsilon) + 2) + 0.5
        size = (math.exp(epsilon) + 1) / (math.exp(epsilon) - 1)
        return size if np.random.random() <= up else -size

    def pm(number: float, epsilon: float) -> float:
        top = (math.exp(epsilon / 2) + 1) / (math.exp(epsilon / 2) - 1)
        low = (top + 1) / 2 * number - (top - 1) / 2
        high = low + top - 1
        if np.random.uniform(0, 1) < math.exp(epsilon / 2) / (math.exp(epsilon / 2) + 1):
            return np.random.uniform(low, high)
        below, above = low + top, top - high
        if np.random.random() < below / (below + above):
            return np.random.uniform(-top, low)
        return np.random.uniform(high, top)

    def sw(number: float, epsilon: float) -> float:
        e, place = math.exp(epsilon), (number + 1) / 2
        b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon))
        p, q = e / (2 * b * e + 1), 1 / (2 * b * e + 1)
        if np.random.random() < 2 * b * p:
            told = np.random.uniform(place - b, place + b)
        elif np.random.random() < place:
            told = np.random.uniform(-b, place - b)
        else:
            told = np.random.uniform(place + b, 1 + b)
        return 2 * (told - q * (1 + 2 * b) / 2) / (2 * b * (p - q)) - 1

    tell = {"SR": sr, "PM": pm, "SW": sw}[protocol]

    def estimate(values: Sequence[float]) -> Any:
        return sum(tell(value, epsilon) for value in values) / len(values)

    return estimate


ITEMS = {"pure-ldp": pure_ldp, "multi-freq-ldpy": multi_freq_ldpy}
NUMBERS = {"diffprivlib": diffprivlib, "plain": plain}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=(*ITEMS, *NUMBERS))
    parser.add_argument("protocol", help="as a kind is named in capitals; not every peer has it")
    parser.add_argument("--items", type=int, default=1024)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--epsilon", type=float, default=1.0)
    args = parser.parse_args()
    if args.peer in NUMBERS:
        of_numbers(args)
        return
    estimate = ITEMS[args.peer](args.protocol, args.items, args.epsilon)
    values = np.random.default_rng(1).integers(args.items, size=args.users)
    if args.protocol == "PEM":  # most frequent items are looked for: 0, 1, 2, …
        law = np.arange(1, args.items + 1) ** -1.3
        values = np.random.default_rng(1).choice(args.items, args.users, p=law / law.sum())
    truth = np.bincount(values, minlength=args.items) / args.users
    values = values.tolist()
    estimate(values[:2])  # compiles; the smallest call that the peers accept
    start = time.process_time()
    estimated = estimate(values)
    seconds = time.process_time() - start
    result = {
        "seconds": seconds,
        "rms_error": float(np.sqrt(np.mean((np.asarray(estimated) - truth) ** 2))),
        "named": int(np.count_nonzero(np.asarray(estimated)[np.argsort(-truth)[:20]])),
        "numpy": np.__version__,
        "version": metadata.version(args.peer),
    }
    print(json.dumps(result))


def of_numbers(args: argparse.Namespace) -> None:
    """The mean of numbers that are uniform in [-1, 1]; the error is that of the mean."""
    estimate = NUMBERS[args.peer](args.protocol, args.epsilon)
    values = np.random.default_rng(1).uniform(-1, 1, args.users).tolist()
    start = time.process_time()
    estimated = estimate(values)
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "rms_error": abs(estimated - float(np.mean(values)))}))


if __name__ == "__main__":
    main()
