"""Plan: users, ε, share of fakes, frequency and power, one from the others, with all floors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from ldptui.core.base.files import write_atomically

from ...text import format as text
from ..asking import Ask, Steps, answer_of
from ..figure import curves
from ..questions.plan import LOCALLY, Options
from .chart import budget_chart, frequency_chart
from .planned import Planned, planned, rivals, with_more
from .table import name, notes, page, rival_rows, rows, title


def answer(options: Options, ask: Ask) -> Steps:
    """The plan; its page is written where a path is given."""
    yield f"planning for {text.count(options.items)} items"
    values = with_more(planned(options), options)
    lines, said, written = [*rows(values)], [*notes(values)], ask.path or options.out
    others = rivals(values, options) if ask.tab and options.trust == LOCALLY else ()
    verdict = [_verdict(values)]
    if written:
        write_atomically(Path(written), page(title(values), lines, said))
        values = replace(values, out=written)
        verdict.insert(0, f"Wrote {written}.")
        said.append(f"wrote {written}")
    return answer_of(
        title(values),
        [*rival_rows(values, others), *lines],
        values=values,
        verdict=verdict,
        notes=said,
        figures=(
            curve
            for chart, over in ((frequency_chart, "n"), (budget_chart, "ε"))
            if options.trust == LOCALLY
            for curve in [curves(chart(values), "least f", over)]
        ),
    )


VERDICTS: Final[dict[str, Callable[[Planned], str]]] = {
    "users": lambda v: f"It takes {text.count(math.ceil(v.users))} genuine users",
    "epsilon": lambda v: f"It takes ε = {text.short(v.epsilon, 4)}",
    "share": lambda v: f"At most {text.percent(v.share)} of all users may be fake",
    "frequency": lambda v: f"The smallest frequency is {text.short(v.frequency, 4)}",
    "power": lambda v: f"The power is {text.short(v.power, 4)}",
}


def _verdict(values: Planned) -> str:
    """The answer in a sentence."""
    if values.solved is None:
        does = "holds" if values.holds else "does not hold"
        needed = text.count(values.users_needed)
        reached = text.short(values.power_reached, 4)
        return f"The plan {does}: its power is {reached}; {needed} users are enough."
    answer = VERDICTS[values.solved](values)
    if values.solved == "users" and values.trust != LOCALLY:
        answer = f"The smallest batch is {text.count(math.ceil(values.users))} genuine users"
    aim = f"for {name(values)} to find an item of frequency " + text.short(values.frequency, 3)
    if values.solved == "frequency":
        aim = f"that {name(values)} finds"
    spite = f" in spite of {text.percent(values.share)} fakes" if values.share else ""
    sure = f", with probability {text.short(values.power, 3)}"
    return f"{answer} {aim}{spite}{sure}."
