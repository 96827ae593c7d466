"""Letting bots go, all together: quit, end of input, grace, SIGTERM, SIGKILL, reap."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterable, Sequence
from typing import Final

from harness.process.bot_process import BotProcess
from harness.process.pipes import CHUNK_BYTES

_TERMINATE_WAIT_NS: Final = 100_000_000


def dismiss(bots: Sequence[BotProcess]) -> None:
    """Let bots go; the longest of their goodbye limits is the grace for all of them."""
    leaving = Leaving()
    leaving.add(bots)
    leaving.finish()


class Leaving:
    """Bots that were told to go; what can be done meanwhile need not wait for them."""

    def __init__(self) -> None:
        self._bots: list[BotProcess] = []
        self._deadline_ns = 0

    def __len__(self) -> int:
        return len(self._bots)

    @property
    def process_ids(self) -> set[int]:
        """The process numbers of the bots."""
        return {bot.process_id for bot in self._bots}

    def add(self, bots: Iterable[BotProcess]) -> None:
        """Tell bots to go; their grace begins now."""
        for bot in bots:
            if bot.is_closed:
                continue
            bot.guard.resume()
            bot.pipes.say_quit()
            grace_ns = bot.definition.limits.goodbye_ms * 1_000_000
            self._deadline_ns = max(self._deadline_ns, time.monotonic_ns() + grace_ns)
            self._bots.append(bot)

    def finish(self) -> None:
        """Wait until the grace of all is over, then end those that are left."""
        _wait_for_ends(self._bots, self._deadline_ns)
        late = [bot for bot in self._bots if not bot.pipes.has_ended()]
        for bot in late:
            bot.terminate()
        _wait_for_ends(late, time.monotonic_ns() + _TERMINATE_WAIT_NS)
        self.kill()

    def kill(self) -> None:
        """End all of them at once."""
        for bot in self._bots:
            bot.kill()
        self._bots.clear()


def _wait_for_ends(bots: Sequence[BotProcess], deadline_ns: int) -> None:
    """Wait until all have ended, reading what they still write so that no pipe blocks them."""
    poll = select.poll()
    exits = {bot.pipes.exit_fd for bot in bots}
    for bot in bots:
        for fd in (bot.pipes.exit_fd, bot.pipes.output_fd, bot.pipes.errors_fd):
            poll.register(fd, select.POLLIN)
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
