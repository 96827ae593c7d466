"""From the start of the program to a new game: greeting, ready, options."""

from __future__ import annotations

import shlex
import time
from typing import Final

from harness.counted import counted
from harness.play.bot_definition import BotProtocol
from harness.play.clock import NS_PER_MS
from harness.process.bot_process import BotFailure
from harness.process.conformance.announcement import (
    STANDARD_OPTIONS,
    announcement_problems,
    standard_option_problems,
    unknown_lines,
)
from harness.process.conformance.bench import Bench
from harness.process.conformance.candidate import Candidate
from harness.process.conformance.no_answer import explain_failure
from harness.process.conformance.readiness import announce_game, ping
from harness.process.conformance.report import Finding, StepEnded, failed, passed, warned
from harness.process.greeting import (
    Greeting,
    configure,
    greet,
    option_problems,
)
from harness.process.launch import find_program
from harness.protocol.codec import encode_request
from harness.protocol.messages import OptionType, SetOption
from harness.rules.types import RuleSet

_MAX_SHOWN_PROBLEMS: Final = 5


def start_program(bench: Bench) -> Finding:
    """Find the program and start it."""
    words = shlex.join(find_program(bench.definition).words)
    try:
        bench.current()
    except BotFailure as failure:
        return failed(failure.why, "Run the same command in a shell: it says what is missing.")
    return passed(words)


def greet_bot(bench: Bench) -> Finding:
    """Greet it and read what it announces."""
    bot = bench.current()
    limit_ms = bench.definition.limits.start_ms
    wanted = "uciok" if bench.definition.protocol is BotProtocol.UCI else "ugiok"
    begun_ns = time.monotonic_ns()
    try:
        greeting = greet(bot.process)
    except BotFailure as failure:
        return explain_failure(bot, bench.transcript, failure, wanted, limit_ms)
    elapsed_ms = (time.monotonic_ns() - begun_ns) / NS_PER_MS
    bot.greeting = bench.greeting = greeting
    *lines, end = bench.transcript.answers()
    problems = announcement_problems(lines)
    if problems:
        return failed(_listed(problems), "The runner cannot set such an option, or not safely.")
    if end.rstrip() != wanted:
        return warned(
            f"`{wanted}` begins with a blank",
            "A line begins with its first word: other runners skip such a line.",
        )
    slow = too_slow(elapsed_ms, limit_ms, "start-ms")
    if slow:
        return slow
    if not greeting.name:
        return warned("it does not say its name", "Announce `id name NAME` before the end.")
    strange = unknown_lines(lines)
    if strange:
        return warned(
            f"the greeting has {counted(len(strange), 'line')} that no runner reads: "
            f"`{strange[0][:60]}`",
            "They are skipped. Write banners and traces to stderr.",
        )
    return passed(f"{greeting.name}, {counted(len(greeting.options), 'option')}")


def is_ready(bench: Bench) -> Finding:
    """Ask whether it is ready."""
    bot = bench.ready()
    ping(bench, bot, b"isready\n")
    bench.was_ready = True
    return passed()


def set_defaults(bench: Bench) -> Finding:
    """Set each option that was announced to its own default, and the user's to theirs."""
    bot = bench.ready()
    greeting = _greeting(bot)
    count = 0
    for offer in greeting.options.values():
        if offer.type is OptionType.BUTTON:
            continue  # what it does nobody knows
        default = offer.default or ("<empty>" if offer.type is OptionType.STRING else "")
        _set(bench, bot, offer.name, default)
        count += 1
    problems = option_problems(bench.definition, greeting)
    if problems:
        return failed(_listed(problems), "Give only options that the bot announces.")
    return passed(counted(count, "option"))


def set_standard_options(bench: Bench) -> Finding:
    """Set the options that the runner sets by itself to every value that it may set."""
    bot = bench.ready()
    greeting = _greeting(bot)
    problems = standard_option_problems(greeting)
    if problems:
        return failed(
            _listed(problems), "See the table of options in PROTOCOL.md, or do not announce it."
        )
    for standard in STANDARD_OPTIONS:
        for value in standard.values if greeting.offers(standard.name) else ():
            _set(bench, bot, greeting.options[standard.name.lower()].name, value)
    try:
        configure(bot.process, greeting, RuleSet())
    except BotFailure as failure:
        ping_ms = bench.definition.limits.ping_ms
        return explain_failure(bot, bench.transcript, failure, "readyok", ping_ms)
    known = [option.name for option in STANDARD_OPTIONS if greeting.offers(option.name)]
    return passed(f"knows {', '.join(known) or 'none: plays the default rules'}")


def begin_game(bench: Bench) -> Finding:
    """Announce a new game."""
    bot = bench.ready()
    begun_ns = time.monotonic_ns()
    announce_game(bench, bot)
    elapsed_ms = (time.monotonic_ns() - begun_ns) / NS_PER_MS
    limit_ms = bench.definition.limits.new_game_ms
    return too_slow(elapsed_ms, limit_ms, "new-game-ms") or passed()


def too_slow(elapsed_ms: float, limit_ms: int, key: str) -> Finding | None:
    """Return a warning when more than half of a limit was used."""
    if elapsed_ms <= limit_ms / 2:
        return None
    return warned(
        f"took {elapsed_ms:.0f} of the {limit_ms} ms that it may take",
        f"On a busy machine it may take longer: raise `{key}` in its table of the file, or "
        "do less at this point.",
    )


def _set(bench: Bench, bot: Candidate, option: str, value: str) -> None:
    """Set one option and wait until the bot is ready."""
    line = encode_request(SetOption(option, value))
    try:
        ping(bench, bot, f"{line}\nisready\n".encode())
    except StepEnded as ended:
        finding = failed(
            f"option {option} set to `{value[:40]}`: {ended.finding.text}",
            f"Read `setoption name N value V` for every option. {ended.finding.hint}",
        )
        raise StepEnded(finding) from ended


def _greeting(bot: Candidate) -> Greeting:
    assert bot.greeting is not None
    return bot.greeting


def _listed(problems: list[str]) -> str:
    rest = len(problems) - _MAX_SHOWN_PROBLEMS
    more = f"; and {rest} more" if rest > 0 else ""
    return "; ".join(problems[:_MAX_SHOWN_PROBLEMS]) + more
