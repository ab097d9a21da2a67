"""The commands about reports of real users, but for the questions about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Final, Literal

from ldptui.core.base.errors import ScenarioError
from ldptui.core.base.ranges import Range

from .common_options import Help
from .option_groups import ClientProtocol, Perturbation


def perturb(perturbation: Perturbation) -> int:
    """a report for each row of real data

    Perturb real data: write a report for each user of a table.

    Examples
    --------
    ldptui perturb users.csv --protocol oue --epsilon 1 --items 16 --out reports.csv
    """
    from .perturb_command import perturb_table

    return perturb_table(perturbation)


def client() -> int:
    """what the author of a client needs: a page and test vectors

    Print what the author of a client needs: a page about the protocol, or test vectors.
    """
    raise ScenarioError("must be spec or vectors", key="ACTION")


def show_client(
    protocol: ClientProtocol,
    *,
    format: Annotated[Literal["markdown", "json"], Help("of the page")] = "markdown",
) -> int:
    """the page of a protocol: parameters, steps, report, vectors, a client in Python"""
    from .client_command import print_page

    return print_page(protocol, format)


def show_vectors(
    protocol: ClientProtocol,
    *,
    count: Annotated[int, "N", Range(1, 10_000)] = 16,
    seed: Annotated[int, "N", Range(0)] = 0,
) -> int:
    """test vectors as JSON: items, random numbers that the client draws, its reports

    Parameters
    ----------
    count : the number of vectors
    seed : the seed of the random numbers
    """
    from .client_command import print_vectors

    return print_vectors(protocol, count, seed)


ACTIONS: Final[Mapping[str, Mapping[str, Callable[..., int]]]] = {
    "client": {"spec": show_client, "vectors": show_vectors},
}
"""The actions of commands."""
