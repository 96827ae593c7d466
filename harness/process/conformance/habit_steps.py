"""What the bot does beside answering: while it thinks, while it is not asked, with odd lines."""

from __future__ import annotations

from typing import Final

from harness.play.clock import NS_PER_MS, TimeControl
from harness.play.referee import Referee
from harness.play.types import Ask
from harness.process.conformance.bench import Bench
from harness.process.conformance.candidate import Candidate
from harness.process.conformance.moves import ask_move, game_spec
from harness.process.conformance.no_answer import explain_exit
from harness.process.conformance.positions import standard
from harness.process.conformance.readiness import ping
from harness.process.conformance.report import Finding, Status, StepEnded, failed, passed, warned
from harness.process.process_tree import ProcessTree

_LONG_THINK_MS: Final = 10_000
_END_WAIT_MS: Final = 50
_IDLE_SHARE: Final = 0.2
_LOOKS: Final = 2


def stop_while_thinking(bench: Bench) -> Finding:
    """Ask for a long search, ask whether it is ready, then stop it."""
    bot = bench.ready()
    bot.tell(_request(bench, _LONG_THINK_MS))
    is_quick = _answers(bot.listen(bot.patience.think_ms, b"bestmove"))
    finding = passed("answered before `stop`") if is_quick else _stopped(bot)
    if not is_quick and bot.process.pipes.has_ended(_END_WAIT_MS):
        return explain_exit(bot, f"{bot.process.pipes.how_it_ended()} in a search")
    if finding.status is not Status.PASS:
        bench.discard()
    elif _answers(ping(bench, bot, b"stop\nisready\n")):
        return warned(
            "answers `stop` with a bestmove although nothing runs",
            "When no search runs `stop` means nothing.",
        )
    return finding


def _stopped(bot: Candidate) -> Finding:
    """Ask a bot that thinks whether it is ready, then stop it."""
    bot.tell(b"isready\n")
    heard = bot.listen(bot.patience.ready_ms, b"readyok")
    is_ready = any(line.strip() == b"readyok" for line in heard)
    bot.tell(b"stop\n")
    if not _answers(heard) and not _answers(bot.listen(bot.patience.stop_ms, b"bestmove")):
        return warned(
            f"no bestmove within {bot.patience.stop_ms} ms of `stop`",
            "Look for input while thinking and answer `stop` at once. This runner never sends "
            "it, others do.",
        )
    if not is_ready:
        return warned(
            "does not answer `isready` while it thinks",
            "Answer `readyok` at once, also in a search. This runner does not ask then, others do.",
        )
    return passed()


def unknown_lines(bench: Bench) -> Finding:
    """Send lines that no bot knows, and one with CR LF."""
    bot = bench.ready()
    try:
        ping(bench, bot, b"frobnicate 1 2 3\n\nisready\n")
    except StepEnded as ended:
        hint = "Skip every line whose first word the bot does not know, empty ones too."
        raise StepEnded(failed(ended.finding.text, hint)) from ended
    try:
        ping(bench, bot, b"isready\r\n")
    except StepEnded as ended:
        bench.discard()
        text = f"does not understand a line that ends with CR LF: {ended.finding.text}"
        hint = "Strip white space from the end of each line. This runner writes LF alone."
        raise StepEnded(warned(text, hint)) from ended
    return passed()


def silent_while_not_asked(bench: Bench) -> Finding:
    """Listen after an answer."""
    bot = bench.ready()
    limit_ms = bench.pace.move_ms
    bot.tell(_request(bench, limit_ms))
    heard = bot.listen(limit_ms + bot.patience.unasked_ms, b"bestmove")
    answers = [at for at, line in enumerate(heard) if _is_answer(line)]
    if not answers and bot.process.pipes.has_ended(_END_WAIT_MS):
        return explain_exit(bot, f"{bot.process.pipes.how_it_ended()} at `go`")
    if not answers:
        return failed(
            f"no bestmove within {limit_ms + bot.patience.unasked_ms} ms", "See the steps before."
        )
    after = heard[answers[0] + 1 :] + bot.listen(bot.patience.unasked_ms)
    if _answers(after):
        return warned(
            "answers more than once",
            "Write one bestmove for each `go`: a second one may be taken for the answer to the "
            "next request.",
        )
    if after:
        return warned(
            f"writes while it is not asked ({len(after)} line{'s' if len(after) > 1 else ''})",
            "Be silent between an answer and the next line: what comes then is dropped.",
        )
    return passed()


def idle_while_not_asked(bench: Bench) -> Finding:
    """Measure the processor time of its processes after an answer."""
    bot = bench.ready()
    ask_move(bench, bot, standard())
    tree = ProcessTree(bot.process.process_id)
    share = 0.0
    for _ in range(_LOOKS):  # twice: some programs tidy up after the first moves
        tree.refresh()
        before_ns = tree.cpu_ns()
        bot.listen(bot.patience.idle_ms)
        share = (tree.cpu_ns() - before_ns) / (bot.patience.idle_ms * NS_PER_MS)
        if bot.has_ended:
            return failed("ended while it was not asked", "Wait for the next line, or for `quit`.")
        if share <= _IDLE_SHARE:
            return passed(f"{100 * share:.0f} % of a core")
    return failed(
        f"used {100 * share:.0f} % of a core while it was not asked",
        "It must not compute while the other side thinks: do not ponder, and wait for input "
        "in a blocking read, not in a loop that looks for it.",
    )


def _request(bench: Bench, move_ms: int) -> bytes:
    control = TimeControl(move_time_ns=move_ms * NS_PER_MS)
    ask = Referee(game_spec(bench, standard(), control)).next()
    assert isinstance(ask, Ask)
    return ask.request


def _answers(lines: list[bytes]) -> bool:
    return any(map(_is_answer, lines))


def _is_answer(line: bytes) -> bool:
    return line.split()[:1] == [b"bestmove"] and line.startswith(b"bestmove")
