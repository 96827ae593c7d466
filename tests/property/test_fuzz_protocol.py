"""No line breaks the codec: what is not understood is None, what is read is written on one line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.play.score import WIN_CP, has_score, read_score
from harness.process.lines import LineSplitter
from harness.protocol.codec import (
    decode_message,
    decode_request,
    encode_message,
    encode_request,
)
from harness.protocol.messages import Dialect, Info, OptionOffer
from tests.property.fuzzing import FEW, MANY, entries, mutated

GAMES = entries("games.json", "games")
WIRE_GAMES = [" ".join(one["moves"]).replace("-", "").replace("x", "") for one in GAMES]
STARTS = list(zip(GAMES, WIRE_GAMES, strict=True))
LINES = [
    *("ugi", "uci", "isready", "uginewgame", "ucinewgame", "stop", "quit", "query gameover"),
    "setoption name Multi Word value of many words",
    "setoption name Clear",
    "go p1time 5000 p2time 4000 p1inc 50 p2inc 0 movestogo 3 movetime 9 nodes 7 depth 2 drawoffer",
    "go wtime 1 btime 2 winc 3 binc 4 infinite",
    *(f"position startpos moves {moves}" for moves in WIRE_GAMES[:20]),
    *(f"position fen {one['start']} moves {moves}" for one, moves in STARTS),
    *("id name Bot 1.0", "id author A, B and C", "ugiok", "uciok", "readyok", "response true"),
    "option name Depth type spin default 3 min 1 max 10",
    "option name Style type combo default calm var calm var very wild",
    "option name Book type string default <empty>",
    "option name Clear type button",
    *("bestmove b1b3", "bestmove d1xa4 draw", "bestmove resign", "bestmove draw", "bestmove pass"),
    "info depth 3 seldepth 5 score cp -31 nodes 7 nps 9 time 2 hashfull 4 pv b1b3 a2c2 string x y",
    "info score win -4 lowerbound score mate 3 multipv 1 currmove b1b3",
]  # fmt: skip
FILLER = mutated(LINES).map(lambda text: text.encode("utf-8", "surrogatepass"))


def check_line(line: str) -> None:
    request = decode_request(line)
    if request is not None:
        for dialect in Dialect:
            written = encode_request(request, dialect)
            assert written.splitlines() == [written]
        assert decode_request(encode_request(request)) == request
    message = decode_message(line)
    if message is not None:
        written = encode_message(message)
        assert written.splitlines() == [written]
        assert decode_message(written) == message
    if isinstance(message, Info):
        numbers = (message.depth, message.nodes, message.score_cp, message.score_win)
        assert all(number is None or abs(number) < 10**18 for number in numbers)
    if isinstance(message, OptionOffer):
        assert message.name


def check_score(line: bytes) -> None:
    score = read_score(line)
    assert score is None or abs(score) < 10**18 or abs(score) == WIN_CP
    assert has_score(line) == (score is not None)


def check_splitter(chunks: list[bytes]) -> None:
    """In whatever pieces a stream comes, the lines are the same, and no more is held."""
    stream = b"".join(chunks)
    splitter, whole = LineSplitter(200), LineSplitter(200)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    assert lines == whole.feed(stream)
    assert all(len(line) <= 200 and b"\n" not in line for line in lines)
    assert len(splitter._partial) <= 201


@settings(max_examples=4 * FEW)
@given(mutated(LINES))
def test_no_line_breaks_the_codec(line: str) -> None:
    check_line(line)


@settings(max_examples=FEW)
@given(FILLER)
def test_no_line_breaks_the_reading_of_scores(line: bytes) -> None:
    check_score(line)


@settings(max_examples=FEW)
@given(st.lists(FILLER | st.binary(max_size=300) | st.just(b"\n"), max_size=8))
def test_lines_do_not_depend_on_chunks(chunks: list[bytes]) -> None:
    check_splitter(chunks)


@pytest.mark.slow
@settings(max_examples=4 * MANY)
@given(mutated(LINES), st.binary(max_size=300))
def test_no_line_breaks_the_codec_at_length(line: str, data: bytes) -> None:
    check_line(line)
    check_line(data.decode("utf-8", "replace"))
    check_score(b"info " + data)
    check_score(line.encode("utf-8", "surrogatepass"))
