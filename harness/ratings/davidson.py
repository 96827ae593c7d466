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

_LONGEST_STEP: Final = 3.0
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
        """Reported Elo a natural unit: near equality one Elo is one on the logistic curve."""
        return ELO * 2 / (2 + self.nu)

    @property
    def draw_rate(self) -> float:
        """Share of draws between equals."""
        return self.nu / (2 + self.nu)


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
        step *= min(1.0, _LONGEST_STEP / max(np.abs(step).max(), _LONGEST_STEP))
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

    With x = +2t wherever there are wins and -2t wherever there are losses, the likelihood of
    wins, draws and losses grows with t = log nu for ever: "the better one wins or draws". Few
    one-sided games allow it, as two bots of which one never lost.
    """
    if ((counts.wins > 0) & (counts.losses > 0)).any():
        return False
    decisive = counts.wins + counts.losses > 0
    columns = _differences(counts)
    if is_advantage_identified(counts):
        columns = np.column_stack([columns, np.ones(len(columns))])
    return _is_solvable(columns[decisive], np.sign(counts.wins - counts.losses)[decisive])


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


def outcome_chances(
    fit: DavidsonFit, first: IntArray, second: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return P(win), P(draw), P(loss) of each first mover, by the fit's own law of draws."""
    bots = len(fit.ratings)
    if len(first) > bots**2:  # once for every two bots is enough
        one, other = np.divmod(np.arange(bots**2), bots)
        win, draw, loss = outcome_chances(fit, one, other)
        cells = first * bots + second
        return win[cells], draw[cells], loss[cells]
    difference = fit.ratings[first] - fit.ratings[second] + fit.advantage
    log_nu = math.log(fit.nu) if fit.nu > 0 else -math.inf
    log_win, log_draw, log_loss = outcome_logs(difference, log_nu)
    return np.exp(log_win), np.exp(log_draw), np.exp(log_loss)


def _slope(rows: PoolRows, at: FloatArray) -> _Slope:
    bots = len(at) - 2
    difference = at[rows.first] - at[rows.second] + at[bots]
    log_win, log_draw, log_loss = outcome_logs(difference, float(at[-1]))
    win, draw, loss = np.exp(log_win), np.exp(log_draw), np.exp(log_loss)
    drawn = rows.draws > 0
    log_likelihood = float(
        rows.wins @ log_win + rows.losses @ log_loss + rows.draws[drawn] @ log_draw[drawn]
    )
    games = rows.wins + rows.draws + rows.losses
    by_x = (rows.wins - rows.losses) / 2 - games * (win - loss) / 2
    by_t = rows.draws - games * draw
    by_xx = -games / 4 * (win + loss - (win - loss) ** 2)
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
