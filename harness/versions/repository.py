"""A repository of the user's, which is only read: where its parts are, what a revision means."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final, NamedTuple

from harness.versions.git import GitError, ask_git, git_items, git_line

COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REFERENCE: Final = re.compile(r"refs/(?:heads|tags|remotes)/(?P<name>.+)")


class VersionError(Exception):
    """A version cannot be found or checked out; the text is for the person who named it."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository: its folder as it was named, its git folder and that of its objects.

    ``name`` is the repository's as people call it, ``key`` eight digits that tell repositories
    of the same name apart. All paths are absolute.
    """

    folder: Path
    git_folder: Path
    objects: Path
    is_bare: bool

    @property
    def name(self) -> str:
        """The name of the folder, or of the bare repository without ``.git``."""
        folder = self.git_folder.parent if self.git_folder.name == ".git" else self.git_folder
        return re.sub(r"[^A-Za-z0-9._+-]+", "-", folder.name.removesuffix(".git")) or "repository"

    @property
    def key(self) -> str:
        """Eight digits of the hash of where the repository is; its worktrees share them."""
        return hashlib.sha256(bytes(self.git_folder)).hexdigest()[:8]


class Revision(NamedTuple):
    """A commit, and the branch or tag by which it was named (else empty)."""

    commit: str
    reference: str


def open_repository(folder: Path) -> Repository:
    """Find the parts of the repository whose top folder, or git folder, this is.

    Raises VersionError when there is no repository, or ``folder`` is only inside of one.
    """
    if not folder.is_dir():
        raise VersionError(f"{str(folder)!r} is no folder")
    folder = folder.resolve()
    try:
        git_folder = git_line(folder, "rev-parse", "--git-common-dir")
    except GitError as error:
        if "not a git repository" in error.why:
            raise VersionError(f"{str(folder)!r} is no git repository") from error
        raise VersionError(f"{str(folder)!r}: {error.why}") from error
    try:
        prefix = git_line(folder, "rev-parse", "--show-prefix")
        if prefix:
            top = git_line(folder, "rev-parse", "--show-toplevel")
            raise VersionError(
                f"{str(folder)!r} is no git repository but a folder inside of one; "
                f"its top folder is {top!r}"
            )
        return Repository(
            folder,
            (folder / git_folder).resolve(),
            (folder / git_line(folder, "rev-parse", "--git-path", "objects")).resolve(),
            git_line(folder, "rev-parse", "--is-inside-work-tree") != "true",
        )
    except GitError as error:
        raise VersionError(f"{str(folder)!r}: {error.why}") from error


def resolve(repository: Repository, rev: str) -> Revision:
    """Return the commit that a revision names now; VersionError when it names none, or two."""
    folder = repository.folder
    try:
        answer = ask_git(folder, "rev-parse", "--verify", rev)
    except GitError as error:
        raise VersionError(_unknown(repository, rev, error.why)) from error
    if "ambiguous" in answer.errors:
        raise VersionError(
            f"{rev!r} is both a branch and a tag: write refs/heads/... or refs/tags/..."
        )
    found = _hash(rev, answer.output)
    try:
        commit = _hash(rev, ask_git(folder, "rev-parse", "--verify", f"{found}^{{commit}}").output)
    except GitError as error:
        raise VersionError(f"{rev!r} is no commit") from error
    symbolic = git_line(folder, "rev-parse", "--verify", "--symbolic-full-name", rev)
    match = _REFERENCE.fullmatch(symbolic)
    # HEAD and @{-1} are symbolic for a branch too, but of another name tomorrow.
    is_named_so = match is not None and (symbolic == rev or symbolic.endswith(f"/{rev}"))
    return Revision(commit, match["name"] if match is not None and is_named_so else "")


def _hash(rev: str, output: bytes) -> str:
    text = output.decode("ascii", "replace").removesuffix("\n")
    if COMMIT.fullmatch(text) is None:
        raise VersionError(f"{rev!r} is no single commit")
    return text


def _unknown(repository: Repository, rev: str, why: str) -> str:
    if "ambiguous" in why:
        return f"{rev!r} is the beginning of several hashes: write more digits"
    try:
        names = git_items(repository.folder, "for-each-ref", "--format=%(refname:short)%00")
    except GitError:
        names = []
    names = [name.strip("\n") for name in names]
    near = get_close_matches(rev, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    if not any(names) and rev == "HEAD":
        hint = "; it has no commit yet"
    return f"no branch, tag or commit of {str(repository.folder)!r} is called {rev!r}{hint}"
