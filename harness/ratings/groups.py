"""One pool sorted into groups of bots that share a scale, and the bots that stand outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from harness.ratings.components import strong_components, took_points
from harness.ratings.counts import GameCounts, IntArray
from harness.ratings.davidson import DavidsonFit
from harness.ratings.saturation import Bounds, Side, record_bounds


@dataclass(frozen=True, slots=True)
class OneSided:
    """A bot of which only a bound is known.

    ``witness`` is the bot outside the scale whose own bound this one rests on, None where the
    games against the group speak for themselves.
    """

    bot: int
    bounds: Bounds
    witness: int | None = None


@dataclass(slots=True, eq=False)
class Group:
    """Bots with ratings on one scale, and the bots that stand outside of it.

    ``bots`` are strongly connected. ``above`` and ``below`` are in rank order, best first.
    ``unplaced`` bots met nobody whose place says anything about theirs. ``shift`` bounds, for a
    group that is not the first, its mean minus the mean of the first; None: they never met.
    """

    bots: IntArray
    above: list[OneSided] = field(default_factory=list)
    below: list[OneSided] = field(default_factory=list)
    unplaced: list[int] = field(default_factory=list)
    shift: Bounds | None = None

    def put(self, placed: OneSided) -> None:
        """Add a bot on its side."""
        (self.above if placed.bounds.side is Side.ABOVE else self.below).append(placed)


def split_into_groups(
    counts: GameCounts, fit: DavidsonFit, preferred: Sequence[str] = ()
) -> list[Group]:
    """Sort the bots of one pool into groups; the bots of the first group are the core.

    A component of several bots, all of whose games against others went one way, is a group of
    its own. Where there is no such component at all the core is a ``preferred`` bot, or the one
    with most games.
    """
    components = strong_components(counts)
    if len(components[0]) == 1:
        components.sort(key=lambda component: counts.names[component[0]] not in preferred)
    heads = [component for component in components if len(component) > 1] or components[:1]
    groups = [Group(head) for head in heads]
    inside = set(np.concatenate(heads).tolist())
    outside = [bot for bot in range(len(counts.names)) if bot not in inside]
    for group in groups:
        for bot in outside.copy():
            bounds = _against_group(counts, fit, bot, group)
            if bounds is not None:
                group.put(OneSided(bot, bounds))
                outside.remove(bot)
    while chained := _chained(counts, fit, groups, outside):
        for group, placed in chained:
            group.put(placed)
            outside.remove(placed.bot)
    core = groups[0]
    core.unplaced = outside
    for group in groups:
        _sort_outside(counts, group)
        if group is not core:
            group.shift = _shift(counts, fit, group, core)
    return groups


def _against_group(counts: GameCounts, fit: DavidsonFit, bot: int, group: Group) -> Bounds | None:
    return record_bounds(
        counts,
        fit,
        np.array([bot]),
        group.bots,
        own=np.zeros_like(fit.ratings),
        at_bound=fit.ratings,
        at_median=fit.ratings,
    )


def _shift(counts: GameCounts, fit: DavidsonFit, group: Group, core: Group) -> Bounds | None:
    from_core = fit.ratings - fit.ratings[core.bots].mean()
    return record_bounds(
        counts,
        fit,
        group.bots,
        core.bots,
        own=fit.ratings - fit.ratings[group.bots].mean(),
        at_bound=from_core,
        at_median=from_core,
    )


def _chained(
    counts: GameCounts, fit: DavidsonFit, groups: list[Group], outside: list[int]
) -> list[tuple[Group, OneSided]]:
    """Place bots that met no group by one that stands above and lost, or below and won."""
    won = took_points(counts)
    found = []
    for bot in outside:
        witnesses = [(group, one) for group in groups for one in group.above if won[bot, one.bot]]
        witnesses += [(group, one) for group in groups for one in group.below if won[one.bot, bot]]
        if not witnesses:
            continue
        group, witness = witnesses[0]
        bounds = record_bounds(
            counts,
            fit,
            np.array([bot]),
            np.array([witness.bot]),
            own=np.zeros_like(fit.ratings),
            at_bound=np.full_like(fit.ratings, witness.bounds.bound),
            at_median=np.full_like(fit.ratings, witness.bounds.median),
        )
        assert bounds is not None
        found.append((group, OneSided(bot, bounds, witness.bot)))
    return found


def _sort_outside(counts: GameCounts, group: Group) -> None:
    """Peel from the outside in: again and again those of whom nobody left took a point."""
    took = took_points(counts)
    group.above = _peel(group.above, took.T, descending=True)
    group.below = _peel(group.below, took, descending=False)[::-1]


def _peel(
    bots: list[OneSided],
    blocked: NDArray[np.bool_],
    *,
    descending: bool,
) -> list[OneSided]:
    sign = -1 if descending else 1
    order: list[OneSided] = []
    left = sorted(bots, key=lambda one: (sign * one.bounds.median, sign * -one.bot))
    while left:
        free = [
            one
            for one in left
            if not any(blocked[one.bot, other.bot] for other in left if other is not one)
        ]
        order += free
        left = [one for one in left if one not in free]
    return order
