"""The processors that slots play on, as a run gives, records and tells them."""

from __future__ import annotations

import pytest

from harness.execution.slots import usable_processors
from tests.process.run_command import Loa

pytestmark = pytest.mark.process

TWO_THREADS = """
[tournament]
name = "t"
rounds = 1
time-control = "nodes=1"
max-plies = 12

[[bot]]
name = "a"
module = "bots.random_bot"
threads = 2

[[bot]]
name = "b"
module = "bots.random_bot"
"""


@pytest.mark.skipif(len(usable_processors()) < 2, reason="there is one processor")
def test_a_slot_has_a_processor_for_each_thread_of_its_bots(loa: Loa) -> None:
    (loa.folder / "t.toml").write_text(TWO_THREADS)
    one, other = sorted(usable_processors())[:2]
    run = ("run", "t.toml", "--no-report")
    _, errors = loa(*run, "--affinity", str(one), code=2)
    assert f"--affinity {one}: 1 processor for 1 slot of bots with 2 threads" in errors
    assert not (loa.folder / "results").exists()
    loa(*run, "--affinity", f"{one},{other}")
    shown, _ = loa("game", "t", "a~b.1a")
    assert f"processors {one},{other}, " in shown


def test_a_run_says_that_nothing_is_bound(loa: Loa) -> None:
    slots = len(usable_processors()) + 1
    run = ("run", "random", "greedy", "--tc", "nodes=1", "--rounds", "1", "--no-report")
    _, errors = loa(*run, "--max-plies", "12", "--slots", str(slots), "--force")
    assert f"for {slots} slots: no slot has one of its own, the system places" in errors
