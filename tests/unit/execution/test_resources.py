"""What a run needs of the machine: shares, warnings, descriptors."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.errors import InputError
from harness.execution.resources import (
    Machine,
    allow_descriptors,
    fair_share_mb,
    memory_warning,
    read_machine,
)
from harness.play.bot_definition import BotDefinition


def bots(*limits_mb: int | None) -> list[BotDefinition]:
    return [BotDefinition(f"b{at}", memory_mb=limit) for at, limit in enumerate(limits_mb)]


@pytest.fixture
def low_limit() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_all_bots_that_run_at_once_fit_into_the_memory() -> None:
    machine = Machine(10_000, 1_024)
    assert fair_share_mb(2, 1, machine) == 4_500
    assert fair_share_mb(9, 3, machine) == 750  # four of a slot: two play, two are kept
    assert fair_share_mb(9, 1_000, machine) == 64
    assert fair_share_mb(2, 1, Machine(None, 1_024)) is None


def test_limits_beyond_the_memory_are_warned_about() -> None:
    assert memory_warning(bots(400, 400), 1, Machine(1_000, 64)) is None
    text = memory_warning(bots(400, None, 400), 2, Machine(1_000, 64))
    assert text is not None
    assert "1600 MB" in text
    assert "1000 MB" in text
    assert memory_warning(bots(10**6), 9, Machine(None, 64)) is None


def test_the_machine_is_read_and_its_absence_survived(tmp_path: Path) -> None:
    file = tmp_path / "meminfo"
    file.write_text("MemTotal: 9 kB\nMemAvailable:   2097152 kB\n")
    assert read_machine(file).available_mb == 2_048
    assert read_machine(tmp_path / "none").available_mb is None
    file.write_text("MemAvailable:\n")
    assert read_machine(file).available_mb is None
    assert read_machine().max_descriptors >= 64


@pytest.mark.usefixtures("low_limit")
def test_the_limit_of_open_files_is_raised_as_far_as_needed() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allow_descriptors(2, Machine(None, hard))
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 128
    allow_descriptors(100, Machine(None, hard))
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] >= 600
    with pytest.raises(InputError, match="at most 156 slots"):
        allow_descriptors(1_000, Machine(None, 1_000))
