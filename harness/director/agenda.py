"""What of a batch is still to be played: the schedule minus the store, pair by pair."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping
from functools import lru_cache
from typing import Final

from harness.play.clock import TimeControl
from harness.play.types import GameSpec, Opening, PlayerSpec
from harness.process.jobs import PairJob
from harness.tournament.batch import Batch, GamePlan
from harness.tournament.index_runs import IndexRuns
from harness.tournament.spec import TournamentSpec

MAX_ATTEMPTS = 3
_MOST_REMEMBERED: Final = 32_768  # encounters of 256 bots


class Agenda:
    """Hands out pair jobs in schedule order and takes back those that were lost.

    Lazy: nothing is kept of games that were not begun. ``settled`` holds the ids of the games
    that need not be played, ``earlier`` the places of more of them: these cost nothing however
    many they are. ``opening`` gives the opening of a pair by its number from 0.
    ``has_transcripts``: keep every protocol line of the games.
    """

    def __init__(
        self,
        spec: TournamentSpec,
        batch: Batch,
        settled: Container[str],
        identities: Mapping[str, str],
        opening: Callable[[int], Opening],
        slots: int = 1,
        *,
        earlier: IndexRuns | None = None,
        has_transcripts: bool = False,
    ) -> None:
        self._spec = spec
        self._slots = slots
        self._has_transcripts = has_transcripts
        self._bots = {bot.name: bot for bot in spec.bots}
        self._identities = identities
        # The same objects in every job: what runs the jobs is told each of them once.
        self._player = lru_cache(_MOST_REMEMBERED)(self._new_player)
        self._identities_of = lru_cache(_MOST_REMEMBERED)(self._new_identities)
        self._opening = opening
        self._settled = settled
        self._plans = self._open_pairs(batch, IndexRuns() if earlier is None else earlier)
        self._again: deque[PairJob] = deque()
        self.set_aside: dict[str, str] = {}
        self.attempts: dict[str, int] = {}

    def next_job(self) -> PairJob | None:
        """Return the next pair to play, or None when there is none now."""
        while self._again:
            job = self._again.popleft()
            if not self.is_set_aside(job.games[0]):
                return job
        for pair in self._plans:
            if not (self.set_aside and {pair[0].black, pair[0].white} & self.set_aside.keys()):
                return self._job(tuple(self._game(plan) for plan in pair))
        return None

    def begun(self, game: GameSpec) -> None:
        """Count an attempt at a game."""
        self.attempts[game.game_id] = self.attempts.get(game.game_id, 0) + 1

    def voided(self, game: GameSpec, attempt: int) -> None:
        """Take note that an attempt failed and that the slot begins the next by itself."""
        self.attempts[game.game_id] = attempt + 1

    def settled(self, game_id: str) -> None:
        """Forget the attempts at a game that has a result."""
        self.attempts.pop(game_id, None)

    def give_back(self, games: tuple[GameSpec, ...]) -> list[GameSpec]:
        """Plan games of a lost job again; returns those that were tried too often."""
        again = [game for game in games if self.attempts.get(game.game_id, 0) < MAX_ATTEMPTS]
        if again:
            self._again.append(self._job(tuple(again)))
        return [game for game in games if game not in again]

    def is_set_aside(self, game: GameSpec) -> bool:
        """Whether a bot of this game is set aside."""
        return bool({game.black.name, game.white.name} & self.set_aside.keys())

    def _open_pairs(self, batch: Batch, earlier: IndexRuns) -> Iterator[list[GamePlan]]:
        pair: list[GamePlan] = []
        for plan in map(batch.plan, earlier.missing(batch.indices)):
            if pair and (pair[0].encounter, pair[0].pair) != (plan.encounter, plan.pair):
                yield pair
                pair = []
            if plan.game_id not in self._settled:
                pair.append(plan)
        if pair:
            yield pair

    def _job(self, games: tuple[GameSpec, ...]) -> PairJob:
        names = (games[0].black.name, games[0].white.name)
        return PairJob(
            games=games,
            bots=(self._bots[names[0]], self._bots[names[1]]),
            identities=self._identities_of(*names),
            restart=self._spec.restart,
            attempts=tuple(
                (game.game_id, self.attempts.get(game.game_id, 0) + 1) for game in games
            ),
            slots=self._slots,
            is_forced=self._spec.force,
            has_transcript=self._has_transcripts,
        )

    def _game(self, plan: GamePlan) -> GameSpec:
        spec = self._spec
        return GameSpec(
            game_id=plan.game_id,
            encounter=plan.encounter,
            pair=plan.pair,
            leg=plan.leg,
            batch=plan.batch,
            schedule_index=plan.index,
            black=self._player(plan.black, plan.time_control),
            white=self._player(plan.white, plan.time_control),
            opening=self._opening(plan.opening_number),
            rules=spec.rules,
            adjudication=spec.adjudication,
            margin_ns=spec.margin_ms * 1_000_000,
            max_think_ns=spec.max_think_ms * 1_000_000,
            seed=spec.seed,
        )

    def _new_player(self, name: str, time_control: TimeControl | None) -> PlayerSpec:
        bot = self._bots[name]
        control = time_control or bot.time_control or self._spec.time_control
        return PlayerSpec(name, control, bot.protocol)

    def _new_identities(self, *names: str) -> tuple[tuple[str, str], ...]:
        return tuple((name, self._identities.get(name, "")) for name in names)
