from __future__ import annotations

from pathlib import Path

import pytest

from harness.cli.run import _spec
from tests.cli.loa import Loa

BOTS = ("greedy", "random")


@pytest.fixture
def loa(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Loa:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOA_RESULTS", raising=False)
    return Loa(capsys)


def name_of(loa: Loa, *flags: str) -> str:
    """Return the derived name of the tournament, which follows the conditions."""
    ended = loa("run", *BOTS, "--dry-run", *flags)
    assert ended.code == 0, ended.errors
    return ended.output.split()[1]


def test_every_flag_reaches_the_conditions(loa: Loa) -> None:
    names = [
        name_of(loa),
        name_of(loa, "--draw-score", "20"),
        name_of(loa, "--draw-score", "20", "--draw-count", "3"),
        name_of(loa, "--draw-score", "20", "--draw-ply", "30"),
        name_of(loa, "--resign-score", "500"),
        name_of(loa, "--resign-score", "500", "--resign-count", "2"),
        name_of(loa, "--resign-score", "500", "--no-resign-both"),
    ]
    assert len(set(names)) == len(names)
    assert name_of(loa, "--draw-score", "0") == names[0]
    assert name_of(loa, "--resign-score", "500", "--resign-both") == names[4]


def test_problems_are_of_the_flags_and_come_together(loa: Loa) -> None:
    ended = loa("run", *BOTS, "--dry-run", "--draw-count", "0", "--resign-score", "-4")
    assert ended.code == 2
    assert "--draw-count: expected a whole number from 1" in ended.errors
    assert "--resign-score: expected a whole number from 0" in ended.errors
    ended = loa("run", *BOTS, "--dry-run", "--no-resign-both")
    assert ended.code == 2
    assert "--resign-both: does nothing without resign-score" in ended.errors


def test_a_flag_that_is_not_given_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    bots = "".join(f'[[bot]]\nname = "{name}"\nmodule = "bots.{name}_bot"\n' for name in BOTS)
    path.write_text(f"[adjudication]\nresign-score = 500\nresign-both = false\n{bots}")
    flags: dict[str, object] = {"resign_both": None, "force": False, "rounds": None}
    for given, needs_both in ((None, False), (False, False), (True, True)):
        resign = _spec((str(path),), {**flags, "resign_both": given}).adjudication.resign
        assert resign is not None
        assert resign.needs_both is needs_both
