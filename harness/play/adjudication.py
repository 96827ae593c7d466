"""Adjudication by score: when the harness ends a game because of what the bots report. Pure.

A score is in hundredths (cp), from the view of the bot that reports it (``harness.play.score``).
What is counted are consecutive own moves of a bot whose report fits:

* *level*: the score is at most ``draw.score_cp`` away from 0, on either side;
* *losing*: it is ``-resign.score_cp`` or less; *winning*: it is ``resign.score_cp`` or more.

A count begins again at 0 with a move whose score does not fit (outside, or of the other sign) and
with a move without a readable score. The opening's moves are nobody's report and count nowhere. A
pass without a score is skipped: it is forced, and no bot has to think about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from harness.rules.types import Color


@dataclass(frozen=True, slots=True)
class DrawRule:
    """A draw once both bots reported a level score for ``count`` own moves each.

    ``ply``: not before so many plies of the game, the opening's and passes included (as in
    ``max_plies``); reports before that ply count. ValueError when a value is out of range.
    """

    score_cp: int
    count: int
    ply: int = 0

    def __post_init__(self) -> None:
        _check_positive(self.score_cp, self.count)
        if self.ply < 0:
            raise ValueError(f"ply is at least 0, not {self.ply}")


@dataclass(frozen=True, slots=True)
class ResignRule:
    """A loss for the bot that reported a losing score for ``count`` own moves.

    ``needs_both``: only when its opponent's last ``count`` own moves were reported as winning,
    so that no bot decides a game by its word alone. ValueError when a value is out of range.
    """

    score_cp: int
    count: int
    needs_both: bool = True

    def __post_init__(self) -> None:
        _check_positive(self.score_cp, self.count)


@dataclass(frozen=True, slots=True)
class Adjudication:
    """Which rules hold; None is off. ValueError when one score could be level and won."""

    draw: DrawRule | None = None
    resign: ResignRule | None = None

    def __post_init__(self) -> None:
        if self.draw and self.resign and self.draw.score_cp >= self.resign.score_cp:
            raise ValueError(
                f"the score of a draw, {self.draw.score_cp}, "
                f"is below that of a resignation, {self.resign.score_cp}"
            )

    @property
    def is_on(self) -> bool:
        """Whether any rule holds."""
        return self.draw is not None or self.resign is not None


class Streak(NamedTuple):
    """For how many consecutive own moves the reports of one side fitted."""

    level: int = 0
    losing: int = 0
    winning: int = 0

    def after(self, setting: Adjudication, score_cp: int | None, *, is_pass: bool) -> Streak:
        """Return the counts after one more own move; ``score_cp`` None: none was reported."""
        if score_cp is None:
            return self if is_pass else Streak()
        draw, resign = setting.draw, setting.resign
        return Streak(
            self.level + 1 if draw and abs(score_cp) <= draw.score_cp else 0,
            self.losing + 1 if resign and score_cp <= -resign.score_cp else 0,
            self.winning + 1 if resign and score_cp >= resign.score_cp else 0,
        )


class Ruling(NamedTuple):
    """The end of a game by score: who lost (None: a draw), and why in words."""

    loser: Color | None
    why: str


def rule(setting: Adjudication, plies: int, black: Streak, white: Streak) -> Ruling | None:
    """Return how the game ends after so many plies by the counts of both; None: it goes on."""
    resign, draw = setting.resign, setting.draw
    if resign is not None:
        for loser, losing, winning in (
            (Color.BLACK, black.losing, white.winning),
            (Color.WHITE, white.losing, black.winning),
        ):
            if losing >= resign.count and (winning >= resign.count or not resign.needs_both):
                return Ruling(loser, _resign_words(resign, loser))
    if draw is not None and plies >= draw.ply and min(black.level, white.level) >= draw.count:
        bound = f"-{draw.score_cp} to {draw.score_cp} cp"
        return Ruling(None, f"both reported {bound} for {_moves(draw.count)} each")
    return None


def _resign_words(resign: ResignRule, loser: Color) -> str:
    words = f"{loser.word} reported -{resign.score_cp} cp or less for {_moves(resign.count)}"
    if resign.needs_both:
        words += f", {loser.opponent.word} {resign.score_cp} cp or more"
    return words


def _moves(count: int) -> str:
    return "1 own move" if count == 1 else f"{count} own moves"


def _check_positive(score_cp: int, count: int) -> None:
    if score_cp < 1 or count < 1:
        raise ValueError(f"score and count are at least 1, not {score_cp} and {count}")
