"""Game records and conditions made in memory: no bot, no clock, no file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.play.clock import TimeControl
from harness.play.plies import Plies, PlyRecord
from harness.play.types import (
    BotRun,
    BotUsage,
    Cause,
    GameRecord,
    GameSpec,
    Opening,
    Outcome,
    PlayerSpec,
)
from harness.rules.notation import parse_move
from harness.rules.position import STANDARD_START, Position
from harness.rules.types import Color, RuleSet

MOVES = ("b1-b3", "a2-c2", "c1xa3", "h2-f2")


def opening(moves: Sequence[str] = (), start: Position = STANDARD_START) -> Opening:
    return Opening(start, tuple(parse_move(text) for text in moves))


def record(
    game_id: str = "ann~bob.1a",
    *,
    black: str = "ann",
    white: str = "bob",
    index: int = 0,
    pair: int = 1,
    leg: str = "a",
    start: Opening | None = None,
    moves: Sequence[str] = MOVES,
    cause: Cause = Cause.RESIGNATION,
    winner: Color | None = Color.BLACK,
    detail: str = "",
    identities: tuple[str, str] = ("1" * 64, "2" * 64),
    infos: Sequence[bytes | None] | None = None,
    stderr: tuple[str, str] = ("", ""),
    announced: tuple[str, str] = ("Ann 1", "Bob 2"),
    final_reply: str = "",
    time_controls: tuple[str, str] = ("5+0.05", "5+0.05"),
    rules: RuleSet | None = None,
    started_at: str = "2026-01-02T03:04:05+00:00",
    duration_ns: int = 1_500_000_000,
    provenance: Mapping[str, str | int] | None = None,
    usage: tuple[BotUsage, BotUsage] = (BotUsage(), BotUsage()),
    log: str = "",
) -> GameRecord:
    """A record whose first moves are ``start``'s and whose asked plies are ``moves``."""
    played = [parse_move(text) for text in moves]
    return GameRecord(
        spec=GameSpec(
            game_id=game_id,
            encounter="~".join(sorted((black, white))),
            pair=pair,
            leg=leg,
            batch=0,
            schedule_index=index,
            black=PlayerSpec(black, TimeControl.parse(time_controls[0])),
            white=PlayerSpec(white, TimeControl.parse(time_controls[1])),
            opening=start if start is not None else opening(),
            rules=rules if rules is not None else RuleSet(max_plies=400),
            seed=7,
        ),
        outcome=Outcome(cause, winner, detail),
        plies=Plies.of(
            PlyRecord(move, 1_000_000 * (number + 1), infos[number] if infos else None)
            for number, move in enumerate(played)
        ),
        black=BotRun(identities[0], announced[0], stderr[0], 101, usage[0]),
        white=BotRun(identities[1], announced[1], stderr[1], 102, usage[1]),
        started_at=started_at,
        duration_ns=duration_ns,
        final_reply=final_reply,
        provenance={"slot": 0, "attempt": 1} if provenance is None else provenance,
        log=log,
    )
