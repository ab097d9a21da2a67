"""A run of the worker inside the test's process, and the news that it writes."""

from __future__ import annotations

import io
from typing import Any

from ldptui.engine import wire
from ldptui.engine.child import RunSoFar
from ldptui.engine.worker.inbox import Inbox
from ldptui.engine.worker.run import RunningRequest
from ldptui.session.snapshot import ChartSelection, Request, Snapshot


def told(
    document: Any, *selections: ChartSelection, **more: Any
) -> tuple[Snapshot, list[wire.News]]:
    """The last snapshot of a run of some cells, the base alone if none are named, and all news."""
    chosen = selections or (ChartSelection(),)
    options = {"folder": ".", "interval": 0, **more}
    return answered(Request(1, document, selections=chosen, **options))


def answered(request: Request) -> tuple[Snapshot, list[wire.News]]:
    """The last snapshot of a run of this request, and all news."""
    inbox, out = Inbox(), io.BytesIO()
    so_far = RunSoFar(request)
    order = wire.order_in(wire.to_json(wire.Order(run=request)))
    assert order.run is not None
    inbox._newest = order.run
    RunningRequest(order.run, inbox, out).work()
    news = [*news_in(out.getvalue())]
    for each in news[1:]:
        so_far.take(each)
    return so_far.snapshot, news


def news_in(written: bytes) -> list[wire.News]:
    """The news that were written one after the other."""
    news, start = [], 0
    while start < len(written):
        start += wire.HEAD
        end = start + wire.length_in(written[start - wire.HEAD : start])
        news.append(wire.news_in(written[start:end]))
        start = end
    return news
