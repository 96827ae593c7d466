"""The steps of the check, in order, and the loop that takes a bot through them."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from harness.play.bot_definition import BotDefinition, BotProtocol
from harness.play.clock import TimeControl
from harness.process.bot_process import BotFailure
from harness.process.conformance import (
    ending_steps,
    game_steps,
    habit_steps,
    move_steps,
    start_steps,
)
from harness.process.conformance.bench import DEFAULT_CONTROL, Bench
from harness.process.conformance.patience import Patience
from harness.process.conformance.report import (
    Finding,
    Status,
    StepEnded,
    StepReport,
    failed,
    warned,
)
from harness.process.pipes import AttemptLost
from harness.process.strays import strays_ended

_TRIES: Final = 2


class Need(IntEnum):
    """What a bot must have shown before a step makes sense, the least first."""

    NOTHING = 0
    START = 1
    GREETING = 2
    READY = 3
    MOVES = 4


class Step(NamedTuple):
    """One step: its name, what it does, what it needs. ``has_fen``: it sends positions as FEN."""

    name: str
    run: Callable[[Bench], Finding]
    need: Need = Need.MOVES
    has_fen: bool = False


STEPS: Final = (
    Step("program starts", start_steps.start_program, Need.NOTHING),
    Step("greeting", start_steps.greet_bot, Need.START),
    Step("isready", start_steps.is_ready, Need.GREETING),
    Step("options take their defaults", start_steps.set_defaults, Need.READY),
    Step("standard options", start_steps.set_standard_options, Need.READY),
    Step("new game", start_steps.begin_game, Need.READY),
    Step("first move as Black", move_steps.move_as_black, Need.READY),
    Step("first move as White", move_steps.move_as_white, Need.READY),
    Step("FEN, Black to move", move_steps.black_fen, has_fen=True),
    Step("FEN, White to move", move_steps.white_fen, has_fen=True),
    Step("FEN and moves", move_steps.fen_and_moves, has_fen=True),
    Step("forced pass", move_steps.forced_pass, has_fen=True),
    Step("move after a pass", move_steps.move_after_pass, has_fen=True),
    Step("300 plies in one line", move_steps.long_line),
    Step("clock with increment", move_steps.clock_and_increment),
    Step("clock alone", move_steps.clock_alone),
    Step("movestogo", move_steps.clock_and_moves),
    Step("movetime", move_steps.move_time),
    Step("nodes", move_steps.nodes),
    Step("depth", move_steps.depth),
    Step("clock and depth", move_steps.clock_and_depth),
    Step("own clock as Black", move_steps.own_clock_as_black),
    Step("own clock as White", move_steps.own_clock_as_white),
    Step("0.1 s on the clock", move_steps.little_time),
    Step("unknown words of go", move_steps.unknown_limit),
    Step("draw offer", move_steps.draw_offer),
    Step("isready and stop in a search", habit_steps.stop_while_thinking),
    Step("unknown lines", habit_steps.unknown_lines, Need.READY),
    Step("silent while not asked", habit_steps.silent_while_not_asked),
    Step("idle while not asked", habit_steps.idle_while_not_asked),
    Step("same seed, same game", game_steps.same_game_again),
    Step("nothing left of the last game", game_steps.nothing_left_of_last_game),
    Step("whole game against itself", game_steps.whole_game),
    Step("quit", ending_steps.leave_at_quit, Need.READY),
    Step("end of input", ending_steps.leave_at_end_of_input, Need.READY),
)


def run_checklist(
    definition: BotDefinition,
    control: TimeControl | None = None,
    control_fd: int | None = None,
    steps: Sequence[Step] = STEPS,
    patience: Patience | None = None,
) -> Generator[StepReport]:
    """Take a bot through the steps; yields each as it is done.

    ``control`` limits the moves and the whole game; the other forms of limits are made to fit
    it. Every wait ends with Withdrawn when ``control_fd`` becomes readable. Close the generator:
    that ends the bot and all that it left behind. Must be used in the main thread of its process,
    which starts nothing else meanwhile.
    """
    with strays_ended():
        yield from _go_through(definition, control, control_fd, steps, patience)


def _go_through(
    definition: BotDefinition,
    control: TimeControl | None,
    control_fd: int | None,
    steps: Sequence[Step],
    patience: Patience | None,
) -> Generator[StepReport]:
    bench = Bench(definition, control or TimeControl.parse(DEFAULT_CONTROL), control_fd, patience)
    was_started = False
    try:
        for number, step in enumerate(steps, start=1):
            bench.transcript.begin()
            begun_ns = time.monotonic_ns()
            finding = _skipped(bench, step, was_started=was_started) or _run(bench, step)
            elapsed_ns = time.monotonic_ns() - begun_ns
            bench.note_errors()
            transcript = bench.transcript
            yield StepReport(
                number, step.name, finding, transcript.lines, transcript.left_out, elapsed_ns
            )
            if finding.status is Status.FAIL:
                bench.discard()
            was_started |= step.need is Need.NOTHING and finding.status is Status.PASS
        bench.let_go()
    finally:
        bench.discard()


def _run(bench: Bench, step: Step) -> Finding:
    try:
        return step.run(bench)
    except StepEnded as ended:
        return ended.finding
    except BotFailure as failure:
        return failed(failure.why, "See the steps before.")
    except AttemptLost as lost:
        bench.discard()
        return warned(f"cannot be told: {lost}", "Check it again on a machine that is awake.")


def _skipped(bench: Bench, step: Step, *, was_started: bool) -> Finding | None:
    """Return why a step cannot be tried; None when it can."""
    if step.need > Need.NOTHING and not was_started:
        return Finding(Status.SKIPPED, "it could not be started")
    if step.need > Need.START and bench.greeting is None:
        return Finding(Status.SKIPPED, "it was not greeted")
    if step.need > Need.GREETING and not bench.was_ready:
        return Finding(Status.SKIPPED, "it was never ready")
    if step.need > Need.GREETING and bench.failed_starts >= _TRIES:
        return Finding(Status.SKIPPED, "it does not start again")
    is_mute = bench.silences >= _TRIES and not bench.answers
    if step.need is Need.MOVES and is_mute:
        return Finding(Status.SKIPPED, "it answers no `go`")
    if step.has_fen and bench.definition.protocol is BotProtocol.UCI:
        return Finding(Status.SKIPPED, "UCI bots are sent startpos alone")
    return None
