"""From results to rating tables: one for every set of bots that share a scale."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from harness.errors import InputError
from harness.ratings.bootstrap import Refits, refit
from harness.ratings.comparisons import quantile
from harness.ratings.components import pools
from harness.ratings.counts import GameCounts, PairingCount
from harness.ratings.davidson import DavidsonFit, Model, fit
from harness.ratings.estimate import Estimate, Gauge, estimate_group
from harness.ratings.groups import Group, OneSided, split_into_groups
from harness.ratings.results import GameResults, OpeningRows
from harness.ratings.robust import ClusterUnit
from harness.ratings.rows import bots_with_few_points, unrated_row, unrated_rows
from harness.ratings.saturation import Side
from harness.ratings.types import Bound, FirstMove, RatingRow, RatingTable
from harness.ratings.uncertainty import Uncertainty, clustered_uncertainty, model_uncertainty
from harness.ratings.wording import (
    APART,
    NO_BOOTSTRAP,
    NOT_CONVERGED,
    NOTHING_DECISIVE,
    accident_notice,
    anchored,
    few_points_notice,
    group_notices,
    listed,
    scale_text,
    shift_notice,
    still_notice,
)

DEFAULT_SEED: Final = 1


@dataclass(frozen=True, slots=True)
class RatingOptions:
    """How to rate.

    ``anchors`` are bots and their Elo, one for each scale; else zero is the mean of the core.
    ``refits`` is the number of bootstrap refits, 0 for none; ``seed`` that of everything drawn by
    chance. A quick table has no chances of ranks and no groups: it may be made twice a second
    while games are played.
    """

    anchors: tuple[tuple[str, float], ...] = ()
    model: Model = Model.DAVIDSON
    refits: int = 0
    seed: int = DEFAULT_SEED
    is_quick: bool = False


DEFAULT_OPTIONS: Final = RatingOptions()


@dataclass(frozen=True, slots=True, eq=False)
class RatedPool:
    """Bots joined by games: their fit (None: no decisive game), and the tables made of it.

    ``results`` and their ``rows`` are None where only counts were given.
    """

    counts: GameCounts
    results: GameResults | None
    rows: OpeningRows | None
    fit: DavidsonFit | None
    uncertainty: Uncertainty | None
    tables: tuple[RatingTable, ...]


def rate(
    rows: Sequence[PairingCount],
    *,
    names: Sequence[str] = (),
    options: RatingOptions = DEFAULT_OPTIONS,
) -> tuple[RatingTable, ...]:
    """Rate bots by counts alone, every game taken as independent; the largest table first.

    ``names`` adds bots without games. Raises InputError when the anchor is no bot of these.
    """
    counts = GameCounts.from_rows(rows, names)
    return _rate(counts, None, options, lambda _: None)[0]


def rate_games(
    results: GameResults,
    options: RatingOptions = DEFAULT_OPTIONS,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[tuple[RatingTable, ...], tuple[RatedPool, ...]]:
    """Rate bots with errors that go by opening; returns the tables and the pools behind them.

    One table for every set of bots that share a scale, the largest first. ``progress`` is
    called after every bootstrap refit with 1. Raises InputError when the anchor is no bot.
    """
    return _rate(results.counts(), results, options, progress)


def _rate(
    counts: GameCounts,
    results: GameResults | None,
    options: RatingOptions,
    progress: Callable[[int], None],
) -> tuple[tuple[RatingTable, ...], tuple[RatedPool, ...]]:
    for name, _ in options.anchors:
        if name not in counts.names:
            known = listed(counts.names) or "there are none"
            raise InputError(f"the anchor {name!r} is none of the bots: {known}")
    rated: list[RatedPool] = []
    tables: list[RatingTable] = []
    for bots in pools(counts):
        inside = None if results is None else results.among(bots)
        pool = _rate_pool(counts.only(bots), inside, options, len(tables) + 1, progress)
        rated.append(pool)
        tables += pool.tables
    played = counts.by_bot(counts.games, counts.games)
    idle = [name for name, games in zip(counts.names, played, strict=True) if games == 0]
    if idle:
        tables[:1] = [_with_idle(tables[0] if tables else _nothing_played(), idle)]
    return tuple(tables), tuple(rated)


def _rate_pool(
    counts: GameCounts,
    results: GameResults | None,
    options: RatingOptions,
    number: int,
    progress: Callable[[int], None],
) -> RatedPool:
    notices = [APART] if number > 1 else []
    rows = None if results is None else results.opening_rows()
    model = fit(counts, model=options.model)
    if model is None:
        table = _all_drawn(counts, options.anchors, notices)
        return RatedPool(counts, results, rows, None, None, (table,))
    if not model.has_converged:
        notices = [*notices, NOT_CONVERGED]
    uncertainty, refits = model_uncertainty(model), None
    if rows is not None:
        uncertainty = clustered_uncertainty(model, rows)
        if options.refits and uncertainty.clusters is not None:
            refits = refit(
                model,
                counts,
                rows,
                uncertainty.clusters,
                refits=options.refits,
                seed=options.seed,
                progress=lambda _: progress(1),
            )
            notices = [*notices, *still_notice(counts.names, refits.still)]
        elif options.refits:
            notices = [*notices, NO_BOOTSTRAP]
    pool = RatedPool(counts, results, rows, model, uncertainty, ())
    core, *others = split_into_groups(counts, model, [name for name, _ in options.anchors])
    tables = [_group_table(pool, core, options, refits, notices)]
    for group in others:
        shifted = [*notices, shift_notice(model, group, number)]
        tables.append(_group_table(pool, group, options, refits, shifted))
    return dataclasses.replace(pool, tables=tuple(tables))


def _group_table(
    pool: RatedPool,
    group: Group,
    options: RatingOptions,
    refits: Refits | None,
    notices: list[str],
) -> RatingTable:
    counts, model, uncertainty = pool.counts, pool.fit, pool.uncertainty
    assert model is not None
    assert uncertainty is not None
    gauge, anchor, anchor_notices = _gauge(counts, model, group, options.anchors)
    estimate = estimate_group(
        model, group, gauge, uncertainty, refits, seed=options.seed, is_quick=options.is_quick
    )
    plain = unrated_rows(counts)
    zero = float(gauge.weights @ model.ratings)

    def outside(one: OneSided) -> RatingRow:
        return dataclasses.replace(
            plain[one.bot],
            elo=float(gauge.scale * (one.bounds.bound - zero) + gauge.base),
            bound=Bound.ABOVE if one.bounds.side is Side.ABOVE else Bound.BELOW,
            median=float(gauge.scale * (one.bounds.median - zero) + gauge.base),
        )

    rated = [_rated_row(plain[bot], estimate, place) for place, bot in enumerate(estimate.ranked)]
    rows = [*map(outside, group.above), *rated, *map(outside, group.below)]
    few_points = bots_with_few_points(counts, group.bots)
    first_move = _first_move(model, gauge, uncertainty)
    return RatingTable(
        rows=(
            *(dataclasses.replace(row, rank=place) for place, row in enumerate(rows, 1)),
            *(plain[bot] for bot in group.unplaced),
        ),
        games=counts.total,
        zero=gauge.zero,
        scale=scale_text(
            gauge.zero,
            counts.total,
            model.model,
            uncertainty=estimate.uncertainty if any(row.error for row in rated) else None,
            first_move=first_move,
            draw_rate=model.draw_rate if counts.draws.any() and model.nu > 0 else None,
        ),
        notices=(
            *notices,
            *anchor_notices,
            *group_notices(counts, model, group),
            *accident_notice([row.name for row in rated], estimate),
            *few_points_notice([row for row in rated if row.error and row.name in few_points]),
        ),
        first_move=first_move,
        draw_rate=model.draw_rate if model.nu > 0 else None,
        unit=estimate.uncertainty.unit,
        anchor=anchor,
        rated=tuple(counts.names[bot] for bot in estimate.ranked),
        covariance=estimate.covariance,
        los=estimate.los,
        differ=estimate.differ,
    )


def _rated_row(plain: RatingRow, estimate: Estimate, place: int) -> RatingRow:
    def half_width(errors: np.ndarray[tuple[int], np.dtype[np.float64]] | None) -> float | None:
        return None if errors is None or errors[place] == 0 else float(errors[place])

    chances = estimate.chances if len(estimate.ranked) > 1 else None
    return dataclasses.replace(
        plain,
        elo=float(estimate.elo[place]),
        error=half_width(estimate.errors),
        bound=Bound.EXACT,
        los_next=None
        if place + 1 == len(estimate.ranked)
        else float(estimate.los[place, place + 1]),
        group=estimate.groups[place] if len(estimate.ranked) > 1 else "",
        best=None if chances is None else float(chances.best[place]),
        rank_low=None if chances is None else int(chances.low[place]),
        rank_high=None if chances is None else int(chances.high[place]),
        model_error=half_width(estimate.model_errors),
        bootstrap_error=half_width(estimate.bootstrap_errors),
    )


def _first_move(model: DavidsonFit, gauge: Gauge, uncertainty: Uncertainty) -> FirstMove | None:
    if not model.has_advantage:
        return None
    error = None
    if uncertainty.advantage_variance is not None:
        deviation = gauge.scale * math.sqrt(uncertainty.advantage_variance)
        error = quantile(uncertainty.advantage_degrees) * deviation
    by_opening = uncertainty.advantage_unit is ClusterUnit.OPENING
    return FirstMove(gauge.scale * model.advantage, error, by_opening)


def _gauge(
    counts: GameCounts, model: DavidsonFit, group: Group, anchors: Sequence[tuple[str, float]]
) -> tuple[Gauge, str | None, list[str]]:
    weights = np.zeros(len(counts.names))
    rated = [counts.names[bot] for bot in group.bots]
    anchor = _anchor_among(rated, anchors)
    if anchor is not None:
        weights[counts.names.index(anchor[0])] = 1
        return Gauge(weights, model.elo_scale, anchor[1], anchored(anchor)), anchor[0], []
    weights[group.bots] = 1 / len(group.bots)
    zero = f"0 is the mean of the {len(rated)} rated bots"
    if len(rated) == 1:
        zero = f"0 is {rated[0]} (no two bots here took points from each other)"
    notices = [
        f"the anchor {name} has no rating of its own: it does not set the zero"
        for name, _ in anchors
        if name in counts.names
    ]
    return Gauge(weights, model.elo_scale, 0.0, zero), None, notices


def _anchor_among(
    names: Sequence[str], anchors: Sequence[tuple[str, float]]
) -> tuple[str, float] | None:
    found = [anchor for anchor in anchors if anchor[0] in names]
    if len(found) > 1:
        one, other = found[0][0], found[1][0]
        raise InputError(f"the anchors {one} and {other} are on one scale: give one of them")
    return found[0] if found else None


def _all_drawn(
    counts: GameCounts, anchors: Sequence[tuple[str, float]], notices: list[str]
) -> RatingTable:
    """Return the table of a pool without a decisive game: all equal, with no error to tell."""
    elo, zero = 0.0, f"0 is the mean of the {len(counts.names)} bots"
    anchor = _anchor_among(counts.names, anchors)
    if anchor is not None:
        elo, zero = anchor[1], anchored(anchor)
    bots = len(counts.names)
    rows = [
        dataclasses.replace(
            row,
            rank=place,
            elo=elo,
            bound=Bound.EXACT,
            los_next=0.5 if place < bots else None,
        )
        for place, row in enumerate(unrated_rows(counts), 1)
    ]
    return RatingTable(
        rows=tuple(rows),
        games=counts.total,
        zero=zero,
        scale=scale_text(zero, counts.total, None),
        notices=(*notices, NOTHING_DECISIVE),
        first_move=None,
        draw_rate=None,
        unit=ClusterUnit.GAME,
        anchor=None if anchor is None else anchor[0],
        rated=counts.names,
        covariance=np.zeros((bots, bots)),
        los=np.full((bots, bots), 0.5),
        differ=np.zeros((bots, bots), dtype=np.bool_),
    )


def _nothing_played() -> RatingTable:
    none = np.zeros((0, 0))
    return RatingTable(
        rows=(),
        games=0,
        zero="no games yet",
        scale="No games yet.",
        notices=(),
        first_move=None,
        draw_rate=None,
        unit=ClusterUnit.GAME,
        anchor=None,
        rated=(),
        covariance=none,
        los=none,
        differ=none.astype(np.bool_),
    )


def _with_idle(table: RatingTable, idle: Sequence[str]) -> RatingTable:
    notice = f"without games: {listed(idle)}"
    rows = (*table.rows, *map(unrated_row, idle))
    return dataclasses.replace(table, rows=rows, notices=(*table.notices, notice))
