"""Addresses: what a draw depends on decides its stream. The promise of a seed, word by word."""

import itertools
import struct
from collections.abc import Sequence

import numpy as np
import pytest
import xxhash
from support.cases import alike, attack, cell, counts, experiment, results_of
from support.report_laws import Case

from ldptui import core
from ldptui.core.base.streams import Path, Role, stream
from ldptui.core.collection.counts import block_counts

POPULATION = {"kind": "zipf", "items": 12, "users": 5000, "exponent": 1.0}
PROTOCOLS = [
    Case("grr", 12, 1.0),
    Case("sue", 12, 1.0),
    Case("oue", 12, 1.0),
    Case("blh", 12, 1.0, 2),
    Case("olh", 12, 1.0, 4),
]


def marks(results: core.RunResults) -> list[list[int]]:
    return [cell.fingerprints.tolist() for cell in results.cells]


def test_a_stream_follows_its_contract() -> None:
    word = xxhash.xxh3_128_intdigest(b"zipf of 12")
    words = [word >> 32 * at & 0xFFFFFFFF for at in range(4)]
    key = np.random.SeedSequence(7, spawn_key=(*words, 3, 1, 5, 9))
    expected = np.random.default_rng(key).integers(0, 2**63, size=8)
    drawn = stream(7, "zipf of 12", "malicious", "reports", (5, 9)).integers(0, 2**63, size=8)
    assert drawn.tolist() == expected.tolist()


def test_every_part_of_an_address_matters() -> None:
    blocks: list[tuple[Path, tuple[int, ...]]] = [
        ("counts", (0,)),
        ("counts", (1,)),
        ("reports", (0, 0)),
        ("reports", (0, 1)),
    ]
    roles: list[Role] = ["population", "targets", "genuine", "malicious"]
    first = [
        int(stream(seed, address, role, path, block).integers(0, 2**63))
        for seed, address, role, (path, block) in itertools.product((0, 1), "ab", roles, blocks)
    ]
    assert len(set(first)) == len(first) == 64


def test_the_digest_by_hand() -> None:
    work = experiment(
        POPULATION,
        {"kind": "oue", "epsilon": 1.0},
        attack("mga", 0.1, [1, 2]),
        trials=23,
        sweep={"protocol.kind": ["oue", "grr"]},
    )
    digest = xxhash.xxh3_128()
    for index, one in enumerate(work.cells):
        for trial in range(23):
            clean, attacked = counts(one, trial // 20)
            data = clean[trial % 20].astype("<i8").tobytes()
            data += attacked[trial % 20].astype("<i8").tobytes()
            digest.update(struct.pack("<QQQ", index, trial, xxhash.xxh3_64_intdigest(data)))
    assert results_of(work).digest == f"xxh3:{digest.hexdigest()}"


def sweeping(**sweep: Sequence[object]) -> core.Experiment:
    return experiment(
        POPULATION,
        {"kind": "oue", "epsilon": 1.0},
        attack("mga", 0.1, [1, 2], seeds=10),
        trials=5,
        sweep={key.replace("__", "."): values for key, values in sweep.items()},
    )


def named(work: core.Experiment) -> dict[str, list[int]]:
    """Fingerprints by the parameters of the cell, without what is not swept."""
    return {
        f"{cell.parameters['protocol.kind']} {cell.parameters['attack.share']}": fingerprints
        for cell, fingerprints in zip(work.cells, marks(results_of(work)), strict=True)
    }


def test_the_order_and_the_parts_of_a_sweep_change_nothing() -> None:
    kinds, shares = [case.kind for case in PROTOCOLS], [0.0, 0.1, 0.3]
    whole = named(sweeping(protocol__kind=kinds, attack__share=shares))
    assert len(whole) == len({tuple(value) for value in whole.values()}) == 3 * len(kinds)
    assert named(sweeping(attack__share=shares[::-1], protocol__kind=kinds[::-1])) == whole
    part = named(sweeping(protocol__kind=["blh"], attack__share=[0.3]))
    assert part == {"blh 0.3": whole["blh 0.3"]}


@pytest.mark.every(2)
@pytest.mark.parametrize("path", ["counts", "reports"])
@pytest.mark.parametrize("trials", [1, 19, 20, 21, 40])
def test_more_trials_never_change_earlier_ones(path: str, trials: int) -> None:
    def first(trials: int) -> list[int]:
        work = experiment(
            POPULATION,
            {"kind": "olh", "epsilon": 1.0},
            attack("mga", 0.1, [1, 2], seeds=5),
            trials=trials,
            simulate={"path": path},
        )
        return marks(results_of(work))[0]

    assert first(trials) == first(45)[:trials]
    assert len(set(first(45))) == 45


@pytest.mark.parametrize("path", ["counts", "reports"])
@pytest.mark.parametrize("case", PROTOCOLS, ids=str)
def test_a_part_of_a_block_is_its_first_trials(case: Case, path: str) -> None:
    one = cell(POPULATION, case, attack("mga", 0.2, [3, 4], seeds=5), simulate={"path": path})
    whole, part = one.block(1, 20), one.block(1, 7)
    assert part.fingerprints.tolist() == whole.fingerprints[:7].tolist()
    assert alike(part.metrics, whole.metrics[:7])


ATTACKS = [
    attack("rpa", 0.1, [1, 2]),
    attack("ria", 0.1, [1, 2]),
    attack("ria", 0.3, [1, 2]),
    attack("ria", 0.1, [1, 3]),
    attack("mga", 0.1, [1, 2], seeds=5),
    attack("mga", 0.1, [1, 2], seeds=6),
    attack("mga", 0.1, [1, 2], seeds=5, scoring="bucket"),
]


@pytest.mark.every(2)
@pytest.mark.parametrize("path", ["counts", "reports"])
@pytest.mark.parametrize("case", PROTOCOLS, ids=str)
def test_attacks_share_their_genuine_draws(case: Case, path: str) -> None:
    clean = block_counts(cell(POPULATION, case, simulate={"path": path}), 0, 20)
    assert clean[0] is clean[1]
    for fake in ATTACKS:
        one = cell(POPULATION, case, fake, simulate={"path": path})
        before, after = block_counts(one, 0, 20)
        assert np.array_equal(before, clean[0])
        assert (after >= before).all()
        assert (after > before).any()


def test_the_population_is_drawn_once_per_seed() -> None:
    work = experiment(POPULATION, None, None, sweep={"seed": [0, 1, 0], "protocol.epsilon": [1, 2]})
    drawn = [cell.population.histogram.tolist() for cell in work.cells]
    assert drawn[0] == drawn[1] == drawn[4] == drawn[5]
    assert drawn[2] == drawn[3] != drawn[0]


def test_random_targets_are_nested_and_shared() -> None:
    work = experiment(
        POPULATION,
        None,
        {"kind": "mga", "share": 0.1, "targets": {"pick": "random", "count": 1}},
        sweep={
            "protocol.kind": ["oue", "grr"],
            "attack.kind": ["ria", "mga"],
            "attack.targets.count": [1, 3, 8, 12],
        },
    )
    permutation = stream(0, work.cells[0].population.address, "targets").permutation(12).tolist()
    for one in work.cells:
        assert one.targets.tolist() == permutation[: one.targets.size]
    assert sorted(permutation) == list(range(12)) != permutation
