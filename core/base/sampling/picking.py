"""The number of users who pick each item, if each picks a uniform subset of the items."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .laws import Counts, Floats, hypergeometric_weights


def subset_counts(pickers: Counts, items: int, rng: np.random.Generator) -> Counts:
    """The number of users who include each item, if every user draws a uniform subset.

    Parameters
    ----------
    pickers : int64[trials, most + 1]; in trial t `pickers[t, j]` users pick j distinct items.
    items : the number of items to pick from, at least `most`.

    Returns
    -------
    int64[trials, items], with exactly the joint distribution of picking user by user: the sum of
    each row is Σ j·pickers[t, j], exactly.

    Raises
    ------
    ValueError
        If a user would have to pick more items than there are.

    Notes
    -----
    Halves the items until the groups are small. For users who pick j of k items, the number c of
    their picks that fall into the first half is hypergeometric, so one multinomial splits them
    over c; a user with c picks there has j - c in the second half. Small groups are walked item by
    item: a user with j picks left and k items to come takes the next one with probability j/k.
    The cost, about 40 draws an item, does not depend on the number of users.
    """
    trials, width = pickers.shape
    if width - 1 > items:
        raise ValueError(f"cannot pick {width - 1} distinct items of {items}")
    picked = np.zeros((trials, items), dtype=np.int64)
    # Groups of one size are split together: their first items, and int64[picks, trials, groups].
    groups = {items: (np.zeros(1, dtype=np.intp), pickers.T[:, :, None])}
    while groups:
        halves: dict[int, list[tuple[NDArray[np.intp], Counts]]] = {}
        for size, (starts, users) in groups.items():
            if size <= WALKED:
                picked[:, starts + np.arange(size)[:, None]] = _walk(users, size, rng)
                continue
            first, second = _halve(users, size, rng)
            halves.setdefault(size // 2, []).append((starts, first))
            halves.setdefault(size - size // 2, []).append((starts + size // 2, second))
        groups = {
            size: (np.concatenate([starts for starts, _ in parts]), _side_by_side(parts))
            for size, parts in halves.items()
        }
    return picked


WALKED = 48
"""Groups of at most this size are walked, not halved; at this size both cost the same."""


FEW = 512
"""Numbers of users, of whom looking for those that are not 0 takes longer than drawing for all."""


def _walk(users: Counts, size: int, rng: np.random.Generator) -> Counts:
    """int64[trials, size, groups]: picks of each item of groups of `size` items.

    users : int64[most + 1, trials, groups], those of each group by their picks in it.
    """
    width, trials, groups = users.shape
    if trials * groups == 1:
        return np.array(_walk_alone(users.ravel().tolist(), size, rng))[None, :, None]
    left = users.reshape(width, -1).copy()  # [picks left, group]
    picks = np.arange(width, dtype=np.float64)
    picked = np.zeros((size, trials * groups), dtype=np.int64)
    low, high, few = 1, width, left.size <= FEW
    for item in range(size):
        if few and item:  # nobody in a row draws nothing
            low, high = max(1, low - 1), min(high, size - item + 1)
        else:
            occupied = np.flatnonzero(left[1:].any(axis=1))
            if not occupied.size:
                break
            low, high = int(occupied[0]) + 1, int(occupied[-1]) + 2
        drawn = rng.binomial(left[low:high].T, picks[low:high] / (size - item))
        moved = np.ascontiguousarray(drawn.T)
        left[low:high] -= moved
        left[low - 1 : high - 1] += moved
        moved.sum(axis=0, out=picked[item])
    return picked.reshape(size, trials, groups).swapaxes(0, 1)


def _walk_alone(left: list[int], size: int, rng: np.random.Generator) -> list[int]:
    """The same draws of one group: a call with an array takes as long as ten with a number."""
    picked = []
    for items in range(size, 0, -1):
        drawn = [
            rng.binomial(users, picks / items) if users and picks else 0  # 0 draws nothing
            for picks, users in enumerate(left)
        ]
        picked.append(sum(drawn))
        joining = [*drawn[1:], 0]
        left = [users - gone + come for users, gone, come in zip(left, drawn, joining, strict=True)]
        left = left[:items]  # nobody picks more than there are
    return picked


def _side_by_side(parts: list[tuple[NDArray[np.intp], Counts]]) -> Counts:
    """int64[most + 1, trials, all groups]: the users of several parts' groups, by their picks."""
    users = [each for _, each in parts]
    width = max(len(each) for each in users)
    trials, groups = users[0].shape[1], sum(each.shape[2] for each in users)
    together = np.zeros((width, trials, groups), dtype=np.int64)
    end = 0
    for each in users:
        start, end = end, end + each.shape[2]
        together[: len(each), :, start:end] = each
    return together


DRAWN = 1 << 12
"""The least number of draws in one call when groups are halved: a call costs a hundred draws."""


def _halve(users: Counts, size: int, rng: np.random.Generator) -> tuple[Counts, Counts]:
    """Split users of groups of `size` items by their picks in either half.

    All are int64[most + 1, trials, groups], by picks.
    """
    width, trials, groups = users.shape
    half, rest = size // 2, size - size // 2
    first = np.zeros((min(width, half + 1), trials * groups), dtype=np.int64)
    second = np.zeros((min(width, rest + 1), trials * groups), dtype=np.int64)
    occupied = np.flatnonzero(users.any(axis=(1, 2))).tolist()
    # A power of two, so that the cached laws serve other users as well.
    step = 1 << (max(1, DRAWN // first.size).bit_length() - 1)
    for start in dict.fromkeys(picks // step * step for picks in occupied):
        stop = min(start + step, width)
        low, laws, order, places = _splits(size, half, start, stop)
        if step == 1:
            drawn = rng.multinomial(users[start].reshape(-1), laws[0])
            split = drawn.T.take(places[0], axis=0)
            high = low + len(split)
            first[low:high] += split
            second[start - high + 1 : start - low + 1] += split[::-1]
        else:  # many small multinomials in one call, most of their outcomes 0
            by_picks = users[start:stop].reshape(stop - start, -1)
            split = rng.multinomial(by_picks, laws[:, None])
            at = np.flatnonzero(split)
            some = split.reshape(-1)[at]
            row, column = np.divmod(at, laws.shape[1])
            picks, group = np.divmod(row, trials * groups)
            chosen = low + order[picks, column]
            np.add.at(first.reshape(-1), chosen * trials * groups + group, some)
            left = start + picks - chosen
            np.add.at(second.reshape(-1), left * trials * groups + group, some)
    return first.reshape(-1, trials, groups), second.reshape(-1, trials, groups)


def subset_counts_beside_own(
    owners: Counts, picks: int, pickers: Counts, rng: np.random.Generator
) -> Counts:
    """The number of users who include each item beside their own item in a uniform subset.

    Parameters
    ----------
    owners : int64[any, trials, items]; in trial t `owners[0, t, v]` users own item v, and each
        picks a uniform subset of `picks` other items; `owners[1, t, v]` pick their own item and
        `picks - 1` others.
    pickers : int64[trials, most + 1]; in addition, `pickers[t, j]` users pick a uniform subset of j
        of all items.

    Returns
    -------
    int64[trials, items], with exactly the joint distribution of picking user by user; own items,
    which are not picked, do not count.

    Notes
    -----
    The items are halved as in `subset_counts`, down to single ones. On the way up, the users who
    own an item of a group are sorted by the number of their picks in that group: given this number
    for one half, the number c in the other half is hypergeometric, whatever the own item is. On the
    way down they join those who pick c of all items of the other half. The cost, about 300 draws an
    item, does not depend on the number of users.
    """
    _, trials, items = owners.shape
    tree = _tree(items)
    joining = _joining(owners, picks, tree, rng)
    picked = np.zeros((trials, items), dtype=np.int64)
    users = {items: pickers.T[:, :, None]}
    for level, arrivals in zip(tree, joining, strict=True):
        parts: dict[int, list[tuple[NDArray[np.intp], Counts]]] = {}
        for size, starts in level.items():
            if size == 1:
                picked[:, starts] = users[1][1:].sum(axis=0)
                continue
            half = size // 2
            halves = _halve(users[size], size, rng)
            for start, width, *both in zip((0, half), (half, size - half), halves, arrivals[size],
                                           strict=True):  # fmt: skip
                parts.setdefault(width, []).append((starts + start, _add_counts(*both)))
        users = {size: _in_order(groups) for size, groups in parts.items()}
    return picked


def _tree(items: int) -> list[dict[int, NDArray[np.intp]]]:
    """The groups of each level of halving, from all items to single ones: their starts by size."""
    levels = [{items: np.zeros(1, dtype=np.intp)}]
    while max(levels[-1]) > 1:
        halves: dict[int, list[NDArray[np.intp]]] = {}
        for size, starts in levels[-1].items():
            if size > 1:
                halves.setdefault(size // 2, []).append(starts)
                halves.setdefault(size - size // 2, []).append(starts + size // 2)
        levels.append({size: np.sort(np.concatenate(starts)) for size, starts in halves.items()})
    return levels


def _joining(
    owners: Counts, picks: int, tree: list[dict[int, NDArray[np.intp]]], rng: np.random.Generator
) -> list[dict[int, tuple[Counts, Counts]]]:
    """The owners that pick in either half of a group and own an item of the other half.

    For each level and size a pair of int64[picks + 1, trials, groups], by the number of picks.
    """
    items = owners.shape[-1]
    joining: list[dict[int, tuple[Counts, Counts]]] = []
    below: dict[int, tuple[NDArray[np.intp], Counts]] = {}
    for level in reversed(tree):
        joined: dict[int, tuple[NDArray[np.intp], Counts]] = {}
        arrivals = {}
        for size, starts in level.items():
            if size == 1:
                joined[1] = starts, owners[:, :, starts]
                continue
            half, inside = size // 2, []
            for start, width in ((0, half), (half, size - half)):
                places, users = below[width]
                owning = users[:, :, np.searchsorted(places, starts + start)]
                inside.append(_across(owning, width, size - width, items, picks, rng))
            (left, to_second), (right, to_first) = inside
            joined[size] = starts, _add_counts(left, right)
            arrivals[size] = to_first, to_second
        below = joined
        joining.append(arrivals)
    return joining[::-1]


def _across(
    users: Counts, size: int, other: int, items: int, picks: int, rng: np.random.Generator
) -> tuple[Counts, Counts]:
    """Owners of an item of a group, by picks among its items, pick in a group beside it.

    Returns them by their picks in both groups, and by those in the other group alone.
    """
    _, trials, groups = users.shape
    both = np.zeros((min(size + other, picks) + 1, trials, groups), dtype=np.int64)
    beside = np.zeros((min(other, picks) + 1, trials, groups), dtype=np.int64)
    for inside in np.flatnonzero(users.any(axis=(1, 2))).tolist():
        low, laws, _, places = _splits(items - size, other, picks - inside, picks - inside + 1)
        drawn = rng.multinomial(users[inside], laws[0])
        split = np.moveaxis(drawn, -1, 0).take(places[0], axis=0)
        high = low + len(split)
        beside[low:high] += split
        both[inside + low : inside + high] += split
    return both, beside


def _add_counts(some: Counts, more: Counts) -> Counts:
    """The sum of two arrays int64[any, trials, groups] that may differ in length."""
    if len(some) < len(more):
        some, more = more, some
    total = some.copy()
    total[: len(more)] += more
    return total


def _in_order(parts: list[tuple[NDArray[np.intp], Counts]]) -> Counts:
    """`_side_by_side`, by where the groups start."""
    starts = np.concatenate([start for start, _ in parts])
    return _side_by_side(parts)[:, :, np.argsort(starts)]


@lru_cache(maxsize=4096)
def _splits(
    size: int, half: int, start: int, stop: int
) -> tuple[int, Floats, NDArray[np.intp], NDArray[np.intp]]:
    """The laws of c, the number of picks that fall into the first `half` of `size` items.

    One row for each number of picks, start … stop - 1. Returns the lowest c, the probabilities
    float64[stop - start, any], the c (less the lowest) that each belongs to, and where each c
    stands. The likeliest are first, since NumPy stops drawing when no user is left. A row with
    fewer c than another is filled up with probabilities 0, which draw nothing; they stand before
    the last, which is not drawn but gets the users who are left.
    """
    known = [hypergeometric_weights(size, half, picks) for picks in range(start, stop)]
    lowest = min(low for low, _ in known)
    shape = stop - start, max(law.size for _, law in known)
    laws, outcomes = np.zeros(shape), np.zeros(shape, dtype=np.intp)
    for row, (low, law) in enumerate(known):
        order = np.argsort(-law)
        for table, values in ((laws, law[order] / law.sum()), (outcomes, low - lowest + order)):
            table[row, : law.size - 1], table[row, -1] = values[:-1], values[-1]
    return lowest, laws, outcomes, np.argsort(outcomes, axis=1)
