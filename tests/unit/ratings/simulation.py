"""Tournaments drawn from the Davidson law, what their ratings tend to, and whether intervals hold.

A round robin: every two bots play every opening of theirs twice, with colours reversed. An
opening favours whoever moves first by a normal amount, the same in all games that begin from it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from harness.ratings.comparisons import quantile
from harness.ratings.counts import FloatArray, GameCounts, IntArray
from harness.ratings.davidson import ELO, fit
from harness.ratings.results import GameResults
from harness.ratings.types import Bound, RatingTable

_NODES = 80
"""Of the Gauss-Hermite rule: with 40 the limits are the same to 1e-6 Elo."""
_MANY_GAMES = 1e6
"""Expected counts are multiplied by this, so that rounding and Newton's last step do not tell."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A tournament that can be drawn again and again; all Elo are on the scale of the table.

    ``openings`` are those of one pairing; ``is_shared`` tells whether all pairings play the same.
    ``replays`` is how often deterministic bots play each pair of games, always with its result.
    """

    bots: int
    best_elo: float
    openings: int
    is_shared: bool
    opening_sd_elo: float
    replays: int = 1
    first_move_elo: float = 25.0
    draw_rate: float = 0.03

    @property
    def strengths(self) -> FloatArray:
        """Elo of every bot, best first, with mean zero."""
        return np.linspace(self.best_elo, -self.best_elo, self.bots)

    @property
    def pairings(self) -> int:
        return self.bots * (self.bots - 1) // 2

    @property
    def all_openings(self) -> int:
        return self.openings if self.is_shared else self.openings * self.pairings

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"bot{bot:02}" for bot in range(self.bots))

    def chances(self, first: IntArray, second: IntArray, bias_elo: FloatArray) -> FloatArray:
        """Return P(first loses), P(draw), P(first wins), stacked in front of the bias's shape."""
        nu = 2 * self.draw_rate / (1 - self.draw_rate)
        lead = self.strengths[first] - self.strengths[second] + self.first_move_elo + bias_elo
        root = np.exp(lead * (2 + nu) / (4 * ELO))
        weights = np.stack([1 / root, np.full_like(root, nu), root])
        return np.asarray(weights / weights.sum(axis=0))


class Limit(NamedTuple):
    """What ratings (mean zero) and the first move's advantage tend to with ever more openings."""

    elo: FloatArray
    first_move_elo: float


class Hits(NamedTuple):
    """Which intervals of one table held the limit.

    ``ratings`` are by bot, ``differences`` by bot and the next weaker one.
    """

    ratings: FloatArray
    differences: FloatArray
    first_move: bool


class Coverage(NamedTuple):
    """Shares of intervals that held the limit, over bots and runs."""

    ratings: float
    differences: float
    first_move: float


def play(scenario: Scenario, chance: np.random.Generator) -> GameResults:
    """Draw one tournament."""
    one, other = np.triu_indices(scenario.bots, 1)
    opening = np.tile(np.arange(scenario.openings), scenario.pairings)
    if not scenario.is_shared:
        opening = np.arange(scenario.all_openings)
    one, other = np.repeat(one, scenario.openings), np.repeat(other, scenario.openings)
    first, second = np.concatenate([one, other]), np.concatenate([other, one])
    opening = np.tile(opening, 2)
    bias = chance.normal(0, scenario.opening_sd_elo, scenario.all_openings)[opening]
    loss, draw, _ = scenario.chances(first, second, bias)
    luck = chance.random(len(first))
    half_points = (luck > loss).astype(np.int8) + (luck > loss + draw)
    games, replays = len(first), scenario.replays
    replay = np.repeat(np.arange(replays), games)
    return GameResults(
        names=scenario.names,
        openings=tuple(f"opening{number:05}" for number in range(scenario.all_openings)),
        first=np.tile(first, replays),
        second=np.tile(second, replays),
        opening=np.tile(opening, replays),
        half_points=np.tile(half_points, replays),
        pair=replay * scenario.all_openings + np.tile(opening, replays),
        moves=np.tile(np.arange(games), replays),
    )


def limit(scenario: Scenario) -> Limit:
    """Fit the expected counts, the openings integrated out, without the prior."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    first, second = np.nonzero(~np.eye(scenario.bots, dtype=np.bool_))
    weights *= _MANY_GAMES / weights.sum()
    bias_elo = scenario.opening_sd_elo * nodes[:, None]
    losses, draws, wins = weights @ scenario.chances(first, second, bias_elo)
    counts = GameCounts(scenario.names, first, second, wins, draws, losses)
    model = fit(counts, virtual_draws=0)
    assert model is not None
    assert model.has_converged
    return Limit(model.elo_scale * model.ratings, model.elo_scale * model.advantage)


def hits(table: RatingTable, truth: Limit, degrees: float = math.inf) -> Hits:
    """Return which 95 % intervals of a table hold; all bots must be in its core.

    ``degrees`` are those of the quantile for differences, which a table does not print.
    """
    rows = sorted(table.rows, key=lambda row: row.name)
    assert {row.bound for row in rows} == {Bound.EXACT}
    assert table.first_move is not None
    assert table.first_move.error is not None
    ratings = [
        row.low is not None and row.high is not None and row.low <= elo <= row.high
        for row, elo in zip(rows, truth.elo, strict=True)
    ]
    place = np.argsort(table.rated)  # where the bots, best first, are in the covariance
    covariance = table.covariance[np.ix_(place, place)]
    contrast = np.eye(len(rows))[:-1] - np.eye(len(rows))[1:]
    deviations = np.sqrt((contrast @ covariance @ contrast.T).diagonal())
    misses = contrast @ (np.array([row.elo for row in rows], dtype=np.float64) - truth.elo)
    return Hits(
        ratings=np.array(ratings, dtype=np.float64),
        differences=(np.abs(misses) <= quantile(degrees) * deviations).astype(np.float64),
        first_move=abs(table.first_move.elo - truth.first_move_elo) <= table.first_move.error,
    )


def coverage(runs: list[Hits]) -> Coverage:
    """Average over bots and runs."""
    return Coverage(*(float(np.mean(column)) for column in zip(*runs, strict=True)))
