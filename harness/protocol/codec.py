"""Messages to lines and back. The law is in PROTOCOL.md.

Reading is tolerant: a line that is not understood is None, a term that is not understood is
left out. Nothing that a bot or a runner writes raises an error here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, assert_never

from harness.errors import NotationError
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
from harness.rules.notation import format_fen, parse_fen, parse_move, wire_text
from harness.rules.types import Move
from harness.whole_number import reported_number

_GREETINGS: Final = {"ugi": Dialect.UGI, "uci": Dialect.UCI}
_GREETINGS_DONE: Final = {"ugiok": Dialect.UGI, "uciok": Dialect.UCI}
_NEW_GAMES: Final = {Dialect.UGI: "uginewgame", Dialect.UCI: "ucinewgame"}

# The fields of Go and their words; UCI's white is the first mover.
_UGI_TIMES: Final = {
    "p1time": "first_time_ms",
    "p2time": "second_time_ms",
    "p1inc": "first_increment_ms",
    "p2inc": "second_increment_ms",
}
_UCI_TIMES: Final = {
    "wtime": "first_time_ms",
    "btime": "second_time_ms",
    "winc": "first_increment_ms",
    "binc": "second_increment_ms",
}
_LIMITS: Final = {
    "movestogo": "moves_to_go",
    "movetime": "move_time_ms",
    "nodes": "nodes",
    "depth": "depth",
}
_GO_NUMBERS: Final = {**_UGI_TIMES, **_UCI_TIMES, **_LIMITS}
_INFO_NUMBERS: Final = {
    "depth": "depth",
    "seldepth": "seldepth",
    "nodes": "nodes",
    "nps": "nodes_per_second",
    "time": "time_ms",
    "hashfull": "hashfull",
}
_SCORES: Final = {"cp": "score_cp", "win": "score_win", "mate": "score_win"}
_INFO_WORDS: Final = frozenset(
    {*_INFO_NUMBERS, "score", "pv", "string", "multipv", "currmove", "currmovenumber"}
    | {"tbhits", "cpuload", "refutation", "currline"}
)
_OPTION_WORDS: Final = frozenset({"name", "type", "default", "min", "max", "var"})

_LONGEST_KEPT_MOVE: Final = 8
_read_known_move: Final = lru_cache(maxsize=4096)(parse_move)


# Runner to bot


def encode_request(request: Request, dialect: Dialect = Dialect.UGI) -> str:
    """Return the line of a request, without its end."""
    match request:
        case Greet(dialect=greeting):
            return greeting.value
        case SetOption(name=name, value=value):
            tail = f" value {_one_line(value)}" if value is not None else ""
            return f"setoption name {_one_line(name)}{tail}"
        case IsReady():
            return "isready"
        case NewGame():
            return _NEW_GAMES[dialect]
        case SetPosition(start=start, moves=moves):
            head = "startpos" if start is None else f"fen {format_fen(start)}"
            tail = " moves " + " ".join(map(wire_text, moves)) if moves else ""
            return f"position {head}{tail}"
        case Go():
            return _encode_go(request, dialect)
        case Stop():
            return "stop"
        case Query(question=question):
            return f"query {question.value}"
        case Quit():
            return "quit"
        case _:
            assert_never(request)


def decode_request(line: str) -> Request | None:
    """Read a line of a runner, in either dialect; None when it is not understood."""
    words = line.split()
    match words:
        case ["ugi" | "uci" as word, *_]:
            return Greet(_GREETINGS[word])
        case ["setoption", *rest]:
            return _decode_set_option(rest)
        case ["isready", *_]:
            return IsReady()
        case ["uginewgame" | "ucinewgame", *_]:
            return NewGame()
        case ["position", *rest]:
            return _decode_position(rest)
        case ["go", *rest]:
            return _decode_go(rest)
        case ["stop", *_]:
            return Stop()
        case ["query", word, *_]:
            try:
                return Query(Question(word))
            except ValueError:
                return None
        case ["quit", *_]:
            return Quit()
        case _:
            return None


def _encode_go(go: Go, dialect: Dialect) -> str:
    times = _UCI_TIMES if dialect is Dialect.UCI else _UGI_TIMES
    words = ["go"]
    for word, name in {**times, **_LIMITS}.items():
        value = getattr(go, name)
        if value is not None:
            words += [word, str(value)]
    if go.infinite:
        words.append("infinite")
    if go.draw_offer:
        words.append("drawoffer")
    return " ".join(words)


def _decode_go(words: Sequence[str]) -> Go:
    numbers: dict[str, int] = {}
    for word, value in pairwise(words):
        name = _GO_NUMBERS.get(word)
        if name is not None and (number := reported_number(value)) is not None:
            numbers[name] = number
    return Go(**numbers, infinite="infinite" in words, draw_offer="drawoffer" in words)


def _decode_set_option(words: Sequence[str]) -> SetOption | None:
    if words[:1] != ["name"]:
        return None
    place = list(words).index("value") if "value" in words else len(words)
    name = " ".join(words[1:place])
    if not name:
        return None
    value = " ".join(words[place + 1 :]) if place < len(words) else None
    return SetOption(name, value)


def _decode_position(words: Sequence[str]) -> SetPosition | None:
    place = list(words).index("moves") if "moves" in words else len(words)
    head, texts = words[:place], words[place + 1 :]
    try:
        moves = tuple(map(_read_move, texts))
        match head:
            case ["startpos"]:
                return SetPosition(None, moves)
            case ["fen", *fen]:
                return SetPosition(parse_fen(" ".join(fen)), moves)
            case _:
                return None
    except NotationError:
        return None


def _read_move(text: str) -> Move:
    """Read a move; a request repeats all moves of the game, most of them were read before."""
    if len(text) > _LONGEST_KEPT_MOVE:  # marks without end behind it are not worth memory
        return parse_move(text)
    return _read_known_move(text)


# Bot to runner


def encode_message(message: BotMessage) -> str:
    """Return the line of a bot's message, without its end."""
    match message:
        case IdName(text=text):
            return f"id name {_one_line(text)}"
        case IdAuthor(text=text):
            return f"id author {_one_line(text)}"
        case OptionOffer():
            return _encode_option(message)
        case GreetingDone(dialect=dialect):
            return f"{dialect.value}ok"
        case ReadyOk():
            return "readyok"
        case BestMove(move=move, offers_draw=offers_draw):
            return f"bestmove {wire_text(move)}" + (" draw" if offers_draw else "")
        case Resign():
            return "bestmove resign"
        case AcceptDraw():
            return "bestmove draw"
        case UnreadableMove(text=text):
            return f"bestmove {_one_line(text)}".rstrip()
        case Info():
            return _encode_info(message)
        case Response(text=text):
            return f"response {_one_line(text)}"
        case _:
            assert_never(message)


def decode_message(line: str) -> BotMessage | None:
    """Read a line of a bot; None when its first word is no word of the protocol."""
    words = line.split()
    match words:
        case ["id", "name", *rest]:
            return IdName(" ".join(rest))
        case ["id", "author", *rest]:
            return IdAuthor(" ".join(rest))
        case ["option", *rest]:
            return _decode_option(rest)
        case ["ugiok" | "uciok" as word]:
            return GreetingDone(_GREETINGS_DONE[word])
        case ["readyok"]:
            return ReadyOk()
        case ["bestmove", *rest]:
            return _decode_best_move(rest)
        case ["info", *rest]:
            return _decode_info(rest)
        case ["response", *rest]:
            return Response(" ".join(rest))
        case _:
            return None


def _decode_best_move(words: Sequence[str]) -> BotMessage:
    match words:
        case ["resign", *_]:
            return Resign()
        case ["draw", *_]:
            return AcceptDraw()
        case [word, *rest]:
            try:
                return BestMove(parse_move(word), offers_draw=rest[:1] == ["draw"])
            except NotationError:
                return UnreadableMove(word)
        case _:
            return UnreadableMove("")


def _encode_option(option: OptionOffer) -> str:
    words = ["option name", option.name, "type", option.type.value]
    if option.type is not OptionType.BUTTON:
        words += ["default", option.default] if option.default else ["default"]
    if option.minimum is not None:
        words += ["min", str(option.minimum)]
    if option.maximum is not None:
        words += ["max", str(option.maximum)]
    for choice in option.choices:
        words += ["var", choice]
    return _one_line(" ".join(words))


def _decode_option(words: Sequence[str]) -> OptionOffer | None:
    values: dict[str, list[list[str]]] = {}
    current: list[str] = []
    for word in words:
        if word in _OPTION_WORDS:
            current = []
            values.setdefault(word, []).append(current)
        else:
            current.append(word)
    first = {key: " ".join(found[0]) for key, found in values.items()}
    name = first.get("name", "")
    try:
        kind = OptionType(first.get("type", ""))
    except ValueError:
        return None
    if not name:
        return None
    return OptionOffer(
        name,
        kind,
        first.get("default", ""),
        reported_number(first.get("min", "")),
        reported_number(first.get("max", "")),
        tuple(" ".join(choice) for choice in values.get("var", ())),
    )


def _encode_info(info: Info) -> str:
    words = ["info"]
    for word, name in _INFO_NUMBERS.items():
        value = getattr(info, name)
        if value is not None:
            words += [word, str(value)]
    if info.score_cp is not None:
        words += ["score cp", str(info.score_cp)]
    elif info.score_win is not None:
        words += ["score win", str(info.score_win)]
    if info.pv:
        words += ["pv", *info.pv]
    if info.text is not None:
        words += ["string", info.text]
    return _one_line(" ".join(words))


def _decode_info(words: Sequence[str]) -> Info:
    values: dict[str, int] = {}
    pv: tuple[str, ...] = ()
    text: str | None = None
    place = 0
    while place < len(words):
        word = words[place]
        if word == "string":
            text = " ".join(words[place + 1 :])
            break
        if word == "pv":
            end = place + 1
            while end < len(words) and words[end] not in _INFO_WORDS:
                end += 1
            pv = tuple(words[place + 1 : end])
            place = end
            continue
        if word == "score" and place + 2 < len(words) and words[place + 1] in _SCORES:
            number = reported_number(words[place + 2])
            if number is not None:
                values[_SCORES[words[place + 1]]] = number
            place += 3
            continue
        name = _INFO_NUMBERS.get(word)
        number = reported_number(words[place + 1] if place + 1 < len(words) else "")
        if name is not None and number is not None:
            values[name] = number
            place += 2
            continue
        place += 1
    return Info(
        depth=values.get("depth"),
        seldepth=values.get("seldepth"),
        score_cp=values.get("score_cp"),
        score_win=values.get("score_win"),
        nodes=values.get("nodes"),
        nodes_per_second=values.get("nodes_per_second"),
        time_ms=values.get("time_ms"),
        hashfull=values.get("hashfull"),
        pv=pv,
        text=text,
    )


def _one_line(text: str) -> str:
    """Return a text that cannot end its line."""
    return " ".join(text.split())
