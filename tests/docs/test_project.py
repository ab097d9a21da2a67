"""The places that say who we are: the citation, the metadata and the packages agree."""

from __future__ import annotations

import re
import tomllib

from support.pages import ROOT, page

import ldptui


def test_the_citation_is_of_this_version() -> None:
    citation = page("CITATION.cff")
    fields = dict(re.findall(r"^([a-z-]+): (.+)$", citation, flags=re.MULTILINE))
    assert fields["version"] == ldptui.__version__
    assert fields["cff-version"] == "1.2.0"
    project = tomllib.loads(page("pyproject.toml"))["project"]
    assert fields["license"] == project["license"]
    assert {"title", "message", "type"} <= set(fields)


def test_packages_say_that_they_are_typed() -> None:
    assert "Typing :: Typed" in tomllib.loads(page("pyproject.toml"))["project"]["classifiers"]
    assert (ROOT / "ldptui" / "py.typed").exists()


def test_every_extra_that_is_named_exists() -> None:
    extras = tomllib.loads(page("pyproject.toml"))["project"]["optional-dependencies"]
    code = [
        path.read_text("utf-8")
        for room in ("core", "ldptui")
        for path in (ROOT / room).rglob("*.py")
    ]
    pages = [path.read_text("utf-8") for path in ROOT.glob("docs/*.md")]
    named = {name for text in [*code, *pages] for name in re.findall(r"ldptui\[(\w+)\]", text)}
    assert {"rappor", "parquet", "plot"} <= named <= set(extras)
    listed = re.findall(r"^\| `(\w+)` \|", page("docs/install.md"), flags=re.MULTILINE)
    assert set(listed) == set(extras) - {"dev"}
