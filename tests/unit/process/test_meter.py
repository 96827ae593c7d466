"""The meter asks the parents of what ended seldom: it costs more than a quick ply."""

from __future__ import annotations

import os

import pytest

from harness.process import process_tree
from harness.process.meter import Meter
from harness.process.process_tree import ProcessTree

MS = 1_000_000


def test_parents_are_not_asked_in_every_ply(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def waited_ns(process: int) -> int:
        asked.append(process)
        return 0

    monkeypatch.setattr(process_tree, "_waited_ns", waited_ns)
    meter = Meter(ProcessTree(os.getpid()))
    asked.clear()
    for _ in range(10):
        meter.settle(MS)
        meter.moved(MS)
    assert asked == []
    meter.settle(20 * MS)
    meter.moved(20 * MS)
    meter.settle()
    assert asked == [os.getpid()] * 3
