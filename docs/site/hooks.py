"""The steps of MkDocs that are ours: pages from the folder above, and formulas as MathML.

The site's front page is the README; CONTRIBUTING, SECURITY and CHANGELOG stand in it too. In the
repository they lie above `docs/`, in the site beside its pages, and links are turned accordingly.
A fence ```math becomes MathML, which browsers draw without a script.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).parents[2]
PLUGIN = "examples/plugin"
ABOVE = {
    "README.md": "index.md",
    **{
        name: name
        for name in (
            "CODE_OF_CONDUCT.md",
            "CONTRIBUTING.md",
            "SECURITY.md",
            "CHANGELOG.md",
            "CITATION.cff",
        )
    },
    f"{PLUGIN}/README.md": f"{PLUGIN}/README.md",
}
"""The files above `docs/` that the site has, with their names in it."""


def on_config(config: MkDocsConfig) -> None:
    """Have formulas drawn."""
    fence = {"name": "math", "class": "math", "format": mathml}
    config.mdx_configs.setdefault("pymdownx.superfences", {})["custom_fences"] = [fence]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files from above, and the package to copy."""
    for source, name in ABOVE.items():
        text = turned((ROOT / source).read_text(encoding="utf-8"))
        files.append(File.generated(config, name, content=text))
    for path in (ROOT / PLUGIN).rglob("*"):
        if path.suffix in (".py", ".toml"):
            name = str(path.relative_to(ROOT))
            included = InclusionLevel.INCLUDED
            files.append(File.generated(config, name, abs_src_path=str(path), inclusion=included))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Turn the links of a page."""
    return turned(markdown)


def turned(page: str) -> str:
    """A page whose links lead to the site's files: `docs/x.md`, `../X.md` and `README.md`."""
    page = re.sub(r"\]\((?:docs/|\.\./)(?=[\w./-]+)", "](", page)
    return page.replace("](README.md", "](index.md")


def mathml(source: str, *_: Any, **__: Any) -> str:
    """A formula of LaTeX as a block of MathML."""
    return convert(source, display="block")


def on_post_build(config: MkDocsConfig) -> None:
    """Leave out what the pages do not load, and make the package to copy whole.

    That are maps of the scripts and stemmers of other languages; the package wants its README.
    """
    shutil.copy(ROOT / PLUGIN / "README.md", Path(config.site_dir) / PLUGIN)
    assets = Path(config.site_dir) / "assets"
    for path in assets.rglob("*.map"):
        path.unlink()
    shutil.rmtree(assets / "javascripts" / "lunr")
