"""Games: the same from the same seed, the same after another one, and a whole one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from harness.play.clock import NS_PER_MS, TimeControl
from harness.play.referee import Referee
from harness.play.types import CauseKind, GameSpec, Opening, Outcome
from harness.process.conformance.bench import Bench
from harness.process.conformance.candidate import Candidate
from harness.process.conformance.moves import Asked, explain, game_spec
from harness.process.conformance.positions import standard
from harness.process.conformance.readiness import announce_game, ping
from harness.process.conformance.report import (
    Finding,
    Status,
    StepEnded,
    passed,
    warned,
)
from harness.process.greeting import SEED_OPTION
from harness.rules.notation import wire_text
from harness.rules.types import Color, Move

_COMPARED_PLIES: Final = 8
_DISTURBING_PLIES: Final = 4
_MAX_PLIES: Final = 200


def same_game_again(bench: Bench) -> Finding:
    """Play the begin of a game in two new processes with the same seed."""
    games = []
    for _ in range(2):
        bot = bench.fresh()
        games.append(_begin_of_game(bench, bot, 1, standard(), _COMPARED_PLIES))
    difference = _difference(games[0], games[1])
    if not difference:
        bench.repeated_game = games[0]
        return passed(f"{len(games[0])} plies, {_limit_text(bench)}")
    assert bench.greeting is not None
    if bench.effort is None:
        hint = "It was limited by time, as nodes and depth failed, and time is never the same."
    elif not bench.greeting.offers(SEED_OPTION):
        hint = (
            "Has it chance in it? Then announce `option name Seed type spin default 0 min 0 max "
            "2147483647` and let all chance follow from it and the moves."
        )
    else:
        hint = (
            "Read `setoption name Seed value N` (before each game) and let all chance follow "
            "from it and the moves; let nothing depend on time or on threads when nodes or depth "
            "limit a move."
        )
    return warned(f"the same seed gave another game: {difference}", hint)


def nothing_left_of_last_game(bench: Bench) -> Finding:
    """Play another game, then the first one again, all in one process."""
    if bench.repeated_game is None:
        return Finding(Status.SKIPPED, "its games differ anyway")
    bot = bench.ready()
    for seed, opening in ((2, standard("b1b3", "h4f2", "c1c3")), (3, standard("g8g6"))):
        _begin_of_game(bench, bot, seed, opening, _DISTURBING_PLIES)
    again = _begin_of_game(bench, bot, 1, standard(), _COMPARED_PLIES)
    difference = _difference(bench.repeated_game, again)
    if not difference:
        return passed()
    return warned(
        f"plays otherwise after another game: {difference}",
        "At `uginewgame` forget the last game: tables, history, killer moves, the state of the "
        "random generator; then take the Seed that was set.",
    )


def whole_game(bench: Bench) -> Finding:
    """Play a game of two processes of the bot to its end, refereed as in a tournament."""
    bots = (bench.fresh(), bench.another())
    for bot in bots:
        announce_game(bench, bot)
    spec = game_spec(bench, standard(), bench.control, max_plies=_MAX_PLIES)
    moves, outcome = _play(bench, bots, spec)
    bench.keep_one()
    return passed(f"{len(moves)} plies, {outcome.cause.value}, {outcome.score_text}")


def _begin_of_game(
    bench: Bench, bot: Candidate, seed: int, opening: Opening, plies: int
) -> tuple[Move, ...]:
    """Return the moves of the bot against itself, both sides in one process."""
    announce_game(bench, bot, seed)
    control = bench.effort or TimeControl(move_time_ns=bench.pace.move_ms * NS_PER_MS)
    spec = game_spec(bench, opening, control, max_plies=len(opening.moves) + plies)
    return _play(bench, (bot, bot), spec)[0]


def _play(
    bench: Bench, bots: tuple[Candidate, Candidate], spec: GameSpec
) -> tuple[tuple[Move, ...], Outcome]:
    """Play a game; StepEnded when it ends by a fault of the bot."""
    referee = Referee(spec)
    is_one_process = bots[0] is bots[1]
    while True:
        step = referee.next()
        if isinstance(step, Outcome):
            return tuple(ply.move for ply in referee.plies), step
        bot = bots[step.side]
        if is_one_process:
            ping(bench, bot, b"isready\n")  # a line written twice would answer the other side too
        reply = bot.process.ask(step)
        referee.receive(reply)
        outcome = referee.next()
        if isinstance(outcome, Outcome) and outcome.cause.kind is CauseKind.FORFEIT:
            played = tuple(ply.move for ply in referee.plies)
            opening = Opening(spec.opening.start, spec.opening.moves + played)
            finding = explain(bench, bot, Asked(step, opening), reply, outcome)
            color = "Black" if step.side is Color.BLACK else "White"
            place = f"ply {len(opening.moves) + 1}, {color}"
            raise StepEnded(Finding(finding.status, f"{place}: {finding.text}", finding.hint))


def _difference(first: Sequence[Move], second: Sequence[Move]) -> str:
    for ply, (one, other) in enumerate(zip(first, second, strict=False), start=1):
        if one != other:
            return f"at ply {ply} {wire_text(one)}, then {wire_text(other)}"
    return "" if len(first) == len(second) else "one of them ended earlier"


def _limit_text(bench: Bench) -> str:
    return f"{bench.effort}" if bench.effort is not None else f"{bench.pace.move_ms} ms a move"
