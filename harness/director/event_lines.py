"""The events of a run as JSON lines for programs; ``events.schema.json`` beside it says each key.

Lines are ASCII, so that no text of a bot reaches a terminal as it is. Keys may be added within a
version; one that changes its meaning, or goes, makes a new version.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Final, assert_never

from harness.director.events import (
    BatchBegan,
    BotSetAside,
    EndReason,
    GameFinished,
    GameStarted,
    GameVoided,
    Notice,
    RunBegan,
    RunEnded,
    RunEvent,
    TestState,
)
from harness.director.thinking import thinking_ns
from harness.ending_signals import says_signal
from harness.play.types import BotRun, GameRecord, GameSpec
from harness.rules.types import Color
from harness.version import VERSION

EVENTS_VERSION: Final = 1
_FAILED: Final = "failed"

JSON = None | bool | int | float | str | list["JSON"] | dict[str, "JSON"]


def event_line(event: RunEvent, moment: datetime | None = None) -> bytes | None:
    """Return the line of an event; None for the end of a run, which needs an exit code."""
    values = _values(event)
    return None if values is None else _line(*values, moment)


def end_line(
    ended: RunEnded | None, exit_code: int, message: str = "", moment: datetime | None = None
) -> bytes:
    """Return the last line of a run.

    Without ``ended`` it failed, as ``message`` says, or a signal ended it before or after the
    games.
    """
    values: dict[str, JSON] = {"exit-code": exit_code, "message": message}
    if ended is None:
        is_signal = says_signal(exit_code)
        values["reason"] = EndReason.INTERRUPTED.value if is_signal else _FAILED
    else:
        values |= {
            "reason": ended.reason.value,
            "planned": ended.planned,
            "stored": ended.finished,
            "open": ended.open_games,
            "walked-over": ended.walked_over,
            "set-aside": [{"bot": bot, "why": why} for bot, why in ended.set_aside],
            "signal": ended.interrupted_by,
        }
    return _line("run-ended", values, moment)


def _line(name: str, values: dict[str, JSON], moment: datetime | None) -> bytes:
    at = (moment or datetime.now(UTC)).isoformat(timespec="milliseconds")
    head: dict[str, JSON] = {"version": EVENTS_VERSION, "event": name, "at": at}
    text = json.dumps(head | values, separators=(",", ":"), allow_nan=False)
    return f"{text}\n".encode("ascii")


def _values(event: RunEvent) -> tuple[str, dict[str, JSON]] | None:
    match event:
        case RunBegan(spec=spec):
            return "run-begun", {
                "harness": VERSION,
                "tournament": spec.name,
                "folder": event.folder,
                "bots": [bot.name for bot in spec.bots],
                "planned": event.planned,
                "stored": event.stored,
                "slots": event.slots,
            }
        case BatchBegan():
            return "batch-begun", {
                "title": event.title,
                "notes": list(event.notes),
                "games": event.to_play,
                "planned": event.planned,
                "stored": event.stored,
            }
        case GameStarted(game=game):
            return "game-started", {**_game(game), "slot": event.slot, "planned": event.planned}
        case GameFinished(record=record):
            return "game-finished", {
                **_game(record.spec),
                **_result(record),
                "planned": event.planned,
                "stored": event.finished,
            }
        case GameVoided(game=game):
            return "game-void", {
                **_game(game),
                "attempt": event.attempt,
                "bot": event.bot or None,
                "why": event.why,
                "is-last-attempt": event.is_last_attempt,
            }
        case BotSetAside():
            return "bot-set-aside", {"bot": event.bot, "why": event.why}
        case Notice():
            return "notice", {"text": event.text}
        case TestState():
            return "test-state", {
                "pairs": event.pairs,
                "pentanomial": list(event.pentanomial),
                "llr": event.llr,
                "lower-bound": event.lower_bound,
                "upper-bound": event.upper_bound,
                "verdict": event.verdict,
            }
        case RunEnded():
            return None
        case _:
            assert_never(event)


def _game(game: GameSpec) -> dict[str, JSON]:
    return {
        "id": game.game_id,
        "number": game.schedule_index + 1,
        "black": game.black.name,
        "white": game.white.name,
    }


def _result(record: GameRecord) -> dict[str, JSON]:
    outcome = record.outcome
    return {
        "score": outcome.score_text,
        "winner": None if outcome.winner is None else outcome.winner.word,
        "cause": outcome.cause.value,
        "detail": outcome.detail,
        "plies": len(record.moves),
        "started-at": record.started_at,
        "duration-ms": _ms(record.duration_ns),
        "thinking-ms": {side.word: _ms(thinking_ns(record, side)) for side in Color},
        "usage": {"black": _usage(record.black), "white": _usage(record.white)},
    }


def _usage(run: BotRun) -> dict[str, JSON]:
    return {
        "cpu-on-turn-ms": _ms(run.usage.cpu_on_turn_ns),
        "cpu-off-turn-ms": _ms(run.usage.cpu_off_turn_ns),
        "peak-memory-kib": run.usage.peak_memory_bytes // 1024,
    }


def _ms(time_ns: int) -> float:
    return round(time_ns / 1e6, 3)
