"""The bot's side of the protocol: a bot is a function from a position and its limits to a move.

::

    from harness import botkit

    def choose(position, turn):
        return turn.random.choice(position.legal_moves())

    botkit.run(choose, name="my bot")

No threads: while a bot thinks, ``turn.should_stop()`` looks whether time is up or the runner
said something. A bot that never asks it answers when its function returns.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Final, NoReturn

from harness.errors import HarnessError
from harness.protocol.codec import decode_request, encode_message
from harness.protocol.messages import (
    AcceptDraw,
    BestMove,
    BotMessage,
    Go,
    Greet,
    GreetingDone,
    IdAuthor,
    IdName,
    Info,
    IsReady,
    NewGame,
    OptionOffer,
    OptionType,
    Query,
    Question,
    Quit,
    ReadyOk,
    Request,
    Resign,
    Response,
    SetOption,
    SetPosition,
    Stop,
)
from harness.rules.game import Game
from harness.rules.notation import WIRE_BYTES, wire_text
from harness.rules.position import STANDARD_START, Position
from harness.rules.types import PASS, Color, Move, NoMovesRule, RuleSet, SimultaneousRule

RESIGN: Final = Move(-1)
"""Returned in place of a move, it gives the game up."""

DRAW: Final = Move(-2)
"""Returned in place of a move when ``turn.draw_offered``, it accepts the opponent's draw."""

OptionValue = int | bool | str
Choose = Callable[[Position, "Turn"], Move]

_CHUNK_BYTES: Final = 64 * 1024
_MAX_LINE_BYTES: Final = 1024 * 1024
_SAFETY_MS: Final = 10
_USUAL_MOVES_LEFT: Final = 25

_KIT_OPTIONS: Final = (
    OptionOffer("Seed", OptionType.SPIN, "0", 0, 2**31 - 1),
    OptionOffer("Simultaneous", OptionType.COMBO, "draw", choices=("draw", "mover")),
    OptionOffer("NoMoves", OptionType.COMBO, "pass", choices=("pass", "loss", "draw")),
    OptionOffer("Repetition", OptionType.SPIN, "3", 0, 1000),
)
_DRAW_OFFERS: Final = OptionOffer("DrawOffers", OptionType.CHECK, "false")


class Turn:
    """One request for a move: the limits, and what a bot may want to know or say.

    ``limits`` is the request as it was sent, ``game`` the game so far under the rules that the
    runner has set (to be read, not to be played on), ``options`` the values of the bot's options
    by name. ``deadline_ns`` is the monotonic time at which the bot should answer, None when no
    time limits it.
    """

    __slots__ = (
        "_connection",
        "_must_stop",
        "_offers_draw",
        "_random",
        "deadline_ns",
        "game",
        "limits",
        "options",
        "started_ns",
    )

    def __init__(
        self,
        connection: _Connection,
        game: Game,
        limits: Go,
        options: Mapping[str, OptionValue],
        started_ns: int,
    ) -> None:
        self._connection = connection
        self._must_stop = False
        self._offers_draw = False
        self.game = game
        self.limits = limits
        self.options = options
        self.started_ns = started_ns
        self.deadline_ns = _deadline_ns(limits, game.position.to_move, started_ns)
        self._random: Random | None = None

    @property
    def random(self) -> Random:
        """A source of chance that depends on Seed and the moves so far alone."""
        if self._random is None:
            moves = b" ".join([WIRE_BYTES[move] for move in self.game.moves]).decode()
            self._random = Random(f"{self.options['Seed']} {moves}")
        return self._random

    @property
    def position(self) -> Position:
        """The position to move in."""
        return self.game.position

    @property
    def remaining_ms(self) -> int | None:
        """The bot's own time on the clock; None when no clock runs."""
        is_first = self.game.position.to_move is Color.BLACK
        return self.limits.first_time_ms if is_first else self.limits.second_time_ms

    @property
    def draw_offered(self) -> bool:
        """Whether the opponent offers a draw: return DRAW to accept, a move to decline."""
        return self.limits.draw_offer

    def offer_draw(self) -> None:
        """Offer the opponent a draw together with the move that is returned.

        Nothing is said to a runner that knows no draw offers, or to an opponent that knows
        none. Raises RuntimeError in a bot that was not run with ``draw_offers=True``.
        """
        if _DRAW_OFFERS.name not in self.options:
            raise RuntimeError("offer_draw() needs botkit.run(..., draw_offers=True)")
        self._offers_draw = self.options[_DRAW_OFFERS.name] is True

    def should_stop(self) -> bool:
        """Whether to answer now: time is up, or the runner said stop, quit or closed the pipe.

        Costs a few microseconds: ask it every few hundred nodes.
        """
        if self._must_stop:
            return True
        if (
            self.deadline_ns is not None and time.monotonic_ns() >= self.deadline_ns
        ) or self._connection.wants_answer():
            self._must_stop = True
        return self._must_stop

    def report(self, info: Info) -> None:
        """Tell the runner about the search."""
        self._connection.say(info)


def run(
    choose: Choose,
    *,
    name: str,
    author: str = "",
    options: Sequence[OptionOffer] = (),
    new_game: Callable[[], None] | None = None,
    draw_offers: bool = False,
) -> NoReturn:
    """Serve the runner on standard input and output until it says quit or closes the input.

    ``choose`` returns a legal move of the position, or RESIGN, or DRAW to accept an offer; it is
    not asked when only a pass is legal (an offer is then declined). ``options`` are announced
    beside those of the kit (Seed and the rules), their values are found in ``turn.options``.
    ``new_game`` is called when a new game follows. With ``draw_offers`` the kit announces the
    option DrawOffers: the bot may then offer and accept draws (``turn.offer_draw()``,
    ``turn.draw_offered``, DRAW).
    An exception in ``choose`` ends the process with its traceback on stderr. Raises ValueError
    for an option that has the name of another one or does not take its own default.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the runner decides when a bot ends
    with suppress(BrokenPipeError):
        connection = _Connection(0, 1)
        _Bot(connection, choose, name, author, options, new_game, draw_offers=draw_offers).serve()
    sys.exit(0)


class _Connection:
    """Requests from one file and messages to another, unbuffered: one write a message."""

    def __init__(self, input_fd: int, output_fd: int) -> None:
        self._input_fd = input_fd
        self._output_fd = output_fd
        self._waiting: list[Request | None] = []
        self._partial = b""
        self._is_open = True
        self._poll = select.poll()
        self._poll.register(input_fd, select.POLLIN)

    def say(self, *messages: BotMessage) -> None:
        data = "".join(f"{encode_message(message)}\n" for message in messages).encode()
        while data:
            data = data[os.write(self._output_fd, data) :]

    def next_request(self) -> Request | None:
        """Return the next request; Quit at the end of input, None for an unreadable position."""
        while not self._waiting:
            if not self._is_open:
                return Quit()
            self._read()
        return self._waiting.pop(0)

    def wants_answer(self) -> bool:
        """Look at what came while the bot thinks; True when it has to answer."""
        while self._is_open and self._poll.poll(0):
            self._read()
        while self._waiting:
            request = self._waiting[0]
            if isinstance(request, IsReady):
                del self._waiting[0]
                self.say(ReadyOk())
            elif isinstance(request, Stop):
                del self._waiting[0]
                return True
            else:
                return True
        return not self._is_open

    def _read(self) -> None:
        chunk = os.read(self._input_fd, _CHUNK_BYTES)
        if not chunk:
            self._is_open = False
            return
        *lines, self._partial = (self._partial + chunk).split(b"\n")
        if len(self._partial) > _MAX_LINE_BYTES:
            self._partial = b"?"  # no word of the protocol: the rest of the line is not understood
        for line in lines:
            request = decode_request(line.decode("utf-8", "replace"))
            if request is not None or line.startswith(b"position"):
                self._waiting.append(request)


class _Bot:
    """The state between requests: options and the game so far."""

    def __init__(
        self,
        connection: _Connection,
        choose: Choose,
        name: str,
        author: str = "",
        options: Sequence[OptionOffer] = (),
        new_game: Callable[[], None] | None = None,
        *,
        draw_offers: bool = False,
    ) -> None:
        self._connection = connection
        self._choose = choose
        self._name = name
        self._author = author
        self._new_game = new_game
        self._offers = (*options, *_KIT_OPTIONS, *([_DRAW_OFFERS] if draw_offers else []))
        self._values = _defaults(self._offers)
        self._rules = RuleSet()
        self._game = Game(STANDARD_START, self._rules)
        self._set: SetPosition | None = SetPosition(None, ())

    def serve(self) -> None:
        while True:
            request = self._connection.next_request()
            match request:
                case Quit():
                    return
                case Go():
                    self._go(request)
                case SetPosition():
                    self._set_position(request)
                case IsReady():
                    self._connection.say(ReadyOk())
                case NewGame():
                    if self._new_game is not None:
                        self._new_game()
                case Greet():
                    self._greet(request)
                case SetOption():
                    self._set_option(request)
                case Query():
                    self._connection.say(Response(self._response(request.question)))
                case Stop():
                    pass  # nothing runs: the answer was already given
                case None:
                    self._complain("this position was not understood, the last one is kept")

    def _greet(self, request: Greet) -> None:
        names: list[BotMessage] = [IdName(self._name)]
        if self._author:
            names.append(IdAuthor(self._author))
        self._connection.say(*names, *self._offers, GreetingDone(request.dialect))

    def _set_option(self, request: SetOption) -> None:
        for offer in self._offers:
            if offer.name.lower() == request.name.lower():
                value = _value(offer, request.value or "")
                if value is None:
                    self._complain(f"option {offer.name} does not take {request.value!r}")
                    return
                self._values[offer.name] = value
                self._rules = RuleSet(
                    simultaneous=SimultaneousRule(self._values["Simultaneous"]),
                    no_moves=NoMovesRule(self._values["NoMoves"]),
                    repetition=_repetition(self._values["Repetition"]),
                )
                self._set = None
                return
        self._complain(f"there is no option {request.name!r}")

    def _set_position(self, request: SetPosition) -> None:
        """Follow the game: only the moves that are new are played when the rest is the same."""
        known = self._set
        if (
            known is not None
            and request.start == known.start
            and request.moves[: len(known.moves)] == known.moves
        ):
            new_moves = request.moves[len(known.moves) :]
        else:
            new_moves = request.moves
            start = STANDARD_START
            try:
                if request.start is not None:
                    start = request.start.position()
            except HarnessError as error:
                self._complain(str(error))
                return
            self._game = Game(start, self._rules)
        self._set = None
        game = self._game
        for move in new_moves:
            # The runner decides when a game is over: its moves are followed beyond our verdict.
            fault = game.fault_of(move)
            if fault is not None:
                self._complain(f"{wire_text(move)} in {game.position}: {fault.value}")
                return
            game.push(move)
        self._set = request

    def _go(self, limits: Go) -> None:
        started_ns = time.monotonic_ns()
        game = self._game
        if not game.position.has_legal_move():
            self._connection.say(BestMove(PASS))
            return
        turn = Turn(self._connection, game, limits, dict(self._values), started_ns)
        try:
            move = self._choose(game.position, turn)
        except BrokenPipeError:
            raise
        except Exception:
            _die_with_traceback()
        if move == RESIGN:
            self._connection.say(Resign())
            return
        if move == DRAW and turn.draw_offered:
            self._connection.say(AcceptDraw())
            return
        if not isinstance(move, int) or game.fault_of(move) is not None:
            shown = "botkit.DRAW" if move == DRAW else repr(move)
            sys.stderr.write(
                f"choose() returned {shown}; it must return one of position.legal_moves(), "
                "botkit.RESIGN, or botkit.DRAW when turn.draw_offered\n"
            )
            sys.stderr.flush()
            os._exit(1)
        self._connection.say(BestMove(move, turn._offers_draw))

    def _response(self, question: Question) -> str:
        verdict = self._game.verdict
        match question:
            case Question.GAME_OVER:
                return "true" if verdict is not None else "false"
            case Question.FIRST_TO_MOVE:
                return "true" if self._game.position.to_move is Color.BLACK else "false"
            case Question.RESULT:
                if verdict is None:
                    return "none"
                if verdict.winner is None:
                    return "draw"
                return "p1win" if verdict.winner is Color.BLACK else "p2win"

    def _complain(self, text: str) -> None:
        self._connection.say(Info(text=" ".join(text.split())))


def _die_with_traceback() -> NoReturn:
    import traceback

    traceback.print_exc()
    sys.stderr.flush()
    os._exit(1)


def _defaults(offers: Sequence[OptionOffer]) -> dict[str, OptionValue]:
    values: dict[str, OptionValue] = {}
    for offer in offers:
        value = _value(offer, offer.default)
        if value is None:
            raise ValueError(f"option {offer.name} does not take its default {offer.default!r}")
        if offer.name.lower() in map(str.lower, values):
            raise ValueError(f"there are two options {offer.name}; the kit has Seed and the rules")
        values[offer.name] = value
    return values


def _value(offer: OptionOffer, text: str) -> OptionValue | None:
    """Return a typed value; None when the option does not take this text."""
    match offer.type:
        case OptionType.SPIN:
            try:
                number = int(text)
            except ValueError:
                return None
            if offer.minimum is not None and number < offer.minimum:
                return None
            if offer.maximum is not None and number > offer.maximum:
                return None
            return number
        case OptionType.CHECK:
            return {"true": True, "false": False}.get(text.lower())
        case OptionType.COMBO:
            found = [choice for choice in offer.choices if choice.lower() == text.lower()]
            return found[0] if found else None
        case OptionType.STRING:
            return "" if text == "<empty>" else text
        case OptionType.BUTTON:
            return True


def _repetition(value: OptionValue) -> int:
    return value if isinstance(value, int) and value != 1 else 0


def _deadline_ns(limits: Go, to_move: Color, started_ns: int) -> int | None:
    """Return when to answer: a fair share of the clock, or the time for the move, less a little."""
    budgets_ms: list[float] = []
    if limits.move_time_ms is not None:
        budgets_ms.append(limits.move_time_ms - _SAFETY_MS)
    is_first = to_move is Color.BLACK
    remaining_ms = limits.first_time_ms if is_first else limits.second_time_ms
    if remaining_ms is not None:
        increment_ms = (limits.first_increment_ms if is_first else limits.second_increment_ms) or 0
        moves_left = min(max(limits.moves_to_go or _USUAL_MOVES_LEFT, 1), _USUAL_MOVES_LEFT)
        share_ms = remaining_ms / moves_left + 0.75 * increment_ms
        budgets_ms.append(min(share_ms, 0.8 * remaining_ms) - _SAFETY_MS)
    if not budgets_ms or limits.infinite:
        return None
    return started_ns + int(max(1.0, min(budgets_ms)) * 1e6)
