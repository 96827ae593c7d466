"""What a careful reader asks of a table: does the model fit, and how much do the games say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from harness.ratings.components import strong_components
from harness.ratings.counts import FloatArray, GameCounts, IntArray
from harness.ratings.davidson import DavidsonFit, Model, outcome_chances
from harness.ratings.distinct import distinct
from harness.ratings.effort import pairs_to_reach
from harness.ratings.observations import OpeningScores
from harness.ratings.results import GameResults, OpeningRows
from harness.ratings.robust import row_scores

INTRANSITIVE_BELOW: Final = 0.01
"""Chance below which the pairings do not follow one scale of strength."""
ONE_SIDED_FROM: Final = 0.95
"""Share of points of one colour from which an opening is called one-sided."""
_FEWEST_PAIRS: Final = 10
"""Nothing is said of pairings with fewer openings."""
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
    ``residuals`` are, where the test says so, the pairings beyond Bonferroni's bound, the largest
    first.
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

    ``distinct_games`` counts games that were not played before move for move. ``pair_correlation``
    is that of the two legs of a game pair, beyond strength and first move; ``pair_deviation`` the
    standard deviation of a pair's score, 0 to 1. ``unplayed`` lists pairings without games,
    ``components`` counts the strongly connected ones. What the games do not tell is None.
    """

    games: int
    distinct_games: int
    transitivity: Transitivity | None
    pair_correlation: float | None
    pair_deviation: float | None
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


def diagnose(fit: DavidsonFit, results: GameResults) -> Diagnostics:
    """Look at one pool, from its fit and its games."""
    rows = results.opening_rows()
    counts = results.counts()
    correlation, deviation = _pair_spread(fit, results)
    return Diagnostics(
        games=results.total,
        distinct_games=distinct_games(results),
        transitivity=transitivity(fit, counts, rows),
        pair_correlation=correlation,
        pair_deviation=deviation,
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
    """Test whether one scale of strength explains all pairings; None: too few games to say.

    Residual points of every pairing over the model's variance, scaled by one dispersion for all
    pairings, which is taken from the spread between openings.
    """
    from scipy.special import chdtrc, ndtri

    bots = len(counts.names)
    low, high = np.minimum(rows.first, rows.second), np.maximum(rows.first, rows.second)
    pairings, of_row = distinct(low * bots + high)
    degrees = len(pairings) - (bots - 1)
    residual, _ = row_scores(fit, rows)
    residual = np.where(rows.first == low, residual, -residual)  # as the first-named saw it
    openings = len(distinct(rows.opening).values)
    most = rows.opening.max(initial=0) + 1
    clusters, cluster_of_row = distinct(of_row * most + rows.opening)
    of_cluster = clusters // most
    sizes = np.bincount(of_cluster, minlength=len(pairings))
    if degrees < 1 or openings < _FEWEST_PAIRS or sizes.min() < _FEWEST_PAIRS:
        return None
    sums = np.bincount(cluster_of_row, residual)
    total = np.bincount(of_cluster, sums)
    centred = sums - (total / sizes)[of_cluster]
    empirical = np.bincount(of_cluster, centred**2) * sizes / (sizes - 1)
    games = rows.wins + rows.draws + rows.losses
    _, variance_of_game = _expected(fit, rows.first, rows.second)
    variance = np.bincount(of_row, games * variance_of_game)
    dispersion = float(empirical.sum() / variance.sum())
    if dispersion < _NO_DISPERSION:  # bots that always take the same from each other
        dispersion = 1.0
    z = total / np.sqrt(dispersion * variance)
    one, other = np.divmod(pairings, bots)
    statistic = float(z @ z)
    chance = float(chdtrc(degrees, statistic))
    leverage = variance * (
        fit.covariance[one, one] + fit.covariance[other, other] - 2 * fit.covariance[one, other]
    )
    adjusted = z / np.sqrt(np.maximum(1 - leverage, 1e-3))
    bound = -float(ndtri(0.025 / len(pairings)))
    points = np.bincount(
        of_row, np.where(rows.first == low, rows.wins, rows.losses) + rows.draws / 2
    )
    played = np.bincount(of_row, games)
    is_beyond = (np.abs(adjusted) > bound) & (chance < INTRANSITIVE_BELOW)
    listed = sorted(np.flatnonzero(is_beyond), key=lambda at: -abs(adjusted[at]))
    return Transitivity(
        statistic=statistic,
        degrees=degrees,
        chance=chance,
        dispersion=dispersion,
        residuals=tuple(
            PairResidual(
                counts.names[one[at]],
                counts.names[other[at]],
                int(played[at]),
                float(points[at]),
                float(points[at] - total[at]),
                float(adjusted[at]),
            )
            for at in listed
        ),
    )


def opening_scores(fit: DavidsonFit, names: tuple[str, ...], rows: OpeningRows) -> OpeningScores:
    """Return the first mover's share of the points by opening, and what the model expects."""
    games = rows.wins + rows.draws + rows.losses
    expected, _ = _expected(fit, rows.first, rows.second)
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
    pair_deviation: float | None,
) -> tuple[Effort, ...]:
    """Return what it takes to separate the neighbours of a ranking that are not yet apart."""
    if pair_deviation is None or pair_deviation <= 0:
        return ()
    found = []
    for bot, next_bot, los in zip(ranked, ranked[1:], los_next, strict=False):
        if los is None or los >= _WANTED_SUPERIORITY:
            continue
        one, other = np.array([names.index(bot)]), np.array([names.index(next_bot)])
        as_first, _ = _expected(fit, one, other)
        as_second, _ = _expected(fit, other, one)
        score = float((as_first[0] + 1 - as_second[0]) / 2)
        pairs = pairs_to_reach(score, pair_deviation, los=_WANTED_SUPERIORITY)
        is_known = pairs is not None and pairs <= _MOST_PAIRS
        found.append(Effort(bot, next_bot, int(np.ceil(pairs)) if pairs and is_known else None))
    return tuple(found)


def _expected(fit: DavidsonFit, first: IntArray, second: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the first mover's expected score in a game, and the variance of that score."""
    win, draw, loss = outcome_chances(fit, first, second)
    if fit.model is Model.SCORE:
        draw = np.zeros_like(draw)
    return win + draw / 2, (win + loss - (win - loss) ** 2) / 4


def _pair_spread(fit: DavidsonFit, results: GameResults) -> tuple[float | None, float | None]:
    """Return correlation of the legs, and the standard deviation of a pair's score."""
    expected, _ = _expected(fit, results.first, results.second)
    residual = results.half_points / 2 - expected
    bots = len(results.names)
    low, high = (
        np.minimum(results.first, results.second),
        np.maximum(results.first, results.second),
    )
    residual = np.where(results.first == low, residual, -residual)
    pairs, place = distinct(results.pair)
    _, of_game = distinct((low * bots + high) * len(pairs) + place)
    sizes = np.bincount(of_game)
    both = sizes == 2
    if both.sum() < 2:
        return None, None
    sums = np.bincount(of_game, residual)[both]
    squares = np.bincount(of_game, residual**2)[both]
    of_games = float(squares.mean() / 2)
    of_pairs = float((sums**2).mean() / 4)
    correlation = of_pairs / (of_games / 2) - 1 if of_games > 0 else None
    return correlation, of_pairs**0.5


def _unplayed(counts: GameCounts) -> tuple[tuple[str, str], ...]:
    met = counts.matrix(counts.games) > 0
    missing = np.argwhere(np.triu(~(met | met.T), 1))
    return tuple((counts.names[one], counts.names[other]) for one, other in missing)
