"""What a tournament is: its conditions, which must not change, and its extent, which may."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from harness.play.adjudication import Adjudication
from harness.play.bot_definition import BotDefinition, Pondering, RestartPolicy, Sandbox
from harness.play.clock import TimeControl
from harness.rules.position import Position
from harness.rules.types import RuleSet
from harness.tournament.sequential_table import SequentialTerms

DEFAULT_TIME_CONTROL = "5+0.05"
DEFAULT_ROUNDS = 10
DEFAULT_RANDOM_PLIES = 4
DEFAULT_MARGIN_MS = 50
DEFAULT_MAX_THINK_MS = 120_000
DEFAULT_MAX_PLIES = 400
DEFAULT_TIE_BREAK_PAIRS = 4


class TournamentFormat(Enum):
    """Who meets whom."""

    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"
    SWISS = "swiss"
    KNOCK_OUT = "knock-out"
    LIST = "list"

    @property
    def depends_on_results(self) -> bool:
        """Whether later batches are made from the results of complete ones."""
        return self in (TournamentFormat.SWISS, TournamentFormat.KNOCK_OUT)


@dataclass(frozen=True, slots=True)
class EncounterSpec:
    """One encounter of a list; ``rounds`` and ``time_control`` None mean the tournament's.

    ``label`` tells encounters of the same two bots apart; it may be empty.
    """

    bots: tuple[str, str]
    rounds: int | None = None
    time_control: TimeControl | None = None
    label: str = ""


class OpeningOrder(Enum):
    """In which order the openings of a file are played."""

    FILE = "file"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class OpeningSource:
    """Where openings come from: generated from the seed, or a file.

    ``random_plies`` counts the random plies of a generated opening from ``start``; with
    ``file`` (an absolute path) the openings are those of that file, at most ``plies`` plies of
    each (None: all), played in ``order`` from number ``first`` (from 1) of that order. ``seed``
    None means the tournament's.
    """

    start: Position
    start_name: str = "standard"
    random_plies: int = DEFAULT_RANDOM_PLIES
    file: str | None = None
    order: OpeningOrder = OpeningOrder.FILE
    seed: int | None = None
    first: int = 1
    plies: int | None = None


@dataclass(frozen=True, slots=True)
class TournamentSpec:
    """One tournament as it should be played.

    ``rounds`` is the number of game pairs of every encounter; they are played ``cycles`` times.
    ``seeds`` (the first bots) meet all others in a gauntlet; ``swiss_rounds`` None means as
    many as find one winner; ``tie_break_pairs`` decide a tie of a knock-out; ``encounters`` are
    those of a list. ``slots`` None means as many as the machine allows; ``force`` allows more.
    ``test`` are the terms of a sequential test: the second of two bots against the first, for
    at most ``rounds`` pairs. ``sandbox``, ``pondering`` and ``memory_mb`` hold for bots that have
    none of their own (``effective_bots``). Slots, force, restart, sandbox and memory are neither
    conditions nor extent.
    """

    name: str
    bots: tuple[BotDefinition, ...]
    openings: OpeningSource
    time_control: TimeControl
    format: TournamentFormat = TournamentFormat.ROUND_ROBIN
    rounds: int = DEFAULT_ROUNDS
    rules: RuleSet = field(default_factory=lambda: RuleSet(max_plies=DEFAULT_MAX_PLIES))
    adjudication: Adjudication = field(default_factory=Adjudication)
    margin_ms: int = DEFAULT_MARGIN_MS
    max_think_ms: int = DEFAULT_MAX_THINK_MS
    seed: int = 1
    restart: RestartPolicy = RestartPolicy.AUTO
    slots: int | None = None
    force: bool = False
    cycles: int = 1
    seeds: int = 1
    swiss_rounds: int | None = None
    tie_break_pairs: int = DEFAULT_TIE_BREAK_PAIRS
    encounters: tuple[EncounterSpec, ...] = ()
    test: SequentialTerms | None = None
    sandbox: Sandbox = Sandbox.NONE
    pondering: Pondering = Pondering.IGNORE
    memory_mb: int | None = None

    def bot(self, name: str) -> BotDefinition:
        """Return the definition of the bot of this name; KeyError when there is none."""
        for bot in self.bots:
            if bot.name == name:
                return bot
        raise KeyError(name)
