"""What of a run goes into its log: begin, rounds, one line a fault, end."""

from __future__ import annotations

import json
import logging
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from harness.director.events import (
    BatchBegan,
    BotSetAside,
    GameFinished,
    GameStarted,
    GameVoided,
    Notice,
    RunBegan,
    RunEnded,
    RunEvent,
    TestState,
)
from harness.director.forfeits import forfeit_of
from harness.director.log_file import LogFile
from harness.execution.worker import LOGGER_NAME
from harness.process.pipes import printable_words
from harness.version import VERSION


class FaultLog:
    """An observer that logs; says once through ``tell`` when the log file cannot be written."""

    def __init__(self, file: LogFile, tell: Callable[[str], None]) -> None:
        self._file = file
        self._tell = tell
        self._has_told = False
        self._log = logging.getLogger(LOGGER_NAME)

    def begin(self, command_line: Sequence[str], conditions: Mapping[str, object]) -> None:
        """Log what is run: version, command line, conditions."""
        self._log.info("run begins: loa-harness %s", VERSION)
        self._log.info("command line: %s", printable_words(shlex.join(command_line)))
        self._log.info("conditions: %s", json.dumps(conditions, sort_keys=True))

    def fail(self, error: BaseException) -> None:
        """Log that the run is over because the harness or the machine failed."""
        self._log.error(
            "run ended: %s: %s", type(error).__name__, printable_words(str(error)) or "no message"
        )

    def tick(self) -> None:
        """Look whether the file takes what is written."""
        if self._file.trouble is not None and not self._has_told:
            self._has_told = True
            self._tell(f"{self._file.path} has not every line: {self._file.trouble}")

    def notice(self, event: RunEvent) -> None:
        """Log an event, if it is one that belongs there."""
        log = self._log
        match event:
            case RunBegan(planned=planned, stored=stored, slots=slots):
                log.info("%d games planned, %d stored, %d at a time", planned, stored, slots)
            case BatchBegan(title=title, to_play=to_play):
                log.info("%s: %d games to play", title, to_play)
            case GameFinished(record=record):
                forfeit = forfeit_of(record)
                if forfeit is not None:
                    words = f"; its last words: {forfeit.last_words}" if forfeit.last_words else ""
                    log.warning(
                        "game %s: %s forfeits by %s: %s%s",
                        record.spec.game_id,
                        forfeit.bot,
                        forfeit.cause.value,
                        forfeit.why,
                        words,
                    )
            case GameVoided():
                log.warning(
                    "game %s is %s, attempt %d: %s",
                    event.game.game_id,
                    "void" if event.bot else "lost",
                    event.attempt,
                    printable_words(event.text),
                )
            case BotSetAside(bot=bot, why=why):
                log.warning("%s is set aside: %s", bot, printable_words(why))
            case Notice(text=text):
                log.info("note: %s", printable_words(text))
            case RunEnded():
                log.info(
                    "run ended: %s; %d of %d games stored, %d open",
                    event.reason.value,
                    event.finished,
                    event.planned,
                    event.open_games,
                )
            case GameStarted() | TestState():
                pass
            case _:
                assert_never(event)
        self.tick()
