"""A sound bot that starts at once: it shuffles one piece and resigns when its seed says so.

So games differ, and depend on seed and moves alone. Standard library only.
"""

from __future__ import annotations

import sys

MOVES = ("b1b3", "h4f2", "b3b1", "f2h4")
MIN_TURNS = 3
MAX_TURNS = 30


def main() -> None:
    seed = played = 0
    for line in sys.stdin:
        words = line.split()
        answer = ""
        match words[:1]:
            case ["ugi"]:
                options = "option name Seed type spin default 0 min 0 max 1000000"
                answer = f"id name seeded\n{options}\nugiok\n"
            case ["setoption"] if words[2] == "Seed":
                seed = int(words[-1])
            case ["isready"]:
                answer = "readyok\n"
            case ["position"]:
                played = len(words) - words.index("moves") - 1 if "moves" in words else 0
            case ["go"]:
                is_over = played // 2 >= MIN_TURNS + seed % (MAX_TURNS - MIN_TURNS)
                answer = f"bestmove {'resign' if is_over else MOVES[played % 4]}\n"
            case ["quit"]:
                return
        if answer:
            sys.stdout.write(answer)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
