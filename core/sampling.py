"""Exact samplers of counts: the same laws as counting users one by one, without the users."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from .merging import merged_counts

Counts: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

CHUNK = 1 << 17
"""Binomials in one NumPy call, some 10 ms: an interrupt is obeyed between two calls."""


def binomial(n: Counts, p: float, rng: np.random.Generator) -> Counts:
    """Independent Binomial(n, p), element by element; same shape as `n`.

    The draws do not depend on CHUNK: NumPy draws the elements one after the other.
    """
    if n.size <= CHUNK:
        return rng.binomial(n, p)
    flat = np.ascontiguousarray(n).reshape(-1)
    drawn = [rng.binomial(flat[at : at + CHUNK], p) for at in range(0, flat.size, CHUNK)]
    return np.concatenate(drawn).reshape(n.shape)


def multinomial(n: Counts, weights: Floats, rng: np.random.Generator) -> Counts:
    """Multinomial(n, weights) for each element of `n`; shape `[*n.shape, len(weights)]`."""
    flat = np.ravel(n)
    drawn = np.empty((flat.size, weights.size), dtype=np.int64)
    for row, total in enumerate(flat):
        drawn[row] = rng.multinomial(total, weights)
    return drawn.reshape(*np.shape(n), weights.size)


def uniform_multinomial(n: Counts, cells: int, rng: np.random.Generator) -> Counts:
    """Throw n balls into `cells` equal cells; shape `[*n.shape, cells]`."""
    return multinomial(n, np.full(cells, 1.0 / cells), rng)


def subset_counts(pickers: Counts, items: int, rng: np.random.Generator) -> Counts:
    """The number of users who pick each item, where every user picks a uniform subset.

    Parameters
    ----------
    pickers : int64[trials, most + 1]; in trial t `pickers[t, j]` users pick j distinct items.
    items : the number of items to pick from, at least `most`.

    Returns
    -------
    int64[trials, items], with exactly the joint law of picking user by user: the sum of each row
    is Σ j·pickers[t, j], to the last unit.

    Notes
    -----
    Halves the items until the groups are small. For users who pick j of k items, the number c of
    their picks that fall into the first half is hypergeometric, so one multinomial splits them
    over c; a user with c picks there has j - c in the second half. Small groups are walked item by
    item: a user with j picks left and k items to come takes the next one with probability j/k.
    The cost, about 40 draws an item, does not depend on the number of users. Where fewer users pick
    among very many items, `merged_counts` draws the same law from fewer draws.
    """
    trials, width = pickers.shape
    if width - 1 > items:
        raise ValueError(f"cannot pick {width - 1} distinct items of {items}")
    most = int(pickers.sum(axis=1).max(initial=0))
    if items >= MANY and most * most.bit_length() < 3 * items:
        each = np.arange(width)
        return np.stack([merged_counts(np.repeat(each, row), items, rng) for row in pickers])
    picked = np.zeros((trials, items), dtype=np.int64)
    # Groups of one size are split together: their first items, and users by picks in each.
    groups = {items: (np.zeros(1, dtype=np.intp), pickers[:, None, :])}
    while groups:
        halves: dict[int, list[tuple[NDArray[np.intp], Counts]]] = {}
        for size, (starts, users) in groups.items():
            if size <= WALKED:
                picked[:, starts[:, None] + np.arange(size)] = _walk(users, size, rng)
                continue
            first, second = _halve(users, size, rng)
            halves.setdefault(size // 2, []).append((starts, first))
            halves.setdefault(size - size // 2, []).append((starts + size // 2, second))
        groups = {
            size: (np.concatenate([starts for starts, _ in parts]), _side_by_side(parts))
            for size, parts in halves.items()
        }
    return picked


MANY = 1 << 17
"""The least number of items for which users are merged; below it the streams are as they were."""

WALKED = 48
"""Groups of at most this size are walked, not halved; at this size both cost the same."""


FEW = 512
"""Numbers of users, of whom looking for those that are not 0 takes longer than drawing for all."""


def _walk(users: Counts, size: int, rng: np.random.Generator) -> Counts:
    """int64[trials, nodes, size]: picks of each item of groups of `size` items."""
    trials, nodes, width = users.shape
    left = users.reshape(-1, width).T.copy()  # [picks left, group]
    picks = np.arange(width, dtype=np.float64)
    picked = np.zeros((size, trials * nodes), dtype=np.int64)
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
    return picked.T.reshape(trials, nodes, size)


def _side_by_side(parts: list[tuple[NDArray[np.intp], Counts]]) -> Counts:
    """int64[trials, all nodes, most picks + 1]: the users of several parts' groups."""
    groups = [users for _, users in parts]
    nodes = sum(users.shape[1] for users in groups)
    width = max(users.shape[2] for users in groups)
    together = np.zeros((len(groups[0]), nodes, width), dtype=np.int64)
    end = 0
    for users in groups:
        start, end = end, end + users.shape[1]
        together[:, start:end, : users.shape[2]] = users
    return together


DRAWN = 1 << 12
"""The least number of draws in one call when groups are halved: a call costs a hundred draws."""


def _halve(users: Counts, size: int, rng: np.random.Generator) -> tuple[Counts, Counts]:
    """Split users of groups of `size` items by their picks in either half."""
    trials, nodes, width = users.shape
    half, rest = size // 2, size - size // 2
    first = np.zeros((trials, nodes, min(width, half + 1)), dtype=np.int64)
    second = np.zeros((trials, nodes, min(width, rest + 1)), dtype=np.int64)
    by_picks = np.ascontiguousarray(np.moveaxis(users, 2, 0))
    occupied = np.flatnonzero(by_picks.any(axis=(1, 2))).tolist()
    # A power of two, so that the cached laws serve other users as well.
    step = 1 << (max(1, DRAWN // first.size).bit_length() - 1)
    for start in dict.fromkeys(picks // step * step for picks in occupied):
        stop = min(start + step, width)
        low, laws, order = _splits(size, half, start, stop)
        if step == 1:
            split = np.empty((trials, nodes, order.size), dtype=np.int64)
            split[:, :, order[0]] = rng.multinomial(by_picks[start], laws[0])
            high = low + order.size - 1
            first[:, :, low : high + 1] += split
            second[:, :, start - high : start - low + 1] += split[:, :, ::-1]
        else:  # many small multinomials in one call, most of their outcomes 0
            split = rng.multinomial(by_picks[start:stop], laws[:, None, None])
            at = np.flatnonzero(split)
            some = split.reshape(-1)[at]
            row, column = np.divmod(at, laws.shape[1])
            picks, group = np.divmod(row, trials * nodes)
            chosen = low + order[picks, column]
            np.add.at(first.reshape(-1), group * first.shape[2] + chosen, some)
            np.add.at(second.reshape(-1), group * second.shape[2] + start + picks - chosen, some)
    return first, second


def subset_counts_beside_own(
    owners: Counts, picks: int, pickers: Counts, rng: np.random.Generator
) -> Counts:
    """The number of users who pick each item, where owners pick among all items but their own.

    Parameters
    ----------
    owners : int64[trials, items]; in trial t `owners[t, v]` users own item v, and each picks a
        uniform subset of `picks` other items.
    pickers : int64[trials, most + 1]; besides, `pickers[t, j]` users pick a uniform subset of j of
        all items.

    Returns
    -------
    int64[trials, items], with exactly the joint law of picking user by user; own items that are
    not picked do not count.

    Notes
    -----
    The items are halved as in `subset_counts`, down to single ones. On the way up, the users who
    own an item of a group are sorted by the number of their picks in that group: given this number
    for one half, the number c in the other half is hypergeometric, whatever the own item is. On the
    way down they join those who pick c of all items of the other half. The cost, about 300 draws an
    item, does not depend on the number of users.
    """
    trials, items = owners.shape
    tree = _tree(items)
    joining = _joining(owners, picks, tree, rng)
    picked = np.zeros((trials, items), dtype=np.int64)
    users = {items: pickers[:, None, :]}
    for level, arrivals in zip(tree, joining, strict=True):
        parts: dict[int, list[tuple[NDArray[np.intp], Counts]]] = {}
        for size, starts in level.items():
            if size == 1:
                picked[:, starts] = users[1][:, :, 1:].sum(axis=2)
                continue
            half = size // 2
            halves = _halve(users[size], size, rng)
            for start, width, *both in zip((0, half), (half, size - half), halves, arrivals[size],
                                           strict=True):  # fmt: skip
                parts.setdefault(width, []).append((starts + start, _added(*both)))
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

    For each level and size a pair of int64[trials, groups, picks + 1], by the number of picks.
    """
    items = owners.shape[1]
    joining: list[dict[int, tuple[Counts, Counts]]] = []
    below: dict[int, tuple[NDArray[np.intp], Counts]] = {}
    for level in reversed(tree):
        joined: dict[int, tuple[NDArray[np.intp], Counts]] = {}
        arrivals = {}
        for size, starts in level.items():
            if size == 1:
                joined[1] = starts, owners[:, starts, None]
                continue
            half, inside = size // 2, []
            for start, width in ((0, half), (half, size - half)):
                places, users = below[width]
                owning = users[:, np.searchsorted(places, starts + start)]
                inside.append(_across(owning, width, size - width, items, picks, rng))
            (left, to_second), (right, to_first) = inside
            joined[size] = starts, _added(left, right)
            arrivals[size] = to_first, to_second
        below = joined
        joining.append(arrivals)
    return joining[::-1]


def _across(
    users: Counts, size: int, other: int, items: int, picks: int, rng: np.random.Generator
) -> tuple[Counts, Counts]:
    """Owners of an item of a group, by picks among its other items, pick in a group beside it.

    Returns them by their picks in both groups, and by those in the other group alone.
    """
    trials, groups = users.shape[:2]
    both = np.zeros((trials, groups, min(size + other - 1, picks) + 1), dtype=np.int64)
    beside = np.zeros((trials, groups, min(other, picks) + 1), dtype=np.int64)
    for inside in np.flatnonzero(users.any(axis=(0, 1))).tolist():
        low, laws, order = _splits(items - size, other, picks - inside, picks - inside + 1)
        split = rng.multinomial(users[:, :, inside], laws[0])
        picked = low + order[0]
        beside[:, :, picked] += split
        both[:, :, inside + picked] += split
    return both, beside


def _added(some: Counts, more: Counts) -> Counts:
    """The sum of two arrays int64[trials, groups, any] that may differ in width."""
    if some.shape[2] < more.shape[2]:
        some, more = more, some
    total = some.copy()
    total[:, :, : more.shape[2]] += more
    return total


def _in_order(parts: list[tuple[NDArray[np.intp], Counts]]) -> Counts:
    """`_side_by_side`, by where the groups start."""
    starts = np.concatenate([start for start, _ in parts])
    return _side_by_side(parts)[:, np.argsort(starts)]


@lru_cache(maxsize=4096)
def _splits(size: int, half: int, start: int, stop: int) -> tuple[int, Floats, NDArray[np.intp]]:
    """The laws of c, the number of picks that fall into the first `half` of `size` items.

    One row for each number of picks, start … stop - 1. Returns the lowest c, the probabilities
    float64[stop - start, any], and the c (less the lowest) that each belongs to. The likeliest are
    first, since NumPy stops drawing when no user is left. A row with fewer c than another is filled
    up with probabilities 0, which draw nothing; they stand before the last, which is not drawn
    but gets the users who are left.
    """
    known = [_hypergeometric_law(size, half, picks) for picks in range(start, stop)]
    lowest = min(low for low, _ in known)
    shape = stop - start, max(law.size for _, law in known)
    laws, outcomes = np.zeros(shape), np.zeros(shape, dtype=np.intp)
    for row, (low, law) in enumerate(known):
        order = np.argsort(-law)
        for table, values in ((laws, law[order] / law.sum()), (outcomes, low - lowest + order)):
            table[row, : law.size - 1], table[row, -1] = values[:-1], values[-1]
    return lowest, laws, outcomes


def _hypergeometric_law(size: int, half: int, picks: int) -> tuple[int, Floats]:
    """The law of c, the number of picks that fall into the first `half` of `size` items.

    Returns the lowest c, and the weights of all c from there on, 1 for the likeliest. They are
    computed from the mode outwards by ratios of neighbours, so that nothing overflows. Outcomes
    beyond twelve standard deviations, below 1e-30 together, are left out.
    """
    rest = size - half
    low, high = max(0, picks - rest), min(picks, half)
    share = half / size
    std = (picks * share * (1 - share) * (size - picks) / max(size - 1, 1)) ** 0.5
    mode = min(max((picks + 1) * (half + 1) // (size + 2), low), high)
    reach = int(12 * std) + 20
    low, high = max(low, mode - reach), min(high, mode + reach)
    up = np.arange(mode, high, dtype=np.float64)
    down = np.arange(mode, low, -1, dtype=np.float64)
    rising = (half - up) * (picks - up) / ((up + 1) * (rest - picks + up + 1))
    falling = down * (rest - picks + down) / ((half - down + 1) * (picks - down + 1))
    return low, np.concatenate([np.cumprod(falling)[::-1], [1.0], np.cumprod(rising)])


def hypergeometric_law(size: int, marked: int, picks: int) -> tuple[Counts, Floats]:
    """The law of the number of marked items among `picks` of `size`: outcomes int64[k], float64[k].

    Outcomes below 1e-30 together are left out.
    """
    low, law = _hypergeometric_law(size, marked, picks)
    return low + np.arange(law.size), law / law.sum()


def binomial_range(n: int, p: float) -> tuple[int, int]:
    """The least and the greatest outcome of Binomial(n, p) that matter.

    They are a little over twelve standard deviations away from the mode; the outcomes beyond have a
    probability below 1e-30 together.
    """
    mode = min(n, int((n + 1) * p))
    reach = int(12 * (n * p * (1 - p)) ** 0.5) + 20 if 0 < p < 1 else 0
    return max(0, mode - reach), min(n, mode + reach)


def binomial_law(n: int, p: float) -> tuple[Counts, Floats]:
    """Binomial(n, p): the outcomes of `binomial_range` int64[k] and their law float64[k].

    Computed by ratios of neighbours, from the mode outwards.
    """
    low, high = binomial_range(n, p)
    if low == high:
        return np.array([low]), np.ones(1)
    mode = min(n, int((n + 1) * p))
    up = np.arange(mode, high, dtype=np.float64)
    down = np.arange(mode, low, -1, dtype=np.float64)
    odds = p / (1 - p)
    rising = (n - up) / (up + 1) * odds
    falling = down / ((n - down + 1) * odds)
    law = np.concatenate([np.cumprod(falling)[::-1], [1.0], np.cumprod(rising)])
    return np.arange(low, high + 1), law / law.sum()


def random_subsets(users: int, items: int, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """A uniform `size`-subset of `range(items)` for each user; shape `[users, size]`, unsorted."""
    if size == 0:
        return np.empty((users, 0), dtype=np.intp)
    keys = rng.integers(0, 1 << 63, size=(users, items), dtype=np.int64)
    if size == items:
        return np.broadcast_to(np.arange(items), (users, items))
    return np.argpartition(keys, size - 1, axis=1)[:, :size]
