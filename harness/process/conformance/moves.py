"""Asking the bot for one move, as the referee would, and saying what is wrong with the answer."""

from __future__ import annotations

from typing import Final, NamedTuple, assert_never

from harness.errors import NotationError
from harness.play.clock import NS_PER_MS, TimeControl
from harness.play.referee import Referee
from harness.play.types import (
    Answer,
    Ask,
    Cause,
    Exited,
    GameSpec,
    Opening,
    Outcome,
    Overflowed,
    PlayerSpec,
    Reply,
    TimedOut,
)
from harness.process.conformance.bench import Bench
from harness.process.conformance.candidate import Candidate
from harness.process.conformance.misreadings import explain_illegal
from harness.process.conformance.no_answer import explain_exit, explain_silence
from harness.process.conformance.readiness import GAME_ID, announce_game
from harness.process.conformance.report import Finding, StepEnded, failed, warned
from harness.rules.notation import parse_move
from harness.rules.types import Move, RuleSet

_CONCEDED_HINT: Final = "It may, but here the game is open: check its evaluation."
_LATE_HINT: Final = (
    "The clock runs from before the request is written until the newline is read: answer "
    "some 10 ms before the limit. If the bot is slow to warm up, do it before `readyok`; "
    "if it needs more time as a rule, check it with a longer --tc."
)
_NO_MOVE_WORDS: Final = ("(none)", "none", "null", "0000", "--", "-")


class Moved(NamedTuple):
    """A legal answer and the time it took."""

    move: Move
    elapsed_ns: int


def game_spec(
    bench: Bench,
    opening: Opening,
    control: TimeControl,
    white: TimeControl | None = None,
    max_plies: int | None = None,
) -> GameSpec:
    """Return a game of the bot against itself under the default rules.

    ``white`` None means the same ``control`` for both sides; where no time limits a move the
    bench's patience does.
    """
    name, protocol = bench.definition.name, bench.definition.protocol
    return GameSpec(
        game_id=GAME_ID,
        encounter=GAME_ID,
        pair=1,
        leg="a",
        batch=0,
        schedule_index=0,
        black=PlayerSpec(name, control, protocol),
        white=PlayerSpec(name, white or control, protocol),
        opening=opening,
        rules=RuleSet(max_plies=max_plies),
        max_think_ns=bench.pace.effort_ms * NS_PER_MS,
        seed=1,
    )


def ask_move(
    bench: Bench,
    bot: Candidate,
    opening: Opening,
    control: TimeControl | None = None,
    white: TimeControl | None = None,
    extra: str = "",
    late_hint: str = _LATE_HINT,
) -> Moved:
    """Ask for the first move of a new game from an undecided position; StepEnded when none comes.

    ``control`` None means that of the bench; ``extra`` are words at the end of ``go``.
    ``late_hint`` is what to do when the answer comes too late.
    """
    spec = game_spec(bench, opening, control or bench.control, white)
    referee = Referee(spec)
    ask = referee.next()
    assert isinstance(ask, Ask)
    if extra:
        ask = ask._replace(request=ask.request[:-1] + f" {extra}\n".encode())
    announce_game(bench, bot)
    earlier, bench.last_asked = bench.last_asked, opening
    reply = bot.process.ask(ask)
    referee.receive(reply)
    if referee.plies:
        bench.answers += 1
        return Moved(referee.plies[-1].move, referee.plies[-1].elapsed_ns)
    outcome = referee.next()
    assert isinstance(outcome, Outcome)
    raise StepEnded(explain(bench, bot, Asked(ask, opening, earlier), reply, outcome, late_hint))


class Asked(NamedTuple):
    """What was asked: the request, the game so far, and the game of the request before."""

    ask: Ask
    opening: Opening
    earlier: Opening | None = None


def explain(
    bench: Bench,
    bot: Candidate,
    asked: Asked,
    reply: Reply,
    outcome: Outcome,
    late_hint: str = _LATE_HINT,
) -> Finding:
    """Say why a reply ended the game that it came in, by a fault or a concession of the bot."""
    match reply:
        case TimedOut():
            return _no_answer(bench, bot, asked.ask, late_hint)
        case Exited(how=how):
            return explain_exit(bot, f"{how} at `go`")
        case Overflowed(byte_count=count):
            return failed(
                f"wrote {count} bytes without a move",
                "At most 16 MiB may come before the answer: write fewer `info` lines.",
            )
        case Answer(line=line, elapsed_ns=elapsed_ns):
            bench.answers += 1
            match outcome.cause:
                case Cause.TIME:
                    return failed(_late_text(elapsed_ns, asked.ask.budget_ns), late_hint)
                case Cause.ILLEGAL_MOVE:
                    move = parse_move(line.split()[1].decode())
                    hint = explain_illegal(asked.opening, move, asked.earlier)
                    return failed(f"illegal move {outcome.detail}", hint)
                case Cause.MALFORMED_REPLY:
                    return _malformed(line)
                case _:
                    return warned(f"ended the game: {outcome.cause.value}", _CONCEDED_HINT)
        case _:
            assert_never(reply)


def _no_answer(bench: Bench, bot: Candidate, ask: Ask, late_hint: str) -> Finding:
    limit_ms = ask.budget_ns // NS_PER_MS
    late = bot.listen(bot.patience.late_ms, b"bestmove")
    if any(line.startswith(b"bestmove") for line in late):
        bench.answers += 1
        return failed(f"answered after more than {limit_ms} ms, too late", late_hint)
    bench.silences += 1
    return explain_silence(
        bot,
        bench.transcript,
        "bestmove",
        f"no bestmove within {limit_ms} ms",
        late_hint if bench.answers else "",
    )


def _late_text(elapsed_ns: int, budget_ns: int) -> str:
    return (
        f"answered after {elapsed_ns / NS_PER_MS:.0f} ms, "
        f"{budget_ns / NS_PER_MS:.0f} ms were the limit"
    )


def _malformed(line: bytes) -> Finding:
    words = line.decode("utf-8", "replace").split()
    if len(words) < 2:
        return failed(
            "bestmove without a move",
            "The move stands behind bestmove on the same line; without a legal move it is `pass`.",
        )
    shown = words[1][:40]
    if shown.lower() in _NO_MOVE_WORDS:
        hint = "When no move is legal the answer is `bestmove pass`."
    elif shown == "draw":
        hint = "`bestmove draw` is for a `go` that ended with drawoffer."
    elif len(words) > 2 and _is_move(words[1] + words[2]):
        hint = "Write the move as one word: `bestmove b1b3`, not `bestmove b1 b3`."
    else:
        hint = "A move is its two squares, `bestmove b1b3`, whether it captures or not."
    return failed(f"`{shown}` behind bestmove is no move", hint)


def _is_move(text: str) -> bool:
    try:
        parse_move(text)
    except NotationError:
        return False
    return True
