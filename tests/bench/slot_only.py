"""A slot without its run: the harness's session alone, no command, no store, no second process.

What the command costs beside this is the run's: records sent on, stored and announced.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from pathlib import Path

from harness.play.bot_definition import BotDefinition, RestartPolicy
from harness.play.clock import TimeControl
from harness.play.referee import Referee
from harness.play.types import Answer, Ask, GameSpec, Opening, PlayerSpec
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


def bare_ns(command: tuple[str, ...], plies: int, games: int) -> float:
    """Return nanoseconds a ply of a loop that only writes, waits and reads: what Python must pay.

    The bot gets the requests of such a game, from two copies in turn, and nothing is checked.
    """
    bots = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        for _ in range(2)
    ]
    try:
        ends, waits = [], []
        for bot in bots:
            assert bot.stdin is not None
            assert bot.stdout is not None
            ends.append((bot.stdin.fileno(), bot.stdout.fileno()))
            poll = select.epoll()
            poll.register(bot.stdout.fileno(), select.EPOLLIN)
            waits.append(poll)
        requests: list[bytes] = []
        taken_ns = 0
        for number in range(games + 1):
            for write_fd, read_fd in ends:
                os.write(write_fd, b"uginewgame\nisready\n")
                os.read(read_fd, 65_536)
            if number == 0:  # the first game warms up and shows what is asked
                referee = Referee(_game(0, plies))
                while isinstance(ask := referee.next(), Ask):
                    os.write(ends[ask.side][0], ask.request)
                    line = os.read(ends[ask.side][1], 65_536).rstrip()
                    requests.append(ask.request)
                    referee.receive(Answer(line, 1, None))
                continue
            begun_ns = time.perf_counter_ns()
            for place, request in enumerate(requests):
                write_fd, read_fd = ends[place & 1]
                os.write(write_fd, request)
                waits[place & 1].poll(10.0, 8)
                os.read(read_fd, 65_536)
            taken_ns += time.perf_counter_ns() - begun_ns
    finally:
        for bot in bots:
            with bot:
                bot.kill()
    assert len(requests) == plies
    return taken_ns / (games * plies)


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
