"""Letting bots go, all together: quit, end of input, grace, SIGTERM, SIGKILL, reap."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Sequence
from typing import Final

from harness.process.bot_process import BotProcess
from harness.process.pipes import CHUNK_BYTES

_TERMINATE_WAIT_MS: Final = 100


def dismiss(bots: Sequence[BotProcess]) -> None:
    """Let bots go; the longest of their goodbye limits is the grace for all of them."""
    alive = [bot for bot in bots if not bot.is_closed]
    for bot in alive:
        bot.guard.resume()
        bot.pipes.say_quit()
    _wait_for_ends(alive, max((bot.definition.limits.goodbye_ms for bot in alive), default=0))
    late = [bot for bot in alive if not bot.pipes.has_ended()]
    for bot in late:
        bot.terminate()
    _wait_for_ends(late, _TERMINATE_WAIT_MS)
    for bot in alive:
        bot.kill()


def _wait_for_ends(bots: Sequence[BotProcess], limit_ms: int) -> None:
    """Wait until all have ended, reading what they still write so that no pipe blocks them."""
    poll = select.poll()
    exits = {bot.pipes.exit_fd for bot in bots}
    for bot in bots:
        for fd in (bot.pipes.exit_fd, bot.pipes.output_fd, bot.pipes.errors_fd):
            poll.register(fd, select.POLLIN)
    deadline_ns = time.monotonic_ns() + limit_ms * 1_000_000
    while exits and (left_ns := deadline_ns - time.monotonic_ns()) >= 0:
        for fd, _ in poll.poll(left_ns / 1e6):
            if fd in exits:
                exits.remove(fd)
                poll.unregister(fd)
                continue
            try:
                is_open = bool(os.read(fd, CHUNK_BYTES))
            except BlockingIOError:
                is_open = True
            if not is_open:
                poll.unregister(fd)
