"""What a tournament is: its conditions, which must not change, and its extent, which may."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from harness.play.clock import TimeControl
from harness.play.types import BotDefinition, RestartPolicy
from harness.rules.position import Position
from harness.rules.types import RuleSet

DEFAULT_TIME_CONTROL = "5+0.05"
DEFAULT_ROUNDS = 10
DEFAULT_RANDOM_PLIES = 4
DEFAULT_MARGIN_MS = 50
DEFAULT_MAX_THINK_MS = 120_000
DEFAULT_MAX_PLIES = 400


class TournamentFormat(Enum):
    """Who meets whom."""

    ROUND_ROBIN = "round-robin"


@dataclass(frozen=True, slots=True)
class OpeningSource:
    """Where openings come from: generated from the seed, or a file.

    ``random_plies`` counts the random plies of a generated opening from ``start``; with
    ``file`` (an absolute path) the openings are the lines of that file in their order.
    """

    start: Position
    start_name: str = "standard"
    random_plies: int = DEFAULT_RANDOM_PLIES
    file: str | None = None


@dataclass(frozen=True, slots=True)
class TournamentSpec:
    """One tournament as it should be played.

    ``rounds`` is the number of game pairs of every encounter. ``slots`` None means as many as
    the machine allows; ``force`` allows more. Slots, force and restart are neither conditions
    nor extent.
    """

    name: str
    bots: tuple[BotDefinition, ...]
    openings: OpeningSource
    time_control: TimeControl
    format: TournamentFormat = TournamentFormat.ROUND_ROBIN
    rounds: int = DEFAULT_ROUNDS
    rules: RuleSet = field(default_factory=lambda: RuleSet(max_plies=DEFAULT_MAX_PLIES))
    margin_ms: int = DEFAULT_MARGIN_MS
    max_think_ms: int = DEFAULT_MAX_THINK_MS
    seed: int = 1
    restart: RestartPolicy = RestartPolicy.AUTO
    slots: int | None = None
    force: bool = False

    def bot(self, name: str) -> BotDefinition:
        """Return the definition of the bot of this name; KeyError when there is none."""
        for bot in self.bots:
            if bot.name == name:
                return bot
        raise KeyError(name)
