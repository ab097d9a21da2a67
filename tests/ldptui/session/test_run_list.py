"""The runs within reach as a value: the list after each change."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from support import stores
from support.fake_engine import base_snapshot

from ldptui.engine.store_actions import run_from_store
from ldptui.session.run_list import RunList
from ldptui.session.runs import Run
from ldptui.session.snapshot import Snapshot, Status, with_rest


def own(key: int, full: bool = True, status: Status = "done", number: int | None = None) -> Run:
    """A run of this session."""
    snapshot = replace(base_snapshot(key), full=full, status=status, kept=number)
    return Run(key, {"trials": key}, snapshot, float(key), "here")


def kept(number: int, status: Any = "done", star: bool = False, done: int = 20) -> Run:
    """A run of the store, which lists no cells."""
    document = {"trials": number}
    return run_from_store(
        stores.listed(number, status=status, star=star, done=done, document=document)
    )


def keys(run_list: RunList) -> list[int]:
    return [run.key for run in run_list.runs]


def test_a_run_of_the_session_stands_once_and_has_what_the_store_says_of_it() -> None:
    run_list = RunList(session=(own(1, number=8), own(2))).with_stored_runs(
        [kept(7), kept(8, star=True)]
    )
    assert keys(run_list) == [-7, 1, 2]
    recorded = run_list.run(1)
    assert recorded is not None
    assert recorded.kept is not None
    assert recorded.kept.star
    assert run_list.run(-8) is None


def test_there_is_one_preview_and_it_is_shown() -> None:
    run_list = RunList().begun(own(1, full=False)).begun(own(2)).begun(own(3, full=False))
    assert (keys(run_list), run_list.shown) == ([2, 3], 3)


def test_a_run_that_begins_takes_no_overlay_away_but_the_preview() -> None:
    run_list = RunList(session=(own(1), own(2, full=False))).with_stored_runs([kept(7)])
    run_list = run_list.with_choice(1, (-7, 2)).begun(own(3, full=False))
    assert run_list.overlays == (-7,)


def test_a_run_gone_on_with_takes_the_place_of_its_first_part() -> None:
    run_list = RunList(session=(own(1, status="partial", number=8), own(2)))
    assert keys(run_list.begun(own(3, status="running", number=8))) == [2, 3]
    assert keys(run_list.begun(own(3, status="running"))) == [1, 2, 3]


def test_news_are_of_their_run_alone_and_late_ones_are_dropped() -> None:
    run_list = RunList(session=(own(1), own(2, status="running")))
    assert run_list.active == own(2, status="running").snapshot
    after = run_list.heard(replace(base_snapshot(2), full=True, done=7))
    assert after.session[0] is run_list.session[0]
    assert after.session[1].snapshot.done == 7
    assert after.active is None
    assert run_list.heard(base_snapshot(9)) is run_list


def test_a_run_gone_on_with_has_its_number_before_the_worker_says_so() -> None:
    run_list = RunList(session=(own(1, status="running", number=8),))
    assert run_list.heard(replace(base_snapshot(1), full=True)).numbers == (8,)
    assert run_list.heard(replace(base_snapshot(1), kept=9)).numbers == (9,)


def test_what_was_read_stays_until_the_run_is_another() -> None:
    run_list = RunList().with_stored_runs([kept(7), kept(8)]).with_choice(-7, (-8,))
    assert [run.key for run in run_list.unread] == [-7, -8]
    assert run_list.laid_over == ()
    for run in run_list.kept:
        run_list = run_list.with_read(run, base_snapshot(run.key))
    assert run_list.unread == ()
    assert [(overlay.label, overlay.snapshot) for overlay in run_list.laid_over] == [
        ("run 8", base_snapshot(-8))
    ]

    run_list = run_list.with_stored_runs([kept(7), kept(8, star=True)])
    assert [run.key for run in run_list.unread] == [-8]


def test_a_run_is_not_laid_over_itself() -> None:
    run_list = RunList(session=(own(1), own(2))).with_choice(2, (2, 1))
    assert [overlay.snapshot.key for overlay in run_list.laid_over] == [1]


def test_deleting_has_an_undo_the_last_one_first() -> None:
    run_list = RunList(session=(own(1), own(2), own(3))).with_choice(3, (1, 2))
    less = run_list.without(run_list.session[0]).without(run_list.session[1])
    assert (keys(less), less.overlays) == ([3], ())
    once = less.put_back()
    assert keys(once) == [2, 3]
    assert (keys(once.put_back()), once.put_back().deleted) == ([1, 2, 3], ())


def test_a_run_of_the_store_is_put_back_by_the_store() -> None:
    run_list = RunList().with_stored_runs([kept(7)])
    gone = run_list.without(run_list.runs[0]).with_stored_runs([])
    assert keys(gone) == keys(gone.put_back()) == []
    assert keys(gone.put_back().with_stored_runs([kept(7)])) == [-7]


@pytest.mark.parametrize(
    ("shown", "key", "pair"), [(3, 1, (1, 3)), (1, 3, (1, 3)), (3, 3, (2, 3)), (1, 1, (1, 2)),
                               (0, 1, (1, 2)), (0, 2, (1, 2)), (99, 3, (2, 3))],
)  # fmt: skip
def test_a_run_is_compared_with_the_one_shown_else_with_the_one_before(
    shown: int, key: int, pair: tuple[int, int]
) -> None:
    run_list = RunList(session=(own(1), own(2), own(3))).with_choice(shown)
    run = run_list.run(key)
    assert run is not None
    found = run_list.pair(run)
    assert found is not None
    assert (found[0].key, found[1].key) == pair


def test_a_run_that_is_alone_is_compared_with_nothing() -> None:
    assert RunList(session=(own(1),)).pair(own(1)) is None


def test_at_a_start_the_last_run_with_a_trial_is_shown() -> None:
    run_list = RunList().with_stored_runs([kept(6), kept(7, "interrupted"), kept(8, done=0)])
    assert run_list.last == kept(7, "interrupted")
    assert RunList().last is None


def test_a_run_has_measured_a_scenario_whatever_its_title() -> None:
    run_list = RunList(session=(own(1), own(2, status="partial"), own(3, full=False)))
    assert run_list.measured_run({"title": "another", "trials": 1}) == own(1)
    assert run_list.measured_run({"trials": 2}) is None
    assert run_list.measured_run({"trials": 3}) is None
    assert [run_list.with_choice(key).on_show for key in (1, 2, 3, 0)] == [
        own(1),
        run_list.run(2),
        None,
        None,
    ]


def test_what_a_task_followed_stays_until_it_is_measured_anew() -> None:
    before = replace(base_snapshot(1), followed={"trials": 20, "levels": [1]})
    begun = Snapshot(2, "running")
    assert with_rest(begun, before).followed == before.followed
    newer = replace(before, key=2, status="running", followed={"trials": 1, "levels": [2]})
    assert with_rest(newer, before).followed == newer.followed
    without = replace(newer, frequencies=None), replace(before, frequencies=None, followed=None)
    assert with_rest(*without).followed == newer.followed
