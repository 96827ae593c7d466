"""Moves in all kinds of positions, and under all forms of limits."""

from __future__ import annotations

from harness.play.bot_definition import BotProtocol
from harness.play.clock import NS_PER_MS, TimeControl
from harness.play.referee import Referee
from harness.play.types import Answer, Ask, Opening
from harness.process.conformance.bench import Bench
from harness.process.conformance.moves import Moved, ask_move, game_spec
from harness.process.conformance.positions import (
    BLACK_BLOCKED_FEN,
    BLACK_TO_MOVE_FEN,
    LONG_GAME_PLIES,
    WHITE_BLOCKED_FEN,
    WHITE_TO_MOVE_FEN,
    after_a_pass,
    from_fen,
    long_game,
    standard,
)
from harness.process.conformance.readiness import announce_game
from harness.process.conformance.report import Finding, Status, StepEnded, failed, passed, warned
from harness.process.greeting import takes_draw_offers
from harness.rules.notation import wire_text

_OTHER_CLOCK_MS = 600_000
_LITTLE_TIME_MS = 100
_BLOCKED_HINT = "When no move is legal the answer is `bestmove pass`, at once."
_CLOCK_HINT = (
    "p1time and p1inc are Black's, p2time and p2inc are White's, whoever moves first: divide the "
    "time of the side to move, not the other's."
)
_UCI_CLOCK_HINT = (
    "wtime and winc are Black's here, btime and binc White's: UCI's white is the first player, "
    "and that is Black."
)
_EFFORT_HINT = (
    "`nodes` and `depth` limit a search without any time: end it there. A bot that knows no "
    "such limit must still answer: let it think a fixed short time."
)


def move_as_black(bench: Bench) -> Finding:
    """Ask for the first move of a game."""
    return _moves(bench, standard())


def move_as_white(bench: Bench) -> Finding:
    """Ask for White's first move."""
    return _moves(bench, standard("b1b3"), standard("b8b6"))


def black_fen(bench: Bench) -> Finding:
    """Ask in a position that is given as FEN, Black to move."""
    return _moves(bench, from_fen(BLACK_TO_MOVE_FEN))


def white_fen(bench: Bench) -> Finding:
    """Ask in a position that is given as FEN, White to move."""
    return _moves(bench, from_fen(WHITE_TO_MOVE_FEN))


def fen_and_moves(bench: Bench) -> Finding:
    """Ask after moves from a FEN, captures among them."""
    return _moves(
        bench,
        from_fen(BLACK_TO_MOVE_FEN, "a1a5"),
        from_fen(WHITE_TO_MOVE_FEN, "g6d3", "e2e3"),
    )


def forced_pass(bench: Bench) -> Finding:
    """Ask where only a pass is legal."""
    try:
        return _moves(bench, from_fen(WHITE_BLOCKED_FEN), from_fen(BLACK_BLOCKED_FEN))
    except StepEnded as ended:
        is_plain = ended.finding.text.startswith(("answered", "illegal"))
        if ended.finding.status is not Status.FAIL or is_plain:
            raise
        raise StepEnded(failed(ended.finding.text, _BLOCKED_HINT)) from ended


def move_after_pass(bench: Bench) -> Finding:
    """Ask after the opponent had to pass."""
    return _moves(bench, after_a_pass())


def long_line(bench: Bench) -> Finding:
    """Ask after a very long game."""
    moved = ask_move(bench, bench.ready(), long_game())
    return passed(f"{LONG_GAME_PLIES} plies; {_shown(moved)}")


def clock_and_increment(bench: Bench) -> Finding:
    """Try ``p1time`` and ``p2time`` with increments."""
    pace = bench.pace
    return _limit(bench, TimeControl(pace.base_ms * NS_PER_MS, pace.increment_ms * NS_PER_MS))


def clock_alone(bench: Bench) -> Finding:
    """Try a clock without an increment."""
    return _limit(bench, TimeControl(bench.pace.base_ms * NS_PER_MS))


def clock_and_moves(bench: Bench) -> Finding:
    """Try a clock that gets new time after some moves."""
    pace = bench.pace
    return _limit(bench, TimeControl(pace.base_ms * NS_PER_MS, moves_per_period=40))


def move_time(bench: Bench) -> Finding:
    """Try a time for the move."""
    return _limit(bench, TimeControl(move_time_ns=bench.pace.move_ms * NS_PER_MS))


def nodes(bench: Bench) -> Finding:
    """Try a number of nodes, without time."""
    return _effort(bench, TimeControl(nodes=bench.pace.nodes))


def depth(bench: Bench) -> Finding:
    """Try a depth, without time."""
    return _effort(bench, TimeControl(depth=bench.pace.depth))


def clock_and_depth(bench: Bench) -> Finding:
    """Try limits together."""
    pace = bench.pace
    control = TimeControl(pace.base_ms * NS_PER_MS, pace.increment_ms * NS_PER_MS, depth=pace.depth)
    return _limit(bench, control)


def own_clock_as_black(bench: Bench) -> Finding:
    """Ask Black, whose clock is short while White's is long."""
    short, long = _unequal(bench)
    return _own_clock(bench, standard(), short, long)


def own_clock_as_white(bench: Bench) -> Finding:
    """Ask White, whose clock is short while Black's is long."""
    short, long = _unequal(bench)
    return _own_clock(bench, standard("b1b3"), long, short)


def little_time(bench: Bench) -> Finding:
    """Ask with very little time on the clock."""
    control = TimeControl(_LITTLE_TIME_MS * NS_PER_MS)
    try:
        moved = ask_move(bench, bench.ready(), standard("b1b3", "h4f2"), control)
    except StepEnded as ended:
        bench.discard()
        hint = ended.finding.hint
        raise StepEnded(warned(ended.finding.text, hint)) from ended
    return passed(_shown(moved))


def unknown_limit(bench: Bench) -> Finding:
    """Ask with words in ``go`` that no bot knows."""
    bot = bench.ready()
    try:
        ask_move(bench, bot, standard())
    except StepEnded:
        bench.discard()
        return Finding(Status.SKIPPED, "it fails without them")
    try:
        moved = ask_move(bench, bot, standard(), extra="frobnicate 7")
    except StepEnded as ended:
        bench.discard()
        hint = "Skip words of `go` that the bot does not know: other runners send more."
        raise StepEnded(warned(ended.finding.text, hint)) from ended
    return passed(_shown(moved))


def draw_offer(bench: Bench) -> Finding:
    """Offer a draw to a bot that takes part in offers."""
    bot = bench.ready()
    if bot.greeting is None or not takes_draw_offers(bench.definition, bot.greeting):
        return Finding(Status.SKIPPED, "it announces no DrawOffers")
    ask = Referee(game_spec(bench, standard("b1b3"), bench.control)).next()
    assert isinstance(ask, Ask)
    request = ask.request[:-1] + b" drawoffer\n"
    announce_game(bench, bot)
    reply = bot.process.ask(ask._replace(request=request))
    if isinstance(reply, Answer) and reply.line.split()[1:2] == [b"draw"]:
        return passed("accepted")
    moved = ask_move(bench, bot, standard("b1b3"), extra="drawoffer")
    return passed(f"declined; {_shown(moved)}")


def _moves(bench: Bench, *openings: Opening) -> Finding:
    bot = bench.ready()
    return passed("; ".join(_shown(ask_move(bench, bot, opening)) for opening in openings))


def _limit(bench: Bench, control: TimeControl) -> Finding:
    """Ask Black and White under a limit."""
    bot = bench.ready()
    moves = [
        ask_move(bench, bot, opening, control)
        for opening in (standard(), standard("b1b3", "h4f2", "c1c3"))
    ]
    return passed("; ".join(map(_shown, moves)))


def _effort(bench: Bench, control: TimeControl) -> Finding:
    moved = ask_move(bench, bench.ready(), standard(), control, late_hint=_EFFORT_HINT)
    bench.effort = bench.effort or control
    return passed(_shown(moved))


def _unequal(bench: Bench) -> tuple[TimeControl, TimeControl]:
    short_ms = bench.pace.base_ms
    long_ms = max(_OTHER_CLOCK_MS, 100 * short_ms)
    return TimeControl(short_ms * NS_PER_MS), TimeControl(long_ms * NS_PER_MS)


def _own_clock(bench: Bench, opening: Opening, black: TimeControl, white: TimeControl) -> Finding:
    is_uci = bench.definition.protocol is BotProtocol.UCI
    hint = _UCI_CLOCK_HINT if is_uci else _CLOCK_HINT
    moved = ask_move(bench, bench.ready(), opening, black, white, late_hint=hint)
    return passed(_shown(moved))


def _shown(moved: Moved) -> str:
    return f"{wire_text(moved.move)} in {moved.elapsed_ns / NS_PER_MS:.0f} ms"
