"""Write the reports of other programs here, and in told.json what their own decoders say of them.

Needs multi-freq-ldpy, pure-ldp, opendp, ldp-toolbox and prio (whose extension is built in place),
xxhash below 4 and a folder with google/rappor: `python write.py RAPPOR`. Items are 90, 60, 40, 20,
15, 10, 5 and 0 of eight.
"""

from __future__ import annotations

import io
import json
import random
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
D, EPSILON, F = 8, 2.0, 0.5
ITEMS = np.repeat(np.arange(D), [90, 60, 40, 20, 15, 10, 5, 0]).tolist()
TOLD: dict[str, Any] = {}


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    value = value.tolist() if hasattr(value, "tolist") else value
    return [*map(plain, value)] if isinstance(value, list | tuple) else value


def save(name: str, reports: Any, told: Any) -> None:
    text = json.dumps([*map(plain, reports)]).replace("], [", "],\n[")
    (HERE / f"{name}.json").write_text(f"{text}\n")
    TOLD[name] = [float(each) for each in told]


def write_multi_freq_ldpy() -> None:
    from multi_freq_ldpy.pure_frequency_oracles import GRR, LH, UE

    sent = [GRR.GRR_Client(item, D, EPSILON) for item in ITEMS]
    save("multi-freq-ldpy-grr", sent, GRR.GRR_Aggregator_MI(sent, D, EPSILON))
    sent = [UE.UE_Client(item, D, EPSILON, True) for item in ITEMS]
    save("multi-freq-ldpy-oue", sent, UE.UE_Aggregator_MI(sent, EPSILON, True))
    sent = [LH.LH_Client(item, D, EPSILON, True) for item in ITEMS]
    save("multi-freq-ldpy-olh", sent, LH.LH_Aggregator_MI(sent, D, EPSILON, True))


def write_pure_ldp() -> None:
    from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

    for name, client, server in (
        ("grr", DEClient(EPSILON, D), DEServer(EPSILON, D)),
        ("sue", UEClient(EPSILON, D), UEServer(EPSILON, D)),
        ("olh", LHClient(EPSILON, D, use_olh=True), LHServer(EPSILON, D, use_olh=True)),
    ):
        sent = [client.privatise(item + 1) for item in ITEMS]  # its items begin with 1
        for each in sent:
            server.aggregate(each)
        told = [server.estimate(item + 1, suppress_warnings=True) for item in range(D)]
        save(f"pure-ldp-{name}", sent, np.array(told) / len(sent))


def write_opendp() -> None:
    import opendp.prelude as dp
    from opendp.measurements import debias_randomized_response_bitvec

    dp.enable_features("contrib")
    send = dp.m.make_randomized_response_bitvec(
        dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=F
    )
    sent = [send(bytes([1 << item])) for item in ITEMS]  # the lowest bit is its first
    told = debias_randomized_response_bitvec(sent, F)
    save("opendp-sue", sent, np.array(told) / len(sent))


def write_ldp_toolbox() -> None:
    from ldp_toolbox.protocols.frequency import grr, he, lh, ss, ue

    for name, made in (
        ("grr", grr.GeneralizedRandomizedResponse(D, EPSILON)),
        ("oue", ue.UnaryEncoding(D, EPSILON)),
        ("olh", lh.LocalHashing(D, EPSILON)),
        ("ss", ss.SubsetSelection(D, 1.0)),  # subsets of 2: with 2.0 of 1
        ("the", he.HistogramEncoding(D, EPSILON)),
    ):
        sent = [made.obfuscate(item) for item in ITEMS]
        save(f"ldp-toolbox-{name}", sent, made.estimate(sent))


def write_prio() -> None:
    """The sum that two servers of libprio compute of one-hot rows, which neither of them sees."""
    from prio import prio

    (key_a, public_a), (key_b, public_b) = prio.create_keypair(), prio.create_keypair()
    config = prio.Config(D, public_a, public_b, b"test_batch")
    seed, client = prio.PRGSeed(), prio.Client(config)
    a = prio.Server(config, prio.PRIO_SERVER_A, key_a, seed)
    b = prio.Server(config, prio.PRIO_SERVER_B, key_b, seed)
    for own in ITEMS:
        shares = client.encode(bytes(int(item == own) for item in range(D)))
        verify_a, verify_b = a.create_verifier(shares[0]), b.create_verifier(shares[1])
        first = verify_a.create_verify1(), verify_b.create_verify1()
        second = verify_a.create_verify2(*first), verify_b.create_verify2(*first)
        if not (verify_a.is_valid(*second) and verify_b.is_valid(*second)):
            raise ValueError(f"the servers must find the row of {own} valid")
        a.aggregate(verify_a)
        b.aggregate(verify_b)
    sums = [*prio.total_share_final(config, a.total_shares(), b.total_shares())]
    save("prio", sums, np.array(sums) / len(ITEMS))


def write_rappor(folder: Path) -> None:
    """Reports and counts of google/rappor, whose client is of Python 2."""
    rappor = types.ModuleType("rappor")
    text = (folder / "client/python/rappor.py").read_text()
    for old, new in (("xrange", "range"), ("ord(ch)", "ch"), ("ord(digest[i])", "digest[i]")):
        text = text.replace(old, new)
    exec(text, rappor.__dict__)
    params = rappor.Params()
    params.num_bloombits, params.num_hashes, params.num_cohorts = 12, 2, 3
    params.prob_p, params.prob_q, params.prob_f = 0.25, 0.75, 0.5
    rows = ["client,cohort,bloom,prr,irr"]
    for user, item in enumerate(ITEMS):
        encoder = rappor.Encoder(params, user % 3, b"%d" % user, rappor.SecureIrrRand(params))
        sent = [rappor.bit_string(bits, 12) for bits in encoder._internal_encode(b"%d" % item)]
        rows.append(",".join([str(user), str(user % 3), *sent]))
    written = "".join(f"{row}\n" for row in rows)
    (HERE / "rappor.csv").write_text(written)
    text = (folder / "bin/sum_bits.py").read_text().partition("def main")[0]
    bits: dict[str, Any] = {"__name__": "sum_bits"}
    sys.modules["rappor"] = rappor
    exec(text.replace("xrange", "range"), bits)
    out = io.StringIO()
    bits["SumBits"](params, io.StringIO(written), out)
    (HERE / "rappor-counts.csv").write_text(out.getvalue().replace("\r\n", "\n"))


if __name__ == "__main__":
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - what the programs draw from
    write_multi_freq_ldpy()
    write_pure_ldp()
    write_opendp()
    write_ldp_toolbox()
    write_prio()
    write_rappor(Path(sys.argv[1]))
    (HERE / "told.json").write_text(json.dumps(TOLD, indent=1) + "\n")
