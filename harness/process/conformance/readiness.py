"""Waiting until the bot is ready: what it wrote before that belongs to the past."""

from __future__ import annotations

from typing import Final

from harness.process.bot_process import BotFailure
from harness.process.conformance.bench import Bench
from harness.process.conformance.candidate import Candidate
from harness.process.conformance.no_answer import explain_failure
from harness.process.conformance.report import StepEnded
from harness.process.greeting import new_game

GAME_ID: Final = "check"


def ping(bench: Bench, bot: Candidate, request: bytes) -> list[bytes]:
    """Send lines, the last one ``isready``; returns what came before ``readyok``, or StepEnded."""
    limit_ms = bench.definition.limits.ping_ms
    try:
        return bot.process.converse(request, b"readyok", limit_ms)
    except BotFailure as failure:
        raise StepEnded(
            explain_failure(bot, bench.transcript, failure, "readyok", limit_ms)
        ) from failure


def announce_game(bench: Bench, bot: Candidate, seed: int = 1) -> None:
    """Announce a new game with the Seed of ``seed``; StepEnded when the bot does not get ready."""
    assert bot.greeting is not None
    try:
        new_game(bot.process, bot.greeting, seed, GAME_ID)
    except BotFailure as failure:
        limit_ms = bench.definition.limits.new_game_ms
        raise StepEnded(
            explain_failure(bot, bench.transcript, failure, "readyok", limit_ms)
        ) from failure
