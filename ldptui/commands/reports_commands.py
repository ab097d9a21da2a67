"""The commands about reports of real users, but for the questions about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Final, Literal

from ldptui.core.base.errors import ScenarioError

from .option_groups import ClientProtocol, Perturbation


def perturb(perturbation: Perturbation) -> int:
    """a report for each row of real data

    Perturb real data: a report for each row of a table, written as docs/reports.md says.
    """
    from .perturb_command import perturb_table

    return perturb_table(perturbation)


def client() -> int:
    """what whoever writes a client needs: its page, test vectors

    What whoever writes the client of a protocol needs: a page, and test vectors.
    """
    raise ScenarioError("must be spec or vectors", key="ACTION")


def show_client(
    protocol: ClientProtocol, *, format: Literal["markdown", "json"] = "markdown"
) -> int:
    """the page of a protocol: parameters, steps, the report, vectors, a client in Python"""
    from .client_command import print_page

    return print_page(protocol, format)


def show_vectors(
    protocol: ClientProtocol,
    *,
    count: Annotated[int, "N"] = 16,
    seed: Annotated[int, "N"] = 0,
) -> int:
    """test vectors as JSON: items, the random numbers that the client draws, its reports

    Parameters
    ----------
    count : vectors
    seed : of the draws
    """
    from .client_command import print_vectors

    return print_vectors(protocol, count, seed)


ACTIONS: Final[Mapping[str, Mapping[str, Callable[..., int]]]] = {
    "client": {"spec": show_client, "vectors": show_vectors},
}
"""The actions of commands."""
