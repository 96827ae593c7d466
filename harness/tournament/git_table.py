"""``git = { ... }`` of a bot: read, written, and as conditions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from harness.errors import Problem
from harness.play.bot_definition import BotDefinition
from harness.play.git_source import (
    DEFAULT_BUILD_SECONDS,
    Checkout,
    GitSource,
    build_problem,
    revision_problem,
)
from harness.tournament.text_file import is_folder
from harness.tournament.toml_table import TomlTable, shown

GIT_KEYS: Final = ("repo", "rev", "build", "build-seconds")
MAX_BUILD_SECONDS: Final = 86_400


def read_git(bot: TomlTable, folder: Path) -> GitSource | None:
    """Read the table ``git`` of a bot; None when there is none, or when it is no table.

    ``repo`` must be a folder, beginning at ``folder``; whether it is a repository and has the
    revision is found out when the version is made ready.
    """
    problem_count = len(bot.problems.problems)
    table = bot.table("git")
    if not bot.has("git") or len(bot.problems.problems) > problem_count:
        return None
    repo, rev, build = table.text("repo"), table.text("rev"), table.text("build")
    if not table.has("repo"):
        table.note("repo", 'git needs repo, the folder of a repository such as "../mybot"')
    elif repo is not None and ("\0" in repo or not is_folder(folder / repo)):
        table.note("repo", f"{shown(repo)} is no folder (relative paths begin at {folder})")
    if not table.has("rev"):
        table.note("rev", 'git needs rev, a branch, tag or commit such as "v1.2"')
    why = None if rev is None else revision_problem(rev)
    if why is not None:
        table.note("rev", why)
    why = None if build is None else build_problem(build)
    if why is not None:
        table.note("build", why)
    seconds = table.integer("build-seconds", 1, MAX_BUILD_SECONDS) or DEFAULT_BUILD_SECONDS
    table.finish()
    return GitSource(repo or "", rev or "", build, seconds)


def git_values(source: GitSource | None) -> dict[str, str | int] | None:
    """Return the values of the table's keys; None when the bot is no version."""
    if source is None:
        return None
    values: dict[str, str | int] = {"repo": source.repo, "rev": source.rev}
    if source.build is not None:
        values["build"] = source.build
    if source.build_seconds != DEFAULT_BUILD_SECONDS:
        values["build-seconds"] = source.build_seconds
    return values


def git_conditions(bot: BotDefinition) -> dict[str, Any]:
    """Return what a version adds to the conditions of its bot: commit and build command.

    Neither the repository's place nor the revision as written is in it: what plays is a commit,
    whatever it was called. Empty for other bots.
    """
    if bot.git is None:
        return {}
    commit = None if bot.checkout is None else bot.checkout.commit
    return {"git": {"commit": commit, "build": bot.git.build}}


def moved_version(name: str, stored: Mapping[str, Any], now: Mapping[str, Any]) -> Problem | None:
    """Say that a bot's revision is another commit than in its games, and what can be done.

    Both are conditions of the bot called ``name``; None when the commit is the same, or when
    one of them has none. The place is the one that ``differences`` gives to it.
    """
    before = _commit(stored)
    after = _commit(now)
    if before is None or after is None or before == after:
        return None
    short = Checkout(after, "").short
    if "-dirty-" in before:
        back = "that working tree is gone"
    else:
        back = f'rev = "{before}" goes on with the one that played'
    return Problem(
        f"bot {name}.git.commit",
        f"stored {before}, now {after}: the revision is another commit than in the games here; "
        f"{back}, another name ({name}-{short}) lets both take part, "
        f"--accept-changed {name} goes on and keeps the two apart",
    )


def _commit(conditions: Mapping[str, Any]) -> str | None:
    git = conditions.get("git")
    commit = git.get("commit") if isinstance(git, Mapping) else None
    return commit if isinstance(commit, str) else None
