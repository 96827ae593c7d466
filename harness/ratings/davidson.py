"""The Davidson model with first-move advantage, fitted to pairing counts.

First mover i against j: x = r_i - r_j + a; win, draw and loss have the weights e^(x/2), nu,
e^(-x/2), divided by their sum (Davidson 1970; Davidson and Beaver 1977 for the advantage). The
score equations match every bot's points, the first movers' points and the number of draws. All
numbers here are in natural units; ``ELO`` of them are one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

import numpy as np

from harness.ratings.counts import BoolArray, FloatArray, GameCounts, IntArray

ELO: Final = 400 / math.log(10)
"""Elo points in one natural unit."""

VIRTUAL_DRAWS: Final = 1.0
"""Drawn games added per bot, so that every estimate is finite."""

_MOST_STEPS: Final = 100
_MOST_HALVINGS: Final = 40
_CONVERGED: Final = 1e-18
"""Gain of a step in log likelihood, after which the next one is lost in rounding."""
_ROUNDING: Final = 1e-15


@dataclass(frozen=True, slots=True, eq=False)
class DavidsonFit:
    """The fitted model of one pool, in natural units.

    ``ratings`` have mean zero. ``covariance`` is the inverse of minus the Hessian, prior
    included, over (ratings, advantage, log nu), shape (bots + 2, bots + 2), with the mean of the
    ratings held at zero; what was not fitted has zeros there. ``has_advantage`` is False when
    the games cannot tell the first move from strength; ``advantage`` is then 0. ``has_nu`` is
    False when the likelihood grows for ever with ``nu``, which is then held near the share of
    draws that was seen. ``free`` says which of (ratings, advantage, log nu) were fitted.
    """

    ratings: FloatArray
    advantage: float
    nu: float
    covariance: FloatArray
    log_likelihood: float
    steps: int
    has_converged: bool
    has_advantage: bool
    has_nu: bool
    model: Model
    free: BoolArray

    @property
    def elo_scale(self) -> float:
        """Reported Elo a natural unit."""
        return float(elo_scale(self.nu))

    @property
    def draw_rate(self) -> float:
        """Share of draws between equals."""
        return self.nu / (2 + self.nu)


def elo_scale(nu: float | FloatArray) -> FloatArray:
    """Return the reported Elo a natural unit: near equality one is one on the logistic curve."""
    return np.asarray(ELO * 2 / (2 + nu), dtype=np.float64)


class Model(Enum):
    """Which law of the results is fitted."""

    DAVIDSON = "davidson"
    """Win, draw and loss have probabilities of their own."""
    SCORE = "score"
    """Draws are half points of the logistic score curve, as in Ordo's equations."""


class PoolRows(NamedTuple):
    """The games of one pool, virtual draws included, as the fit takes them.

    One row for every two bots on their sides that met on either side, by (first, second).
    """

    first: IntArray
    second: IntArray
    wins: FloatArray
    draws: FloatArray
    losses: FloatArray


class Outcomes(NamedTuple):
    """Chances of the first mover's results, an item a row."""

    win: FloatArray
    draw: FloatArray
    loss: FloatArray

    @property
    def score(self) -> FloatArray:
        """Expected score of the first mover in a game, 0 to 1."""
        return (1 + self.win - self.loss) / 2

    @property
    def score_variance(self) -> FloatArray:
        """Variance of that score in a game."""
        return (self.win + self.loss - (self.win - self.loss) ** 2) / 4

    def surplus(self, wins: FloatArray, draws: FloatArray, losses: FloatArray) -> FloatArray:
        """Return the points the first mover took beyond those expected of these games.

        It is also the derivative of their log likelihood by the rating difference.
        """
        return wins + draws / 2 - (wins + draws + losses) * self.score

    def draw_surplus(self, wins: FloatArray, draws: FloatArray, losses: FloatArray) -> FloatArray:
        """Return the draws beyond those expected: the derivative by log nu."""
        return draws - (wins + draws + losses) * self.draw


class _Slope(NamedTuple):
    log_likelihood: float
    gradient: FloatArray
    hessian: FloatArray


class Solution(NamedTuple):
    """A maximum: ``at`` are ratings, advantage and log nu."""

    at: FloatArray
    slope: _Slope
    steps: int
    has_converged: bool


def fit(
    counts: GameCounts,
    *,
    virtual_draws: float = VIRTUAL_DRAWS,
    model: Model = Model.DAVIDSON,
    with_advantage: bool = True,
) -> DavidsonFit | None:
    """Fit one pool, in which a chain of games joins all bots; None: it has no decisive game.

    ``virtual_draws`` per bot are the prior; with 0 the estimate is the maximum likelihood one,
    which exists for strongly connected pools only. ``with_advantage`` False holds it at 0.
    """
    if counts.wins.sum() + counts.losses.sum() == 0:
        return None
    bots = len(counts.names)
    rows = pool_rows(counts, virtual_draws, model)
    has_advantage = with_advantage and is_advantage_identified(counts)
    decisive, drawn = rows.wins.sum() + rows.losses.sum(), rows.draws.sum()
    has_draws = bool(drawn > 0)
    has_nu = has_draws and not (virtual_draws > 0 and _is_nu_unbounded(counts))
    free = np.array([True] * bots + [has_advantage, has_nu])
    start = np.zeros(bots + 2)
    start[-1] = math.log(2 * max(drawn, 0.5) / decisive) if has_draws else -math.inf
    solution = solve(rows, free, start)
    at = solution.at
    return DavidsonFit(
        ratings=at[:bots] - at[:bots].mean(),
        advantage=float(at[bots]),
        nu=math.exp(at[-1]),
        covariance=_covariance(solution.slope, free),
        log_likelihood=solution.slope.log_likelihood,
        steps=solution.steps,
        has_converged=solution.has_converged,
        has_advantage=has_advantage,
        has_nu=has_nu or not has_draws,
        model=model,
        free=free,
    )


def solve(rows: PoolRows, free: BoolArray, start: FloatArray, *, enough: float = 0.0) -> Solution:
    """Climb to the maximum from ``start`` in the ``free`` parameters, by Newton steps.

    ``enough`` is the gain in log likelihood after which no further step is made.
    """
    at = start
    slope = _slope(rows, at)
    total = float((rows.wins + rows.draws + rows.losses).sum())
    enough = max(enough, _CONVERGED + (_ROUNDING * total) ** 2)
    steps, has_converged = 0, False
    while steps < _MOST_STEPS and not has_converged:
        steps += 1
        step = _solve(slope, free)
        has_converged = bool(slope.gradient @ step < enough)
        slack = 100 * _ROUNDING * abs(slope.log_likelihood)
        for _ in range(_MOST_HALVINGS):
            trial = _slope(rows, at + step)
            if trial.log_likelihood >= slope.log_likelihood - slack:
                at, slope = at + step, trial
                break
            step /= 2
        else:
            break
    return Solution(at, slope, steps, has_converged)


def is_advantage_identified(counts: GameCounts) -> bool:
    """Tell whether the games can separate the first move from strength.

    They cannot when some ratings explain "the first mover is better by one" in every pairing.
    """
    met = counts.matrix(counts.games) > 0
    if (met & met.T).any():  # somebody met on both sides, as always in pairs of games
        return True
    return not _is_solvable(_differences(counts), np.ones(len(counts.first)))


def _is_nu_unbounded(counts: GameCounts) -> bool:
    """Tell whether nu has no finite estimate although there are (virtual) draws in every pairing.

    With x = +2t wherever there are wins, -2t wherever there are losses and |x| <= 2t in every
    pairing on both sides, for the draws, the likelihood grows with t = log nu for ever: "the
    better one wins or draws". Few one-sided games allow it, as two bots of which one never lost.
    """
    if ((counts.wins > 0) & (counts.losses > 0)).any():
        return False
    decisive = counts.wins + counts.losses > 0
    differences = _differences(counts)
    first_move = np.full((len(differences), 1), float(is_advantage_identified(counts)))
    columns = np.hstack([differences, first_move])
    wanted = np.sign(counts.wins - counts.losses)[decisive]
    if not _is_solvable(columns[decisive], wanted):
        return False
    return _is_feasible(
        np.vstack([columns, np.hstack([-differences, first_move])]), columns[decisive], wanted
    )


def _is_feasible(bounded: FloatArray, columns: FloatArray, wanted: FloatArray) -> bool:
    """Tell whether some x has columns x = wanted and -1 <= bounded x <= 1."""
    from scipy.optimize import linprog

    found = linprog(
        np.zeros(columns.shape[1]),
        A_ub=np.vstack([bounded, -bounded]),
        b_ub=np.ones(2 * len(bounded)),
        A_eq=columns,
        b_eq=wanted,
        bounds=(None, None),
    )
    return bool(found.success)


def _differences(counts: GameCounts) -> FloatArray:
    """Return the derivative of every row's rating difference by the ratings."""
    rows = np.arange(len(counts.first))
    columns = np.zeros((len(rows), len(counts.names)))
    columns[rows, counts.first] = 1
    columns[rows, counts.second] = -1
    return columns


def _is_solvable(columns: FloatArray, wanted: FloatArray) -> bool:
    solution = np.linalg.lstsq(columns.T @ columns, columns.T @ wanted, rcond=None)[0]
    return bool(np.abs(columns @ solution - wanted).max(initial=0.0) < 1e-6)


def pool_rows(counts: GameCounts, virtual_draws: float, model: Model) -> PoolRows:
    """Return the rows of a fit.

    Each bot's virtual draws are spread over its opponents like its games, equally over sides.
    Under ``Model.SCORE`` every draw is half a win and half a loss.
    """
    bots = len(counts.names)
    played = counts.by_bot(counts.games, counts.games)
    share = (
        virtual_draws / 4 * counts.games * (1 / played[counts.first] + 1 / played[counts.second])
    )
    # A row for each side of every pairing, so that the virtual draws find their places.
    there, back = counts.first * bots + counts.second, counts.second * bots + counts.first
    keys, places = np.unique(np.concatenate([there, back]), return_inverse=True)
    ours, others = places[: len(there)], places[len(there) :]
    size = len(keys)

    def spread(values: FloatArray, rows: IntArray) -> FloatArray:
        return np.asarray(np.bincount(rows, values, size), dtype=np.float64)

    wins, losses = spread(counts.wins, ours), spread(counts.losses, ours)
    draws = spread(counts.draws + share, ours) + spread(share, others)
    if model is Model.SCORE:
        wins, draws, losses = wins + draws / 2, np.zeros(size), losses + draws / 2
    first, second = np.divmod(keys, bots)
    return PoolRows(first, second, wins, draws, losses)


def outcome_logs(
    difference: FloatArray, log_nu: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the logarithms of P(win), P(draw), P(loss) at these rating differences."""
    half = np.abs(difference) / 2
    log_sum = half + np.log1p(np.exp(-2 * half) + np.exp(log_nu - half))
    return difference / 2 - log_sum, log_nu - log_sum, -difference / 2 - log_sum


def outcome_chances(fit: DavidsonFit, first: IntArray, second: IntArray) -> Outcomes:
    """Return P(win), P(draw), P(loss) of each first mover, by the fit's own law of draws."""
    bots = len(fit.ratings)
    if len(first) > bots**2:  # once for every two bots is enough
        one, other = np.divmod(np.arange(bots**2), bots)
        cells = first * bots + second
        return Outcomes(*(column[cells] for column in outcome_chances(fit, one, other)))
    difference = fit.ratings[first] - fit.ratings[second] + fit.advantage
    log_nu = math.log(fit.nu) if fit.nu > 0 else -math.inf
    return Outcomes(*map(np.exp, outcome_logs(difference, log_nu)))


def _slope(rows: PoolRows, at: FloatArray) -> _Slope:
    bots = len(at) - 2
    difference = at[rows.first] - at[rows.second] + at[bots]
    log_win, log_draw, log_loss = outcome_logs(difference, float(at[-1]))
    expected = Outcomes(np.exp(log_win), np.exp(log_draw), np.exp(log_loss))
    drawn = rows.draws > 0
    log_likelihood = float(
        rows.wins @ log_win + rows.losses @ log_loss + rows.draws[drawn] @ log_draw[drawn]
    )
    games = rows.wins + rows.draws + rows.losses
    win, draw, loss = expected
    by_x = expected.surplus(rows.wins, rows.draws, rows.losses)
    by_t = expected.draw_surplus(rows.wins, rows.draws, rows.losses)
    by_xx = -games * expected.score_variance
    by_xt = games / 2 * draw * (win - loss)
    by_tt = -games * draw * (1 - draw)

    def spread(values: FloatArray) -> FloatArray:
        """Multiply by the derivative of x by the ratings and the advantage."""
        ratings = np.bincount(rows.first, values, bots) - np.bincount(rows.second, values, bots)
        return np.append(ratings, values.sum())

    gradient = np.append(spread(by_x), by_t.sum())
    hessian = np.zeros((bots + 2, bots + 2))
    hessian[rows.first, rows.second] -= by_xx  # each pair of sides is in one row only
    hessian[rows.second, rows.first] -= by_xx
    diagonal = np.bincount(rows.first, by_xx, bots) + np.bincount(rows.second, by_xx, bots)
    hessian[np.arange(bots), np.arange(bots)] += diagonal
    hessian[bots, :-1] = hessian[:-1, bots] = spread(by_xx)
    hessian[-1, :-1] = hessian[:-1, -1] = spread(by_xt)
    hessian[-1, -1] = by_tt.sum()
    return _Slope(log_likelihood, gradient, hessian)


def _information(slope: _Slope, free: BoolArray) -> FloatArray:
    """Return minus the Hessian of the free parameters, made regular in the direction of a shift."""
    bots = len(free) - 2
    information = -slope.hessian
    information[:bots, :bots] += 1 / bots
    return np.asarray(information[np.ix_(free, free)], dtype=np.float64)


def _solve(slope: _Slope, free: BoolArray) -> FloatArray:
    step = np.zeros(len(free))
    step[free] = np.linalg.solve(_information(slope, free), slope.gradient[free])
    return step


def _covariance(slope: _Slope, free: BoolArray) -> FloatArray:
    size = len(free)
    covariance = np.zeros((size, size))
    covariance[np.ix_(free, free)] = np.linalg.inv(_information(slope, free))
    centre = np.eye(size)
    centre[:-2, :-2] -= 1 / (size - 2)
    return np.asarray(centre @ covariance @ centre, dtype=np.float64)
