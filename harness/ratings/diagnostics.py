"""What a careful reader asks of a table: does the model fit, and how much do the games say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from harness.ratings.components import joined, strong_components
from harness.ratings.counts import FloatArray, GameCounts, IntArray
from harness.ratings.davidson import DavidsonFit, outcome_chances
from harness.ratings.distinct import Pairings, distinct, pairings
from harness.ratings.effort import pairs_to_reach
from harness.ratings.normal import normal_quantile
from harness.ratings.observations import OpeningScores
from harness.ratings.results import GameResults, OpeningRows

INTRANSITIVE_BELOW: Final = 0.01
"""Chance below which the pairings do not follow one scale of strength."""
ONE_SIDED_FROM: Final = 0.95
"""Share of points of one colour from which an opening is called one-sided."""
_FEWEST_PAIRS: Final = 10
"""Nothing is said of pairings with fewer openings."""
_SURE: Final = 0.95
_NO_DISPERSION: Final = 1e-9
_FEWEST_GAMES_OF_OPENING: Final = 8
_WANTED_SUPERIORITY: Final = 0.95
_MOST_PAIRS: Final = 1e6


class PairResidual(NamedTuple):
    """A pairing that one scale of strength does not explain.

    The bot scored ``points`` in ``games`` games against the opponent where the model expects
    ``expected``; ``z`` is the difference in standard errors.
    """

    bot: str
    opponent: str
    games: int
    points: float
    expected: float
    z: float


@dataclass(frozen=True, slots=True)
class Transitivity:
    """The test of one scale for all pairings: ``statistic`` is chi-square on ``degrees``.

    ``chance`` is the probability of at least as much if strength has one scale; ``dispersion``
    the variance between openings over that of the model, 1 where no pairing's score varies.
    ``residuals`` are the pairings beyond Bonferroni's bound, the largest first, whatever the
    test says of all of them together.
    """

    statistic: float
    degrees: int
    chance: float
    dispersion: float
    residuals: tuple[PairResidual, ...]

    @property
    def is_violated(self) -> bool:
        """Whether the test says that bots beat each other in circles."""
        return self.chance < INTRANSITIVE_BELOW


class Effort(NamedTuple):
    """What it takes to tell two neighbours of a table apart.

    ``pairs`` are the direct game pairs after which the better one has a likelihood of
    superiority of 95 % with a chance of 80 %, if the ratings are true; None: beyond a million.
    """

    bot: str
    next_bot: str
    pairs: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Diagnostics:
    """What is known of one pool besides its ratings.

    ``distinct_games`` counts games that were not played before move for move;
    ``effective_games`` is how many independent ones would give errors as large as the openings
    do, in the median over the bots. ``pair_correlation`` is that of the two legs of a game pair,
    beyond strength and first move; ``pair_dispersion`` the variance of pairs' scores over that of
    the model, which takes legs as independent. ``unplayed`` lists pairings without games,
    ``components`` counts the strongly connected ones. What the games do not tell is None.
    """

    games: int
    distinct_games: int
    effective_games: int | None
    transitivity: Transitivity | None
    pair_correlation: float | None
    pair_dispersion: float | None
    openings: OpeningScores
    unplayed: tuple[tuple[str, str], ...]
    components: int

    @property
    def replayed_games(self) -> int:
        """Games that repeat an earlier one, move for move: they tell nothing new."""
        return self.games - self.distinct_games

    def one_sided_openings(self) -> IntArray:
        """Return the places of openings of which one colour takes nearly everything."""
        scores = self.openings.score
        is_one_sided = np.maximum(scores, 1 - scores) > ONE_SIDED_FROM
        return np.flatnonzero(is_one_sided & (self.openings.games >= _FEWEST_GAMES_OF_OPENING))


def diagnose(
    fit: DavidsonFit,
    results: GameResults,
    counts: GameCounts,
    rows: OpeningRows,
    error_ratios: Sequence[float] = (),
) -> Diagnostics:
    """Look at one pool, from its fit and its games; ``counts`` and ``rows`` are their sums.

    ``error_ratios`` are standard errors over those with games taken as independent.
    """
    correlation, dispersion = _pair_spread(fit, results)
    effective = results.total / float(np.median(error_ratios)) ** 2 if error_ratios else None
    return Diagnostics(
        games=results.total,
        distinct_games=distinct_games(results),
        effective_games=None if effective is None else max(1, round(effective)),
        transitivity=transitivity(fit, counts, rows),
        pair_correlation=correlation,
        pair_dispersion=dispersion,
        openings=opening_scores(fit, results.openings, rows),
        unplayed=_unplayed(counts),
        components=len(strong_components(counts)),
    )


def distinct_games(results: GameResults) -> int:
    """Count the games without those that repeat an earlier one of the same bots and sides."""
    moves = np.sort(results.moves)
    repeated = moves[1:][moves[1:] == moves[:-1]]
    if not len(repeated):
        return results.total
    known = results.where(np.isin(results.moves, repeated))
    columns = [known.first, known.second, known.opening, known.moves]
    order = np.lexsort(columns)
    is_new = np.zeros(known.total, dtype=np.bool_)
    is_new[:1] = True
    for column in columns:
        is_new[1:] |= np.diff(column[order]) != 0
    return results.total - known.total + int(is_new.sum())


def transitivity(fit: DavidsonFit, counts: GameCounts, rows: OpeningRows) -> Transitivity | None:
    """Test whether one scale of strength explains the pairings; None: too few games to say.

    Residual points of every pairing over the model's variance, scaled by one dispersion for all
    pairings, which is taken from the spread between openings. Pairings count that have ten
    openings and join bots of one scale: what saturated bots scored is as expected by itself.
    Degrees of freedom are those pairings, less the bots they join but one of each set.
    """
    from scipy.special import chdtrc

    rows = _comparable(counts, rows)
    met = pairings(rows.first, rows.second)
    tested = len(met.one)
    if not tested or (degrees := tested - _fitted_bots(len(counts.names), met)) < 1:
        return None
    expected = outcome_chances(fit, rows.first, rows.second)
    residual = met.sign * expected.surplus(rows.wins, rows.draws, rows.losses)
    total = np.bincount(met.of_row, residual)
    games = rows.wins + rows.draws + rows.losses
    variance = np.bincount(met.of_row, games * expected.score_variance)
    dispersion = _opening_variance(rows, met.of_row, residual) / float(variance.sum())
    if dispersion < _NO_DISPERSION:  # bots that always take the same from each other
        dispersion = 1.0
    z = total / np.sqrt(dispersion * variance)
    statistic = float(z @ z)
    own = fit.covariance.diagonal()
    leverage = variance * (own[met.one] + own[met.other] - 2 * fit.covariance[met.one, met.other])
    adjusted = z / np.sqrt(np.maximum(1 - leverage, 1e-3))
    bound = normal_quantile(1 - (1 - _SURE) / 2 / tested)
    points = np.bincount(
        met.of_row, np.where(met.sign > 0, rows.wins, rows.losses) + rows.draws / 2
    )
    played = np.bincount(met.of_row, games)
    listed = sorted(np.flatnonzero(np.abs(adjusted) > bound), key=lambda at: -abs(adjusted[at]))
    return Transitivity(
        statistic=statistic,
        degrees=degrees,
        chance=float(chdtrc(degrees, statistic)),
        dispersion=dispersion,
        residuals=tuple(
            PairResidual(
                counts.names[met.one[at]],
                counts.names[met.other[at]],
                int(played[at]),
                float(points[at]),
                float(points[at] - total[at]),
                float(adjusted[at]),
            )
            for at in listed
        ),
    )


def _comparable(counts: GameCounts, rows: OpeningRows) -> OpeningRows:
    """Return the rows of pairings on one scale that were played on enough openings."""
    scale = np.zeros(len(counts.names), dtype=np.int64)
    for number, bots in enumerate(strong_components(counts)):
        scale[bots] = number
    met = pairings(rows.first, rows.second)
    pairing_of_cluster = _clusters(rows, met.of_row)[0]
    openings = np.bincount(pairing_of_cluster, minlength=len(met.one))
    is_kept = (scale[met.one] == scale[met.other]) & (openings >= _FEWEST_PAIRS)
    return OpeningRows(*(column[is_kept[met.of_row]] for column in rows))


def _clusters(rows: OpeningRows, pairing: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairing of every opening of a pairing, and every row's place among these."""
    openings = int(rows.opening.max(initial=0)) + 1
    clusters, of_row = distinct(pairing * openings + rows.opening)
    return clusters // openings, of_row


def _opening_variance(rows: OpeningRows, pairing: IntArray, residual: FloatArray) -> float:
    """Return the variance of the pairings' residual points, by the spread between openings."""
    pairing_of_cluster, cluster_of_row = _clusters(rows, pairing)
    sums = np.bincount(cluster_of_row, residual)
    sizes = np.bincount(pairing_of_cluster)
    centred = sums - (np.bincount(pairing_of_cluster, sums) / sizes)[pairing_of_cluster]
    squares = np.bincount(pairing_of_cluster, centred**2)
    return float((squares * sizes / (sizes - 1)).sum())


def _fitted_bots(bots: int, met: Pairings) -> int:
    """Return how many ratings these pairings fix: of each set that they join, all but one."""
    arcs = np.zeros((bots, bots), dtype=np.bool_)
    arcs[met.one, met.other] = True
    return sum(len(group) - 1 for group in joined(arcs))


def opening_scores(fit: DavidsonFit, names: tuple[str, ...], rows: OpeningRows) -> OpeningScores:
    """Return the first mover's share of the points by opening, and what the model expects."""
    games = rows.wins + rows.draws + rows.losses
    expected = outcome_chances(fit, rows.first, rows.second).score
    used, of_row = distinct(rows.opening)
    played = np.bincount(of_row, games, len(used))
    return OpeningScores(
        openings=tuple(names[opening] for opening in used),
        games=played.astype(np.int64),
        score=np.bincount(of_row, rows.wins + rows.draws / 2, len(used)) / played,
        expected=np.bincount(of_row, games * expected, len(used)) / played,
    )


def efforts(
    fit: DavidsonFit,
    names: tuple[str, ...],
    ranked: tuple[str, ...],
    los_next: Sequence[float | None],
    pair_dispersion: float | None,
) -> tuple[Effort, ...]:
    """Return what it takes to separate the neighbours of a ranking that are not yet apart.

    A pair's score varies as the model says of these two bots, times the dispersion of all pairs.
    """
    if pair_dispersion is None or pair_dispersion <= 0:
        return ()
    found = []
    for bot, next_bot, los in zip(ranked, ranked[1:], los_next, strict=False):
        if los is None or los >= _WANTED_SUPERIORITY:
            continue
        both = np.array([names.index(bot), names.index(next_bot)])
        expected = outcome_chances(fit, both, both[::-1])
        score = float(expected.score[0] + 1 - expected.score[1]) / 2
        deviation = math.sqrt(pair_dispersion * float(expected.score_variance.sum()) / 4)
        pairs = pairs_to_reach(score, deviation, los=_WANTED_SUPERIORITY)
        is_known = pairs is not None and pairs <= _MOST_PAIRS
        found.append(Effort(bot, next_bot, int(np.ceil(pairs)) if pairs and is_known else None))
    return tuple(found)


def _pair_spread(fit: DavidsonFit, results: GameResults) -> tuple[float | None, float | None]:
    """Return correlation of the legs, and the variance of pairs' scores over the model's."""
    expected = outcome_chances(fit, results.first, results.second)
    met = pairings(results.first, results.second)
    residual = met.sign * (results.half_points / 2 - expected.score)
    pairs, place = distinct(results.pair)
    _, of_game = distinct(met.of_row * len(pairs) + place)
    both = np.bincount(of_game) == 2
    if both.sum() < 2:
        return None, None
    sums = np.bincount(of_game, residual)[both]
    squares = np.bincount(of_game, residual**2)[both]
    of_games = float(squares.mean() / 2)
    of_pairs = float((sums**2).mean() / 4)
    by_model = float(np.bincount(of_game, expected.score_variance)[both].mean() / 4)
    correlation = of_pairs / (of_games / 2) - 1 if of_games > 0 else None
    return correlation, of_pairs / by_model if by_model > 0 else None


def _unplayed(counts: GameCounts) -> tuple[tuple[str, str], ...]:
    met = counts.matrix(counts.games) > 0
    missing = np.argwhere(np.triu(~(met | met.T), 1))
    return tuple((counts.names[one], counts.names[other]) for one, other in missing)
