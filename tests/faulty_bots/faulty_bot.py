"""A bot that misbehaves in one chosen way at a chosen turn. Standard library only.

``faulty_bot.py MODE [TURN]``: TURN counts the bot's own requests from 1. Otherwise it shuffles
one piece to and fro, which is legal from the standard start against a copy of itself.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

MOVES = ("b1b3", "h4f2", "b3b1", "f2h4")


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def misbehave(mode: str, move: str, last_move: str) -> bool:
    """Do it; True when the turn is thereby answered."""
    match mode:
        case "exit":
            sys.exit(3)
        case "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "traceback":
            raise RuntimeError("no idea\x1b[31m")
        case "close-output":
            os.close(1)
            time.sleep(600)
        case "silent":
            time.sleep(600)
        case "late":
            time.sleep(1.0)
            say(f"bestmove {move}")
        case "illegal":
            say("bestmove b1b2")
        case "malformed":
            say("bestmove \x1b[2Jnonsense")
        case "empty":
            say("bestmove")
        case "twice":
            say(f"bestmove {move}\nbestmove {move}")
        case "twice-slowly":
            say(f"bestmove {move}")
            time.sleep(0.02)
            say(f"bestmove {move}")
        case "repeat-only":
            say(f"bestmove {last_move}")
            time.sleep(600)
        case "no-newline":
            sys.stdout.write(f"bestmove {move}")
            sys.stdout.flush()
            time.sleep(600)
        case "chatter":
            while True:
                say("info depth 1")
                time.sleep(0.01)
        case "flood-lines":
            while True:
                sys.stdout.write("info string " + "x" * 1000 + "\n")
        case "flood-bytes":
            while True:
                os.write(1, b"y" * 65536)
        case "long-line":
            say("info string " + "z" * (4 << 20))
            say(f"bestmove {move}")
        case "many-infos":
            for number in range(20_000):
                sys.stdout.write(f"info depth {number}\n")
            say(f"bestmove {move}")
        case "noise":
            os.write(1, b"\xff\xfe\x00\x01\n\n\r\n \n123 456\n")
            say("info depth 99999999999999999999999999999999 score cp x nps")
            say(f"bestmove {move}")
        case "stderr":
            os.write(2, b"e" * (4 << 20) + b"\nthe last words\n")
            say(f"bestmove {move}")
        case "crlf":
            os.write(1, f"bestmove {move}\r\n".encode())
        case "resign":
            say("bestmove resign")
        case "answer-and-exit":
            say(f"bestmove {move}")
            sys.exit(0)
        case "grandchild-and-exit":
            subprocess.Popen(["sleep", "600"])
            sys.exit(5)
        case _:
            return False
    return True


def main() -> None:
    mode = sys.argv[1]
    turn = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    if mode == "ignores-everything":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
    if mode == "start-exit":
        sys.exit(7)
    if mode == "start-silent":
        time.sleep(600)
    moves: list[str] = []
    requests = 0
    last_move = ""
    while True:
        line = sys.stdin.readline()
        if not line:
            break
        words = line.split()
        match words[:1]:
            case ["ugi"]:
                say("id name faulty\noption name Seed type spin default 0 min 0 max 1000\nugiok")
            case ["isready"]:
                say("readyok")
            case ["uginewgame"]:
                if mode == "die-between-games" and requests:
                    sys.exit(4)
                requests = 0
            case ["position"]:
                moves = words[words.index("moves") + 1 :] if "moves" in words else []
            case ["go"]:
                requests += 1
                move = MOVES[len(moves) % 4]
                if not (requests == turn and misbehave(mode, move, last_move)):
                    say(f"bestmove {move}")
                last_move = move
            case ["quit"]:
                if mode != "ignores-everything":
                    break
    while mode == "ignores-everything":
        time.sleep(1)


if __name__ == "__main__":
    main()
