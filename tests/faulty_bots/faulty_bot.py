"""A bot that misbehaves in one chosen way at a chosen turn. Standard library only.

``faulty_bot.py MODE [TURN]``: TURN counts the bot's own requests from 1; modes that begin with
``start-`` misbehave at the start, where TURN is a time in milliseconds. Otherwise it shuffles
one piece to and fro, which is legal from the standard start against a copy of itself. Modes that
count starts keep their number in the file that LOA_TEST_COUNTER names.
"""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

MOVES = ("b1b3", "h4f2", "b3b1", "f2h4")
SMALL_PIPE_BYTES = 4096
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31m"


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
        case "late-from-a-child":
            # Whoever waits for the end of the output waits for this child.
            if os.fork() == 0:
                os.setsid()
                time.sleep(0.7)
                say(f"bestmove {move}")
                time.sleep(600)
            time.sleep(600)
        case "illegal":
            say("bestmove b1b2")
        case "malformed":
            say(f"info string {ESCAPES}\nbestmove {ESCAPES}nonsense")
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
                time.sleep(0.05)
        case "flood-lines":
            while True:
                sys.stdout.write("info string " + "x" * 1000 + "\n")
        case "flood-bytes":
            while True:
                os.write(1, b"y" * 65536)
        case "newlines":
            os.write(1, b"\n" * (1 << 20))
            say(f"bestmove {move}")
        case "small-writes":
            for _ in range(20_000):
                os.write(1, b"info x\n")
            say(f"bestmove {move}")
        case "flood-errors":
            while True:
                os.write(2, b"e" * 65536)
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
        case "pieces":
            for text in ("info depth 1", "\n", "bestmove ", move, "\n"):
                os.write(1, text.encode())
                time.sleep(0.01)
        case "answer-and-exit":
            say(f"bestmove {move}")
            sys.exit(0)
        case "grandchild-and-exit":
            subprocess.Popen(["sleep", "600"])
            sys.exit(5)
        case "deaf":
            answer_without_reading(move)
        case _:
            return False
    return True


def answer_without_reading(move: str) -> None:
    """Answer whenever something comes in, read nothing: in the end the pipe is full."""
    fcntl.fcntl(0, fcntl.F_SETPIPE_SZ, SMALL_PIPE_BYTES)
    step = MOVES.index(move)
    unread = 0
    say(f"bestmove {move}")
    while True:
        (waiting,) = struct.unpack("i", fcntl.ioctl(0, termios.FIONREAD, b"\0" * 4))
        if waiting > unread:
            unread = waiting
            step += 2
            say(f"bestmove {MOVES[step % 4]}")
        time.sleep(0.001)


def count_starts() -> int:
    """Return how often this bot was started, this time included."""
    file = Path(os.environ["LOA_TEST_COUNTER"])
    number = int(file.read_text()) + 1 if file.exists() else 1
    file.write_text(str(number))
    return number


def begin(mode: str, milliseconds: int) -> None:
    """Misbehave at the start."""
    match mode:
        case "ignores-everything":
            for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
                signal.signal(number, signal.SIG_IGN)
        case "start-exit":
            sys.exit(7)
        case "start-silent":
            time.sleep(600)
        case "start-slow":
            time.sleep(milliseconds / 1000)
        case "start-words":
            os.write(2, b"loading the book\n")
        case "start-chatter":
            while True:
                say("id name chatter")
                time.sleep(0.01)
        case "start-flood":
            while True:
                os.write(1, b"id name flood\n" * 1000)
        case "start-every-third-fails":
            if count_starts() % 3 == 0:
                sys.exit(6)


def greeting(mode: str) -> str:
    options = "option name Seed type spin default 0 min 0 max 1000"
    match mode:
        case "other-answers":
            number = count_starts()
            return f"id name other {number}\noption name Other{number} type check default true"
        case "loses-an-option":
            is_first = count_starts() == 1
            return "id name forgetful" + ("\noption name Depth type spin" if is_first else "")
        case "many-options":
            return "\n".join(f"option name {'x' * 1000}{n} type string" for n in range(15_000))
        case "crlf-always":
            return f"id name faulty\r\n{options}\r"
        case _:
            return f"id name faulty\n{options}"


def main() -> None:
    mode = sys.argv[1]
    turn = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    end = "\r" if mode == "crlf-always" else ""
    begin(mode, turn)
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
                say(f"{greeting(mode)}\nugiok{end}")
            case ["isready"]:
                if mode == "late-until-ready" and last_move:
                    say(f"bestmove {last_move}")  # what belongs to the last game
                say(f"readyok{end}")
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
                    say(f"bestmove {move}{end}")
                last_move = move
            case ["quit"]:
                if mode != "ignores-everything":
                    break
    while mode == "ignores-everything":
        time.sleep(1)


if __name__ == "__main__":
    main()
