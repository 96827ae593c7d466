"""The bots that bots/README.md prints run, and play legal games to their end."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bots
from harness.play.bot_definition import BotDefinition, RestartPolicy
from harness.play.types import CauseKind
from harness.process.jobs import PairJob, Played
from harness.process.session import Session
from harness.rules.types import RuleSet
from harness.tournament.bot_argument import parse_bot_argument, shipped_bots
from harness.tournament.config import load_spec
from tests.process.support import Tag, game_spec

pytestmark = pytest.mark.process

README = (Path(bots.__file__).parent / "README.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def play_games(command: tuple[str, ...], tag: Tag, folder: Path) -> list[str]:
    """Play both legs against the random bot and return the name that the bot announced."""
    environment = (("LOA_TEST_TAG", tag.value),)
    mine = BotDefinition("mine", command=command, folder=str(folder), env=environment)
    other = BotDefinition("other", module="bots.random_bot", folder=str(folder), env=environment)
    specs = (
        game_spec("mine", "other", control="1+0.1", max_plies=200),
        game_spec("other", "mine", leg="b", control="1+0.1", max_plies=200),
    )
    session = Session(0)
    try:
        events = list(session.run(PairJob(specs, (mine, other), (), RestartPolicy.AUTO)))
    finally:
        session.close()
    records = [event.record for event in events if isinstance(event, Played)]
    assert len(records) == 2
    for record in records:
        kind = record.outcome.cause.kind
        assert kind in (CauseKind.BOARD, CauseKind.ADJUDICATION), record.outcome
        assert record.spec.rules == RuleSet(repetition=0, max_plies=200)
        assert len(record.moves) > 10
    return sorted({records[0].black.announced, records[1].white.announced})


def test_the_python_bot(tag: Tag, tmp_path: Path) -> None:
    (tmp_path / "gatherer.py").write_text(block("python"))
    assert play_games((sys.executable, "gatherer.py"), tag, tmp_path) == ["gatherer"]


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_c_bot(tag: Tag, tmp_path: Path) -> None:
    (tmp_path / "minimal.c").write_text(block("c"))
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-std=c99"]
    subprocess.run(["cc", *flags, "-o", "minimal", "minimal.c"], cwd=tmp_path, check=True)
    assert play_games(("./minimal",), tag, tmp_path) == ["minimal"]


def test_the_forms_of_a_bot_are_read(tmp_path: Path) -> None:
    for text in ("greedy", "alphabeta:Depth=3", "./minimal", "python3 gatherer.py"):
        assert text in README
        argument = parse_bot_argument(f"deep={text}", tmp_path)
        assert argument.label == "deep"


def test_the_toml_form_is_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    path = tmp_path / "spec.toml"
    path.write_text('[tournament]\nname = "readme"\n' + block("toml"))
    deep, mine = load_spec(path).bots
    assert deep.module == "bots.alphabeta_bot"
    assert deep.options == (("Depth", "3"),)
    assert mine.command == ("./minimal", "--fast")
    default = BotDefinition("mine")
    assert mine.limits == default.limits


def test_every_shipped_bot_is_named() -> None:
    for name in shipped_bots():
        assert f"| `{name}` |" in README
