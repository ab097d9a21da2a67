"""The attack solver: against the programme over every report, and each of its rows by itself."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog
from support.cases import alike

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.sampling import Floats
from ldptui.core.bounds import solver
from ldptui.core.bounds.solver import Programme
from ldptui.core.protocols import OUE

ITEMS, R = 6, 3
OF = OUE(ITEMS, 1.0)
HELD = (0.2, 0.1, 0.0)
SMALL = Programme(
    OF.p, OF.q, ITEMS, 10_000, 4_000, HELD, (6900, 3500, 1000), padding=(2, 1, 0, 0)
)  # fmt: skip
REPORTS = np.array([*itertools.product((0, 1), repeat=ITEMS)], dtype=float)
"""Every report; the first R items are the targets."""


def over_every_report(programme: Programme) -> float:
    """The best mean number of targets, of any law over the reports that keeps to the same."""
    ones, room = REPORTS.sum(axis=1), solver.room(programme)
    rows, most = [], []
    for size, share in enumerate(room, 1):
        for chosen in itertools.combinations(range(R), size):
            rows.append(REPORTS[:, chosen].prod(axis=1))
            most.append(share)
    equal, values = [np.ones(len(REPORTS))], [1.0]
    if programme.sizes:
        law = solver.ones_law(programme)
        equal += [(ones == k).astype(float) for k in range(ITEMS)]
        values += law[:ITEMS].tolist()
    answer = linprog(
        -REPORTS[:, :R].sum(axis=1), A_ub=np.array(rows), b_ub=most,
        A_eq=np.array(equal), b_eq=values, method="highs",
    )  # fmt: skip
    assert answer.success
    return float(-answer.fun)


def mean(shares: Floats) -> float:
    return float(shares @ np.arange(shares.size))


@pytest.mark.parametrize("sizes", [False, True])
@pytest.mark.parametrize("fakes", [2000, 4000, 9000])
def test_no_law_of_reports_supports_more_targets(fakes: int, sizes: bool) -> None:
    programme = replace(SMALL, fakes=fakes, sizes=sizes)
    assert mean(solver.solve_classes(programme)) == pytest.approx(
        over_every_report(programme), abs=1e-7
    )
    tight = replace(programme, fakes=2 * fakes)  # each of twice as many has half the room
    if mean(solver.solve_classes(tight)) < mean(solver.solve_classes(programme)) - 1e-9:
        assert mean(solver.solve_classes(tight)) < over_every_report(programme) - 1e-3
    else:
        assert programme.sizes


def test_a_class_supports_a_set_as_often_as_its_subsets_hold_it() -> None:
    rows = solver.together(4, 4)
    for j in range(5):
        subsets = [*itertools.combinations(range(4), j)]
        for size in range(1, 5):
            held = np.mean([set(range(size)) <= set(chosen) for chosen in subsets])
            assert rows[size - 1, j] == pytest.approx(held)


def test_honest_reports_go_together_as_their_bits_do() -> None:
    together, spread = solver.honest_together(SMALL)
    for size in (1, 2, 3):
        likely = [
            np.prod([OF.p if v == item else OF.q for v in range(size)]) for item in range(ITEMS)
        ]
        users = np.array([*HELD, 0.7, 0.0, 0.0])[:ITEMS] * SMALL.users
        assert together[size - 1] == pytest.approx(users @ likely)
        assert spread[size - 1] == pytest.approx(users @ (likely * (1 - np.array(likely))))
        # Not n q^s: the users who hold a target have its bit more often.
        assert together[size - 1] > SMALL.users * OF.q**size * 1.01


def test_what_is_composed_keeps_both_laws() -> None:
    programme = replace(SMALL, sizes=True)
    inside, outside, law = solver.list_sizes(programme)
    assert law.sum() == pytest.approx(1)
    targets = np.bincount(inside, weights=law, minlength=R + 1)
    np.testing.assert_allclose(targets, solver.solve_classes(programme), atol=1e-12)
    ones = np.bincount(inside + outside, weights=law, minlength=ITEMS + 1)
    np.testing.assert_allclose(ones, solver.ones_law(programme), atol=1e-12)
    assert (outside <= ITEMS - R).all()
    assert solver.ones_law(programme) @ np.arange(ITEMS + 1) == pytest.approx(
        OF.p + (ITEMS - 1) * OF.q
    )


def test_the_mass_is_at_most_that_of_honest_reports() -> None:
    # Twice as many targets as an honest report has ones.
    free = Programme(OF.p, OF.q, ITEMS, 10_000, 100, (0.0,) * 5, padding=(1, 1, 0, 0, 0, 0))
    assert mean(solver.solve_classes(free)) == pytest.approx(5)
    bound = replace(free, mass=True)
    inside, outside, law = solver.list_sizes(bound)
    assert law @ (inside + outside) == pytest.approx(OF.p + (ITEMS - 1) * OF.q)


def test_it_is_solved_once() -> None:
    programme = replace(SMALL, fakes=1234)
    assert not solver.is_solved(programme)
    first = solver.solve_classes(programme)
    assert solver.is_solved(programme)
    assert solver.solve_classes(programme) is first
    assert not first.flags.writeable
    assert alike(first, solver._optimum(programme))


def test_what_nothing_keeps_to_says_the_number() -> None:
    with pytest.raises(ScenarioError, match=r"must leave out .* 2 targets together 909\.7 times"):
        solver.check(replace(SMALL, thresholds=(6900, 1000)))
    # With as many targets as items every honest number of ones is one of targets.
    every = Programme(
        OF.p, OF.q, ITEMS, 10_000, 9_000, (0.1,) * ITEMS, (9000, 1400, 900, 200), sizes=True
    )
    with pytest.raises(ScenarioError, match="constraints must leave out"):
        solver.check(every)
    many = Programme(OF.p, OF.q, 4000, 10_000, 100, (0.0,) * 2000, sizes=True)
    with pytest.raises(ScenarioError, match=r"targets must be solved over at most 4000000 entries"):
        solver.check(many)
