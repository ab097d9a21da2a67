"""The table of a plan, and its page of Markdown: every number with its formula."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

from ...text import format as text
from ...text.interval import share_words
from ..output import Report, Row, cited, row

SHOWN: Final = 8
"""Items that are named; of others, their number."""


def report(values: dict[str, Any]) -> Report:
    """The plan for people, each number with its formula."""
    return Report(_title(values), [*_rows(values)], _notes(values))


WORDS: Final = {
    "users": "genuine users n",
    "epsilon": "budget ε",
    "share": "share of fakes β",
    "frequency": "frequency f",
    "power": "power",
}


def _title(values: dict[str, Any]) -> str:
    solved = values["solved"]
    asked = "all is given" if solved is None else f"{WORDS[solved]} is solved for"
    return (
        f"A plan: {values['protocol'].upper()}, d = {text.count(values['items'])}, "
        f"α = {text.short(values['alpha'])}; {asked}"
    )


def _rows(values: dict[str, Any]) -> Iterator[Row]:
    for name, words in WORDS.items():
        number = values[name]
        shown = text.count(math.ceil(number)) if name == "users" else text.short(number)
        yield words, shown, "solved for" if name == values["solved"] else "as given", ""
    if values["solved"] is None:
        yield row("power reached", values["power_reached"], "Φ(((1−β)f − βa − zσ₀)/sd)", "plan")
        yield "users needed", text.count(values["users_needed"]), "n of the wanted power", "plan"
    if values["targets"] > 1:
        yield "lifted together, r", text.count(values["targets"]), "as given", ""
    yield row("noise, Var*", values["variance"], "q(1 − q)/(p − q)²", "W17 th. 2")
    yield row("gain factor a", values["gain_factor"], "(s − q)/(p − q)", "plan")
    yield row("quantile z", values["quantile"], "Φ⁻¹(1 − α/d)", "plan")
    yield row("noise threshold", values["noise_threshold"], "z √(Var* / (n + m))", "plan")
    yield row("f_min, no attack", values["f_min"], "zσ₀ + z_b sd(f)", "plan")
    yield row("attack floor", values["attack_floor"], "β a", "plan")
    yield row("robust f_min", values["robust_f_min"], "(βa + zσ₀ + z_b sd)/(1−β)", "plan")
    yield row("  the simpler sum", values["floor_and_f_min"], "βa + f_min", "plan")
    saturation = values["saturation_users"]
    shown = text.count(math.ceil(saturation)) if math.isfinite(saturation) else text.MISSING
    yield "saturation n*", shown, "z² Var* / (βa)²", "plan"
    yield row("undetectable floor", values["undetectable_floor"], "β e^ε / (e^ε − 1)", "plan")
    yield row("verified floor", values["verified_floor"], "β", "plan")
    if values["shift"] is not None:
        wanted = f"β = x / a, x = {text.short(values['shift'])}"
        yield row("share for shift x", _share(values["share_for_shift"]), wanted, "plan")
    yield from _table_rows(values.get("estimates"))
    yield from _check_rows(values.get("check"))


def _share(share: float) -> float | str:
    return share if share < 1 else "none can"


def _table_rows(table: dict[str, Any] | None) -> Iterator[Row]:
    if table is None:
        return
    yield "trusted items", f"{len(table['trusted'])} of {table['items']}", "f~ > βa + zσ₀", "plan"
    if table["rank"] is not None:
        formula = f"β = (f_k − f)/(a − …), k = {table['rank']}"
        yield row("share for the rank", _share(table["share_for_rank"]), formula, "plan")


def _check_rows(check: dict[str, Any] | None) -> Iterator[Row]:
    if check is None:
        return
    names = {"power": "simulated power", "item": "item's estimate", "target": "target's estimate",
             "alarms": "alarms, no attack"}  # fmt: skip
    for name, words in names.items():
        measured = text.estimate(check[name], check[f"{name}_standard_error"])
        planned = f"planned {text.short(check[f'{name}_planned'])}"
        yield words, measured, planned, ""


def _notes(values: dict[str, Any]) -> list[str]:
    notes = []
    if values["solved"] is None:
        notes.append(f"the plan {'holds' if values['holds'] else 'does not hold'}")
    missed = values["power"] - values["power_lowered"]
    if missed > 0.01:
        notes.append(
            "fakes whose reports leave genuine items out lower these by "
            f"β·{text.short(values['lowered'], 3)}: the power against them is "
            f"{text.short(values['power_lowered'], 3)}"
        )
    saturation = values["saturation_users"]
    if math.isfinite(saturation) and values["reports"] > saturation:
        notes.append("there are more users than n*: the attack is the limit, not the noise")
    others = {kind: answer for kind, answer in values["oracles"].items() if answer is not None}
    if len(values["oracles"]) > 1:
        shown = ", ".join(
            f"{kind.upper()} {_answer(values, answer)}" for kind, answer in others.items()
        )
        notes.append(f"{WORDS[values['solved'] or 'power']} by protocol: {shown}")
    if table := values.get("estimates"):
        names = table["trusted"]
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        notes.append(
            f"trust these {len(names)} of {table['items']}: {', '.join(names[:SHOWN])}{more}"
            if names else f"trust none of the {table['items']} items"
        )  # fmt: skip
    if check := values.get("check"):
        notes += share_words([check["power"], check["alarms"]], check["trials"])
    notes.append(
        "one round, exchangeable reports, a server without a prior; any protocol has at least "
        "the undetectable floor, a verified one the last"
    )
    return notes


LEGEND: Final = (
    "Here σ₀ = √(Var*/(n + m)), sd(f) = √((Var* + (1 − β) f (1 − p − q)/(p − q))/(n + m)), "
    "z_b = Φ⁻¹(power)."
)


def _answer(values: dict[str, Any], answer: float) -> str:
    return text.count(math.ceil(answer)) if values["solved"] == "users" else text.short(answer, 4)


def page(values: dict[str, Any]) -> str:
    """The plan as one page of Markdown: every number with its formula."""
    rows = [*_rows(values)]
    cells = [" | ".join(cell.replace("|", "\\|") for cell in line) for line in rows]
    sources = [f"- {source}" for source in cited(rows)]
    notes = [f"- {note}" for note in _notes(values)]
    return "\n".join(
        [
            f"# {_title(values)}", "", "| quantity | value | formula | source |",
            "|---|---|---|---|", *(f"| {line} |" for line in cells), "", *notes, "",
            LEGEND, "", *sources, "",
        ]
    )  # fmt: skip
