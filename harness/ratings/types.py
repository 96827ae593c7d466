"""The words of a rating table: rows, bounds and what the numbers mean."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from enum import Enum
from typing import TYPE_CHECKING, Final

from harness.ratings.counts import BoolArray, FloatArray
from harness.ratings.normal import Z95
from harness.ratings.robust import ClusterUnit

if TYPE_CHECKING:
    import pandas as pd


NO_VARIANCE: Final = 1e-12
"""Variances of Elo below this are zero, apart from rounding."""

FRAME_COLUMNS: Final = {
    "rank": "Int64",
    "name": "string",
    "elo": "Float64",
    "error": "Float64",
    "low": "Float64",
    "high": "Float64",
    "bound": "string",
    "games": "Int64",
    "wins": "Int64",
    "draws": "Int64",
    "losses": "Int64",
    "score": "Float64",
    "los_next": "Float64",
    "opponents": "Int64",
    "group": "string",
    "best": "Float64",
    "rank_low": "Int64",
    "rank_high": "Int64",
    "model_error": "Float64",
    "bootstrap_error": "Float64",
}
"""The columns of a frame and their pandas types, all of which know <NA>."""


def half_width_text(error: float) -> str:
    """Return half the width of an interval for people: never zero, which would be certainty."""
    return str(max(1, round(error)))


class Bound(Enum):
    """How an Elo number is to be read."""

    EXACT = "exact"
    """An estimate, with its interval on both sides."""
    ABOVE = "above"
    """The bot stands above this (one-sided, 95 %): it won every game that could place it."""
    BELOW = "below"
    """The bot stands below this (one-sided, 95 %): it lost every game that could place it."""
    UNKNOWN = "unknown"
    """Nothing is known: no games, or none that could place it."""


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One bot of a table.

    ``elo`` is the estimate, or the bound; None when unknown. ``error`` is half the width of the
    95 % interval, None where there is none. ``median`` is, for a bound, the rating at which the
    bot's record has a chance of one half. ``score`` is the share of points, 0 to 1.
    ``los_next`` is the probability that the bot is better than that of the next row.

    Bots that share a letter of ``group`` cannot be told apart (Tukey). ``best`` is the probability
    of the first place among the rated bots, ``rank_low`` to ``rank_high`` the 95 % range of the
    place. ``model_error`` takes games as independent, ``bootstrap_error`` is from refits; both
    are half widths as ``error``.
    """

    rank: int | None
    name: str
    elo: float | None
    error: float | None
    bound: Bound
    median: float | None
    games: int
    wins: int
    draws: int
    losses: int
    score: float | None
    los_next: float | None
    opponents: int
    group: str = ""
    best: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    model_error: float | None = None
    bootstrap_error: float | None = None

    @property
    def low(self) -> float | None:
        """Lower end of the 95 % interval; None: open or unknown."""
        if self.bound is Bound.ABOVE:
            return self.elo
        return None if self.elo is None or self.error is None else self.elo - self.error

    @property
    def high(self) -> float | None:
        """Upper end of the 95 % interval; None: open or unknown."""
        if self.bound is Bound.BELOW:
            return self.elo
        return None if self.elo is None or self.error is None else self.elo + self.error

    def values(self) -> dict[str, str | int | float | None]:
        """Return everything by column, plain values; ``elo`` is None where it is a bound."""
        names = [field.name for field in fields(self)]
        return {
            **{name: getattr(self, name) for name in names},
            "elo": self.elo if self.bound is Bound.EXACT else None,
            "low": self.low,
            "high": self.high,
            "bound": self.bound.value,
        }

    @property
    def elo_text(self) -> str:
        """The rating for people: ``124``, ``> 317``, ``< -240`` or ``?``."""
        if self.elo is None:
            return "?"
        sign = {Bound.ABOVE: "> ", Bound.BELOW: "< "}.get(self.bound, "")
        return f"{sign}{round(self.elo)}"

    @property
    def error_text(self) -> str:
        """The error bar for people; empty where there is none."""
        return "" if self.error is None else half_width_text(self.error)


@dataclass(frozen=True, slots=True)
class FirstMove:
    """What the first move is worth in Elo, and half the width of its 95 % interval.

    ``error`` is None where there are too few openings to tell. ``by_opening`` says whether it
    goes by openings; else games are taken as independent.
    """

    elo: float
    error: float | None
    by_opening: bool = True


@dataclass(frozen=True, slots=True)
class RatingTable:
    """The ratings of bots on one scale, best first.

    ``scale`` says what zero is, the model, the interval and the number of games, in sentences;
    ``notices`` what else a reader must know. ``first_move`` and ``draw_rate`` (share of draws
    between equals) are None where the games do not tell. ``unit`` is what was taken as
    independent, ``anchor`` the bot whose rating is given.

    ``covariance`` is that of the Elo numbers of the ``rated`` bots, in their order; ``los`` holds
    the probability that the bot of the row is better than that of the column (a half on the
    diagonal), ``differ`` is true where the two differ when all comparisons of the table are held
    to 95 % together (Tukey).
    """

    rows: tuple[RatingRow, ...]
    games: int
    zero: str
    scale: str
    notices: tuple[str, ...]
    first_move: FirstMove | None
    draw_rate: float | None
    unit: ClusterUnit
    anchor: str | None
    rated: tuple[str, ...]
    covariance: FloatArray = field(compare=False, repr=False)
    los: FloatArray = field(compare=False, repr=False)
    differ: BoolArray = field(compare=False, repr=False)

    def error_ratios(self) -> list[float]:
        """Return the standard errors of bots over those with games taken as independent.

        Empty where games were taken as independent; bots whose error is not known are left out.
        """
        if self.unit is ClusterUnit.GAME:
            return []
        model_errors = {row.name: row.model_error for row in self.rows}
        ratios = []
        for name, variance in zip(self.rated, self.covariance.diagonal().tolist(), strict=True):
            by_model = model_errors[name]
            if by_model and variance > NO_VARIANCE:
                ratios.append(math.sqrt(variance) / (by_model / Z95))
        return ratios

    def frame(self) -> pd.DataFrame:
        """Return one row a bot; what is unknown is <NA>, and ``elo`` is empty for a bound.

        Columns: rank, name, elo, error, low, high, bound (exact, above, below, unknown), games,
        wins, draws, losses, score, los_next, opponents, group, best, rank_low, rank_high,
        model_error, bootstrap_error.
        """
        import pandas as pd

        rows = [
            [values[column] for column in FRAME_COLUMNS]
            for values in (row.values() for row in self.rows)
        ]
        return pd.DataFrame(rows, columns=list(FRAME_COLUMNS)).astype(FRAME_COLUMNS)
