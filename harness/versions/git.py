"""Git as a program: a clean environment, no hooks, no questions, nothing written on the side."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from harness.errors import InputError
from harness.report.safe_text import printable

_PROGRAM: Final = "git"
_LIMIT_SECONDS: Final = 600
# Git's own variables (GIT_DIR, GIT_INDEX_FILE ...) would turn it to another repository: they are
# set when the harness is started by a hook. What says how to reach and read things stays.
_KEPT: Final = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH")
_KEPT_PREFIXES: Final = ("GIT_SSL_", "GIT_SSH")
_FIXED: Final = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_SETTINGS: Final = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
)


class GitError(Exception):
    """Git refused; ``why`` is what it said, in one line and fit for a terminal."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class GitAnswer(NamedTuple):
    """What git wrote when it succeeded."""

    output: bytes
    errors: str


def environment_without_git(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the variables that point git at a repository."""
    return {
        name: value
        for name, value in environment.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }


def ask_git(folder: Path, *arguments: str) -> GitAnswer:
    """Run git in a folder; GitError when it fails, InputError when there is no git."""
    program = shutil.which(_PROGRAM)
    if program is None:
        raise InputError("git is not installed (no program git on PATH): versions need it")
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    try:
        ended = subprocess.run(
            [program, *settings, *arguments],
            check=False,
            cwd=folder,
            env={**environment_without_git(os.environ), **_FIXED},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_LIMIT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise GitError(f"git {arguments[0]} did not end in {_LIMIT_SECONDS} s") from None
    except (OSError, ValueError) as error:
        raise GitError(f"git cannot be run in {folder}: {error}") from error
    errors = ended.stderr.decode("utf-8", "replace")
    if ended.returncode:
        raise GitError(_one_line(errors) or f"git {arguments[0]} ended with {ended.returncode}")
    return GitAnswer(ended.stdout, errors)


def git_line(folder: Path, *arguments: str) -> str:
    """Return git's output of one line without its end; as for a path, decoded losslessly."""
    return os.fsdecode(ask_git(folder, *arguments).output.removesuffix(b"\n"))


def git_items(folder: Path, *arguments: str) -> list[str]:
    """Return the NUL-terminated items of git's output (``-z``), decoded losslessly."""
    return [os.fsdecode(item) for item in ask_git(folder, *arguments).output.split(b"\0") if item]


def _one_line(errors: str) -> str:
    lines = [line.removeprefix("fatal: ").removeprefix("error: ") for line in errors.splitlines()]
    return printable(" ".join(line.strip() for line in lines if line.strip()))
