"""What is said of ``--affinity`` and ``--slots`` that cannot be, before anything is played."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli import dry_run
from harness.cli.run_settings import chosen_affinity
from tests.cli.loa import Loa

COMMANDS = (("run", "random", "greedy"), ("compare", "random", "greedy"))


@pytest.fixture(autouse=True)
def _two_processors(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(dry_run, "usable_processors", lambda: {0, 1})
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--slots", "2", "--force"), "one game at a time: leave out --slots 2, or --serial"),
        (("--affinity", "1"), "leave out --affinity 1 and begin the command with `taskset -c 1`"),
        (("--affinity", "auto"), "begin the command with `taskset -c LIST`"),
    ],
)
def test_serial_refuses_what_it_would_ignore(
    command: tuple[str, ...], flags: tuple[str, ...], words: str, loa: Loa, tmp_path: Path
) -> None:
    ended = loa(*command, "--serial", *flags, "--tc", "nodes=1")
    assert ended.code == 2
    assert words in ended.errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("flags", [(), ("--affinity", "off"), ("--slots", "1")])
def test_serial_takes_what_is_so_anyway(flags: tuple[str, ...], loa: Loa) -> None:
    assert loa("run", "random", "greedy", "--serial", "--dry-run", *flags).code == 0


def test_what_is_not_given_is_found_or_left() -> None:
    assert chosen_affinity(None, None, is_serial=False) == "auto"
    assert chosen_affinity("2,3", 2, is_serial=False) == "2,3"
    assert chosen_affinity(None, None, is_serial=True) == "off"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--affinity", "2"), "there is no processor 2 here, only 0-1"),
        (("--affinity", "1", "--slots", "2", "--force"), "1 processor for 2 slots"),
        (("--affinity", "x"), "expected auto, off or a list"),
    ],
)
def test_a_dry_run_refuses_what_a_run_refuses(flags: tuple[str, ...], words: str, loa: Loa) -> None:
    ended = loa("run", "random", "greedy", "--dry-run", *flags)
    assert (ended.code, ended.output) == (2, "")
    assert words in ended.errors
    assert loa("run", "random", "greedy", "--dry-run", "--affinity", "1").code == 0


def test_a_dry_run_counts_threads(loa: Loa, tmp_path: Path) -> None:
    spec = tmp_path / "t.toml"
    bots = (("a", 2), ("b", 1))
    spec.write_text(
        "\n".join(
            f'[[bot]]\nname = "{name}"\nmodule = "bots.random_bot"\nthreads = {threads}'
            for name, threads in bots
        )
    )
    ended = loa("run", str(spec), "--dry-run", "--affinity", "1")
    assert ended.code == 2
    assert "1 processor for 1 slot of bots with 2 threads" in ended.errors
    assert loa("run", str(spec), "--dry-run", "--affinity", "0,1").code == 0
