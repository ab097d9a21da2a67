"""The wire between the app and its worker: what may be said on it, and how it is written.

Orders are lines of JSON. News are frames: four bytes with the length, little-endian, then
MessagePack, or JSON for what MessagePack cannot hold: integers beyond 64 bits, and names of files
that are no Unicode. Both are decoded into the values that are named here and checked field by
field: whatever else comes is a ValueError, and nothing that comes is ever run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, BinaryIO, Final, TypeVar

import msgspec

from ..session.snapshot import LabQuestion, Reply, Request, Snapshot

T = TypeVar("T")

HEAD: Final = 4
"""Bytes of the length before a frame."""

LIMIT: Final = 1 << 26
"""Bytes of a frame at most."""


class Order(msgspec.Struct, omit_defaults=True):
    """A message from the app to a worker, with exactly one field set.

    run, ask : a request that replaces the current one.
    cancel : the key of a request to stop; finished trials stay.
    quit : the worker must end.
    """

    run: Request | None = None
    ask: LabQuestion | None = None
    cancel: int | None = None
    quit: bool = False

    @property
    def request(self) -> Request | LabQuestion | None:
        """The run or the question of the order; None if it has neither."""
        return self.run or self.ask


class News(msgspec.Struct, omit_defaults=True):
    """A message from a worker to the app, with exactly one field set.

    ready : the versions, sent once after all imports.
    started : the key of the request that begins.
    snapshot : the changed fields of a run's snapshot.
    more : further messages belong to the same snapshot.
    reply : the reply to a question.
    error : a sentence about a line that is no order.
    """

    ready: Mapping[str, str] | None = None
    started: int | None = None
    snapshot: Snapshot | None = None
    more: bool = False
    reply: Reply | None = None
    error: str = ""


def _plain(value: object) -> object:
    """A value of a type unknown to the encoders as an int, float, str or dict; else its text."""
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    return dict(value) if isinstance(value, Mapping) else str(value)


_FRAMES: Final = msgspec.msgpack.Encoder(enc_hook=_plain)


def to_json(value: object) -> bytes:
    """A value as JSON, on one line."""
    return json.dumps(msgspec.to_builtins(value, enc_hook=_plain), separators=(",", ":")).encode()


def from_json(text: bytes, kind: type[T]) -> T:
    """The value of this type; raises ValueError or RecursionError."""
    return msgspec.convert(json.loads(text), kind, str_keys=True)


def order_in(line: bytes) -> Order:
    """The order on a line of JSON; raises ValueError or RecursionError."""
    order = from_json(line, Order)
    if order == Order():
        raise ValueError("it asks for nothing")
    return order


def frame_of(news: News) -> bytes:
    """A message as the bytes of a frame."""
    try:
        body = _FRAMES.encode(news)
    except (OverflowError, UnicodeEncodeError):
        body = to_json(news)
    return len(body).to_bytes(HEAD, "little") + body


def write(out: BinaryIO, **news: Any) -> None:
    """Write a message as a frame, and flush it.

    news : the fields of `News`.
    """
    out.write(frame_of(News(**news)))
    out.flush()


def length_in(head: bytes) -> int:
    """The length in bytes of the frame that follows; raises ValueError if it is above the limit."""
    length = int.from_bytes(head, "little")
    if length > LIMIT:
        raise ValueError(f"a frame of {length} bytes is announced, at most {LIMIT} may come")
    return length


def news_in(body: bytes) -> News:
    """The news in a frame; raises ValueError or RecursionError."""
    if body.startswith(b"{"):
        return from_json(body, News)
    return msgspec.msgpack.decode(body, type=News)
