"""From pairing counts to rating tables: one for every set of bots that share a scale."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from harness.errors import InputError
from harness.ratings.components import pools
from harness.ratings.counts import FloatArray, GameCounts, IntArray, PairingCount
from harness.ratings.davidson import DavidsonFit, fit
from harness.ratings.groups import Group, OneSided, split_into_groups
from harness.ratings.saturation import Side
from harness.ratings.types import Bound, FirstMove, RatingRow, RatingTable
from harness.ratings.wording import (
    APART,
    NOT_CONVERGED,
    NOTHING_DECISIVE,
    anchored,
    group_notices,
    listed,
    scale_text,
    shift_notice,
)

__all__ = ["Bound", "FirstMove", "RatingRow", "RatingTable", "rate"]

Z_95: Final = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


def rate(
    rows: Sequence[PairingCount],
    *,
    names: Sequence[str] = (),
    anchor: tuple[str, float] | None = None,
) -> tuple[RatingTable, ...]:
    """Rate bots; one table for every set of bots that share a scale, the largest first.

    ``names`` adds bots without games. ``anchor`` is a bot and its Elo; without it zero is the
    mean of the core. Raises InputError when the anchor is no bot of these.
    """
    counts = GameCounts.from_rows(rows, names)
    if anchor is not None and anchor[0] not in counts.names:
        raise InputError(f"the anchor {anchor[0]!r} is none of the bots: {listed(counts.names)}")
    tables: list[RatingTable] = []
    for pool in pools(counts):
        tables += _pool_tables(counts.only(pool), anchor, len(tables) + 1)
    idle = _idle(counts)
    if idle:
        tables[:1] = [_with_idle(tables[0] if tables else _nothing_played(), idle)]
    return tuple(tables)


class _Records(NamedTuple):
    wins: FloatArray
    draws: FloatArray
    losses: FloatArray
    opponents: IntArray


class _Gauge(NamedTuple):
    """Elo = ``scale`` x (rating - ``weights`` . rating) + ``base``."""

    weights: FloatArray
    scale: float
    base: float
    zero: str


def _pool_tables(
    counts: GameCounts, anchor: tuple[str, float] | None, number: int
) -> list[RatingTable]:
    notices = [APART] if number > 1 else []
    model = fit(counts)
    if model is None:
        return [_all_drawn(counts, anchor, notices)]
    if not model.has_converged:
        notices = [*notices, NOT_CONVERGED]
    core, *others = split_into_groups(counts, model)
    tables = [_group_table(counts, model, core, anchor, notices)]
    for group in others:
        shifted = [*notices, shift_notice(model, group, number)]
        tables.append(_group_table(counts, model, group, anchor, shifted))
    return tables


def _group_table(
    counts: GameCounts,
    model: DavidsonFit,
    group: Group,
    anchor: tuple[str, float] | None,
    notices: list[str],
) -> RatingTable:
    gauge, anchor_notices = _gauge(counts, model, group, anchor)
    elo = gauge.scale * (model.ratings - gauge.weights @ model.ratings) + gauge.base
    bots = len(counts.names)
    ranked = sorted(group.bots.tolist(), key=lambda bot: (-elo[bot], bot))
    transform = gauge.scale * (np.eye(bots) - gauge.weights)[ranked]
    covariance = transform @ model.covariance[:bots, :bots] @ transform.T
    records = _records(counts)

    def outside(one: OneSided) -> RatingRow:
        bound = Bound.ABOVE if one.bounds.side is Side.ABOVE else Bound.BELOW
        row = _row(counts, records, one.bot)
        zero = gauge.weights @ model.ratings
        return dataclasses.replace(
            row,
            elo=float(gauge.scale * (one.bounds.bound - zero) + gauge.base),
            bound=bound,
            median=float(gauge.scale * (one.bounds.median - zero) + gauge.base),
        )

    rated = [
        dataclasses.replace(
            _row(counts, records, bot),
            elo=float(elo[bot]),
            error=_error(covariance[place, place]),
            bound=Bound.EXACT,
            los_next=_los(elo[ranked], covariance, place),
        )
        for place, bot in enumerate(ranked)
    ]
    rows = [*map(outside, group.above), *rated, *map(outside, group.below)]
    first_move = None
    if model.has_advantage:
        error = math.sqrt(model.covariance[bots, bots])
        first_move = FirstMove(gauge.scale * model.advantage, Z_95 * gauge.scale * error)
    return RatingTable(
        rows=(
            *(dataclasses.replace(row, rank=place) for place, row in enumerate(rows, 1)),
            *(_row(counts, records, bot) for bot in group.unplaced),
        ),
        games=counts.total,
        zero=gauge.zero,
        scale=scale_text(
            gauge.zero,
            counts.total,
            has_errors=any(row.error is not None for row in rated),
            first_move=first_move,
            draw_rate=model.draw_rate,
        ),
        notices=(*notices, *anchor_notices, *group_notices(counts, model, group)),
        first_move=first_move,
        draw_rate=model.draw_rate,
        rated=tuple(counts.names[bot] for bot in ranked),
        covariance=covariance,
    )


def _gauge(
    counts: GameCounts, model: DavidsonFit, group: Group, anchor: tuple[str, float] | None
) -> tuple[_Gauge, list[str]]:
    weights = np.zeros(len(counts.names))
    rated = [counts.names[bot] for bot in group.bots]
    if anchor is not None and anchor[0] in rated:
        weights[counts.names.index(anchor[0])] = 1
        return _Gauge(weights, model.elo_scale, anchor[1], anchored(anchor)), []
    weights[group.bots] = 1 / len(group.bots)
    zero = f"0 is the mean of the {len(rated)} rated bots"
    if len(rated) == 1:
        zero = f"0 is {rated[0]}, the only bot that is not out of scale"
    notices = []
    if anchor is not None:
        notices = [f"the anchor {anchor[0]} has no rating here: {zero}"]
    return _Gauge(weights, model.elo_scale, 0.0, zero), notices


def _all_drawn(
    counts: GameCounts, anchor: tuple[str, float] | None, notices: list[str]
) -> RatingTable:
    """Return the table of a pool without a decisive game: all equal, with no error to tell."""
    elo, zero = 0.0, f"0 is the mean of the {len(counts.names)} bots"
    if anchor is not None and anchor[0] in counts.names:
        elo, zero = anchor[1], anchored(anchor)
    bots = len(counts.names)
    records = _records(counts)
    rows = [
        dataclasses.replace(
            _row(counts, records, bot),
            rank=bot + 1,
            elo=elo,
            bound=Bound.EXACT,
            los_next=0.5 if bot + 1 < bots else None,
        )
        for bot in range(bots)
    ]
    return RatingTable(
        rows=tuple(rows),
        games=counts.total,
        zero=zero,
        scale=scale_text(zero, counts.total, has_errors=False),
        notices=(*notices, NOTHING_DECISIVE),
        first_move=None,
        draw_rate=None,
        rated=counts.names,
        covariance=np.zeros((bots, bots)),
    )


def _nothing_played() -> RatingTable:
    empty = np.zeros((0, 0))
    return RatingTable((), 0, "no games yet", "No games yet.", (), None, None, (), empty)


def _with_idle(table: RatingTable, idle: Sequence[str]) -> RatingTable:
    rows = [
        RatingRow(None, name, None, None, Bound.UNKNOWN, None, 0, 0, 0, 0, None, None, 0)
        for name in idle
    ]
    notice = f"without games: {listed(idle)}"
    return dataclasses.replace(table, rows=(*table.rows, *rows), notices=(*table.notices, notice))


def _idle(counts: GameCounts) -> list[str]:
    played = counts.by_bot(counts.games, counts.games)
    return [name for name, games in zip(counts.names, played, strict=True) if games == 0]


def _records(counts: GameCounts) -> _Records:
    met = counts.matrix(counts.games) > 0
    return _Records(
        counts.by_bot(counts.wins, counts.losses),
        counts.by_bot(counts.draws, counts.draws),
        counts.by_bot(counts.losses, counts.wins),
        (met | met.T).sum(axis=1),
    )


def _row(counts: GameCounts, records: _Records, bot: int) -> RatingRow:
    wins, draws, losses = (int(column[bot]) for column in records[:3])
    games = wins + draws + losses
    return RatingRow(
        rank=None,
        name=counts.names[bot],
        elo=None,
        error=None,
        bound=Bound.UNKNOWN,
        median=None,
        games=games,
        wins=wins,
        draws=draws,
        losses=losses,
        score=(wins + draws / 2) / games,
        los_next=None,
        opponents=int(records.opponents[bot]),
    )


def _error(variance: float) -> float | None:
    """Return half the width of the interval; None for what is held fixed."""
    return Z_95 * math.sqrt(variance) if variance > 1e-12 else None


def _los(elo: FloatArray, covariance: FloatArray, place: int) -> float | None:
    """Return the probability of superiority over the next bot, from their joint covariance."""
    if place + 1 == len(elo):
        return None
    pair = covariance[place : place + 2, place : place + 2]
    variance = pair[0, 0] + pair[1, 1] - 2 * pair[0, 1]
    lead = elo[place] - elo[place + 1]
    if variance <= 0:
        return 0.5 if lead == 0 else 1.0
    return 0.5 * math.erfc(-lead / math.sqrt(2 * variance))
