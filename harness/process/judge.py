"""A bot as a judge of positions: asked for a move, it is the score beside it that counts."""

from __future__ import annotations

from contextlib import ExitStack
from typing import assert_never

from harness.errors import InputError
from harness.play.bot_definition import BotDefinition
from harness.play.clock import TimeControl
from harness.play.referee import Referee
from harness.play.score import read_score
from harness.play.types import (
    Answer,
    Ask,
    Exited,
    GameSpec,
    Opening,
    Overflowed,
    PlayerSpec,
    TimedOut,
)
from harness.process.bot_process import BotFailure, BotProcess
from harness.process.farewell import dismiss
from harness.process.greeting import configure, greet, new_game, option_problems
from harness.process.pipes import AttemptLost
from harness.process.strays import strays_ended
from harness.rules.types import RuleSet

_GAME_ID = "judged"


class Judge:
    """One process of a bot, from entering to leaving, that judges opening after opening.

    ``control`` limits each judgement as it limits a first move. Each one is a new game to the bot
    and its seed follows from ``seed`` and the opening alone, so that a bot whose play depends on
    seed and moves judges an opening the same, whatever came before. InputError, with the bot's
    name, whenever it fails. What the bot leaves behind is ended on leaving; nothing else may be
    started by this process meanwhile.
    """

    def __init__(
        self, definition: BotDefinition, rules: RuleSet, control: TimeControl, seed: int
    ) -> None:
        self._definition = definition
        self._rules = rules
        self._player = PlayerSpec(definition.name, control, definition.protocol)
        self._seed = seed

    def __enter__(self) -> Judge:
        with ExitStack() as stack:
            stack.enter_context(strays_ended())
            try:
                self._bot = BotProcess(self._definition)
                stack.callback(self._bot.kill)
                self._make_ready()
            except BotFailure as failure:
                raise self._error(failure.why) from failure
            except AttemptLost as lost:
                raise self._error(str(lost)) from lost
            self._ending = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with self._ending:
            if kind is None:
                dismiss([self._bot])

    def score(self, opening: Opening) -> int:
        """Return the score in hundredths from the view of the side to move.

        That of the last ``info`` line with one before the move; a forced win or loss is beyond
        every other score. The opening must not be decided.
        """
        try:
            new_game(self._bot, self._greeting, self._seed, opening.content_id)
        except BotFailure as failure:
            raise self._error(failure.why) from failure
        request = Referee(self._game(opening)).next()
        assert isinstance(request, Ask)
        try:
            reply = self._bot.ask(request._replace(wants_score=True))
        except AttemptLost as lost:
            raise self._error(str(lost)) from lost
        match reply:
            case Answer(info=info):
                score_cp = read_score(info)
                if score_cp is None:
                    why = "moves without an info line that has a score: it cannot judge"
                    raise self._error(why)
                return score_cp
            case TimedOut():
                raise self._error(f"did not answer in {request.budget_ns / 1e9:g} s")
            case Exited(how=how):
                words = self._bot.pipes.last_words()
                raise self._error(f"{how}; its last words: {words}" if words else how)
            case Overflowed(byte_count=count):
                raise self._error(f"wrote {count} bytes without a move")
            case _:
                assert_never(reply)

    def _make_ready(self) -> None:
        self._greeting = greet(self._bot)
        problems = option_problems(self._definition, self._greeting)
        if problems:
            raise self._error("; ".join(problems))
        configure(self._bot, self._greeting, self._rules)

    def _game(self, opening: Opening) -> GameSpec:
        return GameSpec(
            game_id=_GAME_ID,
            encounter=_GAME_ID,
            pair=1,
            leg="a",
            batch=0,
            schedule_index=0,
            black=self._player,
            white=self._player,
            opening=opening,
            rules=self._rules,
            seed=self._seed,
        )

    def _error(self, why: str) -> InputError:
        return InputError(f"the judge {self._definition.name}: {why}")
