from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import pytest

from harness.botkit import (
    DRAW,
    RESIGN,
    Choose,
    OptionValue,
    Turn,
    _Bot,
    _Connection,
    _deadline_ns,
    _value,
)
from harness.protocol.messages import Go, Info, OptionOffer, OptionType
from harness.rules.notation import parse_fen, parse_move
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position
from harness.rules.types import Color, Move, NoMovesRule, RuleSet, SimultaneousRule

MS = 1_000_000
BLOCKED = "bww5/ww6/w1w5/8/8/5w1w/6ww/5wwb b"
DEPTH = OptionOffer("Depth", OptionType.SPIN, "3", 1, 9)
KIT_OFFERS = [
    "option name Seed type spin default 0 min 0 max 2147483647",
    "option name Simultaneous type combo default draw var draw var mover",
    "option name NoMoves type combo default pass var pass var loss var draw",
    "option name Repetition type spin default 3 min 0 max 1000",
]


@dataclass
class Talk:
    """A bot in this process, spoken to through two pipes."""

    input_fd: int
    runner_fd: int
    answer_fd: int
    output_fd: int
    turns: list[Turn] = field(default_factory=list)
    positions: list[Position] = field(default_factory=list)

    def send(self, text: bytes) -> None:
        os.write(self.runner_fd, text)

    def first_move(self, position: Position, turn: Turn) -> Move:
        self.positions.append(position)
        self.turns.append(turn)
        return position.legal_moves()[0]

    def serve(
        self,
        *lines: str,
        choose: Choose | None = None,
        options: Sequence[OptionOffer] = (),
        new_game: Callable[[], None] | None = None,
        author: str = "",
        draw_offers: bool = False,
    ) -> list[str]:
        """Send lines and the end of input, and return what the bot said."""
        connection = _Connection(self.input_fd, self.output_fd)
        bot = _Bot(
            connection,
            choose or self.first_move,
            "test",
            author,
            options,
            new_game,
            draw_offers=draw_offers,
        )
        self.send("".join(f"{line}\n" for line in lines).encode())
        self.hang_up()
        bot.serve()
        return self.said()

    def hang_up(self) -> None:
        if self.runner_fd >= 0:
            os.close(self.runner_fd)
            self.runner_fd = -1

    def said(self) -> list[str]:
        os.set_blocking(self.answer_fd, False)
        try:
            return os.read(self.answer_fd, 65536).decode().splitlines()
        except BlockingIOError:
            return []


@pytest.fixture
def talk() -> Iterator[Talk]:
    talk = Talk(*os.pipe(), *os.pipe())
    yield talk
    talk.hang_up()
    for fd in (talk.input_fd, talk.answer_fd, talk.output_fd):
        with suppress(OSError):
            os.close(fd)


# Values of options


@pytest.mark.parametrize(
    ("offer", "text", "value"),
    [
        (DEPTH, "1", 1),
        (DEPTH, "9", 9),
        (DEPTH, "0", None),
        (DEPTH, "10", None),
        (DEPTH, "", None),
        (DEPTH, "two", None),
        (DEPTH, "9" * 5000, None),
        (OptionOffer("X", OptionType.SPIN, "0"), "-7", -7),
        (OptionOffer("X", OptionType.CHECK, "true"), "True", True),
        (OptionOffer("X", OptionType.CHECK, "true"), "false", False),
        (OptionOffer("X", OptionType.CHECK, "true"), "1", None),
        (OptionOffer("X", OptionType.COMBO, "a", choices=("a", "B c")), "b C", "B c"),
        (OptionOffer("X", OptionType.COMBO, "a", choices=("a", "B c")), "b", None),
        (OptionOffer("X", OptionType.STRING), "", ""),
        (OptionOffer("X", OptionType.STRING), "<empty>", ""),
        (OptionOffer("X", OptionType.STRING), "a b", "a b"),
        (OptionOffer("X", OptionType.BUTTON), "", True),
    ],
)
def test_values_of_options(offer: OptionOffer, text: str, value: OptionValue | None) -> None:
    assert _value(offer, text) == value


def test_options_reach_the_turn_and_wrong_values_do_not(talk: Talk) -> None:
    said = talk.serve(
        "setoption name depth value 5",
        "setoption name Depth value 50",
        "setoption name Colour value red",
        "go",
        options=[DEPTH],
    )
    assert talk.turns[0].options["Depth"] == 5
    assert said[:2] == [
        "info string option Depth does not take '50'",
        "info string there is no option 'Colour'",
    ]


@pytest.mark.parametrize(
    "offer",
    [OptionOffer("Seed", OptionType.SPIN, "0"), OptionOffer("nomoves", OptionType.STRING)],
)
def test_an_option_of_the_kit_cannot_be_offered_again(talk: Talk, offer: OptionOffer) -> None:
    with pytest.raises(ValueError, match="there are two options"):
        talk.serve(options=[offer])


def test_an_option_has_to_take_its_own_default(talk: Talk) -> None:
    with pytest.raises(ValueError, match="option Depth does not take its default '0'"):
        talk.serve(options=[OptionOffer("Depth", OptionType.SPIN, "0", 1, 9)])


# The conversation


def test_the_greeting(talk: Talk) -> None:
    said = talk.serve("ugi", options=[DEPTH], author="Ada")
    assert said == [
        "id name test",
        "id author Ada",
        "option name Depth type spin default 3 min 1 max 9",
        *KIT_OFFERS,
        "ugiok",
    ]


def test_the_greeting_in_the_uci_dialect(talk: Talk) -> None:
    assert talk.serve("uci", "isready") == ["id name test", *KIT_OFFERS, "uciok", "readyok"]


def test_quit_ends_and_what_follows_is_not_read(talk: Talk) -> None:
    assert talk.serve("isready", "quit", "isready") == ["readyok"]


def test_a_new_game_is_announced_to_the_bot(talk: Talk) -> None:
    games: list[str] = []
    talk.serve("uginewgame", "uginewgame", new_game=lambda: games.append("new"))
    assert games == ["new", "new"]


def test_lines_that_are_not_understood_are_skipped(talk: Talk) -> None:
    said = talk.serve("", "hello", "GO", "isready\r", "query weather", "\ufffd\x00", "stop")
    assert said == ["readyok"]


def test_a_line_without_end_is_not_kept(talk: Talk) -> None:
    connection = _Connection(talk.input_fd, talk.output_fd)
    bot = _Bot(connection, talk.first_move, "test")
    for _ in range(70):
        talk.send(b"isready " * 2048)
        connection._read()
        assert len(connection._partial) <= 1024 * 1024 + 16384
    talk.send(b"\nisready\n")
    talk.hang_up()
    bot.serve()
    assert talk.said() == ["readyok"]


def test_a_request_in_pieces_is_one_request(talk: Talk) -> None:
    connection = _Connection(talk.input_fd, talk.output_fd)
    for piece in (b"posi", b"tion startpos mov", b"es b1b3\nisr"):
        talk.send(piece)
        connection._read()
    assert connection.next_request() is not None
    assert connection._waiting == []


# Following the game


def test_positions_are_followed_move_by_move(talk: Talk) -> None:
    moves = ["b1b3", "h4f2", "d1xa4", "h2-e2"]
    talk.serve(*(f"position startpos moves {' '.join(moves[:n])}\ngo" for n in range(5)))
    position = STANDARD_START
    expected = [position]
    for text in moves:
        position = position.play(parse_move(text))
        expected.append(position)
    assert talk.positions == expected


@pytest.mark.parametrize(
    "second",
    [
        "position startpos moves b1b3",
        "position startpos moves b1b3 a2d2",
        "position startpos moves c8c6 a6c4 e8b5",
        "position startpos",
        f"position fen {SCRAMBLED_EGGS_START} moves b1b3 h4f2",
        f"position fen {STANDARD_START} moves b1b3 h4f2",
    ],
)
def test_another_game_or_a_shorter_one_is_set_up_anew(talk: Talk, second: str) -> None:
    talk.serve("position startpos moves b1b3 h4f2", "go", second, "go")
    alone = Talk(*os.pipe(), *os.pipe())
    alone.serve(second, "go")
    assert talk.positions[1] == alone.positions[0]
    assert list(talk.turns[1].game.moves) == list(alone.turns[0].game.moves)
    for fd in (alone.input_fd, alone.answer_fd, alone.output_fd):
        os.close(fd)


def test_white_may_be_to_move_first(talk: Talk) -> None:
    talk.serve("position fen 1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w", "go p2time 7")
    assert talk.positions[0].to_move is Color.WHITE
    assert talk.turns[0].remaining_ms == 7


@pytest.mark.parametrize(
    "line",
    [
        "position",
        "position fen garbage",
        "position fen 8/8/8/8/8/8/8/8 b",
        "position fen bbbbbbbb/bbbbbbbb/8/8/8/8/8/w6w b",
        "position startpos moves z9z9",
        "position startpos moves b1b3 a1a2",
    ],
)
def test_an_impossible_position_is_named_and_a_legal_move_still_played(
    talk: Talk, line: str
) -> None:
    said = talk.serve("position startpos moves b1b3", line, "go", "isready")
    assert said[0].startswith("info string ")
    assert [words.split()[0] for words in said] == ["info", "bestmove", "readyok"]
    assert talk.positions == [STANDARD_START.play(parse_move("b1b3"))]


def test_the_runner_may_play_on_where_the_kit_sees_an_end(talk: Talk) -> None:
    shuffle = "b1b3 a2c2 b3b1 c2a2 " * 3
    said = talk.serve(f"position startpos moves {shuffle}c8c6", "query gameover", "go")
    assert said[0] == "response true"
    assert talk.positions[0].fault_of(parse_move("a6c4")) is None
    assert len(talk.turns[0].game.moves) == 13


def test_the_rules_that_are_set_reach_the_game(talk: Talk) -> None:
    talk.serve(
        "setoption name Simultaneous value mover",
        "setoption name NoMoves value loss",
        "setoption name Repetition value 0",
        "position startpos",
        "go",
    )
    assert talk.turns[0].game.rules == RuleSet(SimultaneousRule.MOVER, NoMovesRule.LOSS, 0)


def test_rules_set_after_a_position_hold_for_the_next_one(talk: Talk) -> None:
    talk.serve("position startpos", "setoption name Repetition value 5", "position startpos", "go")
    assert talk.turns[0].game.rules == RuleSet(repetition=5)


# Queries


@pytest.mark.parametrize(
    ("fen", "moves", "over", "result"),
    [
        ("w6w/8/8/8/8/8/8/1b1b4 b", "d1c2", "true", "p1win"),
        ("b6b/8/8/8/8/8/8/1w1w4 w", "d1c2", "true", "p2win"),
        ("w6w/8/8/8/8/8/8/1b1b4 b", "d1d2", "false", "none"),
        # Black connects by taking the one white piece that stands apart.
        ("ww6/8/8/8/8/1w6/b7/3b4 b", "d1b3", "true", "draw"),
        ("ww6/8/8/8/8/1w6/b7/3b4 b", "", "false", "none"),
        ("ww6/8/8/8/8/1w6/b7/3b4 w", "", "false", "none"),
    ],
)
def test_queries(talk: Talk, fen: str, moves: str, over: str, result: str) -> None:
    tail = f" moves {moves}" if moves else ""
    said = talk.serve(f"position fen {fen}{tail}", "query gameover", "query p1turn", "query result")
    to_move = parse_fen(fen).to_move
    first = (to_move is Color.BLACK) != bool(moves)
    assert said == [
        f"response {over}",
        f"response {'true' if first else 'false'}",
        f"response {result}",
    ]


def test_a_repetition_is_a_draw_unless_it_is_off(talk: Talk) -> None:
    position = "position startpos moves b1b3 a2c2 b3b1 c2a2 b1b3 a2c2 b3b1 c2a2"
    said = talk.serve(
        position, "query result", "setoption name Repetition value 0", position, "query result"
    )
    assert said == ["response draw", "response none"]


# Answers


def test_a_forced_pass_is_said_without_asking_the_bot(talk: Talk) -> None:
    said = talk.serve(f"position fen {BLOCKED}", "go")
    assert said == ["bestmove pass"]
    assert talk.turns == []


def test_a_bot_may_resign(talk: Talk) -> None:
    assert talk.serve("go", choose=lambda _position, _turn: RESIGN) == ["bestmove resign"]


DRAW_OFFERS = "option name DrawOffers type check default false"
ALLOW = "setoption name DrawOffers value true"


def offering(position: Position, turn: Turn) -> Move:
    turn.offer_draw()
    return parse_move("b1b3") if position == STANDARD_START else position.legal_moves()[0]


def test_draw_offers_are_announced_when_the_bot_asks_for_them(talk: Talk) -> None:
    assert DRAW_OFFERS in talk.serve("ugi", draw_offers=True)


def test_a_draw_is_offered_with_the_move_it_was_offered_with(talk: Talk) -> None:
    def choose(position: Position, turn: Turn) -> Move:
        if not turn.game.moves:
            return offering(position, turn)
        return position.legal_moves()[0]

    said = talk.serve(
        ALLOW, "go", "position startpos moves b1b3 h4f2", "go", choose=choose, draw_offers=True
    )
    assert said[0] == "bestmove b1b3 draw"
    assert said[1].startswith("bestmove ")
    assert "draw" not in said[1]


def test_nothing_is_offered_to_a_runner_that_did_not_ask_for_it(talk: Talk) -> None:
    assert talk.serve("go", choose=offering, draw_offers=True) == ["bestmove b1b3"]


def test_an_offer_is_withdrawn_by_resigning(talk: Talk) -> None:
    def choose(position: Position, turn: Turn) -> Move:
        offering(position, turn)
        return RESIGN

    assert talk.serve(ALLOW, "go", choose=choose, draw_offers=True) == ["bestmove resign"]


def test_a_draw_that_is_offered_is_accepted_or_declined(talk: Talk) -> None:
    offered: list[bool] = []

    def choose(_position: Position, turn: Turn) -> Move:
        offered.append(turn.draw_offered)
        is_accepted = turn.draw_offered and turn.limits.depth == 2
        return DRAW if is_accepted else parse_move("b1b3")

    said = talk.serve("go depth 2", "go drawoffer", "go depth 2 drawoffer", choose=choose)
    assert offered == [False, True, True]
    assert said == ["bestmove b1b3", "bestmove b1b3", "bestmove draw"]


def test_a_forced_pass_declines(talk: Talk) -> None:
    said = talk.serve(f"position fen {BLOCKED}", "go drawoffer", choose=offering, draw_offers=True)
    assert said == ["bestmove pass"]


class Died(BaseException):
    """Stands for the end of the process."""


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> None:
    def end(_code: int) -> None:
        raise Died

    monkeypatch.setattr(os, "_exit", end)


@pytest.mark.usefixtures("ended")
def test_a_draw_that_is_not_offered_cannot_be_accepted(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Died):
        talk.serve("go", choose=lambda _position, _turn: DRAW, draw_offers=True)
    assert talk.said() == []
    assert "choose() returned botkit.DRAW; it must return" in capsys.readouterr().err


@pytest.mark.usefixtures("ended")
def test_offering_without_the_option_is_a_mistake_of_the_bot(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Died):
        talk.serve("go", choose=offering)
    assert "RuntimeError: offer_draw() needs botkit.run(" in capsys.readouterr().err


def test_reports_come_before_the_move(talk: Talk) -> None:
    def choose(_position: Position, turn: Turn) -> Move:
        turn.report(Info(depth=1, nodes=30))
        return parse_move("b1b3")

    assert talk.serve("go", choose=choose) == ["info depth 1 nodes 30", "bestmove b1b3"]


def test_chance_depends_on_seed_and_moves_alone(talk: Talk) -> None:
    drawn: list[float] = []

    def choose(position: Position, turn: Turn) -> Move:
        drawn.append(turn.random.random())
        return position.legal_moves()[0]

    talk.serve(
        "setoption name Seed value 7",
        "position startpos",
        "go",
        "go depth 3",
        "position startpos moves b1b3",
        "go",
        "uginewgame",
        "position startpos",
        "go",
        "setoption name Seed value 8",
        "position startpos",
        "go",
        choose=choose,
    )
    assert drawn[0] == drawn[1] == drawn[3]
    assert len(set(drawn)) == 3


# Thinking


@pytest.fixture
def thinking(talk: Talk) -> Callable[[bytes], list[str]]:
    """Return what a bot says that thinks until it should stop, when these bytes come meanwhile."""

    def think(meanwhile: bytes) -> list[str]:
        def choose(position: Position, turn: Turn) -> Move:
            assert not turn.should_stop()
            talk.send(meanwhile)
            if meanwhile == b"":
                talk.hang_up()
            assert turn.should_stop()
            assert turn.should_stop()  # it stays so
            return parse_move("b1b3")

        connection = _Connection(talk.input_fd, talk.output_fd)
        bot = _Bot(connection, choose, "test")
        talk.send(b"go infinite\n")
        request = connection.next_request()
        assert isinstance(request, Go)
        bot._go(request)
        talk.hang_up()
        bot.serve()
        return talk.said()

    return think


@pytest.mark.parametrize(
    ("meanwhile", "said"),
    [
        (b"stop\n", ["bestmove b1b3"]),
        (b"", ["bestmove b1b3"]),
        (b"quit\n", ["bestmove b1b3"]),
        (b"isready\nhello\nstop\n", ["readyok", "bestmove b1b3"]),
        (b"stop\nisready\n", ["bestmove b1b3", "readyok"]),
        (b"position startpos\nisready\n", ["bestmove b1b3", "readyok"]),
    ],
)
def test_what_ends_thinking(
    thinking: Callable[[bytes], list[str]], meanwhile: bytes, said: list[str]
) -> None:
    assert thinking(meanwhile) == said


def test_neither_a_ping_nor_an_unfinished_line_ends_thinking(talk: Talk) -> None:
    def choose(_position: Position, turn: Turn) -> Move:
        talk.send(b"isready\nhello\nsto")
        assert not turn.should_stop()
        assert talk.said() == ["readyok"]
        talk.send(b"p\n")
        assert turn.should_stop()
        return parse_move("b1b3")

    connection = _Connection(talk.input_fd, talk.output_fd)
    _Bot(connection, choose, "test")._go(Go(infinite=True))
    assert talk.said() == ["bestmove b1b3"]


def test_time_ends_thinking(talk: Talk) -> None:
    def choose(position: Position, turn: Turn) -> Move:
        while not turn.should_stop():
            pass
        return position.legal_moves()[0]

    connection = _Connection(talk.input_fd, talk.output_fd)
    _Bot(connection, choose, "test")._go(Go(move_time_ms=11))
    assert talk.said()[0].startswith("bestmove ")


@pytest.mark.parametrize(
    ("limits", "color", "budget_ms"),
    [
        (Go(), Color.BLACK, None),
        (Go(depth=3, nodes=200), Color.BLACK, None),
        (Go(infinite=True, move_time_ms=50), Color.BLACK, None),
        (Go(second_time_ms=1000), Color.BLACK, None),
        (Go(move_time_ms=100), Color.BLACK, 90),
        (Go(move_time_ms=5), Color.BLACK, 1),
        (Go(first_time_ms=5000, second_time_ms=50), Color.BLACK, 5000 / 25 - 10),
        (Go(first_time_ms=50, second_time_ms=5000), Color.WHITE, 5000 / 25 - 10),
        (Go(5000, 5000, 100, 0), Color.BLACK, 5000 / 25 + 75 - 10),
        (Go(5000, 5000, 100, 0), Color.WHITE, 5000 / 25 - 10),
        (Go(first_time_ms=1000, moves_to_go=2), Color.BLACK, 500 - 10),
        (Go(first_time_ms=1000, moves_to_go=1), Color.BLACK, 800 - 10),
        (Go(first_time_ms=1000, moves_to_go=-3), Color.BLACK, 800 - 10),
        (Go(first_time_ms=1000, first_increment_ms=10_000), Color.BLACK, 800 - 10),
        (Go(first_time_ms=5000, move_time_ms=30), Color.BLACK, 20),
        (Go(first_time_ms=1), Color.BLACK, 1),
        (Go(first_time_ms=-40), Color.BLACK, 1),
    ],
)
def test_deadlines(limits: Go, color: Color, budget_ms: float | None) -> None:
    deadline_ns = _deadline_ns(limits, color, 7 * MS)
    if budget_ms is None:
        assert deadline_ns is None
    else:
        assert deadline_ns == 7 * MS + budget_ms * MS
