from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import SpecError
from harness.play.bot_definition import BotDefinition
from harness.play.git_source import Checkout, GitSource, dirty_commit, revision_problem
from harness.tournament.bot_argument import BOT_NAME
from harness.versions.git import environment_without_git
from harness.versions.prepare import default_label, git_bot, prepare_versions

HASH = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"


@pytest.mark.parametrize(
    ("reference", "label"),
    [
        ("main", "main-1a2b3c4"),
        ("v1.2", "v1.2-1a2b3c4"),
        ("feature/quick moves", "feature-quick-moves-1a2b3c4"),
        ("", "1a2b3c4"),
        ("早い", "1a2b3c4"),
        ("b" * 56, "b" * 56 + "-1a2b3c4"),
        ("b" * 57, "1a2b3c4"),
    ],
)
def test_a_version_is_called_after_its_branch_and_commit(reference: str, label: str) -> None:
    assert default_label(reference, "1a2b3c4") == label
    assert BOT_NAME.fullmatch(label)


def test_a_working_tree_with_changes_is_named_as_such() -> None:
    commit = dirty_commit(HASH, "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b")
    assert commit == f"{HASH}-dirty-9f86d081884c7d65"
    assert Checkout(commit, "/somewhere").short == "1a2b3c4-dirty"
    assert Checkout(HASH, "/somewhere").short == "1a2b3c4"


@pytest.mark.parametrize("rev", ["main", "HEAD~3", ":/mend the clock", "é", "main@{2 days ago}"])
def test_what_may_be_a_revision_is_left_to_git(rev: str) -> None:
    assert revision_problem(rev) is None


@pytest.mark.parametrize("rev", ["", "  ", "-x", "--output=/tmp/x", "a\nb", "a\0b", "\ud800"])
def test_what_can_be_no_revision_never_gets_there(rev: str) -> None:
    assert revision_problem(rev)


def test_a_bot_of_a_version(tmp_path: Path) -> None:
    bot = git_bot("../mybot", "main", "make", "./mybot --book 'my book'", folder=tmp_path)
    assert bot == BotDefinition(
        name="",
        command=("./mybot", "--book", "my book"),
        folder=str(tmp_path),
        git=GitSource("../mybot", "main", "make"),
    )
    named = git_bot(tmp_path, "main", None, ["./my bot"], label="mine", folder=tmp_path)
    assert (named.name, named.command) == ("mine", ("./my bot",))


def test_everything_that_is_wrong_with_a_version_is_said(tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        git_bot(".", "-v", " ", "./bot 'open", folder=tmp_path)
    assert [problem.place for problem in caught.value.problems] == ["revision", "build", "bot"]
    with pytest.raises(SpecError, match="command is empty"):
        git_bot(".", "main", None, "", folder=tmp_path)


def test_other_bots_come_back_as_they_are(tmp_path: Path) -> None:
    bots = (BotDefinition("a", module="bots.random_bot"), BotDefinition("b", command=("./b",)))
    assert prepare_versions(bots, tmp_path / "cache", pytest.fail) == bots
    assert not (tmp_path / "cache").exists()


def test_git_and_builds_do_not_hear_of_another_repository() -> None:
    environment = {
        "PATH": "/bin",
        "GIT_DIR": "/other/.git",
        "GIT_INDEX_FILE": "index",
        "GIT_WORK_TREE": "/other",
        "GIT_CONFIG_COUNT": "1",
        "GIT_SSH_COMMAND": "ssh -v",
        "GIT_SSL_CAINFO": "/etc/ca.pem",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GITHUB_ACTIONS": "true",
    }
    assert sorted(environment_without_git(environment)) == [
        "GITHUB_ACTIONS",
        "GIT_CONFIG_GLOBAL",
        "GIT_SSH_COMMAND",
        "GIT_SSL_CAINFO",
        "PATH",
    ]
