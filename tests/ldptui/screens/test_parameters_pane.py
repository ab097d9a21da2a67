"""The parameters pane: what a kind shows, the data file, the hash range, the sweep."""

from typing import Any

import pytest
from support.form_app import SCENARIO, SWEEP, FormApp
from textual.widget import Widget
from textual.widgets import Static

from ldptui import scenarios
from ldptui.core.scenario import KINDS, names_of
from ldptui.screens.workbench.attack_pane import AttackPane
from ldptui.screens.workbench.parameters_pane import ParametersPane
from ldptui.session.draft import draft_of, edit_key, new_sweep, sweep_of, sweepable, used_keys
from ldptui.widgets.field import ChoiceControl, Field, read, write
from ldptui.widgets.form import FormLine

SIZES = [(80, 20), (44, 15), (140, 50)]


class OpenPane(ParametersPane):
    """With the rows that few change."""

    _is_open = True


def line(app: FormApp, name: str) -> FormLine:
    return next(each for each in app.query(FormLine) if each.name == name and each.display)


def keys(app: FormApp) -> list[str]:
    """The keys of the fields that are shown, in reading order."""
    return [field.key for field in app.query(Field) if field.display]


IGNORED = {"protocol.p", "protocol.q"}
"""Keys that RAPPOR's usual form does not read."""


@pytest.mark.every(2)
@pytest.mark.parametrize("size", SIZES)
async def test_values_are_shown_and_none_is_cut(size: tuple[int, int]) -> None:
    app = FormApp(OpenPane, SCENARIO + SWEEP)
    async with app.run_test(size=size):
        assert app.shown("population.kind") == "zipf"
        assert app.shown("population.users") == "1 000 000"
        assert app.shown("protocol.epsilon") == "1"
        assert app.shown("trials") == "20"
        assert app.shown("simulate.path") == "auto"
        assert app.shown("sweep.attack.share") == "0 → 0.2, 5"
        assert app.posted == []
        for field in app.query(Field):
            if field.display and not isinstance(field.control, ChoiceControl):
                assert len(field.control.value) < field.control.size.width


async def test_what_few_change_is_folded() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(44, 30)) as pilot:
        assert not {"seed", "simulate.path", "trust.kind"} & set(keys(app))
        line(app, "more").focus()
        await pilot.press("enter")
        assert {"seed", "simulate.path", "simulate.top_k", "trust.kind"} <= set(keys(app))
        assert app.focused_key == "trust.kind"


async def test_a_kind_shows_its_own_keys_with_values() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(44, 24)) as pilot:
        own = {
            "uniform": ["items", "users"],
            "geometric": ["items", "users", "ratio"],
            "normal": ["items", "users", "mean", "std"],
            "beta": ["items", "users", "a", "b"],
            "lognormal": ["items", "users", "median", "sigma"],
            "counts": ["counts"],
            "csv": ["path", "column", "count"],
        }
        app.field("population.kind").control.focus()
        for kind, wanted in own.items():
            await pilot.press("right")
            assert app.draft.document["population"]["kind"] == kind
            shown = [key.removeprefix("population.") for key in keys(app) if "population" in key]
            assert shown == ["kind", *wanted]
            if kind != "csv":
                assert app.draft.problems == ()
        await pilot.press(*["left"] * len(own))
        assert app.draft.document["population"]["exponent"] == 1.1
        assert app.shown("population.items") == "64"


async def test_the_hash_range_is_a_rule_or_a_number() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(80, 24)) as pilot:
        rule = app.field("protocol.hash_range")
        assert rule.control.value == "nearest"
        assert ("nearest", "nearest 4") in rule.control.options
        rule.control.focus()
        await pilot.press("right", "right")
        assert app.draft.document["protocol"]["hash_range"] == "floor"
        await pilot.press("right")
        assert app.draft.document["protocol"]["hash_range"] == 3  # as floor gave it
        given = app.pane.query_one("#given", Field)
        assert given.display
        given.control.focus()
        await pilot.press("right")
        assert app.draft.document["protocol"]["hash_range"] == 4
        app.show(edit_key(app.draft, "protocol.kind", "oue"))
        await pilot.pause()
        assert "protocol.hash_range" not in keys(app)


async def test_what_a_swept_curator_needs_is_shown() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(80, 30)) as pilot:
        app.show(edit_key(app.draft, "sweep.protocol.kind", ["olh", "stability"]))
        await pilot.pause()
        assert app.draft.problems == ()
        shown = {field.key for field in app.query(Field) if field.display}
        assert {"protocol.hash_range", "protocol.delta", "protocol.neighbours"} <= shown
        app.show(edit_key(app.draft, "sweep.protocol.kind", None))
        app.show(edit_key(app.draft, "protocol.kind", "laplace"))
        await pilot.pause()
        for key in sweepable(app.draft):
            after = edit_key(app.draft, f"sweep.{key}", new_sweep(app.draft, key))
            assert after.problems == (), key
        assert new_sweep(app.draft, "protocol.kind")[-1] == "laplace"


@pytest.mark.long
@pytest.mark.parametrize("pane", [ParametersPane, AttackPane])
async def test_every_choice_shows_what_applies(pane: type[Widget]) -> None:
    app = FormApp(pane)
    async with app.run_test(size=(80, 40)) as pilot:
        for name in scenarios.names():
            path = scenarios.path(name)
            app.show(draft_of(path.read_text(encoding="utf-8"), path.parent))
            await pilot.pause()
            shown = [
                field
                for field in app.query(Field)
                if not field.has_class("-bare") and visible(field)
            ]
            choices = [
                (field.key, field.control)
                for field in shown
                if isinstance(field.control, ChoiceControl)
            ]
            for key, choice in choices:
                assert choice.value in dict(choice.options), (name, key)


def visible(field: Field) -> bool:
    return all(widget.display for widget in field.ancestors_with_self if isinstance(widget, Widget))


async def test_a_sweep_is_typed_as_text() -> None:
    app = FormApp(ParametersPane, SCENARIO + SWEEP)
    async with app.run_test(size=(80, 30)) as pilot:
        await app.type_into(pilot, "sweep.attack.share", "0.1 .. 0.4, 4")
        assert sweep_of(app.draft) == {"attack.share": {"from": 0.1, "to": 0.4, "points": 4}}
        assert app.shown("sweep.attack.share") == "0.1 .. 0.4, 4"  # until it is left
        await pilot.press("enter")
        assert app.shown("sweep.attack.share") == "0.1 → 0.4, 4"
        await app.type_into(pilot, "sweep.attack.share", "0, 0.5, 2")
        assert sweep_of(app.draft) == {"attack.share": [0, 0.5, 2]}
        assert "must be in [0, 1), got 2" in app.said("sweep.attack.share")
        await app.type_into(pilot, "sweep.attack.share", "0 -> 0.2, 3, log")
        assert "positive" in app.draft.problems[0].message  # from 0 on a log scale


async def test_keys_are_added_and_removed() -> None:
    app = FormApp(ParametersPane)
    async with app.run_test(size=(80, 30)) as pilot:
        line(app, "add").focus()
        await pilot.press("a")
        assert list(sweep_of(app.draft)) == ["attack.share"]
        assert app.draft.problems == ()
        await pilot.press("a")
        assert list(sweep_of(app.draft)) == ["attack.share", "protocol.kind"]
        app.field("sweep.attack.share").control.focus()
        await pilot.press("minus")
        assert list(sweep_of(app.draft)) == ["protocol.kind"]
        app.field("population.users").control.focus()
        await pilot.press("minus")  # that is no sweep
        assert list(sweep_of(app.draft)) == ["protocol.kind"]


async def test_a_swept_key_is_marked_and_its_problem_is_with_the_sweep() -> None:
    app = FormApp(ParametersPane, SCENARIO + '\n[sweep]\n"protocol.epsilon" = [1, 50]\n')
    async with app.run_test(size=(60, 30)):
        field = app.field("protocol.epsilon")
        assert field.swept
        assert app.said("protocol.epsilon") == ""
        assert "must be in (0, 20], got 50" in app.said("sweep.protocol.epsilon")


async def test_a_value_that_is_cut_is_said_in_full() -> None:
    """In the line of the status, when its field gets the focus."""
    shares = "0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1"
    app = FormApp(ParametersPane, f'{SCENARIO}\n[sweep]\n"attack.share" = [{shares}]\n')
    async with app.run_test(size=(44, 40)) as pilot:
        for key in ("protocol.epsilon", "sweep.attack.share"):
            app.field(key).control.focus()
            await pilot.pause()
        assert app.notes == [f"share of fake users β: {shares}"]


@pytest.mark.parametrize(("type_", "text", "value"), [
    ("sweep", "0 → 0.2, 12", {"from": 0, "to": 0.2, "points": 12}),
    ("sweep", "0.1 → 10, 5, log", {"from": 0.1, "to": 10, "points": 5, "scale": "log"}),
    ("sweep", "grr, olh", ["grr", "olh"]),
    ("share", "0 → 0.05", {"from": 0, "to": 0.05}),
    ("share", "0.01 → 0.05, exponential", {"from": 0.01, "to": 0.05, "shape": "exponential"}),
    ("share", "0 → 0.05, step 5", {"from": 0, "to": 0.05, "shape": "step", "at": 5}),
])  # fmt: skip
def test_a_range_is_read_as_it_is_written(type_: Any, text: str, value: Any) -> None:
    assert read(text, type_) == value
    assert write(value, type_=type_) == text


def test_a_range_is_typed_as_one_likes() -> None:
    for text in ("1 to 10", "1..10", "1->10", " 1 … 10 , 10 points"):
        assert read(text, "sweep") == {"from": 1, "to": 10, "points": 10}
    assert read("0 to 5% step at 3", "share") == {"from": 0, "to": 0.05, "shape": "step", "at": 3}


async def test_a_scenario_that_was_never_valid_is_shown() -> None:
    app = FormApp(ParametersPane, SCENARIO.replace("users = 1_000_000", 'users = "many"'))
    async with app.run_test(size=(44, 24)):
        assert app.draft.scenario is None
        assert app.shown("population.users") == "many"
        assert "must be an integer" in app.said("population.users")
        assert app.shown("protocol.hash_range") == "nearest"


RAPPOR = SCENARIO.replace(
    'kind = "olh"\nepsilon = 1.0', 'kind = "rappor"\nf = 0.5\nbits = 128\ncohorts = 16'
)


def protocol_keys(app: FormApp) -> list[str]:
    return [key.removeprefix("protocol.") for key in keys(app) if key.startswith("protocol.")]


async def test_every_key_of_every_kind_has_a_field() -> None:
    app = FormApp(ParametersPane)
    before = app.draft
    async with app.run_test(size=(44, 40)):
        for table in ("protocol", "population"):
            for kind in KINDS[table]:
                app.show(edit_key(before, f"{table}.kind", kind))
                known = {f"{table}.{name}" for name in used_keys(app.draft, table)}
                assert known <= set(keys(app)), kind
                assert known >= {f"{table}.{name}" for name in names_of(table, kind)} - IGNORED


async def test_a_form_of_rappor_shows_its_own_numbers() -> None:
    app = FormApp(ParametersPane, RAPPOR)
    async with app.run_test(size=(80, 40)) as pilot:
        noise, filters = ["p", "q"], ["bits", "hashes", "cohorts", "alpha", "adjust"]
        own = {
            "full": [*noise, *filters],
            "one-time": filters,
            "basic": noise,
            "basic-one-time": [],
        }
        app.field("protocol.form").control.focus()
        for form, wanted in own.items():
            if form != "full":
                await pilot.press("right")
            assert app.shown("protocol.form") == form
            assert protocol_keys(app) == ["form", "f", "epsilon", *wanted]
            assert app.draft.problems == ()
            assert app.draft.cell.parameters["protocol.form"] == form
        texts = [str(each.content) for each in app.query(Static) if each.display]
        text = next(text for text in texts if "reverse of Wang" in text)
        assert "RAPPOR's p and q are the reverse of Wang's" in " ".join(text.split())
        assert "q* = 0.75 > p* = 0.25" in text


async def test_f_or_the_budget_of_one_report_is_given_and_the_other_follows() -> None:
    app = FormApp(ParametersPane, RAPPOR)
    async with app.run_test(size=(80, 40)) as pilot:
        assert app.shown("protocol.epsilon") == "1.074"
        assert app.field("protocol.epsilon").follows
        assert not app.field("protocol.f").follows
        await app.type_into(pilot, "protocol.epsilon", "0.5343")
        assert app.draft.problems == ()
        table = app.draft.document["protocol"]
        assert table["epsilon"] == 0.5343
        assert "f" not in table
        assert app.shown("protocol.f") == "0.75"  # as the paper has it
        assert app.field("protocol.f").follows
        app.field("protocol.f").control.focus()
        await pilot.press("left")
        table = app.draft.document["protocol"]
        assert table["f"] == 0.7
        assert "epsilon" not in table


HUNT = """
format = 1
population = { kind = "zipf", items = 64, users = 20_000, exponent = 1.3 }
protocol = { kind = "olh", epsilon = 2.0 }
task = { kind = "heavy-hitters", k = 4, bits = 8, groups = 3 }
"""


async def test_a_task_has_fields_and_groups_give_way_to_bits_a_level() -> None:
    app = FormApp(ParametersPane, HUNT)
    async with app.run_test(size=(80, 60)) as pilot:
        shown = {field.key for field in app.query(Field) if field.display and field.size.height}
        assert {f"task.{name}" for name in names_of("task", "heavy-hitters")} <= shown
        asked = "3 groups of 6667 users: 4 to 8 bits, 2 a level"
        assert asked in [str(each.content) for each in app.query(Static) if each.display]
        app.field("task.k").control.focus()
        await pilot.press("right")
        assert app.draft.document["task"]["k"] == 5
        app.show(edit_key(app.draft, "task.extension", 2))
        assert app.draft.problems == ()
        assert "groups" not in app.draft.document["task"]
        app.show(edit_key(app.draft, "task.kind", "frequencies"))
        assert app.draft.document["task"] == {"kind": "frequencies"}
        assert not any(field.display for field in app.query(Field) if field.key == "task.bits")
        app.show(edit_key(app.draft, "task.kind", "heavy-hitters"))
        assert app.draft.document["task"]["bits"] == 8
