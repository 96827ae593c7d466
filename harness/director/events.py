"""What a run tells those who follow it: values, rendered by whoever shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from harness.play.types import GameRecord, GameSpec
from harness.tournament.spec import TournamentSpec


@dataclass(frozen=True, slots=True)
class RunBegan:
    """The first game is about to start. ``planned`` and ``stored`` count games."""

    spec: TournamentSpec
    folder: str
    planned: int
    stored: int
    slots: int


@dataclass(frozen=True, slots=True)
class BatchBegan:
    """A round of a format with rounds is about to start.

    ``planned`` and ``stored`` count the games of the schedule as far as it is known, ``to_play``
    those of the batch. ``notes`` say what was decided without a game.
    """

    title: str
    notes: tuple[str, ...]
    planned: int
    stored: int
    to_play: int


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A game was begun in a slot."""

    game: GameSpec
    planned: int
    slot: int


@dataclass(frozen=True, slots=True)
class GameFinished:
    """A game is stored; ``finished`` counts all stored games of the schedule."""

    record: GameRecord
    planned: int
    finished: int


@dataclass(frozen=True, slots=True)
class GameVoided:
    """An attempt at a game has no result; it is tried again, unless ``is_last_attempt``.

    ``bot`` failed outside its turns; empty: a worker or the machine failed. Attempts count from
    1.
    """

    game: GameSpec
    attempt: int
    bot: str
    why: str
    is_last_attempt: bool

    @property
    def text(self) -> str:
        """Who failed and how, in one line."""
        return f"{self.bot}: {self.why}" if self.bot else self.why


@dataclass(frozen=True, slots=True)
class BotSetAside:
    """A bot cannot be started: its open games stay unplayed in this run."""

    bot: str
    why: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that a person should know; no error."""

    text: str


@dataclass(frozen=True, slots=True)
class TestState:
    """Where a sequential test stands: at the beginning, and after each pair that counts.

    ``pentanomial`` counts the ``pairs`` by the score of the bot under test, 0 to 2 in halves;
    ``verdict`` is ``H1``, ``H0`` or ``undecided``.
    """

    __test__ = False  # no class of tests

    pairs: int
    pentanomial: tuple[int, ...]
    llr: float
    lower_bound: float
    upper_bound: float
    verdict: str


class EndReason(Enum):
    """Why a run is over."""

    COMPLETE = "complete"
    OPEN_GAMES = "open-games"
    DECIDED = "decided"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over.

    ``open_games`` are planned, not stored and not walked over. Of a format whose rounds depend
    on results, only those that are known are planned. ``is_decided``: a sequential test ended
    the run before its schedule did. ``is_stopped``: somebody asked it to finish its running
    games and end. ``interrupted_by`` is the number of a signal.
    """

    planned: int
    finished: int
    open_games: int
    set_aside: tuple[tuple[str, str], ...]
    interrupted_by: int | None
    walked_over: int = 0
    is_decided: bool = False
    is_stopped: bool = False

    @property
    def reason(self) -> EndReason:
        """Why the run is over; a request to stop that came too late to leave games is none."""
        if self.interrupted_by is not None:
            return EndReason.INTERRUPTED
        if self.is_decided:
            return EndReason.DECIDED
        if not self.open_games:
            return EndReason.COMPLETE
        return EndReason.STOPPED if self.is_stopped else EndReason.OPEN_GAMES


RunEvent = (
    RunBegan
    | BatchBegan
    | GameStarted
    | GameFinished
    | GameVoided
    | BotSetAside
    | Notice
    | TestState
    | RunEnded
)


class Observer(Protocol):
    """Somebody who follows a run. Must be quick; must not raise."""

    def notice(self, event: RunEvent) -> None:
        """Take one event."""
        ...

    def tick(self) -> None:
        """Take note that nothing happened for a while."""
        ...


def tell_all(texts: Iterable[str], observers: Iterable[Observer]) -> None:
    """Tell all observers something that is no part of the run proper."""
    for text in texts:
        for observer in observers:
            observer.notice(Notice(text))
