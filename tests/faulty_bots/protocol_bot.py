"""A bot that gets one thing of the line protocol wrong. Standard library only.

``protocol_bot.py MODE``; without a fault it plays like the shipped bot in one file, at depth 1.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from bots import plain_bot

MODE = sys.argv[1] if len(sys.argv) > 1 else "none"
OPTIONS = {
    "default-out-of-range": "option name Seed type spin default 5 min 10 max 20",
    "unreadable-option": "option name Seed type number default 5",
    "wrong-type": "option name Seed type string default abc",
    "draws": "option name DrawOffers type check default false",
}
SEED = "option name Seed type spin default 0 min 0 max 1000"


def say(text: str) -> None:
    end = "\r" if MODE == "cr-alone" else "\n"
    if text in ("ugiok", "readyok") and text == MODE.removeprefix("no-newline-"):
        end = ""
    sys.stdout.write(text + end)
    if MODE != "no-flush":
        sys.stdout.flush()


def burn(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


class ProtocolBot:
    """Does what it is told, but for the one thing."""

    def __init__(self) -> None:
        self.bot = plain_bot.Bot()
        self.games = 0
        self.limits: dict[str, str] = {}

    def greet(self, word: str) -> None:
        if MODE == "only-uci" and word == "ugi":
            return
        if MODE == "slow-greeting":
            time.sleep(0.8)
        if MODE == "banner":
            say("Protocol Bot 1.0 (c) nobody")
        say("id name \x1b[2Jprotocol" if MODE == "escapes" else "id name protocol")
        say(OPTIONS.get(MODE, SEED))
        say(" ugiok" if MODE == "blank-before" else f"{word}ok")

    def set_position(self, words: list[str]) -> None:
        if MODE == "forgets-moves" and "moves" in words:
            words = words[: words.index("moves")]
        if MODE == "ignores-fen" and words[0] == "fen":
            words = ["startpos", *words[3:]]
        if MODE == "short-buffer":
            words = " ".join(words)[:504].split()  # 16 and whole moves
        if MODE == "keeps-position" and self.games:
            return
        self.games += MODE == "keeps-position"
        if MODE == "upside-down" and words[0] == "fen":
            words[1] = "/".join(reversed(words[1].split("/")))
        self.bot.set_position(words)
        if MODE == "wrong-side":
            self.bot.side = plain_bot.OTHER[self.bot.side]

    def move(self) -> str:
        board, side = self.bot.board, self.bot.side
        moves = plain_bot.legal_moves(board, side)
        if not moves:
            return "0000" if MODE == "no-pass" else "pass"
        key = f"{self.bot.seed} {' '.join(self.bot.moves)}"
        if MODE == "deaf-to-seed":
            key = os.urandom(8).hex()
        if MODE == "keeps-state":
            key += str(self.games // 2)  # the same in the first games of two processes
        return plain_bot.format_move(Random(key).choice(moves))

    def think(self) -> None:
        move_ms = int(self.limits.get("movetime", 0))
        if MODE == "deaf-in-search":
            time.sleep(move_ms / 1000 * 0.9)
        if MODE == "wrong-clock":
            time.sleep(int(self.limits.get("p1time", 0)) / 30_000)
        if MODE == "needs-time" and not {"p1time", "movetime"} & set(self.limits):
            time.sleep(600)
        if MODE == "late":
            time.sleep(move_ms / 1000 + 0.3)

    def go(self, words: list[str]) -> None:
        self.limits = dict(zip(words[1::2], words[2::2], strict=False))
        self.think()
        move = self.move()
        match MODE:
            case "mute":
                return
            case "exit-at-go":
                sys.exit("out of ideas")
            case "resigns":
                move = "resign"
            case "two-words":
                move = f"{move[:2]} {move[2:]}"
            case "draws" if words[-1] == "drawoffer":
                move = "draw"
            case "upper-case":
                say(f"BESTMOVE {move}")
                return
            case "no-newline-bestmove":
                sys.stdout.write(f"bestmove {move}")
                sys.stdout.flush()
                return
        say(f"bestmove {move}")
        if MODE == "answers-twice":
            say(f"bestmove {move}")
        if MODE == "writes-later":
            threading.Timer(0.02, say, ["info string your turn"]).start()
        if MODE == "ponders":
            threading.Thread(target=burn, args=[0.5], daemon=True).start()

    def obey(self, words: list[str]) -> None:
        match words[:1]:
            case ["ugi" | "uci" as word]:
                self.greet(word)
            case ["isready"]:
                say("readyok")
            case ["setoption"]:
                if MODE == "exit-at-setoption":
                    sys.exit("what is an option?")
                if words[2].lower() == "seed":
                    self.bot.seed = int(words[4])
            case ["uginewgame" | "ucinewgame"]:
                self.games += MODE == "keeps-state"
            case ["position"]:
                self.set_position(words[1:])
            case ["go"]:
                self.go(words)
            case ["stop"] if MODE == "answers-stop":
                say("bestmove b1b3")
            case _ if MODE == "exit-at-unknown" and words[0] not in ("stop", "quit"):
                sys.exit(f"what is {words[0]}?")

    def serve(self) -> None:
        if MODE == "leaves-child":
            subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
        for line in sys.stdin:
            if MODE == "cr-not-stripped" and line.endswith("\r\n"):
                continue
            words = line.split()
            if words == ["quit"] and MODE != "ignores-quit":
                return
            if words:
                self.obey(words)
        while MODE == "ignores-end-of-input":
            sys.stdin.read()


if __name__ == "__main__":
    if MODE == "no-flush":
        sys.stdout = open(1, "w", buffering=1 << 16, closefd=False)  # noqa: SIM115
    if MODE == "cr-not-stripped":
        sys.stdin = open(0, newline="\n", closefd=False)  # noqa: SIM115
    if MODE == "exits-with-code":
        ProtocolBot().serve()
        sys.exit(3)
    ProtocolBot().serve()
