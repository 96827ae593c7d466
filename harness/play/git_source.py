"""A bot as a revision of a git repository: what was written, and what it turned out to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

WORKING_TREE: Final = "WORKTREE"
"""The revision that stands for the working tree as it is, uncommitted changes included."""

DEFAULT_BUILD_SECONDS: Final = 900
SHORT_DIGITS: Final = 7
_DIRTY: Final = "-dirty"


@dataclass(frozen=True, slots=True)
class GitSource:
    """Where a bot's program comes from, as written.

    ``repo`` is a folder, relative to the definition's; ``rev`` whatever git calls a revision
    (branch, tag, ``HEAD~3``, short hash) or ``WORKTREE``. ``build`` is a shell command that runs
    in the checkout, for at most ``build_seconds``.
    """

    repo: str
    rev: str
    build: str | None = None
    build_seconds: int = DEFAULT_BUILD_SECONDS


@dataclass(frozen=True, slots=True)
class Checkout:
    """A version that was found: its commit, and the folder where it is checked out.

    ``commit`` is the full hash; of a working tree with changes ``HASH-dirty-DIGITS``, with the
    hash of the commit below it and 16 digits of the SHA-256 of its files. ``folder`` is
    absolute, holds for this machine only, and belongs neither to conditions nor to identity.
    """

    commit: str
    folder: str

    @property
    def short(self) -> str:
        """Seven digits of the hash, with ``-dirty`` when there are uncommitted changes."""
        return self.commit[:SHORT_DIGITS] + (_DIRTY if _DIRTY in self.commit else "")


def dirty_commit(commit: str, content: str) -> str:
    """Return the name of a working tree of this content with changes to this commit."""
    return f"{commit}{_DIRTY}-{content[:16]}"


def revision_problem(rev: str) -> str | None:
    """Say what is wrong with a revision before git is asked; None when it may be one."""
    if not rev.strip():
        return "names no revision: write a branch, a tag or a commit"
    if rev.startswith("-"):
        return f"{rev!r} is no revision: it begins with -; write refs/heads/... in full"
    if not rev.isprintable():
        return f"{rev!r} is no revision: it has characters that cannot be printed"
    return None


def build_problem(build: str) -> str | None:
    """Say what is wrong with a build command; None when a shell may be asked."""
    if not build.strip():
        return "an empty command builds nothing; leave it out"
    if "\0" in build:
        return "a command cannot contain a NUL character"
    return None
