"""The wire: what is said is heard as it was said, and whatever else comes is refused in words."""

from __future__ import annotations

import math
import random

import pytest
from msgspec.structs import replace
from support.bit_cases import BITS
from support.fake_engine import base_snapshot
from support.round_cases import SNAPSHOT as CAMPAIGN

from ldptui.core.base.summary import Estimate
from ldptui.core.view import Detection, TrialEstimates
from ldptui.engine import wire
from ldptui.session.snapshot import LabQuestion, Reply, Request, Snapshot

TRIALS = TrialEstimates((1,), ("a",), 1, (0.5,), {"clean": ((0.1, 0.2),)}, {"clean": ((0.5, 1.0),)})
FULL = replace(
    CAMPAIGN,
    bits=BITS,
    detection=Detection("fiad", "pairs", (0.0, 1.0), (3, 4), (0, 2), flagged=(0.1, 0.9)),
    by_trial=TRIALS,
    at_cell=replace(base_snapshot(1).frequencies, by_trial=TRIALS),  # type: ignore[type-var]
    followed={"levels": [1, 2]},
)


def heard(news: wire.News) -> wire.News:
    frame = wire.frame_of(news)
    assert wire.length_in(frame[: wire.HEAD]) == len(frame) - wire.HEAD
    return wire.news_in(frame[wire.HEAD :])


@pytest.mark.parametrize(
    "news",
    [
        wire.News(ready={"numpy": "2"}),
        wire.News(started=3),
        wire.News(error="no"),
        wire.News(reply=Reply(1, "done", answer={"a": [1, None]}, offers={"x": ("y",)})),
        wire.News(snapshot=Snapshot(1, "failed", error="who"), more=True),
        wire.News(snapshot=FULL),
    ],
)
def test_news_are_heard_as_they_were_said(news: wire.News) -> None:
    assert heard(news) == news


def test_the_longest_snapshot_leaves_no_field_out() -> None:
    assert all(getattr(FULL, name) is not None for name in FULL.__struct_fields__
               if name != "kept")  # fmt: skip


@pytest.mark.parametrize("odd", ["a\udcffb", 1 << 80, -(1 << 70), 1e308, 5e-324])
def test_what_message_pack_cannot_hold_is_heard_as_well(odd: object) -> None:
    cell = replace(base_snapshot(1).base_cell, parameters={"odd": odd, "even": math.pi})
    said = replace(base_snapshot(1), cells=(cell,), round_frequencies=FULL.round_frequencies)
    assert heard(wire.News(snapshot=said)) == wire.News(snapshot=said)
    request = Request(1, {"seed": odd, "even": math.pi}, f"{odd}")
    assert wire.order_in(wire.to_json(wire.Order(run=request))).run == request


def test_numbers_that_are_not_finite_are_heard() -> None:
    cell = base_snapshot(1).base_cell
    estimate = Estimate(math.inf, math.nan, None)
    said = replace(base_snapshot(1), cells=(replace(cell, metrics={"x": estimate}),))
    news = heard(wire.News(snapshot=said))
    assert news.snapshot is not None
    found = news.snapshot.base_cell.metrics["x"]
    assert found.mean == math.inf
    assert math.isnan(found.standard_error or 0)


AGREED = ("attack", "mine", True, "/a.py", "xxh3:0")


@pytest.mark.parametrize(
    "order",
    [
        wire.Order(run=Request(1, {"format": 1}, ".", agreed=(AGREED,))),
        wire.Order(ask=LabQuestion(2, "check", {"epsilon": "1"}, None, "/")),
        wire.Order(cancel=0),
        wire.Order(quit=True),
    ],
)
def test_orders_are_heard_as_they_were_given(order: wire.Order) -> None:
    line = wire.to_json(order)
    assert b"\n" not in line
    assert wire.order_in(line) == order


def test_damaged_frames_are_refused_and_never_run() -> None:
    """A worker may run a stranger's code: of what it says nothing but plain values is made."""
    draw = random.Random(5)
    frames = [
        wire.frame_of(wire.News(snapshot=said))[wire.HEAD :] for said in (FULL, base_snapshot(1))
    ]
    refused = 0
    for _ in range(2000):
        body = bytearray(draw.choice(frames))
        for _ in range(draw.choice((1, 1, 1, 4))):
            at = draw.randrange(len(body))
            body[at] = draw.randrange(256)
        del body[draw.choice((len(body), len(body), draw.randrange(len(body)))) :]
        try:
            news = wire.news_in(bytes(body))
        except (ValueError, RecursionError):
            refused += 1
        else:
            assert isinstance(news, wire.News)
    assert refused > 500


def test_columns_of_different_lengths_are_refused() -> None:
    short = {"items": [1, 2], "labels": ["a"], "domain_size": 2, "targets": [], "trials": 1}
    frequencies = {**short, "true": [0.5, 0.5], "arms": {}}
    body = wire.to_json({"snapshot": {"key": 1, "status": "done", "frequencies": frequencies}})
    with pytest.raises(ValueError, match="not equally long"):
        wire.news_in(body)


@pytest.mark.parametrize("said", [b"\x80\x04\x95", b"cos\nsystem\n(S'true'\ntR.", b"{"])
def test_a_pickle_is_nothing(said: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        wire.news_in(said)


def test_a_frame_that_is_too_long_is_refused_before_it_comes() -> None:
    with pytest.raises(ValueError, match="at most"):
        wire.length_in((wire.LIMIT + 1).to_bytes(wire.HEAD, "little"))
