"""Mixtures: fakes in parts, their closed forms and both paths, and how a scenario writes them."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import budget
from support.cases import CASES, assert_closed_forms, cell, counts, experiment, metrics
from support.report_laws import Case, Moments, Poisoned

from core.attacks.mixture import split
from core.cell import Cell
from core.errors import ScenarioError
from core.kernels.threads import one_thread
from core.protocols import PROTOCOLS
from core.scenario import (
    KINDS,
    PARTS,
    edit,
    kinds_at,
    known_keys,
    line_of,
    parse,
    schema,
    sweepable_keys,
    to_toml,
)
from core.theory import (
    estimate_variances,
    expected_bit_counts,
    expected_estimate,
    expected_metrics,
)

TEXT = """\
format = 1

[population]
kind = "counts"
counts = [500, 300, 150, 50, 0]

[protocol]
kind = "oue"
epsilon = 1.0

[attack]
share = 0.2
targets = { items = [1, 4, 2] }
mix = [
    { kind = "mga", weight = 0.5, seeds = 3 },  # most of them
    { kind = "ria", weight = 0.3, targets = { items = [0, 1] } },
    { kind = "demote", weight = 0.2, targets = { items = [3] } },
]
"""


# The split of the fakes.


def test_largest_remainders() -> None:
    assert split(10, [1, 1, 1]) == [4, 3, 3]
    assert split(7, [0.8, 0.2]) == [6, 1]
    assert split(0, [1, 2]) == [0, 0]
    assert split(5, [0, 1]) == [0, 5]
    assert split(10**13, [1, 2]) == [3333333333333, 6666666666667]


@given(
    st.integers(0, 10**13),
    st.lists(st.floats(0, 100), min_size=1, max_size=6).filter(lambda w: sum(w) > 0),
)
def test_every_part_gets_its_quota_rounded(total: int, weights: list[float]) -> None:
    counts, exact = split(total, weights), [Fraction(weight) for weight in weights]
    assert sum(counts) == total
    for count, weight in zip(counts, exact, strict=True):
        assert abs(count - total * weight / sum(exact)) < 1


# Laws.


def mixture(case: Case, share: float, path: str, seed: int) -> tuple[Cell, Any]:
    n = 10_000 if path == "counts" else 1_000
    histogram = [n // 2, 3 * n // 10, 3 * n // 20, n // 20, 0]
    attack = {
        "share": share,
        "targets": {"items": [1, 4]},
        "mix": [
            {"kind": "mga", "weight": 5, "seeds": 3, "targets": {"items": [1, 4, 2]}},
            {"kind": "ria", "weight": 3, "targets": {"items": [0, 1]}},
            {"kind": "demote", "weight": 2, "seeds": 3, "targets": {"items": [3]}},
        ],
    }
    one = cell(histogram, case, attack, simulate={"path": path}, seed=seed)
    laws = [case.crafted([1, 4, 2], 3, "anchor"), case.held([0, 1]), case.avoiding([3], 3)]
    moments = [fakes.count * Moments.of(law) for fakes, law in zip(one.fakes, laws, strict=True)]
    return one, Mixed(case, histogram, laws[0], one.malicious, [1, 4], sum_of(moments))


def sum_of(moments: list[Moments]) -> Moments:
    return moments[0] + moments[1] + moments[2]


class Mixed(Poisoned):
    """Fakes of several laws, as many of each as the mixture says."""

    def __init__(self, *of: Any) -> None:
        super().__init__(*of[:-1])
        self.__dict__["fakes"] = of[-1]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_closed_forms_are_those_of_the_parts_together(case: Case) -> None:
    for share in (0.0, 0.1, 0.4):
        one, law = mixture(case, share, "counts", 0)
        assert [fakes.count for fakes in one.fakes] == split(one.malicious, [5, 3, 2])
        assert_closed_forms(one, law)


@pytest.mark.every(2)
@pytest.mark.parametrize("path", ["counts", "reports"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_measured_metrics_agree_with_the_laws(case: Case, path: str, seed: int) -> None:
    one, law = mixture(case, 0.5, path, seed)
    measured = metrics(one, 30 if path == "counts" else 5)
    value, variance = law.gain
    assert budget.mean(measured("gain"), value, variance)
    assert budget.spread(measured("gain"), value, variance)
    assert budget.mean(measured("mse"), *law.squared_error(law.after))


@pytest.mark.every(2)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_counts_have_the_covariances_of_the_parts(case: Case, seed: int) -> None:
    one, law = mixture(case, 0.5, "counts", seed)
    pairs = [counts(one, block) for block in range(180)]
    fakes = np.concatenate([attacked - clean for clean, attacked in pairs])
    assert budget.moments(fakes, law.fakes.mean, law.fakes.covariance)
    # As if every fake drew its part at random: the means are the same, the spread is not.
    shares = np.array([5, 3, 2]) / 10
    laws = [case.crafted([1, 4, 2], 3, "anchor"), case.held([0, 1]), case.avoiding([3], 3)]
    drawn = one.malicious * Moments.of(shares @ np.array(laws))
    assert not budget.moments(fakes, drawn.mean, drawn.covariance)


def test_pieces_of_a_part_are_on_the_reports_path(seed: int) -> None:
    """Parts end in the middle of a block of users, and are as large as they should be."""
    attack = {
        "share": 0.9,
        "targets": {"items": [0]},
        "mix": [{"kind": "mga", "weight": 0.999}, {"kind": "demote", "weight": 0.001}],
    }
    grr = {"kind": "grr", "epsilon": 1}
    one = cell([9000, 9000, 2000], grr, attack, simulate={"path": "reports"}, seed=seed)
    from core.collection.counts import block_counts
    from core.pulse import no_pulse

    clean, attacked = block_counts(one, 0, 1, no_pulse)
    added = (attacked - clean)[0]
    assert added[0] == one.fakes[0].count == 179_820
    assert added[1:].sum() == one.fakes[1].count == 180


# Targets.


def test_metrics_count_the_given_targets_or_those_of_all_parts() -> None:
    parts = [
        {"kind": "mga", "weight": 1, "targets": {"items": [4, 1]}},
        {"kind": "ria", "weight": 1, "targets": {"items": [0, 4]}},
        {"kind": "untargeted", "weight": 1, "size": 2},
    ]
    one = cell([5, 4, 3, 2, 1], None, {"share": 0.1, "mix": parts})
    wrecked = one.fakes[2].targets.tolist()
    assert one.targets.tolist() == list(dict.fromkeys([4, 1, 0, 4, *wrecked]))
    given = {"share": 0.1, "mix": parts, "targets": {"items": [2]}}
    counted = cell([5, 4, 3, 2, 1], None, given)
    assert counted.targets.tolist() == [2]
    assert [fakes.targets.tolist() for fakes in counted.fakes] == [[4, 1], [0, 4], wrecked]


# The scenario.


def test_a_part_has_the_keys_of_its_kind_and_a_weight() -> None:
    assert set(PARTS) == set(KINDS["attack"]) - {"none"}
    assert kinds_at("attack.mix.3") is PARTS
    assert kinds_at("attack.phase.0.mix.1") is PARTS
    keys = known_keys()
    assert {"attack.mix.*.weight", "attack.mix.*.seeds", "attack.mix.*.targets.count"} <= set(keys)
    assert "attack.mix.*.share" not in keys


def test_parameters_name_every_part() -> None:
    (point,) = parse(TEXT).points()
    parameters = point.parameters
    assert parameters["attack.share"] == 0.2
    assert parameters["attack.mix.0.kind"] == "mga"
    assert parameters["attack.mix.0.weight"] == 0.5
    assert parameters["attack.mix.1.targets.items"] == [0, 1]
    assert "attack.kind" not in parameters
    assert "attack.mix.0.targets.items" not in parameters


def test_sweeps_index_the_parts() -> None:
    text = f"""{TEXT}
[sweep]
"attack.mix.0.weight" = [0.1, 0.9]
"attack.mix.1.kind" = ["ria", "rpa"]
"""
    cells = experiment_of(text)
    assert len(cells) == 4
    assert [cell.parameters["attack.mix.0.weight"] for cell in cells] == [0.1, 0.1, 0.9, 0.9]
    assert [cell.parameters["attack.mix.1.kind"] for cell in cells] == ["ria", "rpa"] * 2
    assert cells[0].fakes[0].count < cells[2].fakes[0].count
    ranged = text.replace("[0.1, 0.9]", "{ from = 0, to = 1, points = 3 }")
    assert [cell.parameters["attack.mix.0.weight"] for cell in experiment_of(ranged)][::2] == [
        0.0,
        0.5,
        1.0,
    ]


def test_a_swept_kind_of_a_part_drops_the_keys_of_the_others() -> None:
    text = f'{TEXT}\n[sweep]\n"attack.mix.0.kind" = ["mga", "apa"]\n'
    first, second = experiment_of(text)
    assert first.parameters["attack.mix.0.seeds"] == 3
    assert "attack.mix.0.seeds" not in second.parameters


def experiment_of(text: str) -> tuple[Cell, ...]:
    return experiment_cells(parse(text))


def experiment_cells(scenario: Any) -> tuple[Cell, ...]:
    import core

    return core.compile(scenario).cells


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("weight = 0.5", "weight = -1", "attack.mix.0.weight must be at least 0, got -1", 15),
        ("weight = 0.5, ", "", "attack.mix.0.weight is required", 15),
        ('"ria"', '"rio"', 'attack.mix.1.kind must be one of "rpa", "ria"', 16),
        ('kind = "ria", ', "", "attack.mix.1.kind is required, one of", 16),
        (
            "seeds = 3",
            "seed = 3",
            r"attack.mix.0.seed is not a known key \(did you mean seeds\?\)",
            15,
        ),
        ("seeds = 3", "share = 0.3", "attack.mix.0.share is not a known key", 15),
        ("seeds = 3", 'seeds = "x"', "attack.mix.0.seeds must be an integer in", 15),
        (
            "items = [0, 1]",
            "item = [0, 1]",
            r"attack.mix.1.targets.item is not a known key",
            16,
        ),
        ("items = [3]", "items = [9]", r"attack.mix.2.targets.items must be indices in", 17),
        (
            "share = 0.2",
            'share = 0.2\nkind = "mga"',
            "attack must have only one of kind, mix and",
            11,
        ),
        ("targets = { items = [1, 4, 2] }", "", "attack.mix.0.targets is required where", 15),
        ("share = 0.2", "", "attack.share is required", 11),
        ("share = 0.2", "share = 0.2\nseeds = 3", "attack.seeds is not a known key", 13),
    ],
)
def test_errors_are_at_their_key_and_line(old: str, new: str, message: str, line: int) -> None:
    text = TEXT.replace(old, new)
    assert text != TEXT
    with pytest.raises(ScenarioError, match=message) as raised:
        experiment_of(text)
    assert line_of(text, raised.value.key) == line


@pytest.mark.parametrize(
    ("mix", "message"),
    [
        ("[]", "attack.mix must be a list of tables, a part each, got "),
        ('"mga"', "attack.mix must be a list of tables, a part each, got"),
        ('[{ kind = "ria", weight = 0 }]', "attack.mix must have a part with a positive weight"),
        ('[{ kind = "none", weight = 1 }]', "attack.mix.0.kind must be one of"),
    ],
)
def test_bad_mixtures(mix: str, message: str) -> None:
    head = TEXT.partition("mix = [")[0]
    with pytest.raises(ScenarioError, match=message):
        parse(f"{head}mix = {mix}\n")


def test_a_part_that_makes_no_sense_is_named() -> None:
    text = TEXT.replace('kind = "oue"', 'kind = "grr"').replace(
        'kind = "mga", weight = 0.5, seeds = 3', 'kind = "apa", weight = 0.5'
    )
    with pytest.raises(ScenarioError, match=r'attack.mix.0.kind must not be "apa" against GRR'):
        experiment_of(text)


def test_bad_keys_of_a_sweep() -> None:
    for key, message in (
        ("attack.mix.0.wieght", r"attack.mix.0.wieght is not a key that can be swept .*0.weight\?"),
        ("attack.mix.7.weight", "sweep.attack.mix.7.weight must name one of the 3 parts"),
    ):
        with pytest.raises(ScenarioError, match=message):
            parse(f'{TEXT}\n[sweep]\n"{key}" = [0.1, 0.2]\n')


def test_writing_and_editing_keeps_the_parts() -> None:
    scenario = parse(TEXT)
    assert parse(to_toml(scenario.document)).document == scenario.document
    edited = edit(TEXT, "attack.mix.0.weight", 0.75)
    assert "weight = 0.75, seeds = 3 },  # most of them" in edited
    assert parse(edited).document["attack"]["mix"][0]["weight"] == 0.75
    fewer = parse(edit(TEXT, "attack.mix.2", None))
    assert [part["kind"] for part in fewer.document["attack"]["mix"]] == ["mga", "ria"]
    other = parse(edit(TEXT, "attack.mix.0.kind", "rpa"))
    assert other.document["attack"]["mix"][0] == {"kind": "rpa", "weight": 0.5}


def test_the_schema_has_the_mixture_and_its_swept_keys() -> None:
    described = schema()
    text = json.dumps(described)
    assert "MixtureSpec" in text
    names = described["properties"]["sweep"]["propertyNames"]["anyOf"]
    assert all("*" not in key for name in names for key in name.get("enum", []))
    import re

    patterns = [name["pattern"] for name in names if "pattern" in name]
    assert any(re.search(pattern, "attack.mix.12.weight") for pattern in patterns)
    assert not any(re.search(pattern, "attack.mix.x.weight") for pattern in patterns)
    assert "attack.mix.*.weight" in sweepable_keys()


def test_one_part_alone_is_its_kind(seed: int) -> None:
    """The same law; the draws have an address of their own."""
    alone = {"kind": "mga", "share": 0.1, "targets": {"items": [1, 2]}}
    mixed = {"share": 0.1, "targets": {"items": [1, 2]}, "mix": [{"kind": "mga", "weight": 7}]}
    one, other = (cell([50, 40, 30, 20], None, table, seed=seed) for table in (alone, mixed))
    assert expected_metrics(one) == expected_metrics(other)
    assert one.malicious_address != other.malicious_address


def test_several_cells_compile() -> None:
    work = experiment([50, 40, 30], None, {"share": 0.1, "targets": {"items": [0]}, "mix": [
        {"kind": "mga", "weight": 1}, {"kind": "rpa", "weight": 1}]},
        sweep={"protocol.kind": list(PROTOCOLS)})  # fmt: skip
    assert len(work.cells) == len(PROTOCOLS)


# RAPPOR's Bloom filters.


def test_parts_send_their_bits(seed: int) -> None:
    """Bits, decoded gain and its deviation, with a part that crowds into one cohort."""
    parts = [
        {"kind": "mga", "weight": 2, "cohort": 0.5},
        {"kind": "input", "weight": 1, "distribution": [1, 3]},
        {"kind": "demote", "weight": 1, "targets": {"items": [0]}},
    ]
    table = {"share": 0.5, "targets": {"items": [2, 7]}, "mix": parts}
    rappor = {"kind": "rappor", "form": "one-time", "f": 0.2, "bits": 16, "cohorts": 4}
    one = cell([4000, 3000, 1500, 700, 500, 300, 0, 0], rappor, table, seed=seed)
    assert [fakes.count for fakes in one.fakes] == [5000, 2500, 2500]

    expected = expected_bit_counts(one)
    assert expected is not None
    drawn = np.concatenate([counts(one, block)[1] for block in range(20)])
    # Poisson's variance is more than that of any count here: a bound for the mean.
    error = np.sqrt(expected / len(drawn))
    assert (np.abs(drawn.mean(axis=0) - expected) < 7 * error + 1e-9).all()
    crafted = replace(one, attack=one.fakes[0].strategy)
    wrong = expected_bit_counts(crafted)
    assert wrong is not None
    assert not (np.abs(drawn.mean(axis=0) - wrong) < 7 * error + 1e-9).all()

    with one_thread():
        found = one.protocol.estimates(drawn, one.users + one.malicious).frequencies
    estimate, variances = expected_estimate(one), estimate_variances(one)
    assert estimate is not None
    assert variances is not None
    assert budget.mean(found, estimate, variances[1])
    assert budget.spread(found, estimate, variances[1])
    assert not budget.spread(found, estimate, 1.9 * variances[1])


def test_both_paths_send_the_same_bits(rng: np.random.Generator) -> None:
    parts = [{"kind": "ria-unperturbed", "weight": 1}, {"kind": "demote", "weight": 1}]
    table = {"share": 0.5, "targets": {"items": [2, 3]}, "mix": parts}
    rappor = {"kind": "rappor", "bits": 8, "cohorts": 2}
    one = cell([2000, 1000, 500, 0], rappor, table, simulate={"path": "reports"})
    from core.collection.counts import block_counts
    from core.pulse import no_pulse

    clean, attacked = block_counts(one, 0, 3, no_pulse)
    fakes = (attacked - clean).sum(axis=0)
    rates = sum(
        part.count * part.strategy.bits(one.protocol, part.targets).rates  # type: ignore
        for part in one.fakes
    )
    assert fakes[:, -1].sum() == 3 * one.malicious
    error = np.sqrt(3 * one.malicious)
    assert (np.abs(fakes[:, :-1] - 1.5 * rates) < 7 * error).all()
