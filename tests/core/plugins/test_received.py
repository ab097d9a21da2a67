"""The reports that a protocol receives from code, and those that it refuses."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.cases import CASES
from support.plugin_cases import FORMS, TARGETS, protocol_of
from support.report_laws import Case

from ldptui.core.law.pure import Rng


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_report_that_a_protocol_makes_is_received(form: Case | str, rng: Rng) -> None:
    from ldptui.core.law.pure import SeedSearch

    protocol = protocol_of(form)
    for made in (
        protocol.perturb(np.arange(5), rng),
        protocol.random_reports(5, rng),
        protocol.craft(TARGETS, 5, SeedSearch(3), rng),
    ):
        received = protocol.validate_reports(made, 5)
        assert protocol.support_counts(received).tolist() == protocol.support_counts(made).tolist()
        assert len(protocol.validate_reports(made[:0], 0)) == 0


@pytest.mark.every(5)
@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda made: None,
        lambda made: made.tolist(),
        lambda made: made[:-1],
        lambda made: np.concatenate([made, made]),
        lambda made: made[None],
        lambda made: made.astype(object),
        lambda made: np.zeros(made.shape),
        lambda made: np.zeros(made.shape, dtype=bool),
    ],
)
def test_other_shapes_and_types_are_refused(
    form: Case | str, spoil: Callable[[Any], Any], rng: Rng
) -> None:
    protocol = protocol_of(form)
    with pytest.raises(ValueError, match=r"^must be .*\[5.*\], got "):
        protocol.validate_reports(spoil(protocol.random_reports(5, rng)), 5)


def with_field(made: Any, name: str, value: int) -> Any:
    made[name][2] = value
    return made


@pytest.mark.parametrize(
    ("kind", "spoil", "message"),
    [
        ("grr", lambda made: made + 5, r"must be items in \[0, 5\), got "),
        ("grr", lambda made: made - 5, r"must be items in \[0, 5\), got -"),
        ("oue", lambda made: made | 1, "must have 5 bits each, got ones after the last bit"),
        ("olh", lambda made: with_field(made, "value", 9), r"values in \[0, 3\), got 9"),
        ("rappor", lambda made: with_field(made, "cohort", 4), r"cohorts in \[0, 4\), got 4"),
        ("rappor", lambda made: with_field(made, "bits", 255), "must have 12 bits each"),
    ],
)
def test_what_is_out_of_range_is_refused(
    kind: str, spoil: Callable[[Any], Any], message: str, rng: Rng
) -> None:
    form = next((case for case in CASES if case.kind == kind), kind)
    protocol = protocol_of(form)
    with pytest.raises(ValueError, match=message):
        protocol.validate_reports(spoil(protocol.random_reports(5, rng)), 5)


def test_items_of_any_integer_type_are_received() -> None:
    protocol = protocol_of(Case("grr", 5, 1.0))
    made = protocol.validate_reports(np.array([4, 0], dtype=np.uint8), 2)
    assert (made.dtype, made.tolist()) == (np.int64, [4, 0])
    with pytest.raises(ValueError, match="must be items in"):
        protocol.validate_reports(np.array([2**63 + 1, 0], dtype=np.uint64), 2)
