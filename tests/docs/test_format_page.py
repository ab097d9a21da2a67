"""The pages' tables are those of the dataclasses and the catalogue, and no key is invented."""

import re

import pytest
import tables
from support.pages import NAMES, page

from ldptui.core.metrics import METRICS
from ldptui.core.protocols import KINDS as PROTOCOL_KINDS
from ldptui.core.scenario import KEY_TYPES, KINDS
from ldptui.questions.mechanisms import has
from ldptui.terminal import exits

PAGE = page("docs/format.md")
NAMES_OF_KEYS = {name for key in KEY_TYPES for name in key.split(".") if name != "*"}
WITH_TABLES = [name for name in NAMES if "<!-- table:" in page(name)]


@pytest.mark.parametrize("name", WITH_TABLES)
def test_the_tables_are_up_to_date(name: str) -> None:
    if tables.filled(page(name)) != page(name):
        pytest.fail(f"the tables of {name} are older than the program: run python docs/tables.py")


def test_the_schema_beside_the_scenarios_is_up_to_date() -> None:
    if tables.SCHEMA.read_text(encoding="utf-8") != tables.schema_text():
        pytest.fail("the schema is older than the program: run python docs/tables.py")


def test_a_table_that_is_out_of_date_would_be_found() -> None:
    changed = PAGE.replace("| required |", "| left out |", 1)
    assert tables.filled(changed) == PAGE != changed


def test_every_key_is_there() -> None:
    around = r"[`\[. {{,]{}[`\]., ]"
    absent = [name for name in NAMES_OF_KEYS if not re.search(around.format(re.escape(name)), PAGE)]
    assert absent == []


def test_every_kind_and_every_metric_is_there() -> None:
    pages = {"attack": "docs/attacks.md", "defence": "docs/defences.md"}
    for section, kinds in KINDS.items():
        for kind in kinds:
            text = page(pages.get(section, "docs/format.md"))
            assert re.search(rf"^\| `{re.escape(kind)}`(:| \|)", text, re.MULTILINE), kind
    assert {metric for metric in METRICS if f"`{metric}`" not in PAGE} == set()


def test_every_exit_code_is_there() -> None:
    codes = {code for name, code in vars(exits).items() if name.isupper()}
    table = PAGE.partition("## Exit codes")[2].partition("\n## ")[0]
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)} == codes


def test_a_key_has_its_range_its_default_and_its_kinds() -> None:
    def row(key: str, section: str) -> str:
        lines = tables.table(f"keys of {section}").splitlines()
        return next(line for line in lines if line.startswith(f"| `{key}`"))

    assert "| integer in [1, 10^6] | 1000 |" in row("seeds", "attack")
    hashing = [kind for kind in PROTOCOL_KINDS if has(kind, "hash_range")]
    named = ", ".join(f"`{kind}`" for kind in hashing)
    assert row("hash_range", "protocol").startswith(f"| `hash_range` ({named}) | ")
    assert '| `"nearest"` |' in row("hash_range", "protocol")
    assert "| required |" in row("share", "attack")
    assert row("share", "attack").startswith("| `share` (all but `none`) |")
    assert "| required (all but `rappor`) |" in row("epsilon", "protocol")
    assert "| false |" in row("attack.phase[].muted".removeprefix("attack."), "attack")


def test_no_key_is_invented() -> None:
    """The keys that the text around the tables names in a code span of one word are known."""
    scenarios = PAGE.partition("## Metrics")[0]
    text = re.sub(r"<!-- table.*?<!-- end -->", "", scenarios, flags=re.DOTALL)
    words = set(re.findall(r"`([a-z_]+)`", text))
    values = {kind for kinds in KINDS.values() for kind in kinds} | {"kind"}
    assert words
    assert words - NAMES_OF_KEYS - values == set()
