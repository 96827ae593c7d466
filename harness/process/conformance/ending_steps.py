"""How the bot leaves: when it is told to, and when its input ends."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from harness.play.clock import NS_PER_MS
from harness.process.conformance.bench import Bench
from harness.process.conformance.candidate import Candidate
from harness.process.conformance.report import Finding, failed, passed, warned
from harness.process.process_tree import ProcessTree, is_zombie

_DEFAULT_LEAVE_MS: Final = 500
_SECOND_CHANCE_MS: Final = 300
_LEFT_WAIT_SECONDS: Final = 0.1


def leave_at_quit(bench: Bench) -> Finding:
    """Say ``quit`` and keep its input open."""
    return _leave(bench, "`quit`", lambda bot: bot.tell(b"quit\n"), _hint_for_quit)


def leave_at_end_of_input(bench: Bench) -> Finding:
    """End the input of a new process without a word."""
    return _leave(bench, "the end of its input", Candidate.close_input, _hint_for_end_of_input)


def _leave(
    bench: Bench,
    what: str,
    act: Callable[[Candidate], None],
    hint_for: Callable[[Candidate], str],
) -> Finding:
    bot = bench.fresh()
    pipes = bot.process.pipes
    tree = ProcessTree(bot.process.process_id)
    tree.refresh()
    limit_ms = bench.definition.limits.goodbye_ms or _DEFAULT_LEAVE_MS
    begun_ns = time.monotonic_ns()
    act(bot)
    bot.listen(limit_ms)
    elapsed_ms = (time.monotonic_ns() - begun_ns) / NS_PER_MS
    if not pipes.has_ended(max(0, int(limit_ms - elapsed_ms))):
        finding = failed(f"still there {limit_ms} ms after {what}", hint_for(bot))
        bench.discard()
        return finding
    elapsed_ms = (time.monotonic_ns() - begun_ns) / NS_PER_MS
    how = pipes.how_it_ended()
    left = _still_alive(tree.process_ids[1:])
    words = pipes.last_words()
    bench.discard()
    if left:
        return failed(
            f"left {left} process{'es' if left > 1 else ''} running that it had started",
            "What the bot starts must end with it: end it and wait for it before leaving.",
        )
    if how != "exited with code 0":
        return warned(
            f"{how} after {what}{f'; its last words: {words}' if words else ''}",
            "It does leave, but not with exit code 0: look at its stderr (lines with !).",
        )
    return passed(f"in {elapsed_ms:.0f} ms")


def _hint_for_quit(bot: Candidate) -> str:
    bot.close_input()
    bot.listen(_SECOND_CHANCE_MS)
    if bot.process.pipes.has_ended(_SECOND_CHANCE_MS):
        return "It leaves when its input ends: end the program at `quit` too."
    return "End the program at `quit`, all its threads and children with it; else it is killed."


def _hint_for_end_of_input(bot: Candidate) -> str:
    tree = ProcessTree(bot.process.process_id)
    tree.refresh()
    before_ns = tree.cpu_ns()
    bot.listen(_SECOND_CHANCE_MS)
    hint = "When reading a line gives nothing, the input has ended: leave, as at `quit`."
    if tree.cpu_ns() - before_ns > _SECOND_CHANCE_MS * NS_PER_MS // 2:
        hint += " It reads on in a loop and takes a whole core."
    return hint


def _still_alive(processes: tuple[int, ...]) -> int:
    if processes:
        time.sleep(_LEFT_WAIT_SECONDS)
    count = 0
    for process in processes:
        with suppress(OSError):
            os.kill(process, 0)
            count += not is_zombie(process)
    return count
