"""What a command does, written into a file or on standard error: --log-file and --verbose."""

from __future__ import annotations

import argparse
import logging
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Final

from .. import __version__
from ..questions.parameters import OUTPUT

LOG: Final = logging.getLogger("ldptui")


def add_log_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that every command has."""
    headings = (group for group in parser._action_groups if group.title == OUTPUT.heading)
    place: Any = next(headings, parser)
    place.add_argument("--log-file", metavar="FILE", help="write a log to this file")
    place.add_argument("--verbose", "-v", action="store_true", help="log to standard error")


def split_log_options(words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options of the log, parsed from a command line, and the remaining words."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add_log_options(parser)
    return parser.parse_known_args(words)


def log_to(path: Path) -> logging.Handler:
    """A logging handler that writes to a file of at most one mebibyte; raises OSError."""
    return _add(RotatingFileHandler(path, maxBytes=1 << 20, backupCount=2, encoding="utf-8"))


def _add(handler: logging.Handler) -> logging.Handler:
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    return handler


@contextmanager
def log_command(log_file: str | None, verbose: bool, words: Sequence[str]) -> Iterator[None]:
    """Log the start of a command with its words and versions, and its end."""
    added = [log_to(Path(log_file))] if log_file else []
    if verbose:
        added.append(_add(logging.StreamHandler(sys.stderr)))
    if not added:
        yield
        return
    from ldptui.core.base.versions import versions

    known = versions(__version__).items()
    LOG.info("ldptui %s", shlex.join(words))
    LOG.info("%s", ", ".join(f"{name} {version}" for name, version in known))
    started = time.monotonic()
    try:
        yield
        LOG.info("done in %.2f s", time.monotonic() - started)
    except BaseException as error:
        spent = time.monotonic() - started
        LOG.info("ended after %.2f s: %s: %s", spent, type(error).__name__, error)
        raise
    finally:
        for handler in added:
            logging.getLogger().removeHandler(handler)
            handler.close()
