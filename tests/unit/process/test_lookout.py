"""Whose fault a stall was, told from what came since the last look."""

from __future__ import annotations

import os
import time

import pytest

from harness.play.bot_definition import BotDefinition
from harness.process import lookout
from harness.process.guard import Guard
from harness.process.lookout import LOOK_NS, Lookout, is_stall
from harness.process.pipes import AttemptLost

MS = 1_000_000


class Asked(Guard):
    """A guard that notes what it is asked, and answers for a stall if it is to."""

    def __init__(self, why: str = "") -> None:
        super().__init__(BotDefinition("a", command=("x",)), os.getpid())
        self.asked: list[tuple[int, int]] = []
        self.looks = 0
        self._why = why

    def look(self) -> None:
        self.looks += 1

    def answer_for(self, stall_ns: int, starved_ns: int) -> None:
        self.asked.append((stall_ns, starved_ns))
        self.condemned = self._why


@pytest.mark.parametrize("has_looked", [False, True])
def test_only_waits_for_a_processor_since_the_last_look_count(
    has_looked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    delay_ns = [7_000 * MS]  # of the life of the slot before
    monkeypatch.setattr(lookout, "run_delay_ns", lambda: delay_ns[0])
    guard = Asked()
    watch = Lookout((guard,), None)
    if has_looked:
        delay_ns[0] += 500 * MS
        watch.look()
    delay_ns[0] += 30 * MS
    with pytest.raises(AttemptLost, match=r"was stopped for 8\d\d ms while a clock ran"):
        watch.excused_ns(time.monotonic_ns() - 900 * MS, 100 * MS)
    ((stall_ns, starved_ns),) = guard.asked
    assert 800 * MS <= stall_ns < 900 * MS
    assert starved_ns == 30 * MS


def test_the_time_is_excused_where_a_bot_answers_for_it() -> None:
    guards = Asked(), Asked("kept its slot from the processor")
    watch = Lookout(guards, None)
    since_ns = time.monotonic_ns() - 900 * MS
    excused_ns = watch.excused_ns(since_ns, 100 * MS)
    assert excused_ns == watch.looked_ns - since_ns
    assert [guard.looks for guard in guards] == [1, 1]


def test_it_is_due_at_first_and_when_time_has_passed() -> None:
    calls: list[str] = []
    watch = Lookout((), lambda: calls.append("house"))
    assert watch.is_due(time.monotonic_ns())
    watch.look()
    assert calls == ["house"]
    assert not watch.is_due(watch.looked_ns + LOOK_NS)
    assert watch.is_due(watch.looked_ns + LOOK_NS + 1)


@pytest.mark.parametrize(
    ("gap_ms", "wait_ms", "is_late", "expected"),
    [
        (600, 100, False, False),
        (601, 100, False, True),
        (120, 100, True, False),
        (121, 100, True, True),
        (121, 100, False, False),
    ],
)
def test_what_is_a_stall(gap_ms: int, wait_ms: int, is_late: bool, expected: bool) -> None:
    assert is_stall(gap_ms * MS, wait_ms * MS, is_late=is_late) == expected
