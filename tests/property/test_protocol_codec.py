from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

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
)
from harness.rules.position import Setup
from harness.rules.types import PASS, Color, Move

RESERVED = {"name", "type", "default", "min", "max", "var", "value"}
INFO_WORDS = {"depth", "seldepth", "nodes", "nps", "time", "hashfull", "score", "pv", "string"}
INFO_WORDS |= {"multipv", "currmove", "currmovenumber", "tbhits", "cpuload", "refutation"}
INFO_WORDS |= {"currline"}

words = st.text(min_size=1, max_size=8).filter(
    lambda text: text.split() == [text] and text not in RESERVED | INFO_WORDS
)
texts = st.lists(words, max_size=4).map(" ".join)
names = st.lists(words, min_size=1, max_size=3).map(" ".join)
numbers = st.none() | st.integers(-(10**18) + 1, 10**18 - 1)
counts = st.none() | st.integers(0, 10**18 - 1)
moves = st.just(PASS) | st.builds(
    lambda pair: Move(pair[0] << 6 | pair[1]),
    st.tuples(st.integers(0, 63), st.integers(0, 63)).filter(lambda pair: pair[0] != pair[1]),
)
sets = st.integers(0, 2**64 - 1)
setups = st.builds(
    lambda black, white, color: Setup(black, white & ~black, color),
    sets,
    sets,
    st.sampled_from(Color),
)

requests: st.SearchStrategy[Request] = st.one_of(
    st.builds(Greet, st.sampled_from(Dialect)),
    st.builds(SetOption, names, st.none() | texts),
    st.sampled_from([IsReady(), NewGame(), Stop(), Quit()]),
    st.builds(SetPosition, st.none() | setups, st.lists(moves, max_size=20).map(tuple)),
    st.builds(
        Go,
        numbers,
        numbers,
        counts,
        counts,
        counts,
        counts,
        counts,
        counts,
        st.booleans(),
        st.booleans(),
    ),
    st.builds(Query, st.sampled_from(Question)),
)
scores = st.one_of(
    st.fixed_dictionaries({"score_cp": numbers}), st.fixed_dictionaries({"score_win": numbers})
)
infos = st.builds(
    lambda score, depth, seldepth, nodes, rate, time_ms, hashfull, pv, text: Info(
        depth=depth,
        seldepth=seldepth,
        nodes=nodes,
        nodes_per_second=rate,
        time_ms=time_ms,
        hashfull=hashfull,
        pv=tuple(pv),
        text=text,
        **score,
    ),
    scores,
    counts,
    counts,
    counts,
    counts,
    counts,
    counts,
    st.lists(words, max_size=5),
    st.none() | texts,
)
messages: st.SearchStrategy[BotMessage] = st.one_of(
    st.builds(IdName, texts),
    st.builds(IdAuthor, texts),
    st.builds(
        OptionOffer,
        names,
        st.sampled_from([kind for kind in OptionType if kind is not OptionType.BUTTON]),
        texts,
        numbers,
        numbers,
        st.lists(names, max_size=3).map(tuple),
    ),
    st.builds(OptionOffer, names, st.just(OptionType.BUTTON)),
    st.builds(GreetingDone, st.sampled_from(Dialect)),
    st.sampled_from([ReadyOk(), Resign(), AcceptDraw()]),
    st.builds(BestMove, moves, st.booleans()),
    infos,
    st.builds(Response, texts),
)

# Lines that look like the protocol, so that more than the first word is reached.
OTHER_WORDS = """
    ugi uci isready setoption uginewgame position startpos fen moves go stop query quit
    p1time p2time wtime btime p1inc movestogo movetime infinite drawoffer gameover result
    id option spin combo check button bestmove resign draw pass b1b3 d1xa4 a1a1 info cp win
    readyok ugiok response -1 0 7 x 1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 8/8 b w
"""
VOCABULARY = sorted(RESERVED | INFO_WORDS | {*OTHER_WORDS.split()})
likely_lines = st.lists(st.sampled_from(VOCABULARY), max_size=12).map(" ".join)
lines = st.one_of(
    st.text(),
    st.binary().map(lambda data: data.decode("utf-8", "replace")),
    likely_lines,
)


@given(requests)
def test_a_request_is_read_as_it_was_written(request: Request) -> None:
    line = encode_request(request)
    assert len(line.splitlines()) == 1
    assert decode_request(line) == request


@given(requests.filter(lambda request: not isinstance(request, Greet)))
def test_a_request_of_the_uci_dialect_is_read_as_it_was_written(request: Request) -> None:
    assert decode_request(encode_request(request, Dialect.UCI)) == request


@given(messages)
def test_a_message_is_read_as_it_was_written(message: BotMessage) -> None:
    line = encode_message(message)
    assert len(line.splitlines()) == 1
    assert decode_message(line) == message


@given(lines)
def test_no_line_raises_and_what_is_read_is_written_and_read_the_same(line: str) -> None:
    request = decode_request(line)
    if request is not None:
        assert decode_request(encode_request(request)) == request
    message = decode_message(line)
    if message is not None:
        assert decode_message(encode_message(message)) == message
