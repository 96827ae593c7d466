"""Stopping what forks, and who kept a slot from the processor."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator

import pytest

from harness.play.bot_definition import BotDefinition, Pondering
from harness.process.guard import Guard
from harness.process.process_tree import ProcessTree, is_stopped

MS = 1_000_000


class GrowingTree(ProcessTree):
    """A tree in which one more process is found at each look: they were forking meanwhile."""

    __slots__ = ("_all",)

    def __init__(self, processes: list[int]) -> None:
        super().__init__(processes[0])
        self._all = processes
        self.process_ids = ()

    def refresh(self, most: int | None = None) -> None:
        self.process_ids = tuple(self._all[: len(self.process_ids) + 1])


class BusyTree(ProcessTree):
    """A tree that used so much and has so many threads that run."""

    __slots__ = ("_threads", "_used_ns")

    def __init__(self, used_ns: int, threads: int) -> None:
        super().__init__(0)
        self._used_ns = used_ns
        self._threads = threads

    def refresh(self, most: int | None = None) -> None: ...

    def cpu_ns(self, *, has_waited: bool = True) -> int:
        return self._used_ns

    def running_threads(self) -> int:
        return self._threads

    def signal(self, number: int) -> None: ...


@pytest.fixture
def sleepers() -> Iterator[list[int]]:
    processes = [subprocess.Popen(["sleep", "60"]) for _ in range(3)]
    yield [process.pid for process in processes]
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.process
def test_what_forks_while_it_is_stopped_is_stopped_too(sleepers: list[int]) -> None:
    guard = Guard(BotDefinition("x", pondering=Pondering.SUSPEND), sleepers[0])
    guard.tree = GrowingTree(sleepers)
    guard.pause()
    assert [is_stopped(process) for process in sleepers] == [True] * 3


@pytest.mark.parametrize(
    ("stall_ms", "starved_ms", "used_ms", "threads", "is_guilty"),
    [
        (900, 900, 800, 1, True),  # a halt: whoever ran meanwhile
        (900, 900, 200, 150, False),  # it hardly ran
        (900, 300, 900, 150, False),  # the slot was stopped, it was not waiting
        (50, 50, 100, 150, True),
        (50, 50, 100, 1, False),  # it thinks, as it should, and others keep the slot waiting
        (50, 10, 100, 150, False),
    ],
)
def test_who_kept_the_slot_from_the_processor(
    stall_ms: int,
    starved_ms: int,
    used_ms: int,
    threads: int,
    is_guilty: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guard = Guard(BotDefinition("x"), 0)
    monkeypatch.setattr(guard, "kill", lambda: None)
    guard.tree = BusyTree(used_ms * MS, threads)
    guard.answer_for(stall_ms * MS, starved_ms * MS)
    assert guard.condemned.startswith("kept its slot from the processor") is is_guilty


def test_what_is_used_between_games_is_in_none_of_them() -> None:
    guard = Guard(BotDefinition("a", command=("x",)), os.getpid())
    guard.begin_count(is_first=True)
    guard.end_count()
    begun = time.process_time()
    while time.process_time() - begun < 0.05:
        pass
    guard.begin_count(is_first=False)
    guard.end_count()
    usage = guard.usage
    assert usage.cpu_on_turn_ns + usage.cpu_off_turn_ns < 20 * MS


def test_what_is_used_in_a_game_is_in_it_however_soon_it_follows() -> None:
    guard = Guard(BotDefinition("a", command=("x",)), os.getpid())
    guard.begin_count(is_first=True)
    guard.end_count()
    guard.begin_count(is_first=False)
    begun = time.process_time()
    while time.process_time() - begun < 0.05:
        pass
    guard.end_count()
    usage = guard.usage
    assert usage.cpu_on_turn_ns + usage.cpu_off_turn_ns >= 45 * MS


def test_a_bot_that_is_over_is_not_looked_at() -> None:
    guard = Guard(BotDefinition("a", command=("x",), memory_mb=1), os.getpid())
    guard.is_over = True
    guard.look()
    guard.answer_for(1000 * MS, 1000 * MS)
    assert not guard.condemned
    assert guard.usage.peak_memory_bytes == 0
