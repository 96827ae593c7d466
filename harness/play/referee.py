"""The referee of one game: decides what is asked next and what a reply means. Pure."""

from __future__ import annotations

from typing import assert_never

from harness.errors import NotationError
from harness.play.adjudication import Ruling, Streak, rule
from harness.play.bot_definition import BotProtocol
from harness.play.clock import ClockState
from harness.play.score import read_score
from harness.play.types import (
    CAUSE_OF_TERMINATION,
    Answer,
    Ask,
    Cause,
    Exited,
    GameSpec,
    Outcome,
    Overflowed,
    PlyRecord,
    Reply,
    TimedOut,
)
from harness.rules.game import Game
from harness.rules.notation import WIRE, WIRE_BYTES, format_fen, parse_move, wire_text
from harness.rules.position import STANDARD_START
from harness.rules.types import PASS, Color, Move, Verdict

_MAX_SHOWN_REPLY = 200
_ANSWER_HEAD = len(b"bestmove ")
_OTHER = (Color.WHITE, Color.BLACK)
# Three values a ply: made so, a named tuple costs half of what its own constructor takes.
_new = tuple.__new__


class Referee:
    """Alternates ``next()`` and ``receive(reply)`` until ``next()`` returns the outcome.

    It sees replies and nanoseconds, never a pipe or a clock. ``draw_offers`` says, by colour,
    which bots announced that they understand draw offers. After each move that the board lets
    the game go on with, the scores that the bots reported may end it (``spec.adjudication``).
    """

    __slots__ = (
        "_budget_ns",
        "_clocks",
        "_controls",
        "_draw_offers",
        "_game",
        "_go_heads",
        "_has_periods",
        "_joint",
        "_last_lines",
        "_offer_open",
        "_outcome",
        "_position",
        "_side",
        "_spec",
        "_streaks",
        "_told_ms",
        "_wants_score",
        "final_reply",
        "plies",
    )

    def __init__(self, spec: GameSpec, draw_offers: tuple[bool, bool] = (False, False)) -> None:
        self._spec = spec
        self._draw_offers = draw_offers
        self._game = Game(spec.opening.start, spec.rules)
        self._offer_open = False
        self._last_lines: list[bytes | None] = [None, None]
        self._controls = (spec.black.time_control, spec.white.time_control)
        self._clocks = [ClockState.start(control) for control in self._controls]
        self._has_periods = any(control.moves_per_period for control in self._controls)
        self._go_heads = tuple(self._go_head(color) for color in Color)
        self._told_ms = tuple(clock.told_ms() for clock in self._clocks)
        self._budget_ns = 0
        self._position = self._position_prefix()
        self._joint = b" moves "
        self._wants_score = spec.adjudication.is_on
        self._streaks = [Streak(), Streak()]
        self._outcome: Outcome | None = None
        self.plies: list[PlyRecord] = []
        self.final_reply = ""
        verdict = self._game.verdict
        for move in spec.opening.moves:
            verdict = self._game.play(move)
            self._append(move)
        self._side = self._game.to_move
        if verdict is not None:
            self._outcome = _board_outcome(verdict)

    def next(self) -> Ask | Outcome:
        """Return the next request, or the outcome when the game is over."""
        if self._outcome is not None:
            return self._outcome
        spec = self._spec
        side = self._side
        control = self._controls[side]
        go = self._go(side) if control.base_ns is not None else self._go_heads[side]
        if self._offer_open:
            go += b" drawoffer"
        budget_ns = self._clocks[side].budget_ns(control, spec.margin_ns, spec.max_think_ns)
        self._budget_ns = budget_ns
        request = b"%b\n%b\n" % (self._position, go)
        return _new(Ask, (side, request, budget_ns, self._last_lines[side], self._wants_score))

    def receive(self, reply: Reply) -> None:
        """Take the reply to the last request."""
        side = self._side
        if type(reply) is Answer:
            self._receive_answer(side, reply)
            return
        match reply:
            case TimedOut():
                self._forfeit(side, Cause.TIME, "no answer in time", "")
            case Exited(how=how):
                self._forfeit(side, Cause.CRASH, how, "")
            case Overflowed(byte_count=count):
                detail = f"wrote {count} bytes without a move"
                self._forfeit(side, Cause.OUTPUT_OVERFLOW, detail, "")
            case Answer():
                self._receive_answer(side, reply)
            case _:
                assert_never(reply)

    def _receive_answer(self, side: Color, answer: Answer) -> None:
        line = answer.line
        elapsed_ns = answer.elapsed_ns
        if elapsed_ns > self._budget_ns:
            late_ms = (elapsed_ns - self._budget_ns) / 1e6
            self._forfeit(side, Cause.TIME, f"answered {late_ms:.1f} ms too late", _shown(line))
            return
        # The usual answer is the word, a space and an exact move; all others are looked at whole.
        move = WIRE.get(line[_ANSWER_HEAD:])
        offers_draw = False
        if move is None:
            words = line.split()
            word = words[1] if len(words) > 1 else b""
            move = WIRE.get(word)
            if move is None:
                move = self._special_answer(side, word, line)
                if move is None:
                    return
            offers_draw = len(words) > 2 and words[2] == b"draw"
        fault = self._game.fault_of(move)
        if fault is not None:
            detail = f"{wire_text(move)}: {fault.value}"
            if line == self._last_lines[side]:
                detail += " (its last answer again, and nothing else until its time was up)"
            self._forfeit(side, Cause.ILLEGAL_MOVE, detail, _shown(line))
            return
        control = self._controls[side]
        clock = self._clocks[side] = self._clocks[side].spent(control, elapsed_ns)
        if control.base_ns is not None:
            told_ms = clock.told_ms()
            other_ms = self._told_ms[1 - side]
            self._told_ms = (other_ms, told_ms) if side else (told_ms, other_ms)
        self._last_lines[side] = None if move == PASS else line
        self._offer_open = offers_draw and self._draw_offers == (True, True)
        verdict = self._game.push(move)
        self._position += self._joint + WIRE_BYTES[move]
        self._joint = b" "
        self._side = _OTHER[side]
        self.plies.append(_new(PlyRecord, (move, elapsed_ns, answer.info)))
        if verdict is not None:
            self._outcome = _board_outcome(verdict)
        elif self._wants_score:
            self._adjudicate(side, move, answer.info)

    def _adjudicate(self, side: Color, move: Move, info: bytes | None) -> None:
        setting, streaks = self._spec.adjudication, self._streaks
        score_cp = read_score(info)
        streaks[side] = streaks[side].after(setting, score_cp, is_pass=move == PASS)
        ruling = rule(setting, len(self._game.moves), streaks[Color.BLACK], streaks[Color.WHITE])
        if ruling is not None:
            self._outcome = _ruled_outcome(ruling)

    def _special_answer(self, side: Color, word: bytes, line: bytes) -> Move | None:
        """Return a move that is not in exact wire form; None when the answer ended the game."""
        text = word.decode("utf-8", "replace")
        if text == "resign":
            self.final_reply = _shown(line)
            self._outcome = Outcome(Cause.RESIGNATION, side.opponent)
            return None
        if text == "draw" and self._offer_open:
            self.final_reply = _shown(line)
            self._outcome = Outcome(Cause.AGREEMENT, None)
            return None
        try:
            return parse_move(text)
        except NotationError as error:
            detail = "bestmove without a move" if not text else f"{text[:40]!r}: {error.why}"
            if text == "draw":
                detail = "accepted a draw that was not offered"
            self._forfeit(side, Cause.MALFORMED_REPLY, detail, _shown(line))
            return None

    def _forfeit(self, side: Color, cause: Cause, detail: str, reply: str) -> None:
        self.final_reply = reply
        self._outcome = Outcome(cause, side.opponent, detail)

    def _append(self, move: Move) -> None:
        self._position += self._joint + WIRE_BYTES[move]
        self._joint = b" "

    def _position_prefix(self) -> bytes:
        start = self._spec.opening.start
        if start == STANDARD_START:
            return b"position startpos"
        return b"position fen " + format_fen(start).encode()

    def _go_head(self, side: Color) -> bytes:
        """Return the ``go`` line of a side with a place for each number that changes.

        Without a clock of its own a side is told nothing that changes: the line as it is.
        """
        line = b"go"
        if self._controls[side].base_ns is not None:
            uci = self._spec.player(side).protocol is BotProtocol.UCI
            times, increments = b"", b""
            for color in Color:
                control = self._controls[color]
                if control.base_ns is None:
                    continue
                prefix = (b"w", b"b")[color] if uci else (b"p1", b"p2")[color]
                times += b" %btime %%d" % prefix
                increments += b" %binc %d" % (prefix, control.increment_ms)
            line += times + increments
            if self._controls[side].moves_per_period is not None:
                line += b" movestogo %d"
        return line + self._fixed_terms(side)

    def _fixed_terms(self, side: Color) -> bytes:
        control = self._controls[side]
        terms = b""
        if control.move_time_ms is not None:
            terms += b" movetime %d" % max(1, control.move_time_ms)
        if control.nodes is not None:
            terms += b" nodes %d" % control.nodes
        if control.depth is not None:
            terms += b" depth %d" % control.depth
        return terms

    def _go(self, side: Color) -> bytes:
        """Return the ``go`` line of a side with a clock."""
        told_ms = self._told_ms
        if not self._has_periods and None not in told_ms:
            return self._go_heads[side] % told_ms
        numbers = [number for number in told_ms if number is not None]
        moves_to_go = self._clocks[side].moves_to_go(self._controls[side])
        if moves_to_go is not None:
            numbers.append(moves_to_go)
        return self._go_heads[side] % tuple(numbers)


def _board_outcome(verdict: Verdict) -> Outcome:
    return Outcome(CAUSE_OF_TERMINATION[verdict.termination], verdict.winner)


def _ruled_outcome(ruling: Ruling) -> Outcome:
    if ruling.loser is None:
        return Outcome(Cause.SCORE_DRAW, None, ruling.why)
    return Outcome(Cause.SCORE_RESIGN, ruling.loser.opponent, ruling.why)


def _shown(line: bytes) -> str:
    return line[:_MAX_SHOWN_REPLY].decode("utf-8", "replace")
