"""The units of work of a slot and what it reports of them: values that cross process borders."""

from __future__ import annotations

from dataclasses import dataclass

from harness.play.bot_definition import BotDefinition, RestartPolicy
from harness.play.types import GameRecord, GameSpec
from harness.rules.types import RuleSet


@dataclass(frozen=True, slots=True)
class PairJob:
    """The legs of one game pair that are still to be played, in order.

    ``bots`` are the definitions of the two bots, ``identities`` their hashes by name,
    ``attempts`` the number of the attempt by game id (from 1, absent: 1). ``slots`` games are
    played at the same time, ``is_forced`` says that these are more than the machine has room for.
    ``has_transcript``: keep every protocol line of the games, bounded, not only the last ones of
    a forfeit.
    """

    games: tuple[GameSpec, ...]
    bots: tuple[BotDefinition, BotDefinition]
    identities: tuple[tuple[str, str], ...]
    restart: RestartPolicy
    attempts: tuple[tuple[str, int], ...] = ()
    slots: int = 1
    is_forced: bool = False
    has_transcript: bool = False

    def bot(self, name: str) -> BotDefinition:
        """Return the definition of one of the two bots."""
        return next(bot for bot in self.bots if bot.name == name)

    def restart_of(self, bot: BotDefinition) -> RestartPolicy:
        """Return a bot's own policy, or the job's."""
        return bot.restart or self.restart


@dataclass(frozen=True, slots=True)
class GreetJob:
    """Start one bot, greet it, set its options and let it go: preflight's question."""

    bot: BotDefinition
    rules: RuleSet


Job = PairJob | GreetJob


@dataclass(frozen=True, slots=True)
class Started:
    """A game was begun in a slot."""

    game: GameSpec
    slot: int


@dataclass(frozen=True, slots=True)
class Played:
    """A game has a result."""

    record: GameRecord
    slot: int


@dataclass(frozen=True, slots=True)
class Voided:
    """A game has no result because a bot failed outside its turns; it is tried again."""

    game: GameSpec
    bot: str
    why: str
    attempt: int


@dataclass(frozen=True, slots=True)
class StartFailed:
    """A bot failed twice in a row outside its turns: it is to be set aside."""

    bot: str
    why: str
    job: PairJob


@dataclass(frozen=True, slots=True)
class Greeted:
    """Preflight's answer: what the bot announced, what is wrong, what deserves a warning.

    ``problems`` are for the person to mend before anything is played. ``failure`` is set when
    the bot was started twice and was silent or died each time: it is to be set aside.
    """

    bot: str
    announced: str = ""
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    failure: str | None = None


SessionEvent = Started | Played | Voided | StartFailed | Greeted
