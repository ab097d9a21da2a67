"""The commands about what ldptui brings along."""

from __future__ import annotations

from typing import Annotated, Literal

from ldptui.core.base.ranges import Range

from ..questions.options import Argument
from .common_options import Help, ScenarioName

Perhaps = Annotated[ScenarioName | None, "SCENARIO"]


def schema() -> int:
    """the JSON Schema of a scenario file

    Print the JSON Schema of a scenario file.
    """
    from ..terminal.output import write_out
    from .scenario_library import schema_text

    write_out(schema_text(), exactly=True)
    return 0


def cite(scenario: Perhaps = None) -> int:
    """BibTeX of ldptui, and of the papers behind a scenario

    Print BibTeX of ldptui, and of the papers behind the protocols, attacks and defences
    of a scenario.
    """
    from .scenario_library import print_citations

    return print_citations(scenario)


def keys() -> int:
    """every key of the workbench, as a table for the settings file

    Print the keys of the workbench as the [keys] table of a settings file.
    """
    from ..terminal.output import write_out
    from ..terminal.settings import default_keys, load_settings

    write_out(default_keys(load_settings().keys), exactly=True)
    return 0


def docs(
    page: Annotated[str, Argument(positional=True), "PAGE"] = "index",
    *,
    opens: Annotated[bool, Argument(flags=("--path",))] = True,
) -> int:
    """the pages of the documentation, in a browser

    Print the path of a page of the documentation, and open it in a browser if there is
    a screen.

    Parameters
    ----------
    page : the name of the page
    opens : print the path alone

    Examples
    --------
    ldptui docs attacks
    """
    from .program_pages import open_page

    return open_page(page, opens)


def completion(
    shell: Annotated[
        Literal["bash", "zsh", "fish", "tcsh"], Argument(positional=True), Help("the shell")
    ],
) -> int:
    """a script that completes commands in a shell

    Print a script that completes commands, options and scenarios in a shell.

    Examples
    --------
    ldptui completion bash > ~/.local/share/bash-completion/completions/ldptui
    """
    from .shell_completion import print_script

    return print_script(shell)


def serve(scenario: Perhaps = None, *, port: Annotated[int, "N", Range(1, 65535)] = 8000) -> int:
    """the workbench in a browser

    Serve the workbench to browsers on this machine, with your files and your store. Only
    pages of this server may connect. For other people run it in a container.

    Parameters
    ----------
    port : the port at 127.0.0.1

    Examples
    --------
    ldptui serve cao-gain-beta --port 8080
    """
    from .serve_command import serve_workbench

    return serve_workbench(scenario, port)
