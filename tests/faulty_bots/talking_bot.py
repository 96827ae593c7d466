"""A bot that shuffles one piece and says more than moves. Standard library only.

Arguments, in any order: ``offers`` announces DrawOffers; ``offer=N`` adds ``draw`` to its N-th
own move, ``accept`` accepts every draw that is offered, ``resign=N`` resigns at its N-th own turn;
``score=TEXT`` reports this score with every move, then says words that have none. The options
that it was told go to stderr. ``repeat`` first gives its last answer again, with a lost score.
"""

from __future__ import annotations

import sys

MOVES = ("b1b3", "h4f2", "b3b1", "f2h4")


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer(move: str, words: list[str], turn: int, settings: dict[str, str]) -> str:
    if words[-1] == "drawoffer" and "accept" in settings:
        return "draw"
    if settings.get("resign") == str(turn):
        return "resign"
    return f"{move} draw" if settings.get("offer") == str(turn) else move


def main() -> None:
    settings = {key: value for key, _, value in (word.partition("=") for word in sys.argv[1:])}
    moves: list[str] = []
    told: list[str] = []
    last = ""
    turn = 0
    while line := sys.stdin.readline():
        words = line.split()
        match words[:1]:
            case ["ugi"]:
                say("id name talking")
                if "offers" in settings:
                    say("option name DrawOffers type check default false")
                say("ugiok")
            case ["setoption"]:
                told.append(line)
            case ["isready"]:
                say("readyok")
            case ["uginewgame"]:
                turn, last = 0, ""
            case ["position"]:
                moves = words[words.index("moves") + 1 :] if "moves" in words else []
            case ["go"]:
                turn += 1
                if turn == 1:
                    sys.stderr.write("".join(told))
                    sys.stderr.flush()
                if "score" in settings:
                    say("info depth 1 score cp 1")
                    say(f"info depth 2 score {settings['score']} pv a1a2")
                    say("info string done, the score is above")
                if "repeat" in settings and last:
                    say(f"info depth 1 score cp -900\nbestmove {last}")
                last = answer(MOVES[len(moves) % 4], words, turn, settings)
                say(f"bestmove {last}")
            case ["quit"]:
                break


if __name__ == "__main__":
    main()
