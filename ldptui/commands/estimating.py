"""Reports of real users, read: ldptui estimate and ldptui screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ldptui.core.base.errors import ScenarioError, one_line
from ldptui.core.base.files import Piped, Source, write_atomically
from ldptui.core.lab.screening import memory
from ldptui.core.lab.screening import memory as screening_memory
from ldptui.core.law.pure import Items, LocalMechanism
from ldptui.core.reports.coverage import REPETITIONS
from ldptui.core.reports.files import counted_in, read_rows
from ldptui.core.reports.sources import check_rows, sources

from ..api import collected
from ..api.collected import Frequencies
from ..api.defended import Defended, defended
from ..api.defended import memory as defending_memory
from ..api.groups import Groups, estimate_by
from ..api.rated import Need, check_memory, expected, told
from ..api.screened import Screening
from ..api.screened import screen as screened
from ..questions.report_options import EstimateOptions, ScreenOptions
from ..terminal import exits
from ..terminal.output import note
from ..text import format as text
from .collecting import estimate_of_numbers
from .outputs import check_outputs, in_format, tell_written, write_result
from .reading import agreed, by_options, span_of


def screen(options: ScreenOptions) -> int:
    """Print the verdicts on files of reports; the exit code tells an alarm, and no verdict."""
    with by_options():
        named = sources(options.reports, options.input_format)
    check_outputs(options, named, {"--out": options.out, "--rows-out": options.rows_out})
    labels, protocol = agreed(options)
    tell_memory(options.quiet, named, partial(memory, protocol))
    with by_options():
        found = screened(named, protocol, labels=labels, trials=options.simulated)
    if options.rows_out is not None:
        write_rows(options.rows_out, found.rows)
        tell_written(options, options.rows_out)
    written = in_format(options.format, f"{found!r}\n", found.document, read=named)
    write_result(options, options.format, written)
    if found.misfit is not None and options.format != "table":
        note(f"ldptui: {one_line(found.misfit)}")
    if not found.proved:
        return exits.NO_VERDICT
    return exits.ALARM if found.alarm else exits.DONE


def tell_memory(quiet: bool, named: Sequence[Source], need: Need) -> None:
    """Say how much memory reports need, before they are read, where that is much."""
    words = told(expected(named), need)
    if words and not quiet:
        note(words)


def write_rows(path: str, rows: Items) -> None:
    """Write the numbers of rows, counted from 1 on over all files, a line each."""
    lines = "".join(f"{row + 1}\n" for row in rows.tolist())
    write_atomically(Path(path), f"row\n{lines}")


def estimate(options: EstimateOptions) -> int:
    """Print the frequencies that files of reports, and of counts, tell; of numbers the mean."""
    span = span_of(options.low, options.high)
    if span:
        return estimate_of_numbers(options, span)
    for option, given in (("--parts", options.parts), ("--fit", options.fit)):
        if given is not None:
            raise ScenarioError("goes with --low, of a protocol of numbers", key=option)
    with by_options():
        named = sources(options.reports, options.input_format)
    outs = {
        "--out": options.out, "--counts-out": options.counts_out, "--rows-out": options.rows_out
    }  # fmt: skip
    check_outputs(options, named, outs)
    labels, protocol = agreed(options)
    how: dict[str, Any] = {
        "corrections": options.correct, "confidence": options.confidence,
        "coverage": options.coverage, "top": options.top, "simultaneous": options.simultaneous,
    }  # fmt: skip
    with by_options():
        _check_defend(options, named, protocol)
        if options.by is None:
            total = counted_in(named, protocol, labels)
            answer = collected.estimate(total, protocol, share=options.share, **how)
            steps = _defended(answer, options, named, protocol)
            if steps is not None:
                answer = replace(answer, defended=steps.values, defences=steps.kinds)
            verdict = _verdict(options, named, protocol, labels)
            words = partial(_words, answer, verdict, steps)
            document = partial(_document, answer, verdict, steps)
            written = in_format(options.format, words(), document, answer.rows, named)
            misfits = [answer.misfit]
        else:
            _check_by(options, named)
            verdict = steps = None
            found = estimate_by(named, protocol, options.by, labels=labels, **how)
            document = partial(_grouped, found)
            written = in_format(options.format, f"{found!r}\n", document, found.rows, named)
            misfits = [
                f"{name}: {each.misfit}" for name, each in found.groups.items() if each.misfit
            ]
    if options.counts_out is not None:
        total.write(options.counts_out)
        tell_written(options, options.counts_out)
    if steps is not None and options.rows_out is not None:
        write_rows(options.rows_out, steps.rows)
        tell_written(options, options.rows_out)
    write_result(options, options.format, written)
    for misfit in filter(None, misfits if options.format != "table" else ()):
        note(f"ldptui: {one_line(misfit)}")
    if verdict is not None and options.format == "csv":
        note(f"ldptui: {one_line(verdict.verdict)}")
    return exits.MISFIT if options.strict and any(misfits) else exits.DONE


def _defended(
    answer: Frequencies, options: EstimateOptions, named: Sequence[Source], protocol: LocalMechanism
) -> Defended | None:
    """The estimates of --defend, with what its steps say."""
    if options.defend is None:
        return None
    kinds = _kinds(options.defend)
    reports = (rows.reports for rows in read_rows(named, protocol))
    trials = options.simulated if options.format != "csv" else 0
    return defended(reports, protocol, kinds, answer.labels, trials)


def _kinds(words: str) -> tuple[str, ...]:
    """The kinds of --defend."""
    return tuple(kind.strip() for kind in words.split(","))


def _check_defend(
    options: EstimateOptions, named: Sequence[Source], protocol: LocalMechanism
) -> None:
    """Refuse steps that cannot be, or need too much memory, before anything is read."""
    if options.defend is None:
        if options.rows_out is not None:
            raise ScenarioError("needs --defend, whose filters drop rows", key="--rows-out")
        return
    if options.by is not None:
        return
    _check_files(named, "--defend")
    need = partial(defending_memory, protocol, _kinds(options.defend))
    check_memory(expected(named) or 0, need, "--defend")
    tell_memory(options.quiet, named, need)


def _verdict(
    options: EstimateOptions,
    named: Sequence[Source],
    protocol: LocalMechanism,
    labels: Sequence[str] | None,
) -> Screening | None:
    """The verdict of --screen."""
    if not options.screen:
        return None
    _check_files(named, "--screen")
    tell_memory(options.quiet, named, partial(screening_memory, protocol))
    trials = options.simulated if options.format == "json" else 0
    return screened([*named], protocol, labels=labels, trials=trials)


def _check_files(named: Sequence[Source], key: str) -> None:
    """Refuse what cannot be read again, or holds no reports; raises ScenarioError."""
    check_rows(named, key)
    for source in named:
        if isinstance(source, Piped):
            raise ScenarioError(f"needs files of reports, got {source}", key=key)


def _check_by(options: EstimateOptions, named: Sequence[Source]) -> None:
    """Refuse counts where groups are asked for, which counts do not tell; raises ScenarioError."""
    if options.counts_out is not None:
        raise ScenarioError("is of all users together, got --by as well", key="--counts-out")
    others = {"--defend": options.defend is not None, "--screen": options.screen,
              "--share": options.share is not None,
              "--rows-out": options.rows_out is not None}  # fmt: skip
    for key, chosen in others.items():
        if chosen:
            raise ScenarioError("is of all users together, got --by as well", key=key)
    check_rows(named, "--by")


def _words(found: Frequencies, verdict: Screening | None, steps: Defended | None) -> str:
    none = "no intervals: the noise has no closed form"
    if found.corrections:
        none += " after a correction; --coverage measures them"
    notes = [] if found.std is not None else [none]
    if found.coverage is not None:
        share = text.estimate(found.coverage.mean, found.coverage.standard_error)
        notes += [
            "",
            f"intervals cover {share} (standard error) of the items, in",
            f"{REPETITIONS} simulated collections of what Norm-Sub makes of the estimates",
        ]
    if steps is not None:
        notes += ["", repr(steps)]
    if verdict is not None:
        notes += ["", verdict.verdict]
    return "\n".join([repr(found), *notes]) + "\n"


def _grouped(found: Groups) -> dict[str, Any]:
    return {
        "by": found.by,
        "groups": [{"group": name, **_document(each)} for name, each in found.groups.items()],
        "comparisons": found.comparisons,
        "significant": found.significant,
        "differences": found.compared(),
    }


def _document(
    found: Frequencies, verdict: Screening | None = None, steps: Defended | None = None
) -> dict[str, Any]:
    measured = found.coverage
    coverage = {} if measured is None else {
        "coverage": {"mean": measured.mean, "standard_error": measured.standard_error,
                     "repetitions": REPETITIONS},
    }  # fmt: skip
    return {
        "reports": found.reports,
        "corrections": list(found.corrections),
        "confidence": found.confidence if found.std is not None else None,
        **coverage,
        "misfit": found.misfit,
        "items": found.rows(),
        **({} if steps is None else {"defences": [step.document() for step in steps.steps]}),
        **({} if verdict is None else {"screening": verdict.document()}),
    }
