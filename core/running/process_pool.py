"""The pool of processes on this machine."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.process import BaseProcess
from typing import Final

from ..base.files import is_file
from .child_lifetime import StoppableContext, die_with_parent, watch_parent

GUARD: Final = """\
the workers import the script that starts them, and it would start others: put the call that asks
for workers under `if __name__ == "__main__":`"""
"""The last words of a worker whose script is not guarded."""


class _Processes(dict[int, BaseProcess]):
    """The processes of a pool, whose own thread may go through them while another one starts.

    With a plain dict that thread ends with "dictionary changed size during iteration".
    """

    def values(self) -> list[BaseProcess]:  # type: ignore[override]
        return list(super().values())


@contextlib.contextmanager
def open_pool(workers: int) -> Iterator[tuple[ProcessPoolExecutor, set[BaseProcess]]]:
    """A context manager of a process pool and the set of its first processes.

    The pool's processes are killed on an exception. Raises SystemExit in a worker whose script is
    not guarded by `if __name__ == "__main__":`.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(GUARD)  # no traceback of a process that nobody started knowingly
    main = vars(sys.modules["__main__"])
    if main.get("__spec__") is None and not is_file(main.get("__file__") or ""):
        # A script of standard input or of a pipe, which workers cannot import and do not need.
        main.pop("__file__", None)
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, StoppableContext(), initializer=_begin)
    pool._processes = _Processes()  # type: ignore[assignment]  # before its thread starts
    pool.submit(_keep_to_the_work)  # which starts the first process
    first = set(multiprocessing.active_children()) - before
    try:
        yield pool, first
    except BaseException:
        # An interrupted block may take seconds yet: nobody waits for it.
        started = set(multiprocessing.active_children()) - before
        for process in started:
            process.kill()
        for process in started:
            process.join()
            while process.exitcode is None:  # the pool's own thread has reaped it, and will say so
                time.sleep(0.001)
        # A worker killed while it was writing its result would be waited for in vain.
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown(wait=True)


def describe_end(code: int | None) -> str:
    """The way in which a process ended, in brackets, by its exit code; "" if that is None."""
    if code is None:
        return ""
    return f" (exit code {code})" if code >= 0 else f" ({signal.Signals(-code).name})"


def _begin() -> None:
    """Start a process of a pool, which ends when its parent is gone, killed or not.

    The thread that starts it closes the pool before it ends itself: Linux may watch it.
    """
    die_with_parent()
    watch_parent(multiprocessing.parent_process())
    _keep_to_the_work()


def _keep_to_the_work() -> None:
    """Ctrl-C reaches the whole terminal; the parent alone decides what it means, and what is
    printed to standard output, which an attack of somebody's may do as well.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
