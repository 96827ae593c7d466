"""What a run costs beside its plies: its start, a thousand games, its end.

    python -m tests.bench.start_and_end [--runs N] [--json FILE]

The bot is compiled and answers at once. The start is from the command to the first request that
a bot read, the end from the last answer of a bot to the end of the command (standings are
worked out in it). Bots that do not quit ignore `quit`, the end of input and SIGTERM; however many
they are, they may cost one grace period (`goodbye-ms`) and the 0.1 s between SIGTERM and SIGKILL.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Final

from tests.bench.arguments import positive
from tests.bench.figures import Figure, figure_line, machine_text, write_json
from tests.bench.programs import need_program
from tests.bench.running import LOA, Ran, run

MOST_START_SECONDS: Final = 0.5
GAMES: Final = 1000
PLIES: Final = 40
BOTS: Final = (2, 10, 50)
MOST_BOTS_OFTEN: Final = 10
"""Runs with more bots are made once."""

MOST_EXTRA_SECONDS: Final = 0.65
"""One grace period of 0.5 s, 0.1 s after SIGTERM, and something for the machine."""


def play(
    bot: Path, *, bots: int = 2, rounds: int = 1, plies: int = PLIES, is_stubborn: bool = False
) -> Ran:
    """Let the first bot meet all others, every bot's process kept to the end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [
            *(*LOA, "run", *(f"bot-{number}={bot}" for number in range(bots)), "--name", "ends"),
            *("--results", str(folder / "results"), "--no-report", "--format", "gauntlet"),
            *("--rounds", str(rounds), "--tc", "600+1", "--restart", "never"),
            *("--random-plies", "0", "--repetition", "0", "--max-plies", str(plies)),
        ]
        ran = run(command, folder, {"BOT_STUBBORN": "1"} if is_stubborn else {})
    assert ran.tally.answers == (bots - 1) * rounds * 2 * plies, ran.output
    return ran


def measure(bot: Path, runs: int) -> list[Figure]:
    """Return all figures, and print each as soon as it is known."""
    figures: list[Figure] = []

    def add(figure: Figure) -> None:
        figures.append(figure)
        print(figure_line(figure), flush=True)

    play(bot)  # fills the caches
    short = [play(bot) for _ in range(2 * runs)]
    starts = tuple(ran.start_seconds for ran in short)
    add(Figure("from the command to the first request", "s", starts, MOST_START_SECONDS))
    add(Figure("from the last answer to the end", "s", tuple(ran.end_seconds for ran in short)))
    long = [play(bot, rounds=GAMES // 2) for _ in range(runs)]
    rates = tuple(GAMES / ran.playing_seconds for ran in long)
    add(Figure(f"{GAMES:,} games of {PLIES} plies, while playing", "games/s", rates))
    add(
        Figure(
            f"{GAMES:,} games of {PLIES} plies, the whole command",
            "s",
            tuple(ran.seconds for ran in long),
        )
    )
    for bots in BOTS:
        pairs = [
            (play(bot, bots=bots, plies=10), play(bot, bots=bots, plies=10, is_stubborn=True))
            for _ in range(runs if bots <= MOST_BOTS_OFTEN else 1)
        ]
        for title, ran_of in (("that quit", 0), ("that do not", 1)):
            starts = tuple(pair[ran_of].start_seconds for pair in pairs)
            ends = tuple(pair[ran_of].end_seconds for pair in pairs)
            add(Figure(f"{bots} bots {title}: start", "s", starts))
            add(Figure(f"{bots} bots {title}: end", "s", ends))
        most = MOST_EXTRA_SECONDS
        more = tuple(bad.end_seconds - good.end_seconds for good, bad in pairs)
        add(Figure(f"{bots} bots: end without quitting over end with it", "s", more, most))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=positive, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    print(machine_text())
    print(f"median [quartiles] of {arguments.runs} runs, of the first two lines twice as many")
    with tempfile.TemporaryDirectory() as name:
        figures = measure(need_program("instant_bot", Path(name)), arguments.runs)
    if arguments.json:
        write_json(arguments.json, "start_and_end", figures, [])


if __name__ == "__main__":
    main()
