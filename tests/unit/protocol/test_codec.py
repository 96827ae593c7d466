from __future__ import annotations

import pytest

from harness.protocol.codec import (
    decode_message,
    decode_request,
    encode_message,
    encode_request,
)
from harness.protocol.messages import (
    AcceptDraw,
    BestMove,
    BotMessage,
    Dialect,
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
    UnreadableMove,
)
from harness.rules.notation import parse_fen, parse_move
from harness.rules.types import PASS

EGGS = "1wbwbwb1/b6w/w6b/b6w/w6b/b6w/w6b/1bwbwbw1 b"
B1B3 = parse_move("b1b3")
D1A4 = parse_move("d1a4")
CLOCKS = Go(5000, 4000, 50, 60, moves_to_go=7)

UGI_REQUESTS: list[tuple[str, Request]] = [
    ("ugi", Greet()),
    ("setoption name Depth value 4", SetOption("Depth", "4")),
    ("setoption name Two words value and three more", SetOption("Two words", "and three more")),
    ("setoption name Clear", SetOption("Clear", None)),
    ("isready", IsReady()),
    ("uginewgame", NewGame()),
    ("position startpos", SetPosition(None, ())),
    ("position startpos moves b1b3 d1a4 pass", SetPosition(None, (B1B3, D1A4, PASS))),
    (f"position fen {EGGS}", SetPosition(parse_fen(EGGS), ())),
    (f"position fen {EGGS} moves b1b3", SetPosition(parse_fen(EGGS), (B1B3,))),
    ("go", Go()),
    ("go p1time 5000 p2time 4000 p1inc 50 p2inc 60 movestogo 7", CLOCKS),
    ("go movetime 100 nodes 200 depth 3", Go(move_time_ms=100, nodes=200, depth=3)),
    ("go infinite", Go(infinite=True)),
    ("go depth 2 drawoffer", Go(depth=2, draw_offer=True)),
    ("stop", Stop()),
    ("query gameover", Query(Question.GAME_OVER)),
    ("query p1turn", Query(Question.FIRST_TO_MOVE)),
    ("query result", Query(Question.RESULT)),
    ("quit", Quit()),
]

MESSAGES: list[tuple[str, BotMessage]] = [
    ("id name A good bot 1.0", IdName("A good bot 1.0")),
    ("id author Ada", IdAuthor("Ada")),
    (
        "option name Seed type spin default 0 min 0 max 10",
        OptionOffer("Seed", OptionType.SPIN, "0", 0, 10),
    ),
    (
        "option name Style type combo default calm var calm var very wild",
        OptionOffer("Style", OptionType.COMBO, "calm", choices=("calm", "very wild")),
    ),
    (
        "option name Draw Offers type check default true",
        OptionOffer("Draw Offers", OptionType.CHECK, "true"),
    ),
    ("option name Clear type button", OptionOffer("Clear", OptionType.BUTTON)),
    ("option name Book type string default", OptionOffer("Book", OptionType.STRING)),
    ("ugiok", GreetingDone()),
    ("uciok", GreetingDone(Dialect.UCI)),
    ("readyok", ReadyOk()),
    ("bestmove b1b3", BestMove(B1B3)),
    ("bestmove pass", BestMove(PASS)),
    ("bestmove b1b3 draw", BestMove(B1B3, offers_draw=True)),
    ("bestmove resign", Resign()),
    ("bestmove draw", AcceptDraw()),
    ("bestmove", UnreadableMove("")),
    ("bestmove z9", UnreadableMove("z9")),
    ("info", Info()),
    (
        "info depth 3 seldepth 5 nodes 9 nps 2000 time 500 hashfull 12 score cp -31 pv b1b3 d1a4",
        Info(3, 5, -31, None, 9, 2000, 500, 12, ("b1b3", "d1a4")),
    ),
    ("info score win -4 string it is lost", Info(score_win=-4, text="it is lost")),
    ("response p1win", Response("p1win")),
]


@pytest.mark.parametrize(("line", "request_"), UGI_REQUESTS)
def test_requests_are_written_and_read(line: str, request_: Request) -> None:
    assert encode_request(request_) == line
    assert decode_request(line) == request_


@pytest.mark.parametrize(("line", "message"), MESSAGES)
def test_messages_are_written_and_read(line: str, message: BotMessage) -> None:
    assert encode_message(message) == line
    assert decode_message(line) == message


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("uci", Greet(Dialect.UCI)),
        ("ucinewgame", NewGame()),
        ("go wtime 5000 btime 4000 winc 50 binc 60 movestogo 7", CLOCKS),
        ("go wtime 5000 drawoffer", Go(5000, draw_offer=True)),
    ],
)
def test_the_uci_dialect_has_its_own_words(line: str, request_: Request) -> None:
    assert encode_request(request_, Dialect.UCI) == line
    assert decode_request(line) == request_


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("  isready\t\r", IsReady()),
        ("isready now", IsReady()),
        ("stop it", Stop()),
        ("quit please", Quit()),
        (
            "position startpos moves B1-B3 d1xa4 D1:A4+ PASS",
            SetPosition(None, (B1B3, D1A4, D1A4, PASS)),
        ),
        ("position startpos moves", SetPosition(None, ())),
        ("go depth", Go()),
        ("go depth x nodes 5", Go(nodes=5)),
        ("go p1time p2time 7", Go(second_time_ms=7)),
        ("go mate 3 searchmoves b1b3 depth 2", Go(depth=2)),
        ("go p1time -12", Go(first_time_ms=-12)),
        (f"go nodes {'9' * 5000}", Go()),
        ("go nodes ² depth 1", Go(depth=1)),
        ("setoption name Depth value", SetOption("Depth", "")),
    ],
)
def test_requests_are_read_with_tolerance(line: str, request_: Request) -> None:
    assert decode_request(line) == request_


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "hello",
        "UGI",
        "ugiok",
        "setoption",
        "setoption Depth 4",
        "setoption name",
        "setoption name value 4",
        "position",
        "position here",
        "position fen",
        "position fen garbage",
        f"position fen {EGGS} b1b3",
        "position startpos b1b3",
        "position startpos moves b1b3 z9z9",
        "query",
        "query weather",
    ],
)
def test_what_is_no_request_is_none(line: str) -> None:
    assert decode_request(line) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bestmove B1-B3", BestMove(B1B3)),
        ("bestmove d1xa4! ponder b1b3", BestMove(D1A4)),
        ("bestmove b1b1", UnreadableMove("b1b1")),
        ("bestmove resign now", Resign()),
        (
            "option name Hash type spin max 9 min 1 default 3",
            OptionOffer("Hash", OptionType.SPIN, "3", 1, 9),
        ),
        ("info depth x nodes 5 score cp 7 upperbound", Info(nodes=5, score_cp=7)),
        ("info score mate 3", Info(score_win=3)),
        ("info score cp", Info()),
        ("info pv b1b3 d1a4 nodes 8", Info(nodes=8, pv=("b1b3", "d1a4"))),
        ("info pv", Info()),
        ("info string depth 3", Info(text="depth 3")),
    ],
)
def test_messages_are_read_with_tolerance(line: str, message: BotMessage) -> None:
    assert decode_message(line) == message


@pytest.mark.parametrize(
    "line",
    [
        "",
        "hello",
        "bestmoves b1b3",
        "ugi",
        "id",
        "option",
        "option name",
        "option name X type slider",
        "option name type spin",
        "readyok?",
    ],
)
def test_what_is_no_message_is_none(line: str) -> None:
    assert decode_message(line) is None


@pytest.mark.parametrize(
    "message",
    [
        IdName("a\nbestmove b1b3"),
        IdAuthor("a\r\nbestmove b1b3"),
        Info(text="a\u2028b\nbestmove b1b3"),
        Response("true\nbestmove b1b3"),
        UnreadableMove("x\nbestmove b1b3"),
    ],
)
def test_a_text_cannot_begin_a_second_line(message: BotMessage) -> None:
    assert len(encode_message(message).splitlines()) == 1


def test_an_option_cannot_begin_a_second_line() -> None:
    line = encode_request(SetOption("Book\nquit", "a\nquit"))
    assert line == "setoption name Book quit value a quit"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bestmove B1-B3 draw", BestMove(B1B3, offers_draw=True)),
        ("bestmove pass draw please", BestMove(PASS, offers_draw=True)),
        ("bestmove b1b3 please draw", BestMove(B1B3)),
        ("bestmove b1b3 DRAW", BestMove(B1B3)),
        ("bestmove draw b1b3", AcceptDraw()),
        ("bestmove resign draw", Resign()),
        ("bestmove Resign", UnreadableMove("Resign")),
        ("bestmove DRAW", UnreadableMove("DRAW")),
    ],
)
def test_offers_and_concessions_are_exact_words(line: str, message: BotMessage) -> None:
    assert decode_message(line) == message
