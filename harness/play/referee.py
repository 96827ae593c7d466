"""The referee of one game: decides what is asked next and what a reply means. Pure."""

from __future__ import annotations

from typing import assert_never

from harness.errors import NotationError
from harness.play.adjudication import Ruling, Streak, rule
from harness.play.bot_definition import BotProtocol
from harness.play.clock import RunningClock, TimeControl
from harness.play.plies import Plies
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
    PlayerSpec,
    Reply,
    TimedOut,
)
from harness.rules.game import Game
from harness.rules.notation import WIRE, WIRE_BYTES, format_fen, parse_move, wire_text
from harness.rules.position import STANDARD_START, Position
from harness.rules.types import PASS, Color, IllegalReason, Move, Verdict

_MAX_SHOWN_REPLY = 200
_ANSWER_HEAD = len(b"bestmove ")
# Once a ply: made so, a named tuple costs half of what its own constructor takes.
_new = tuple.__new__
_WIRE_GET = dict(WIRE).get  # asked every ply: a proxy takes twice as long


class _Player:
    """One side of the game: its clock, what it is told, and its last answer."""

    __slots__ = ("clock", "go_line", "last_line", "side", "streak")

    def __init__(self, spec: GameSpec, side: Color) -> None:
        control = spec.player(side).time_control
        self.side = side
        self.clock = RunningClock(control, spec.margin_ns, spec.max_think_ns)
        self.go_line = _go_line(spec.player(side), spec.black.time_control, spec.white.time_control)
        self.last_line: bytes | None = None
        self.streak = Streak()


class Referee:
    """Alternates ``next()`` and ``receive(reply)`` until ``next()`` returns the outcome.

    It sees replies and nanoseconds, never a pipe or a clock. ``draw_offers`` says, by colour,
    which bots announced that they understand draw offers. After each move that the board lets
    the game go on with, the scores that the bots reported may end it (``spec.adjudication``).
    """

    __slots__ = (
        "_black_clock",
        "_draw_offers",
        "_elapsed_ns",
        "_first_asked",
        "_game",
        "_infos",
        "_is_told_alike",
        "_joint",
        "_mover",
        "_offer_open",
        "_outcome",
        "_players",
        "_position",
        "_spec",
        "_waiter",
        "_wants_score",
        "_white_clock",
        "final_reply",
    )

    def __init__(self, spec: GameSpec, draw_offers: tuple[bool, bool] = (False, False)) -> None:
        self._spec = spec
        self._draw_offers = draw_offers
        self._game = Game(spec.opening.start, spec.rules)
        self._offer_open = False
        self._players = black, white = _Player(spec, Color.BLACK), _Player(spec, Color.WHITE)
        self._black_clock, self._white_clock = black.clock, white.clock
        controls = spec.black.time_control, spec.white.time_control
        # Both are told two times and nothing else that changes.
        self._is_told_alike = all(
            control.base_ns is not None and control.moves_per_period is None for control in controls
        )
        self._position = _position_prefix(spec.opening.start)
        self._joint = b" moves "
        self._wants_score = spec.adjudication.is_on
        self._outcome: Outcome | None = None
        self._elapsed_ns: list[int] = []
        self._infos: list[bytes | None] = []
        self.final_reply = ""
        verdict = self._game.verdict
        for move in spec.opening.moves:
            verdict = self._game.play(move)
            self._position += self._joint + WIRE_BYTES[move]
            self._joint = b" "
        self._first_asked = len(spec.opening.moves)
        is_white = self._game.to_move is Color.WHITE
        self._mover, self._waiter = (white, black) if is_white else (black, white)
        if verdict is not None:
            self._outcome = _board_outcome(verdict)

    @property
    def ply_count(self) -> int:
        """How many answers were taken: the plies since the opening."""
        return len(self._elapsed_ns)

    @property
    def plies(self) -> Plies:
        """The plies since the opening, as they are now."""
        moves = tuple(self._game.moves[self._first_asked :])
        return Plies(moves, tuple(self._elapsed_ns), tuple(self._infos))

    def next(self) -> Ask | Outcome:
        """Return the next request, or the outcome when the game is over."""
        if self._outcome is not None:
            return self._outcome
        mover = self._mover
        if self._is_told_alike and not self._offer_open:
            told_ms = (self._black_clock.told_ms, self._white_clock.told_ms)
            request = self._position + mover.go_line % told_ms
        else:
            request = self._position + self._go_line()
        return _new(
            Ask,
            (mover.side, request, mover.clock.budget_ns, mover.last_line, self._wants_score),
        )

    def receive(self, reply: Reply) -> None:
        """Take the reply to the last request."""
        if not isinstance(reply, Answer):
            self._receive_failure(reply)
            return
        line, elapsed_ns, info = reply
        mover = self._mover
        clock = mover.clock
        if elapsed_ns > clock.budget_ns:
            late_ms = (elapsed_ns - clock.budget_ns) / 1e6
            self._forfeit(Cause.TIME, f"answered {late_ms:.1f} ms too late", _shown(line))
            return
        # The usual answer is the word, a space and an exact move; all others are looked at whole.
        word = line[_ANSWER_HEAD:]
        move = _WIRE_GET(word)
        offers_draw = False
        if move is None:
            words = line.split()
            word = words[1] if len(words) > 1 else b""
            move = _WIRE_GET(word)
            if move is None:
                move = self._special_answer(word, line)
                if move is None:
                    return
            word = WIRE_BYTES[move]
            offers_draw = len(words) > 2 and words[2] == b"draw"
        ending = self._game.attempt(move)
        if ending is not None and isinstance(ending, IllegalReason):
            detail = f"{wire_text(move)}: {ending.value}"
            if line == mover.last_line:
                detail += " (its last answer again, and nothing else until its time was up)"
            self._forfeit(Cause.ILLEGAL_MOVE, detail, _shown(line))
            return
        clock.spend(elapsed_ns)
        mover.last_line = None if move == PASS else line
        self._offer_open = offers_draw and self._draw_offers == (True, True)
        self._position += self._joint + word
        self._joint = b" "
        self._mover = self._waiter
        self._waiter = mover
        self._elapsed_ns.append(elapsed_ns)
        self._infos.append(info)
        if ending is not None:
            self._outcome = _board_outcome(ending)
        elif self._wants_score:
            self._adjudicate(mover, move, info)

    def _receive_failure(self, reply: TimedOut | Exited | Overflowed) -> None:
        match reply:
            case TimedOut():
                self._forfeit(Cause.TIME, "no answer in time", "")
            case Exited(how=how):
                self._forfeit(Cause.CRASH, how, "")
            case Overflowed(byte_count=count):
                detail = f"wrote {count} bytes without a move"
                self._forfeit(Cause.OUTPUT_OVERFLOW, detail, "")
            case _:
                assert_never(reply)

    def _adjudicate(self, mover: _Player, move: Move, info: bytes | None) -> None:
        setting = self._spec.adjudication
        mover.streak = mover.streak.after(setting, read_score(info), is_pass=move == PASS)
        black, white = self._players
        ruling = rule(setting, len(self._game.moves), black.streak, white.streak)
        if ruling is not None:
            self._outcome = _ruled_outcome(ruling)

    def _special_answer(self, word: bytes, line: bytes) -> Move | None:
        """Return a move that is not in exact wire form; None when the answer ended the game."""
        text = word.decode("utf-8", "replace")
        opponent = self._waiter.side
        if text == "resign":
            self.final_reply = _shown(line)
            self._outcome = Outcome(Cause.RESIGNATION, opponent)
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
            self._forfeit(Cause.MALFORMED_REPLY, detail, _shown(line))
            return None

    def _forfeit(self, cause: Cause, detail: str, reply: str) -> None:
        self.final_reply = reply
        self._outcome = Outcome(cause, self._waiter.side, detail)

    def _go_line(self) -> bytes:
        """Return the ``go`` line where a draw was offered, or the sides are not told alike."""
        mover = self._mover
        line = mover.go_line
        if mover.clock.told_ms is not None:
            told_ms = (self._black_clock.told_ms, self._white_clock.told_ms)
            numbers = [number for number in told_ms if number is not None]
            moves_to_go = mover.clock.moves_to_go()
            if moves_to_go is not None:
                numbers.append(moves_to_go)
            line %= tuple(numbers)
        return line[:-1] + b" drawoffer\n" if self._offer_open else line


def _position_prefix(start: Position) -> bytes:
    if start == STANDARD_START:
        return b"position startpos"
    return b"position fen " + format_fen(start).encode()


def _go_line(player: PlayerSpec, black: TimeControl, white: TimeControl) -> bytes:
    """Return the ``go`` line of a side, within line ends, with a place for what changes.

    Without a clock of its own a side is told nothing that changes: the line as it is.
    """
    control = player.time_control
    line = b"\ngo"
    if control.base_ns is not None:
        uci = player.protocol is BotProtocol.UCI
        times, increments = b"", b""
        for prefix, one in zip(
            (b"w", b"b") if uci else (b"p1", b"p2"), (black, white), strict=True
        ):
            if one.base_ns is not None:
                times += b" %btime %%d" % prefix
                increments += b" %binc %d" % (prefix, one.increment_ms)
        line += times + increments
        if control.moves_per_period is not None:
            line += b" movestogo %d"
    return line + _fixed_terms(control) + b"\n"


def _fixed_terms(control: TimeControl) -> bytes:
    terms = b""
    if control.move_time_ms is not None:
        terms += b" movetime %d" % max(1, control.move_time_ms)
    if control.nodes is not None:
        terms += b" nodes %d" % control.nodes
    if control.depth is not None:
        terms += b" depth %d" % control.depth
    return terms


def _board_outcome(verdict: Verdict) -> Outcome:
    return Outcome(CAUSE_OF_TERMINATION[verdict.termination], verdict.winner)


def _ruled_outcome(ruling: Ruling) -> Outcome:
    if ruling.loser is None:
        return Outcome(Cause.SCORE_DRAW, None, ruling.why)
    return Outcome(Cause.SCORE_RESIGN, ruling.loser.opponent, ruling.why)


def _shown(line: bytes) -> str:
    return line[:_MAX_SHOWN_REPLY].decode("utf-8", "replace")
