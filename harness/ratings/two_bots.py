"""The row of a match of two bots: game pairs by score, and what they tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.ratings.counts import FloatArray, IntArray
from harness.ratings.crosstable import Score
from harness.ratings.match import MatchEstimate, match_estimate, pentanomial_counts
from harness.ratings.results import GameResults


@dataclass(frozen=True, slots=True)
class MatchReport:
    """A match as ``bot`` saw it.

    ``pentanomial`` counts complete game pairs by their score 0, 1/2, 1, 3/2, 2;
    ``unpaired_games`` have no other leg and are not in the estimate. The estimate's unit is the
    opening: the mean over its pairs where it was played more than once. ``draw_ratio`` is the
    share of drawn games, ``pair_ratio`` pairs won over pairs lost; None: no games, no pair lost.
    """

    bot: str
    opponent: str
    games: Score
    pentanomial: tuple[int, int, int, int, int]
    unpaired_games: int
    openings: int
    draw_ratio: float | None
    pair_ratio: float | None
    estimate: MatchEstimate

    @property
    def pairs(self) -> int:
        """Number of complete game pairs."""
        return sum(self.pentanomial)


def match_report(results: GameResults, bot: str, opponent: str) -> MatchReport:
    """Report the match of these two bots, from the games among them."""
    one, other = results.names.index(bot), results.names.index(opponent)
    as_first = (results.first == one) & (results.second == other)
    as_second = (results.first == other) & (results.second == one)
    games = results.where(as_first | as_second)
    is_first = games.first == one
    points = np.where(is_first, games.half_points, 2 - games.half_points) / 2
    pair_scores, openings = _pair_scores(games, points, is_first)
    by_opening = np.unique(openings, return_inverse=True)[1]
    units = np.bincount(by_opening, pair_scores) / np.maximum(np.bincount(by_opening), 1)
    pentanomial = pentanomial_counts(pair_scores)
    score = Score(int((points == 1).sum()), int((points == 0.5).sum()), int((points == 0).sum()))
    lost, won = sum(pentanomial[:2]), sum(pentanomial[3:])
    return MatchReport(
        bot=bot,
        opponent=opponent,
        games=score,
        pentanomial=pentanomial,
        unpaired_games=games.total - 2 * len(pair_scores),
        openings=len(units),
        draw_ratio=score.draws / score.games if score.games else None,
        pair_ratio=won / lost if lost else None,
        estimate=match_estimate(units),
    )


def _pair_scores(
    games: GameResults, points: FloatArray, is_first: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[FloatArray, IntArray]:
    """Return the scores (0 to 1) and openings of complete pairs: one game on each side."""
    pairs, of_game = np.unique(games.pair, return_inverse=True)
    sizes = np.bincount(of_game, minlength=len(pairs))
    firsts = np.bincount(of_game, is_first, len(pairs))
    is_complete = (sizes == 2) & (firsts == 1)
    scores = np.bincount(of_game, points, len(pairs)) / 2
    openings = np.zeros(len(pairs), dtype=np.int64)
    openings[of_game] = games.opening
    return np.asarray(scores[is_complete]), openings[is_complete]
