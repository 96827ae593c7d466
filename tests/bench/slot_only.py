"""A slot without its run: the harness's session alone, no command, no store, no second process.

What the command costs beside this is the run's: records sent on, stored and announced.
"""

from __future__ import annotations

from pathlib import Path

from harness.play.bot_definition import BotDefinition, RestartPolicy
from harness.play.clock import TimeControl
from harness.play.types import GameSpec, Opening, PlayerSpec
from harness.process.jobs import PairJob, Played
from harness.process.session import Session
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet


def slot_ns(command: tuple[str, ...], plies: int, games: int, folder: Path) -> float:
    """Return nanoseconds a ply of games between two copies of a bot, in this process."""
    bots = (
        BotDefinition("a", command=command, folder=str(folder)),
        BotDefinition("b", command=command, folder=str(folder)),
    )
    session = Session(0)
    total_ns = played = 0
    try:
        for number in range(games + 1):
            job = PairJob((_game(number, plies),), bots, (), RestartPolicy.AUTO)
            for event in session.run(job):
                if isinstance(event, Played) and number:  # the first game warms up
                    total_ns += event.record.duration_ns
                    played += len(event.record.plies)
                    assert len(event.record.plies) == plies, event.record.outcome
    finally:
        session.close()
    return total_ns / played


def _game(number: int, plies: int) -> GameSpec:
    control = TimeControl.parse("600+1")
    return GameSpec(
        game_id=f"a~b.{number}a",
        encounter="a~b",
        pair=number,
        leg="a",
        batch=0,
        schedule_index=number,
        black=PlayerSpec("a", control),
        white=PlayerSpec("b", control),
        opening=Opening(STANDARD_START),
        rules=RuleSet(repetition=0, max_plies=plies),
    )
