"""A bot that pries into its slot and leaves things behind; what it found goes to stderr.

``prying_bot.py MODE``: ``keyring`` looks for a key of whoever started the run, ``trace`` tries to
trace the first process of its namespace and to read its descriptors, ``shared`` leaves a System V
segment. It plays on as ``faulty_bot.py`` does. Standard library only.
"""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress

MOVES = ("b1b3", "h4f2", "b3b1", "f2h4")
KEY = b"loa-test-secret"
SEGMENT_KEY = 0x10A7E57
_SEARCH, _SESSION = 10, -3
_CREATE = 0o1600
_PTRACE_ATTACH = 16


def look(mode: str) -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    if mode == "keyring":
        number = {"x86_64": 250, "aarch64": 219}[os.uname().machine]
        key = ctypes.c_char_p(KEY)
        user = ctypes.c_char_p(b"user")
        found = libc.syscall(number, _SEARCH, ctypes.c_long(_SESSION), user, key, 0)
        return "key found" if found > 0 else "no key"
    if mode == "trace":
        traced = libc.ptrace(_PTRACE_ATTACH, 1, 0, 0) == 0
        seen = False
        for number in range(64):
            with suppress(OSError):
                os.close(os.open(f"/proc/1/fd/{number}", os.O_RDONLY | os.O_NONBLOCK))
                seen = True
        return f"traced {traced}, descriptors {seen}"
    return f"segment {libc.shmget(SEGMENT_KEY, 4096, _CREATE) >= 0}"


def main() -> None:
    moves: list[str] = []
    while line := sys.stdin.readline():
        words = line.split()
        match words[:1]:
            case ["ugi"]:
                print("id name prying\nugiok", flush=True)
            case ["isready"]:
                print("readyok", flush=True)
            case ["position"]:
                moves = words[words.index("moves") + 1 :] if "moves" in words else []
            case ["go"]:
                if len(moves) < 2:
                    print(look(sys.argv[1]), file=sys.stderr, flush=True)
                print(f"bestmove {MOVES[len(moves) % 4]}", flush=True)
            case ["quit"]:
                break


if __name__ == "__main__":
    main()
