"""An instant bot for UGI: shuffles one piece to and fro, so that a game lasts to its ply limit."""

import os
import sys

MOVES = (b"b1b3", b"h4f2", b"b3b1", b"f2h4")


def main() -> None:
    rest = b""
    played = 0
    while chunk := os.read(0, 65536):
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"position"):
                played = (len(line.partition(b" moves ")[2]) + 1) // 5
            elif line.startswith(b"go"):
                os.write(1, b"bestmove %b\n" % MOVES[played % 4])
            elif line == b"isready":
                os.write(1, b"readyok\n")
            elif line == b"ugi":
                os.write(1, b"id name instant\nugiok\n")
            elif line == b"quit":
                sys.exit(0)


if __name__ == "__main__":
    main()
