"""Jobs on their way to a worker: what comes again and again crosses once, then by its number.

Definitions of bots, rules, clocks and openings are the same objects in thousands of jobs. Each
worker is told them once; a job is then little more than ids and numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, Literal, TypeVar

from harness.play.adjudication import Adjudication
from harness.play.bot_definition import BotDefinition, RestartPolicy
from harness.play.types import GameSpec, Opening, PlayerSpec
from harness.process.jobs import GreetJob, Job, PairJob
from harness.rules.position import Position
from harness.rules.types import Color, Move, RuleSet

_MOST_KNOWN: Final = 1000
"""So many values may be known by number; then all are forgotten and told anew."""

_Identities = tuple[tuple[str, str], ...]
_Shared = BotDefinition | PlayerSpec | RuleSet | Adjudication | RestartPolicy | _Identities
_Opening = tuple[int, int, int, tuple[Move, ...]]
_Game = tuple[str, str, int, str, int, int, int, int, int, int, int, int, int, int]

PairParcel = tuple[
    Literal["pair"],
    bool,
    tuple[_Shared, ...],
    tuple[_Opening, ...],
    tuple[int, int, int, int],
    tuple[tuple[str, int], ...],
    tuple[int, bool, bool],
    tuple[_Game, ...],
]
JobParcel = PairParcel | GreetJob
"""Pairs are taken apart; preflight's questions are sent as they are."""

_T = TypeVar("_T")
_P = TypeVar("_P")


class _Numbers(Generic[_T, _P]):
    """The numbers by which the other side knows values; ``news`` are those it is to be told.

    Values are told apart by which object they are: to compare them would cost more than to send
    them. Equal ones that are not the same are told one by one.
    """

    def __init__(self, told_as: Callable[[_T], _P]) -> None:
        self.news: list[_P] = []
        self._told_as = told_as
        self._known: dict[int, tuple[int, _T]] = {}  # held, so that no other object has its id

    def __len__(self) -> int:
        return len(self._known)

    def of(self, value: _T) -> int:
        """Return the number of a value; one that is not known becomes news."""
        known = self._known.get(id(value))
        if known is not None:
            return known[0]
        number = len(self._known)
        self._known[id(value)] = number, value
        self.news.append(self._told_as(value))
        return number

    def forget(self) -> None:
        """Begin anew."""
        self._known.clear()

    def take_news(self) -> tuple[_P, ...]:
        """Return what the other side is to be told, and take it as told."""
        news = tuple(self.news)
        self.news.clear()
        return news


class JobPacker:
    """Takes jobs apart for one worker, which reads all of them, in this order, by one unpacker."""

    def __init__(self) -> None:
        self._shared: _Numbers[_Shared, _Shared] = _Numbers(lambda value: value)
        self._openings = _Numbers(_told_opening)

    def pack(self, job: Job) -> JobParcel:
        """Take a job apart."""
        if isinstance(job, GreetJob):
            return job
        is_anew = len(self._shared) + len(self._openings) > _MOST_KNOWN
        if is_anew:
            self._shared.forget()
            self._openings.forget()
        number = self._shared.of
        first, second = job.bots
        bots_and_terms = number(first), number(second), number(job.identities), number(job.restart)
        games = tuple(
            (
                game.game_id,
                game.encounter,
                game.pair,
                game.leg,
                game.batch,
                game.schedule_index,
                number(game.black),
                number(game.white),
                self._openings.of(game.opening),
                number(game.rules),
                number(game.adjudication),
                game.margin_ns,
                game.max_think_ns,
                game.seed,
            )
            for game in job.games
        )
        return (
            "pair",
            is_anew,
            self._shared.take_news(),
            self._openings.take_news(),
            bots_and_terms,
            job.attempts,
            (job.slots, job.is_forced, job.has_transcript),
            games,
        )


class JobUnpacker:
    """Puts together again what one packer took apart."""

    def __init__(self) -> None:
        self._shared: list[Any] = []
        self._openings: list[Opening] = []

    def unpack(self, parcel: JobParcel) -> Job:
        """Put a job together again."""
        if isinstance(parcel, GreetJob):
            return parcel
        _, is_anew, shared_news, opening_news, bots_and_terms, attempts, terms, games = parcel
        if is_anew:
            self._shared.clear()
            self._openings.clear()
        shared, openings = self._shared, self._openings
        shared.extend(shared_news)
        openings.extend(map(_opening, opening_news))
        first, second, identities, restart = (shared[number] for number in bots_and_terms)
        slots, is_forced, has_transcript = terms
        return PairJob(
            games=tuple(
                GameSpec(
                    game_id=game_id,
                    encounter=encounter,
                    pair=pair,
                    leg=leg,
                    batch=batch,
                    schedule_index=schedule_index,
                    black=shared[black],
                    white=shared[white],
                    opening=openings[opening],
                    rules=shared[rules],
                    adjudication=shared[adjudication],
                    margin_ns=margin_ns,
                    max_think_ns=max_think_ns,
                    seed=seed,
                )
                for (
                    game_id,
                    encounter,
                    pair,
                    leg,
                    batch,
                    schedule_index,
                    black,
                    white,
                    opening,
                    rules,
                    adjudication,
                    margin_ns,
                    max_think_ns,
                    seed,
                ) in games
            ),
            bots=(first, second),
            identities=identities,
            restart=restart,
            attempts=attempts,
            slots=slots,
            is_forced=is_forced,
            has_transcript=has_transcript,
        )


def _told_opening(opening: Opening) -> _Opening:
    start = opening.start
    return start.black, start.white, int(start.to_move), opening.moves


def _opening(told: _Opening) -> Opening:
    black, white, to_move, moves = told
    return Opening(Position(black, white, Color(to_move)), moves)
