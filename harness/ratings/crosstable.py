"""The cross table: what every bot scored against every other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.ratings.counts import PairingCount

if TYPE_CHECKING:
    import pandas as pd


class Score(NamedTuple):
    """Wins, draws and losses of one bot."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One for a win, a half for a draw."""
        return self.wins + self.draws / 2

    def plus(self, other: Score) -> Score:
        """Add up two scores of the same bot."""
        return Score(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)

    def reversed(self) -> Score:
        """Return the same games as the opponents saw them."""
        return Score(self.losses, self.draws, self.wins)


_NO_GAMES: Final = Score()


@dataclass(frozen=True, slots=True)
class CrossTable:
    """Scores of all pairings; ``names`` are in the order of the rows.

    ``as_first`` holds the scores of (bot, opponent) in the games where the bot moved first.
    """

    names: tuple[str, ...]
    as_first: dict[tuple[str, str], Score]

    def score(self, bot: str, opponent: str) -> Score:
        """Return the bot's score against the opponent, on both sides; no games: all zero."""
        ours = self.as_first.get((bot, opponent), _NO_GAMES)
        theirs = self.as_first.get((opponent, bot), _NO_GAMES)
        return Score(ours[0] + theirs[2], ours[1] + theirs[1], ours[2] + theirs[0])

    def score_as_first(self, bot: str, opponent: str) -> Score:
        """Return the bot's score in the games where it moved first."""
        return self.as_first.get((bot, opponent), Score())

    def score_as_second(self, bot: str, opponent: str) -> Score:
        """Return the bot's score in the games where it moved second."""
        return self.as_first.get((opponent, bot), Score()).reversed()

    def total(self, bot: str) -> Score:
        """Return the bot's score against everybody."""
        wins = draws = losses = 0
        for opponent in self.names:
            if opponent == bot:
                continue
            if (score := self.as_first.get((bot, opponent))) is not None:
                wins, draws, losses = wins + score[0], draws + score[1], losses + score[2]
            if (score := self.as_first.get((opponent, bot))) is not None:
                wins, draws, losses = wins + score[2], draws + score[1], losses + score[0]
        return Score(wins, draws, losses)

    def rows(self) -> list[dict[str, str | int | float]]:
        """Return one row for every bot and opponent that met, with the counts on each side.

        Keys: bot, opponent, games, points, wins, draws, losses, and the last three again with
        ``_first`` for the games where the bot moved first.
        """
        return [
            {
                "bot": bot,
                "opponent": opponent,
                "games": score.games,
                "points": score.points,
                **score._asdict(),
                **{f"{kind}_first": count for kind, count in first.items()},
            }
            for bot in self.names
            for opponent in self.names
            if bot != opponent and (score := self.score(bot, opponent)).games
            for first in [self.score_as_first(bot, opponent)._asdict()]
        ]

    def frame(self) -> pd.DataFrame:
        """Return the rows as a frame."""
        import pandas as pd

        columns = ["bot", "opponent", "games", "points", *Score._fields]
        return pd.DataFrame(
            self.rows(), columns=[*columns, *(f"{kind}_first" for kind in Score._fields)]
        )


def cross_table(rows: Sequence[PairingCount], order: Sequence[str] = ()) -> CrossTable:
    """Build the cross table; bots come in the given order, all others after them by name."""
    scores: dict[tuple[str, str], Score] = {}
    for row in rows:
        key = row.first, row.second
        score = Score(row.wins, row.draws, row.losses)
        scores[key] = scores[key].plus(score) if key in scores else score
    others = {name for key in scores for name in key}.difference(order)
    return CrossTable((*order, *sorted(others)), scores)
