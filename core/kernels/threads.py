"""The threads of linear algebra: one where the matrices are small."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """A context manager in which linear algebra uses one thread.

    For small matrices, threads that wait for each other cost more than they save, by far if several
    processes compute.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield
