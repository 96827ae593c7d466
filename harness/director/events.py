"""What a run tells those who follow it: values, rendered by whoever shows them."""

from __future__ import annotations

from dataclasses import dataclass
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
    """A game has no result and is tried again, unless ``is_last_attempt``."""

    game_id: str
    number: int
    why: str
    is_last_attempt: bool


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
class RunEnded:
    """The run is over.

    ``open_games`` are planned, not stored and not walked over. Of a format whose rounds depend
    on results, only those that are known are planned. ``is_decided``: a sequential test ended
    the run before its schedule did.
    """

    planned: int
    finished: int
    open_games: int
    set_aside: tuple[tuple[str, str], ...]
    interrupted_by: int | None
    walked_over: int = 0
    is_decided: bool = False


RunEvent = (
    RunBegan
    | BatchBegan
    | GameStarted
    | GameFinished
    | GameVoided
    | BotSetAside
    | Notice
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
