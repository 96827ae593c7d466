"""Events as JSON lines: every one as the schema in the repository says, and harmless to show."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

import harness.director
from harness.director.event_lines import EVENTS_VERSION, end_line, event_line
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
from harness.play.types import BotUsage, Cause
from harness.rules.types import Color
from tests.unit.director.test_director import tournament
from tests.unit.store.builders import record

SCHEMA_FILE = Path(harness.director.__file__).parent / "events.schema.json"
HOSTILE = "\x1b]0;owned\x07\u202e\ud800\n\u009b31m"
MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)


def strict_validator() -> Draft202012Validator:
    """The schema with no key allowed that it does not name."""
    schema: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="ascii"))
    Draft202012Validator.check_schema(schema)
    closed = copy.deepcopy(schema)
    for node in _objects(closed["$defs"]):
        node["additionalProperties"] = False
    return Draft202012Validator(closed)


def _objects(node: object) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if "required" in node and "properties" in node:
            yield node
        for value in node.values():
            yield from _objects(value)


GAME = record(detail=HOSTILE)
ENDED = RunEnded(8, 4, 4, (("b", HOSTILE),), None, is_stopped=True)
EVENTS: list[RunEvent] = [
    RunBegan(tournament(), "results/t", 18, 4, 2),
    BatchBegan("Swiss round 1 of 3", ("c sits out",), 4, 0, 4),
    GameStarted(GAME.spec, 18, 1),
    GameFinished(GAME, 18, 5),
    GameFinished(record(cause=Cause.REPETITION, winner=None), 18, 6),
    GameVoided(GAME.spec, 2, "ann", HOSTILE, is_last_attempt=False),
    GameVoided(GAME.spec, 3, "", "the worker died", is_last_attempt=True),
    BotSetAside("ann", HOSTILE),
    Notice(HOSTILE),
    TestState(3, (0, 1, 1, 0, 1), -0.25, -2.94, 2.94, "undecided"),
]


def values(line: bytes | None) -> dict[str, Any]:
    assert line is not None
    result: dict[str, Any] = json.loads(line)
    return result


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_event_is_a_line_of_the_schema(event: RunEvent) -> None:
    line = event_line(event, MOMENT)
    assert line is not None
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert all(32 <= byte < 127 for byte in line[:-1])
    found = values(line)
    assert found["version"] == EVENTS_VERSION == 1
    assert found["at"] == "2026-01-02T03:04:05.678+00:00"
    strict_validator().validate(found)


@pytest.mark.parametrize(
    ("ended", "code", "reason"),
    [
        (RunEnded(8, 8, 0, (), None), 0, "complete"),
        (RunEnded(8, 4, 4, (), None), 3, "open-games"),
        (RunEnded(8, 4, 4, (), None, is_decided=True), 0, "decided"),
        (ENDED, 4, "stopped"),
        (RunEnded(8, 4, 4, (), 2), 130, "interrupted"),
        (None, 1, "failed"),
        (None, 130, "interrupted"),
    ],
)
def test_the_last_line_says_why_and_with_which_code(
    ended: RunEnded | None, code: int, reason: str
) -> None:
    found = values(end_line(ended, code, HOSTILE, MOMENT))
    strict_validator().validate(found)
    assert (found["reason"], found["exit-code"]) == (reason, code)


def test_the_end_of_the_games_is_no_line_of_its_own() -> None:
    assert event_line(ENDED) is None


def test_what_a_finished_game_holds() -> None:
    game = replace(GAME, white=replace(GAME.white, usage=BotUsage(1_500_000, 2_000_000, 3 << 20)))
    found = values(event_line(GameFinished(game, 18, 5)))
    assert found["event"] == "game-finished"
    assert (found["id"], found["number"]) == ("ann~bob.1a", 1)
    assert (found["black"], found["white"]) == ("ann", "bob")
    assert (found["score"], found["winner"], found["cause"]) == ("1-0", "black", "resignation")
    assert found["detail"] == HOSTILE
    assert found["plies"] == 4
    assert found["thinking-ms"] == {"black": 1 + 3, "white": 2 + 4}
    assert found["usage"]["white"] == {
        "cpu-on-turn-ms": 1.5,
        "cpu-off-turn-ms": 2.0,
        "peak-memory-kib": 3072,
    }
    draw = values(event_line(EVENTS[4]))
    assert (draw["score"], draw["winner"]) == ("1/2-1/2", None)


def test_the_schema_refuses_what_is_wrong() -> None:
    good = values(event_line(EVENTS[3]))
    check = strict_validator()
    for change in ({"version": 2}, {"winner": "ann"}, {"event": "game-over"}, {"extra": 1}):
        with pytest.raises(ValidationError):
            check.validate({**good, **change})
    for key in good:
        with pytest.raises(ValidationError):
            check.validate({name: value for name, value in good.items() if name != key})


def test_the_schema_knows_every_cause() -> None:
    schema = json.loads(SCHEMA_FILE.read_text(encoding="ascii"))
    causes = schema["$defs"]["game-finished"]["properties"]["cause"]["enum"]
    assert causes == [cause.value for cause in Cause]
    assert schema["$defs"]["game-finished"]["properties"]["winner"]["enum"] == [
        *(color.word for color in Color),
        None,
    ]
