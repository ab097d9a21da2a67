"""The table of a plan, and its page of Markdown: every number with its formula."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ldptui.core.base.files import check_replaced, write_atomically

from ...text import format as text
from ...text.interval import share_words
from ..asking import Row, cited, row
from ..questions.planning import LOCALLY
from .planned import Planned, Rival, Trusted

SHOWN: Final = 8
"""Items that are named; of others, their number."""


WORDS: Final = {
    "users": "genuine users n",
    "epsilon": "budget ε",
    "share": "share of fakes β",
    "frequency": "frequency f",
    "power": "power",
}


SHORT: Final = {"users": "n", "epsilon": "ε", "share": "β", "frequency": "f", "power": "power"}


VERDICTS: Final[dict[str, Callable[[Any], str]]] = {
    "users": lambda v: f"It takes {text.count(math.ceil(v.users))} genuine users",
    "epsilon": lambda v: f"It takes ε = {text.short(v.epsilon, 4)}",
    "share": lambda v: f"At most {text.percent(v.share)} of all users may be fake",
    "frequency": lambda v: f"The smallest frequency is {text.short(v.frequency, 4)}",
    "power": lambda v: f"The power is {text.short(v.power, 4)}",
    "within": lambda v: f"The smallest error is ± {text.short(v.within, 4)}",
}
"""The answer, by the quantity that is solved for."""


def name(values: Planned) -> str:
    """The way to collect, in a word or two: "OUE", "shuffled OUE", "curator"."""
    if values.trust == LOCALLY:
        return values.protocol.upper()
    if values.noise is not None:
        return values.trust
    return f"{values.trust} {values.protocol.upper()}"


def title(values: Planned) -> str:
    """What is planned, and which quantity is solved for."""
    solved = values.solved
    asked = "all is given" if solved is None else f"{WORDS[solved]} is solved for"
    return (
        f"A plan: {name(values)}, d = {text.count(values.items)}, "
        f"α = {text.short(values.alpha)}; {asked}"
    )


def rival_rows(values: Planned, rivals: Iterable[Rival]) -> Iterator[Row]:
    """A row for each protocol: what it needs for the plan, and how far fakes lift an item in it."""
    best: float | None = None
    for rival in rivals:
        if rival.answer is None:
            yield _led(rival, values), text.MISSING, _refused(rival), "plan"
            continue
        best = rival.answer if best is None else best
        times = f"× {text.short(rival.answer / best, 3)}" if best else ""
        floor = f"βa = {text.short(rival.floor, 3)}"
        shown = answered(values.solved, rival.answer)
        yield _led(rival, values), shown, f"{times:<8}{floor}".strip(), "plan"


def _refused(rival: Rival) -> str:
    """Why a protocol has no answer, in a few words: `needs f above 0.07499`."""
    rule, named = re.split("[,:]", rival.why)[0], SHORT.get(rival.key, rival.key)
    if rule.startswith("must be "):
        return f"needs {named} {rule.removeprefix('must be ')}"
    return f"{named} {rule}"


def _led(rival: Rival, values: Planned) -> str:
    """What is solved for with a protocol; the planned one has a mark."""
    mark = "● " if rival.kind == values.protocol else "  "
    return f"{mark}{SHORT[values.solved or 'power']}, {rival.kind.upper()}"


def stated(values: Any, words: Mapping[str, str]) -> Iterator[Row]:
    """A row for each quantity of a plan, which is given or solved for."""
    for name, called in words.items():
        number = getattr(values, name)
        shown = text.count(math.ceil(number)) if name == "users" else text.short(number)
        yield called, shown, "solved for" if name == values.solved else "as given", ""


def rows(values: Planned) -> Iterator[Row]:
    """Every number with its formula."""
    yield from stated(values, WORDS)
    if values.power_reached is not None:
        yield row("power reached", values.power_reached, "Φ(((1−β)f − βa − zσ₀)/sd)", "plan")
        yield "users needed", text.count(values.users_needed), "n of the wanted power", "plan"
    if values.targets > 1:
        yield "lifted together, r", text.count(values.targets), "as given", ""
    if values.local_epsilon is not None:
        yield row("ε₀ of a report", values.local_epsilon, "the largest that n users hide", "BBGN")
    if values.noise is None:
        yield row("noise, Var*", values.variance, "q(1 − q)/(p − q)²", "W17 th. 2")
    else:
        yield row("noise of a count", values.noise, "standard deviation; added once", "CGB")
    yield row("gain factor a", values.gain_factor, "(s − q)/(p − q)", "plan")
    users_add = values.noise is None
    yield row("quantile z", values.quantile, _QUANTILE[users_add], "plan")
    yield row("noise threshold", values.noise_threshold, _THRESHOLD[users_add], "plan")
    if values.false_alarms is not None:
        yield row(
            "alarms by noise", values.false_alarms, "1 − Pr[Bin(n, q) ≤ n(q + t(p−q))]^d", "plan"
        )
    yield row("f_min, no attack", values.f_min, "zσ₀ + z_b sd(f)", "plan")
    yield row("attack floor", values.attack_floor, "β a", "plan")
    yield row("robust f_min", values.robust_f_min, "(βa + zσ₀ + z_b sd)/(1−β)", "plan")
    yield row("  the simpler sum", values.floor_and_f_min, "βa + f_min", "plan")
    saturation = values.saturation_users
    shown = text.count(math.ceil(saturation)) if math.isfinite(saturation) else text.MISSING
    yield "saturation n*", shown, _SATURATION[users_add], "plan"
    if values.noise is None:
        yield row("undetectable floor", values.undetectable_floor, "β e^ε / (e^ε − 1)", "plan")
    yield row("verified floor", values.verified_floor, "β", "plan")
    if values.share_for_shift is not None:
        wanted = f"β = x / a, x = {text.short(values.shift)}"
        yield row("share for shift x", _share(values.share_for_shift), wanted, "plan")
    yield from _table_rows(values.estimates)
    yield from _check_rows(values.check)


_QUANTILE: Final = {True: "Φ⁻¹(1 − α/d)", False: "of the servers' noise, at α/d"}
_THRESHOLD: Final = {True: "z √(Var* / (n + m))", False: "z σ / (n + m)"}
_SATURATION: Final = {True: "z² Var* / (βa)²", False: "z σ / (βa)"}
"""Formulas of a plan, by whether users add their own noise."""


def _share(share: float) -> float | str:
    return share if share < 1 else "none can"


def _table_rows(table: Trusted | None) -> Iterator[Row]:
    if table is None:
        return
    yield "trusted items", f"{len(table.trusted)} of {table.items}", "f~ > βa + zσ₀", "plan"
    if table.share_for_rank is not None:
        formula = f"β = (f_k − f)/(a − …), k = {table.rank}"
        yield row("share for the rank", _share(table.share_for_rank), formula, "plan")


def _check_rows(check: Mapping[str, float] | None) -> Iterator[Row]:
    if check is None:
        return
    names = {"power": "simulated power", "item": "item's estimate", "target": "target's estimate",
             "alarms": "alarms, no attack"}  # fmt: skip
    for name, words in names.items():
        measured = text.estimate(check[name], check[f"{name}_standard_error"])
        planned = f"planned {text.short(check[f'{name}_planned'])}"
        yield words, measured, planned, ""


def notes(values: Planned) -> Iterator[str]:
    """What has to be said about the numbers."""
    if values.solved is None:
        yield f"the plan {'holds' if values.holds else 'does not hold'}"
    if values.power - values.power_lowered > 0.01:
        yield (
            "fakes whose reports leave genuine items out lower these by "
            f"β·{text.short(values.lowered, 3)}: the power against them is "
            f"{text.short(values.power_lowered, 3)}"
        )
    if values.reports > values.saturation_users:
        yield "there are more users than n*: the attack is the limit, not the noise"
    if len(values.oracles) > 1:
        shown = ", ".join(
            f"{kind.upper()} {answered(values.solved, answer)}"
            for kind, answer in values.oracles.items()
            if answer is not None
        )
        yield f"{WORDS[values.solved or 'power']} by protocol: {shown}"
    if values.refused is not None:
        yield values.refused
    if table := values.estimates:
        names = table.trusted
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        yield (
            f"trust these {len(names)} of {table.items}: {', '.join(names[:SHOWN])}{more}"
            if names else f"trust none of the {table.items} items"
        )  # fmt: skip
    if check := values.check:
        yield from share_words([check["power"], check["alarms"]], int(check["trials"]))
    model = "one round, exchangeable reports, a server without a prior"
    if values.noise is not None:
        yield f"{model}; whatever is proved, each fake lifts one item as a user does"
        return
    yield f"{model}; any protocol has at least the undetectable floor, a verified one the last"


LEGEND: Final = (
    "Here σ₀ = √(Var*/(n + m)), sd(f) = √((Var* + (1 − β) f (1 − p − q)/(p − q))/(n + m)), "
    "z_b = Φ⁻¹(power)."
)


def answered(solved: str | None, answer: float) -> str:
    """The need of a protocol, in the digits of a comparison; users are whole."""
    return text.count(math.ceil(answer)) if solved == "users" else text.short(answer, 4)


def write_page(
    path: str, title: str, rows: Sequence[Row], notes: Iterable[str], legend: str = LEGEND
) -> None:
    """Write the plan as one page of Markdown, every number with its formula; raises LdpError."""
    check_replaced(Path(path), "out")
    cells = [" | ".join(cell.replace("|", "\\|") for cell in line) for line in rows]
    page = "\n".join(
        [
            f"# {title}", "", "| quantity | value | formula | source |",
            "|---|---|---|---|", *(f"| {line} |" for line in cells), "",
            *(f"- {note}" for note in notes), "", legend, "",
            *(f"- {source}" for source in cited(rows)), "",
        ]
    )  # fmt: skip
    write_atomically(Path(path), page)
