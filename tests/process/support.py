"""What tests with real processes share: faulty bots, game specs, and a count of what is left."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness.execution.base import ExecutionEvent, Executor, Finished, Lost
from harness.execution.local import LocalExecutor
from harness.play.bot_definition import BotDefinition, BotLimits, Pondering, RestartPolicy
from harness.play.clock import TimeControl
from harness.play.types import GameRecord, GameSpec, Opening, PlayerSpec
from harness.process.containment import Containment
from harness.process.jobs import Job, PairJob, Played
from harness.process.process_tree import descendants_of
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet

FAULTY_BOT = Path(__file__).parent.parent / "faulty_bots" / "faulty_bot.py"
UNRULY_BOT = FAULTY_BOT.with_name("unruly_bot.py")
MS = 1_000_000


@dataclass
class Tag:
    """Marks every process of one test through its environment, so that what is left is found."""

    value: str = field(default_factory=lambda: uuid.uuid4().hex)

    def processes(self) -> list[int]:
        """Return the living processes that carry the tag; zombies do not live."""
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                environment = (folder / "environ").read_bytes()
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if self.value.encode() in environment and state not in "ZX":
                found.append(int(folder.name))
        return found

    def assert_nothing_left(self, within_seconds: float = 2.0) -> None:
        deadline = time.monotonic() + within_seconds
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert left == []


def faulty_bot(
    name: str, mode: str, turn: int = 1, *, tag: Tag | None = None, limits: BotLimits | None = None
) -> BotDefinition:
    return BotDefinition(
        name=name,
        command=(sys.executable, "-S", str(FAULTY_BOT), mode, str(turn)),
        folder=str(Path.cwd()),
        env=(("LOA_TEST_TAG", tag.value),) if tag else (),
        limits=limits or BotLimits(),
    )


def game_spec(
    black: str = "a",
    white: str = "b",
    *,
    leg: str = "a",
    pair: int = 1,
    control: str = "move=0.2",
    max_plies: int = 12,
) -> GameSpec:
    time_control = TimeControl.parse(control)
    first, second = sorted((black, white))
    return GameSpec(
        game_id=f"{first}~{second}.{pair}{leg}",
        encounter=f"{first}~{second}",
        pair=pair,
        leg=leg,
        batch=0,
        schedule_index=2 * (pair - 1) + (leg == "b"),
        black=PlayerSpec(black, time_control),
        white=PlayerSpec(white, time_control),
        opening=Opening(STANDARD_START),
        rules=RuleSet(repetition=0, max_plies=max_plies),
        margin_ns=50 * MS,
        max_think_ns=2_000 * MS,
        seed=1,
    )


def unruly_bot(
    name: str,
    mode: str,
    turn: int = 1,
    *,
    tag: Tag,
    memory_mb: int | None = None,
    processes: int | None = None,
    pondering: Pondering | None = None,
    limits: BotLimits | None = None,
) -> BotDefinition:
    """Return a bot whose processes misbehave; it may know the namespace it must not harm."""
    namespace = Path("/proc/self/ns/pid").stat().st_ino
    return BotDefinition(
        name=name,
        command=(sys.executable, "-S", str(UNRULY_BOT), mode, str(turn)),
        folder=str(Path.cwd()),
        env=(("LOA_TEST_NAMESPACE", str(namespace)), ("LOA_TEST_TAG", tag.value)),
        limits=limits or BotLimits(),
        memory_mb=memory_mb,
        processes=processes,
        pondering=pondering,
    )


def pair_job(
    first: BotDefinition,
    second: BotDefinition,
    *,
    legs: str = "ab",
    pair: int = 1,
    control: str = "move=2",
    max_plies: int = 12,
    restart: RestartPolicy = RestartPolicy.AUTO,
) -> PairJob:
    """Return a pair of games, leg a with ``first`` as Black."""
    games = tuple(
        game_spec(*names, leg=leg, pair=pair, control=control, max_plies=max_plies)
        for leg, names in zip(
            "ab", ((first.name, second.name), (second.name, first.name)), strict=True
        )
        if leg in legs
    )
    return PairJob(games, (first, second), (), restart)


@contextmanager
def local_executor(
    levels: Iterable[Containment] = Containment, slots: int = 1
) -> Iterator[LocalExecutor]:
    executor = LocalExecutor(slots, levels=levels)
    with closing(executor):
        yield executor


def next_event(
    executor: Executor, kind: type[ExecutionEvent], within_seconds: float = 20
) -> list[ExecutionEvent]:
    """Return all events up to the first of a kind, and those that came with it."""
    events: list[ExecutionEvent] = []
    deadline = time.monotonic() + within_seconds
    while not any(isinstance(event, kind) for event in events):
        assert time.monotonic() < deadline, events
        events += executor.next_events(0.5)
    return events


def play_jobs(executor: Executor, *jobs: Job, within_seconds: float = 60) -> list[ExecutionEvent]:
    """Play jobs one after the other; returns everything that was reported."""
    events: list[ExecutionEvent] = []
    deadline = time.monotonic() + within_seconds
    for job in jobs:
        executor.offer(job)
        before = len(events)
        while not any(isinstance(event, Finished | Lost) for event in events[before:]):
            assert time.monotonic() < deadline, events
            events += executor.next_events(0.5)
    return events


def records_of(events: Iterable[object]) -> list[GameRecord]:
    return [event.record for event in events if isinstance(event, Played)]


def processes_below(process: int) -> list[int]:
    """Return what runs below a process, nearest first: its workers, their namespaces, bots."""
    return list(descendants_of(process))


def is_worker(process: int) -> bool:
    """Whether a process is a worker, or the first of a worker's namespace."""
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


def wait_for(what: Callable[[], bool], within_seconds: float = 20) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + within_seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def peak_bytes(process: int) -> int:
    """Return the most memory that a process had resident at once; 0 when it is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
