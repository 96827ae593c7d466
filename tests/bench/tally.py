"""What all bots of a run count in one small file: answers, first request, last answer.

The layout is that of ``struct tally`` in instant_bot.c. The times are of the monotonic clock,
which is one for all processes of a machine, so they compare with ``time.monotonic_ns()`` here.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final, NamedTuple

_LAYOUT: Final = struct.Struct("=QQQ")


class Tally(NamedTuple):
    """Answers of all bots, and when the first request came and the last answer went."""

    answers: int
    first_request_ns: int
    last_answer_ns: int


def new_tally(folder: Path) -> Path:
    """Make an empty file to count in; the variable ``BOT_TALLY`` tells the bots."""
    file = folder / "tally"
    file.write_bytes(bytes(_LAYOUT.size))
    return file


def read_tally(file: Path) -> Tally:
    """Return what was counted so far."""
    return Tally(*_LAYOUT.unpack(file.read_bytes()))
