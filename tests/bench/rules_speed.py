"""Measure the rules core: random games in plies/s, perft in nodes/s.

    python -m tests.bench.rules_speed [--json FILE]

CPU time of one thread, the median of several
runs after the lines' tables have been filled by a first one; ``cold`` is that first one.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from harness.rules import board
from harness.rules.game import Game
from harness.rules.perft import perft
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet
from tests.bench.figures import Figure, write_json

GAMES = 60
RUNS = 9
PERFT_DEPTH = 4
REPEATS = 3000
LEAST_PLIES_A_SECOND = 60_000


def play_random_games(count: int, chance: random.Random) -> int:
    """Play games under the harness's default rules and return the number of plies."""
    plies = 0
    rules = RuleSet(max_plies=400)
    for _ in range(count):
        game = Game(STANDARD_START, rules)
        while game.verdict is None:
            moves = game.legal_moves()
            game.push(moves[int(chance.random() * len(moves))])
        plies += len(game.moves)
    return plies


def rate(work: Callable[[], int]) -> float:
    """Return how many units of work were done a second of CPU time."""
    begin_ns = time.process_time_ns()
    done = work()
    return done * 1e9 / (time.process_time_ns() - begin_ns)


def repeated(call: Callable[[], object]) -> int:
    for _ in range(REPEATS):
        call()
    return REPEATS


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    figures = []
    chance = random.Random(1)
    cold = rate(lambda: play_random_games(GAMES, chance))
    play_random_games(2 * GAMES, chance)
    rates = [rate(lambda: play_random_games(GAMES, chance)) for _ in range(RUNS)]
    print(f"random games    {statistics.median(rates):12,.0f} plies/s (best {max(rates):,.0f})")
    print(f"  cold          {cold:12,.0f} plies/s")
    least = LEAST_PLIES_A_SECOND
    figures.append(Figure("random games", "plies/s", tuple(rates), at_least=least))
    figures.append(Figure("random games, cold", "plies/s", (cold,)))
    perft(STANDARD_START, PERFT_DEPTH)
    rates = [rate(lambda: perft(STANDARD_START, PERFT_DEPTH)) for _ in range(RUNS)]
    print(f"perft {PERFT_DEPTH}         {statistics.median(rates):12,.0f} nodes/s")
    own, enemy = STANDARD_START.own, STANDARD_START.enemy
    move = board.legal_moves(own, enemy)[0]
    calls: dict[str, Callable[[], object]] = {
        "legal_moves": lambda: board.legal_moves(own, enemy),
        "move_fault": lambda: board.move_fault(own, enemy, move),
        "is_connected": lambda: board.is_connected(own),
        "Position.after": lambda: STANDARD_START.after(move),
    }
    for name, call in calls.items():
        rates = [rate(partial(repeated, call)) for _ in range(RUNS)]
        print(f"{name:15} {statistics.median(rates):12,.0f} calls/s")
        figures.append(Figure(name, "calls/s", tuple(rates)))
    if arguments.json:
        write_json(arguments.json, "rules_speed", figures, [])


if __name__ == "__main__":
    main()
