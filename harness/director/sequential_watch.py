"""A sequential test beside a run: turns stored games into pairs and says when it is decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from harness.director.events import TestState
from harness.play.types import GameRecord, Opening
from harness.ratings.sequential_match import MatchPair, SequentialMatch
from harness.ratings.sprt import EloModel, SequentialTest
from harness.ratings.verdict_text import verdict_word
from harness.rules.notation import format_moves, parse_fen, parse_move
from harness.rules.types import Color
from harness.store.records import moves_hash
from harness.store.rows import GameFilter
from harness.store.sqlite import Store
from harness.tournament.distinct_openings import reached
from harness.tournament.sequential_table import ElosAre, SequentialTerms
from harness.tournament.spec import TournamentSpec

_MODELS: Final = {
    ElosAre.NORMALIZED: EloModel.NORMALIZED,
    ElosAre.LOGISTIC: EloModel.LOGISTIC,
}


class Decider(Protocol):
    """Somebody who ends a run before its schedule does."""

    @property
    def is_decided(self) -> bool:
        """Whether nothing that is still to be played can matter."""
        ...

    @property
    def state(self) -> TestState:
        """Where the test stands; worked out anew only when a further pair counts."""
        ...

    def take(self, record: GameRecord) -> None:
        """Take note of a game that was stored."""
        ...


class _Leg(NamedTuple):
    """One game of a pair as the bot under test scored it, in half points.

    ``start`` is the position in which the bots took over.
    """

    half_points: int
    moves: int
    start: str


class SequentialWatch:
    """Follows the test of the second bot of a spec against the first.

    It begins with what is stored; every further game is handed to it once it is stored. What it
    says depends on the stored games alone, not on when they came.
    """

    def __init__(self, spec: TournamentSpec, store: Store) -> None:
        assert spec.test is not None
        self.base, self.tested = (bot.name for bot in spec.bots)
        self.match = SequentialMatch(sequential_test(spec.test))
        self.cap = spec.rounds
        self._half: dict[int, dict[str, _Leg]] = {}
        self._state: TestState | None = None
        self._read(store)

    @property
    def is_decided(self) -> bool:
        """Whether a bound was reached."""
        return self.match.is_decided

    @property
    def is_exhausted(self) -> bool:
        """Whether every pair up to the cap is counted or dropped without a decision."""
        return not self.is_decided and self.match.settled >= self.cap

    @property
    def state(self) -> TestState:
        """Pairs that count, the log likelihood ratio and its bounds, and the verdict."""
        if self._state is None or self._state.pairs != self.match.pairs:
            report = self.match.report()
            bounds = report.test.bounds
            self._state = TestState(
                pairs=report.pairs,
                pentanomial=report.pentanomial,
                llr=report.llr,
                lower_bound=bounds.lower,
                upper_bound=bounds.upper,
                verdict=verdict_word(report.verdict),
            )
        return self._state

    @property
    def word(self) -> str:
        """The verdict: ``H1``, ``H0`` or ``undecided``."""
        return verdict_word(self.match.verdict)

    def take(self, record: GameRecord) -> None:
        """Take note of a stored game."""
        spec, winner = record.spec, record.outcome.winner
        opening = spec.opening
        played = format_moves(opening.start, record.moves)[len(opening.moves) :]
        self._take(spec.pair, spec.black.name, winner, reached(opening), played)

    def _read(self, store: Store) -> None:
        for game in store.games(GameFilter(bot=self.base, opponent=self.tested)):
            moves = tuple(parse_move(text) for text in game.moves[: game.opening_plies])
            start = reached(Opening(parse_fen(game.start).position(), moves))
            played = game.moves[game.opening_plies :]
            self._take(game.pair, game.black.name, game.outcome.winner, start, played)

    def _take(
        self, pair: int, black: str, winner: Color | None, start: str, played: Sequence[str]
    ) -> None:
        is_black = black == self.tested
        half_points = 1 if winner is None else 2 * ((winner is Color.BLACK) == is_black)
        # What was played from the position reached: openings that transpose make equal games.
        leg = _Leg(half_points, moves_hash(" ".join([*start.split(), *played])), start)
        side = "b" if is_black else "w"
        legs = self._half.setdefault(pair, {})
        legs.setdefault(side, leg)
        if len(legs) == 2:
            del self._half[pair]
            score = (legs["b"].half_points + legs["w"].half_points) / 4
            self.match.take(MatchPair(pair, start, score, (legs["b"].moves, legs["w"].moves)))


def sequential_test(terms: SequentialTerms) -> SequentialTest:
    """Return the test of these terms."""
    return SequentialTest(terms.elo0, terms.elo1, terms.alpha, terms.beta, _MODELS[terms.model])
