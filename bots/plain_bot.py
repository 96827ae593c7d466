#!/usr/bin/env python3
"""A complete bot in one file that needs nothing but Python: the example for other languages.

It looks two plies ahead for the side whose pieces stand closer together. Read it from the end:
``main`` is the conversation with the runner, above it are the choice of a move and the rules.
The protocol is described in harness/protocol/PROTOCOL.md.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from random import Random

# --- The rules -----------------------------------------------------------------------------
#
# A board is a string of 64 characters, a1 first, then b1 to h8: "b", "w", or "." where nothing
# stands. A move is a pair of squares; PASS is the move of a side that has no other.

EMPTY = "."
OTHER = {"b": "w", "w": "b"}
START = "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b"

Move = tuple[int, int]
PASS: Move = (-1, -1)

# Directions as steps in file and rank; the opposite of number d is number 7 - d.
DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def ray(square: int, direction: tuple[int, int]) -> list[int]:
    """Return the squares from one square (which is left out) to the edge of the board."""
    squares = []
    file, rank = square % 8 + direction[0], square // 8 + direction[1]
    while 0 <= file < 8 and 0 <= rank < 8:
        squares.append(rank * 8 + file)
        file, rank = file + direction[0], rank + direction[1]
    return squares


RAYS = [[ray(square, direction) for direction in DIRECTIONS] for square in range(64)]
NEIGHBOURS = [[squares[0] for squares in rays if squares] for rays in RAYS]


def targets(board: str, origin: int) -> Iterator[int]:
    """Yield where the piece on ``origin`` may go.

    It goes exactly as far as there are pieces on the whole line, itself included. It jumps its
    own side but no enemy, and lands on an empty square or captures an enemy.
    """
    own = board[origin]
    enemy = OTHER[own]
    rays = RAYS[origin]
    for direction, ahead in enumerate(rays):
        line = ahead + rays[7 - direction]
        distance = 1 + sum(board[square] != EMPTY for square in line)
        if distance > len(ahead):
            continue
        *jumped, target = ahead[:distance]
        if board[target] != own and all(board[square] != enemy for square in jumped):
            yield target


def legal_moves(board: str, side: str) -> list[Move]:
    """Return all moves of a side; none when it has to pass."""
    return [
        (origin, target)
        for origin in range(64)
        if board[origin] == side
        for target in targets(board, origin)
    ]


def play(board: str, move: Move) -> str:
    """Return the board after a legal move."""
    if move == PASS:
        return board
    origin, target = move
    squares = list(board)
    squares[target], squares[origin] = squares[origin], EMPTY
    return "".join(squares)


def count_groups(board: str, side: str) -> int:
    """Count the groups of touching pieces of a side: who has just one has won."""
    left = {square for square in range(64) if board[square] == side}
    groups = 0
    while left:
        groups += 1
        reached = [left.pop()]
        while reached:
            for neighbour in NEIGHBOURS[reached.pop()]:
                if neighbour in left:
                    left.remove(neighbour)
                    reached.append(neighbour)
    return groups


# --- The choice of a move ------------------------------------------------------------------

WON = 1000.0


def spread(board: str, side: str) -> float:
    """Return how far the pieces of a side stand from their middle, on average."""
    squares = [square for square in range(64) if board[square] == side]
    if not squares:
        return 0.0
    file = sum(square % 8 for square in squares) / len(squares)
    rank = sum(square // 8 for square in squares) / len(squares)
    return sum(max(abs(square % 8 - file), abs(square // 8 - rank)) for square in squares) / len(
        squares
    )


def evaluate(board: str, side: str) -> float:
    """Return how good the board is for a side, whoever is to move."""
    own_groups = count_groups(board, side)
    enemy_groups = count_groups(board, OTHER[side])
    if own_groups == 1 or enemy_groups == 1:
        return WON * ((own_groups == 1) - (enemy_groups == 1))  # both at once is a draw
    closer = spread(board, OTHER[side]) - spread(board, side)
    return 4.0 * closer + 0.5 * (enemy_groups - own_groups)


class Search:
    """The search for one move, until it is done or a limit is reached.

    ``deadline`` is a time of ``time.monotonic()``; None where there is no such limit.
    """

    def __init__(self, deadline: float | None, nodes: int | None, depth: int | None) -> None:
        self.deadline = deadline
        self.nodes_left = nodes
        self.depth = depth

    def has_to_end(self) -> bool:
        """Whether a limit is reached."""
        if self.nodes_left is not None and self.nodes_left <= 0:
            return True
        return self.deadline is not None and time.monotonic() >= self.deadline

    def evaluate(self, board: str, side: str) -> float:
        """Evaluate a board and count it."""
        if self.nodes_left is not None:
            self.nodes_left -= 1
        return evaluate(board, side)

    def choose(self, board: str, side: str, random: Random) -> tuple[float, Move]:
        """Return the best move and its value; equal moves are chosen by chance."""
        moves = legal_moves(board, side)
        if not moves:
            return evaluate(board, side), PASS
        random.shuffle(moves)
        boards = {move: play(board, move) for move in moves}
        values = {move: self.evaluate(boards[move], side) for move in moves}
        moves.sort(key=values.__getitem__, reverse=True)
        first = values[moves[0]], moves[0]
        if first[0] == WON or self.depth == 1:
            return first

        # Two plies: a move is as good as the board after the best answer to it.
        best = -2 * WON, PASS
        for move in moves:
            value = self.value_after_answer(boards[move], side, best[0])
            if self.has_to_end():
                break
            if value > best[0]:
                best = value, move
        return first if best[1] == PASS else best

    def value_after_answer(self, board: str, side: str, enough: float) -> float:
        """Return the value after the enemy's best answer, or a value that is not above enough."""
        if is_over(board, side):
            return evaluate(board, side)
        enemy = OTHER[side]
        worst = 2 * WON
        for answer in legal_moves(board, enemy) or [PASS]:
            worst = min(worst, self.evaluate(play(board, answer), side))
            if worst <= enough or self.has_to_end():
                break
        return worst


def is_over(board: str, side: str) -> bool:
    """Whether the game is over on this board."""
    return count_groups(board, side) == 1 or count_groups(board, OTHER[side]) == 1


def seconds_for_move(limits: dict[str, int], side: str) -> float | None:
    """Return the time to think: a share of the own clock, or the time for one move."""
    # p1 is Black, p2 is White, whoever is to move. Runners of the UCI dialect call them w and b.
    player, uci_player = ("p1", "w") if side == "b" else ("p2", "b")
    remaining = limits.get(f"{player}time", limits.get(f"{uci_player}time"))
    increment = limits.get(f"{player}inc", limits.get(f"{uci_player}inc", 0))
    budgets: list[float] = []
    if "movetime" in limits:
        budgets.append(limits["movetime"] - 20)
    if remaining is not None:
        moves_to_go = max(1, min(limits.get("movestogo", 30), 30))
        budgets.append(min(remaining / moves_to_go + increment / 2, remaining / 2) - 10)
    return max(0.0, min(budgets) / 1000) if budgets else None


# --- Text ----------------------------------------------------------------------------------

SQUARES = [file + rank for rank in "12345678" for file in "abcdefgh"]


def parse_square(text: str) -> int:
    """Read a1 to h8; raises ValueError."""
    if text.lower() not in SQUARES:
        raise ValueError(f"{text!r} is no square")
    return SQUARES.index(text.lower())


def parse_move(text: str) -> Move:
    """Read b1b3, b1-b3, d1xa4 or pass; raises ValueError."""
    if text.lower() == "pass":
        return PASS
    origin, target = parse_square(text[:2]), parse_square(text[2:].lstrip("-xX:"))
    if origin == target:
        raise ValueError(f"{text!r} is no move")
    return origin, target


def format_move(move: Move) -> str:
    """Return b1b3 or pass."""
    if move == PASS:
        return "pass"
    return SQUARES[move[0]] + SQUARES[move[1]]


def parse_fen(text: str) -> tuple[str, str]:
    """Read a position, rank 8 first: returns the board and the side; raises ValueError."""
    ranks = []
    pieces, _, side = text.partition(" ")
    for rank in pieces.split("/"):
        squares = "".join(EMPTY * int(mark) if mark in "12345678" else mark for mark in rank)
        if len(squares) != 8 or not set(squares) <= {"b", "w", EMPTY}:
            raise ValueError(f"{rank!r} is no rank")
        ranks.append(squares)
    if len(ranks) != 8 or side not in OTHER:
        raise ValueError(f"{text!r} is not eight ranks and a side")
    return "".join(reversed(ranks)), side


# --- The conversation ----------------------------------------------------------------------


class Bot:
    """What the bot remembers: its seed and the game so far."""

    def __init__(self) -> None:
        self.seed = 0
        self.set_position(["startpos"])

    def set_position(self, words: list[str]) -> None:
        """Set up the whole game: ``startpos`` or ``fen FEN``, then perhaps ``moves ...``.

        Raises ValueError, and keeps the game as it was, when something in it cannot be.
        """
        place = words.index("moves") if "moves" in words else len(words)
        head, texts = words[:place], words[place + 1 :]
        if head == ["startpos"]:
            board, side = parse_fen(START)
        elif head[:1] == ["fen"]:
            board, side = parse_fen(" ".join(head[1:]))
        else:
            raise ValueError("no startpos and no fen")
        history = [(board, side)]
        for text in texts:
            move = parse_move(text)
            if move == PASS:
                is_legal = not legal_moves(board, side)
            else:
                is_legal = board[move[0]] == side and move[1] in targets(board, move[0])
            if not is_legal:
                raise ValueError(f"{text} is not legal")
            board, side = play(board, move), OTHER[side]
            history.append((board, side))
        self.board, self.side, self.history, self.moves = board, side, history, texts

    def result(self) -> str:
        """Return p1win, p2win, draw, or none while the game goes on."""
        black, white = count_groups(self.board, "b"), count_groups(self.board, "w")
        if black == 1 and white == 1:
            return "draw"
        if black == 1 or white == 1:
            return "p1win" if black == 1 else "p2win"
        return "draw" if self.history.count(self.history[-1]) >= 3 else "none"

    def answer_query(self, question: str) -> str | None:
        """Return the answer to one of the three questions of a runner."""
        if question == "gameover":
            return "false" if self.result() == "none" else "true"
        if question == "p1turn":
            return "true" if self.side == "b" else "false"
        return self.result() if question == "result" else None

    def go(self, words: list[str]) -> None:
        """Choose a move and say it."""
        begun = time.monotonic()
        limits = {}
        for word, value in pairwise(words):
            if value.isascii() and value.isdigit() and len(value) < 16:
                limits[word] = int(value)
        seconds = seconds_for_move(limits, self.side)
        deadline = None if seconds is None else begun + seconds
        search = Search(deadline, limits.get("nodes"), limits.get("depth"))
        # Chance depends on the seed and the moves alone, so that a game can be played again.
        random = Random(f"{self.seed} {' '.join(self.moves)}")
        score, move = search.choose(self.board, self.side, random)
        say(f"info score cp {round(100 * score)}")
        say(f"bestmove {format_move(move)}")

    def obey(self, words: list[str]) -> None:
        """Do what one line of the runner says; raises ValueError when it cannot be done."""
        match words:
            case ["ugi" | "uci" as greeting]:
                say("id name plain")
                say("id author loa-harness")
                say("option name Seed type spin default 0 min 0 max 2147483647")
                say(f"{greeting}ok")
            case ["isready"]:
                say("readyok")
            case ["setoption", "name", name, "value", value] if name.lower() == "seed":
                self.seed = int(value[:16])
            case ["position", *rest]:
                self.set_position(rest)
            case ["go", *limits]:
                self.go(limits)
            case ["query", question]:
                answer = self.answer_query(question)
                if answer is not None:
                    say(f"response {answer}")
            case _:
                # "uginewgame": nothing is kept from one game to the next. "stop": the answer
                # was already given. Anything else is not for us, and no reason to complain.
                pass


def say(line: str) -> None:
    """Write one line and send it off at once: the runner waits for it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serve the runner until it says quit or closes our input."""
    bot = Bot()
    for line in sys.stdin.buffer:
        words = line.decode("utf-8", "replace").split()
        if words == ["quit"]:
            break
        try:
            bot.obey(words)
        except ValueError as error:
            say("info string " + " ".join(f"{words[0]}: {error}"[:200].split()))


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        # Nobody listens any more: leave quietly.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
