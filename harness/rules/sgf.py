"""Games as SGF, FF[4] with GM[9]: many files are read, one form is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from harness.errors import NotationError, PositionError, SgfError
from harness.rules import board
from harness.rules.notation import format_moves, parse_move, parse_square
from harness.rules.position import SCRAMBLED_EGGS_START, STANDARD_START, Position, Setup
from harness.rules.sgf_tree import Tree, Value, escape, parse_trees, quoted
from harness.rules.types import PASS, Color, Move
from harness.rules.writing import SQUARE_NAMES

_EMPTY: Final = Setup(0, 0, Color.BLACK)
_STARTS: Final[Mapping[str, Position | Setup]] = MappingProxyType(
    {"standard": STANDARD_START, "scrambledeggs": SCRAMBLED_EGGS_START, "custom": _EMPTY}
)
_SIDES: Final[Mapping[str, Color]] = MappingProxyType(
    {
        **dict.fromkeys(("b", "black", "1"), Color.BLACK),
        **dict.fromkeys(("w", "white", "2"), Color.WHITE),
    }
)
_SETUP_PROPERTIES: Final = ("AE", "AB", "AW", "PL")
_NO_JOINERS: Final[Mapping[int, None]] = MappingProxyType(dict.fromkeys(map(ord, " -_")))
_MOVES_A_LINE: Final = 8
MAX_GAMES: Final = 250_000
"""Of one text that is read at once; (;) is a game, and takes a hundred times its length."""


@dataclass(frozen=True, slots=True)
class SgfGame:
    """One game as an SGF file tells it; texts are empty where the file is silent.

    ``result`` is ``RE`` as written (``B+``, ``W+R``, ``Draw``), ``rules`` is ``RU``.
    ``resigned`` is the side whose last entry resigns. ``notices`` says what reading left out or
    took for granted.
    """

    start: Position
    moves: tuple[Move, ...] = ()
    black: str = ""
    white: str = ""
    result: str = ""
    rules: str = ""
    event: str = ""
    date: str = ""
    comment: str = ""
    resigned: Color | None = None
    notices: tuple[str, ...] = ()


def write_sgf(game: SgfGame) -> str:
    """Return the game as one SGF tree; its moves must be legal. Notices are not written."""
    parts = ["(;FF[4]GM[9]SZ[8]CA[UTF-8]", f"SU[{_setup_name(game.start)}]"]
    texts = (game.black, game.white, game.result, game.rules, game.event, game.date, game.comment)
    for name, text in zip(("PB", "PW", "RE", "RU", "EV", "DT", "C"), texts, strict=True):
        if text:
            parts.append(f"{name}[{escape(text)}]")
    if _setup_name(game.start) == "Custom":
        parts += [_points("AB", game.start.black), _points("AW", game.start.white)]
        parts.append("PL[B]" if game.start.to_move is Color.BLACK else "PL[W]")
    entries = [text.replace("x", ":") for text in format_moves(game.start, game.moves)]
    nodes = [f";{'BW'[(game.start.to_move + ply) % 2]}[{text}]" for ply, text in enumerate(entries)]
    if game.resigned is not None:
        nodes.append(f";{'BW'[game.resigned]}[resign]")
    lines = ["".join(parts)]
    lines += [
        "".join(nodes[first : first + _MOVES_A_LINE])
        for first in range(0, len(nodes), _MOVES_A_LINE)
    ]
    return "\n".join(lines) + ")\n"


def _setup_name(start: Position) -> str:
    names = {STANDARD_START: "Standard", SCRAMBLED_EGGS_START: "Scrambled-eggs"}
    return names.get(start, "Custom")


def _points(name: str, pieces: int) -> str:
    squares = (f"[{SQUARE_NAMES[square]}]" for square in range(64) if pieces >> square & 1)
    return name + "".join(squares)


def read_sgf(text: str) -> list[SgfGame]:
    """Read every game of a collection; raises SgfError with the line of the first fault.

    Of variations the first is taken. A missing ``SU`` is the standard start, or an empty board
    where stones are set. A side that moves out of turn is allowed when the other one is blocked.
    """
    return [_Reader(tree).game() for tree in parse_trees(text)]


def read_sgf_games(text: str, max_moves: int | None = None) -> list[tuple[int, SgfGame | SgfError]]:
    """Read every game of a collection by itself: the line where it begins, the game or its fault.

    Only the first ``max_moves`` moves of a game are read (None: all); what follows is not checked
    against the rules. Raises SgfError when the text as a whole is no collection, or one of more
    than MAX_GAMES games.
    """
    found: list[tuple[int, SgfGame | SgfError]] = []
    for tree in parse_trees(text):
        if len(found) == MAX_GAMES:
            raise SgfError(tree.line, f"expected at most {MAX_GAMES} games")
        try:
            found.append((tree.line, _Reader(tree, max_moves).game()))
        except SgfError as error:
            found.append((tree.line, error))
    return found


class _Reader:
    """Follows one tree's main line: first the setup, then the moves."""

    def __init__(self, tree: Tree, max_moves: int | None = None) -> None:
        self._tree = tree
        self._max_moves = max_moves
        self._root = tree.nodes[0]
        self._notices: list[str] = []
        self._resigned: Color | None = None

    def game(self) -> SgfGame:
        self._check_kind()
        start = self._start()
        moves = self._moves(start)
        if skipped := self._tree.variations:
            self._notices.append(f"{skipped} variation{'s' if skipped > 1 else ''} skipped")
        return SgfGame(
            start=start,
            moves=tuple(moves),
            black=self._simple_text("PB"),
            white=self._simple_text("PW"),
            result=self._simple_text("RE"),
            rules=self._simple_text("RU"),
            event=self._simple_text("EV"),
            date=self._simple_text("DT"),
            comment="\n".join(
                value.text for name in ("GC", "C") for value in self._root.get(name, ())
            ),
            resigned=self._resigned,
            notices=tuple(self._notices),
        )

    def _simple_text(self, name: str) -> str:
        return " ".join(value.simple_text for value in self._root.get(name, ()))

    def _check_kind(self) -> None:
        game = self._only("GM", "9")
        if game is None:
            self._notices.append("no GM: taken as Lines of Action")
        elif game.simple_text.strip() != "9":
            raise SgfError(
                game.line, f"expected GM[9], Lines of Action, found GM[{quoted(game.raw)}]"
            )
        size = self._only("SZ", "8")
        if size is not None and size.simple_text.strip() not in {"8", "8:8"}:
            raise SgfError(size.line, f"expected a board of size 8, found SZ[{quoted(size.raw)}]")
        invert = self._only("IY", "false")
        if invert is not None and invert.simple_text.strip().lower() == "true":
            self._notices.append("IY[true] taken as a matter of display alone")

    def _only(self, name: str, example: str) -> Value | None:
        values = self._root.get(name, [])
        if len(values) > 1:
            raise SgfError(values[1].line, f"expected one value, as {name}[{example}]")
        return values[0] if values else None

    def _start(self) -> Position:
        setup = self._named_start()
        black, white, to_move = setup.black, setup.white, setup.to_move
        side_known, line = setup is not _EMPTY, self._tree.line
        for node in self._tree.nodes:
            for name in _SETUP_PROPERTIES:
                for value in node.get(name, ()):
                    line = value.line
                    if name == "PL":
                        to_move, side_known = _side(value), True
                    elif name == "AE":
                        black, white = black & ~_squares(value), white & ~_squares(value)
                    elif name == "AB":
                        black |= _squares(value)
                    else:
                        white |= _squares(value)
            if "B" in node or "W" in node:
                if not side_known:
                    to_move = Color.BLACK if "B" in node else Color.WHITE
                break
        try:
            return Setup(black, white, to_move).position()
        except PositionError as error:
            raise SgfError(line, str(error)) from None

    def _named_start(self) -> Position | Setup:
        value = self._only("SU", "Standard")
        name = "" if value is None else value.simple_text.strip()
        if value is None or not name:
            placed = "AB" in self._root or "AW" in self._root
            return _EMPTY if placed else STANDARD_START
        start = _STARTS.get(name.lower().translate(_NO_JOINERS))
        if start is None:
            why = f"the setup {name[:40]!r} is not supported, only Standard, Scrambled-eggs, Custom"
            raise SgfError(value.line, why)
        return start

    def _moves(self, position: Position) -> list[Move]:
        moves: list[Move] = []
        for node in self._tree.nodes:
            if self._max_moves is not None and len(moves) >= self._max_moves:
                return moves[: self._max_moves]  # a pass that is not written comes with a move
            entries = [
                (color, value)
                for name, color in (("B", Color.BLACK), ("W", Color.WHITE))
                for value in node.get(name, ())
            ]
            if self._resigned is not None and entries:
                self._notices.append("moves after a resignation skipped")
                break
            if len(entries) > 1:
                raise SgfError(entries[1][1].line, "expected one move in a node")
            for color, value in entries:
                position = self._follow(position, color, value, moves)
            if moves and not entries:
                for name in _SETUP_PROPERTIES:
                    for value in node.get(name, ()):
                        raise SgfError(value.line, f"expected no {name} after the first move")
        return moves[: self._max_moves]

    def _follow(
        self, position: Position, color: Color, value: Value, moves: list[Move]
    ) -> Position:
        """Add the entry of one node to ``moves`` and return the position after it."""
        text = value.simple_text.strip()
        shown = f"{'BW'[color]}[{quoted(text)}]"
        if text.lower() == "resign":
            self._resigned = color
            return position
        if board.is_connected(position.own) or board.is_connected(position.enemy):
            raise SgfError(value.line, f"{shown} is played after the end of the game")
        if color is not position.to_move and not position.has_legal_move():
            self._notices.append(f"ply {len(moves) + 1}: the forced pass is not written")
            moves.append(PASS)
            position = position.after(PASS)
        if color is not position.to_move:
            turn = position.to_move.word
            raise SgfError(value.line, f"{shown} is played out of turn, {turn} is to move")
        try:
            move = parse_move(text) if text else PASS
        except NotationError as error:
            raise SgfError(value.line, str(error)) from None
        fault = position.fault_of(move)
        if fault is not None:
            raise SgfError(value.line, f"{shown} is illegal in {position}: {fault.value}")
        moves.append(move)
        return position.after(move)


def _side(value: Value) -> Color:
    side = _SIDES.get(value.simple_text.strip().lower())
    if side is None:
        raise SgfError(value.line, f"expected PL[B] or PL[W], found PL[{quoted(value.raw)}]")
    return side


def _squares(value: Value) -> int:
    """Return the bits of a point, ``a5``, or of a rectangle of points, ``a1:b2``."""
    first, _, last = value.simple_text.partition(":")
    try:
        one = parse_square(first)
        other = parse_square(last or first)
    except NotationError as error:
        raise SgfError(value.line, str(error)) from None
    files = range(min(one % 8, other % 8), max(one % 8, other % 8) + 1)
    ranks = range(min(one // 8, other // 8), max(one // 8, other // 8) + 1)
    return sum(1 << (rank * 8 + file) for rank in ranks for file in files)
