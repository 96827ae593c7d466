"""The rules once more: slow loops over coordinates, nothing shared with the package.

A board maps (file, rank), both 0 to 7, to "b" or "w".
"""

from __future__ import annotations

Board = dict[tuple[int, int], str]
Step = tuple[tuple[int, int], tuple[int, int]]

DIRECTIONS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]


def read(text: str) -> tuple[Board, str]:
    placement, side = text.split(" ")
    board: Board = {}
    for row, line in enumerate(placement.split("/")):
        file = 0
        for character in line:
            if character.isdigit():
                file += int(character)
            else:
                board[file, 7 - row] = character
                file += 1
    return board, side


def inside(file: int, rank: int) -> bool:
    return 0 <= file <= 7 and 0 <= rank <= 7


def count_on_line(board: Board, square: tuple[int, int], step: tuple[int, int]) -> int:
    return sum(
        (square[0] + step[0] * distance, square[1] + step[1] * distance) in board
        for distance in range(-7, 8)
    )


def legal_steps(board: Board, side: str) -> set[Step]:
    steps: set[Step] = set()
    for (file, rank), owner in board.items():
        if owner != side:
            continue
        for across, up in DIRECTIONS:
            distance = count_on_line(board, (file, rank), (across, up))
            target = (file + across * distance, rank + up * distance)
            jumped = [(file + across * n, rank + up * n) for n in range(1, distance)]
            if not inside(*target) or board.get(target) == side:
                continue
            if any(board.get(square, side) != side for square in jumped):
                continue
            steps.add(((file, rank), target))
    return steps


def step_after(board: Board, step: Step) -> Board:
    after = dict(board)
    after[step[1]] = after.pop(step[0])
    return after


def group_count(board: Board, side: str) -> int:
    left = {square for square, owner in board.items() if owner == side}
    groups = 0
    while left:
        groups += 1
        waiting = [left.pop()]
        while waiting:
            file, rank = waiting.pop()
            for across, up in DIRECTIONS:
                beside = (file + across, rank + up)
                if beside in left:
                    left.remove(beside)
                    waiting.append(beside)
    return groups


def move_name(board: Board, step: Step) -> str:
    mark = "x" if step[1] in board else "-"
    return mark.join("abcdefgh"[file] + str(rank + 1) for file, rank in step)


def other(side: str) -> str:
    return "w" if side == "b" else "b"
