"""A working tree as it is: which files belong to it, a hash of them, and a copy."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from harness.versions.git import GitError, git_items
from harness.versions.repository import Repository, VersionError


def changed_files(repository: Repository, without: Sequence[Path]) -> list[str] | None:
    """Return the paths of a working tree that is not what its commit is; None when it is.

    They are the tracked files and those that are untracked but not ignored, sorted, relative to
    the repository's folder. Untracked files inside the folders ``without`` (absolute) are left
    out: what the harness writes there itself is no change of the bot.
    """
    folder = repository.folder
    try:
        untracked = _untracked(folder, without)
        is_changed = bool(git_items(folder, "status", "--porcelain", "-z", "-uno"))
        if not untracked and not is_changed:
            return None
        return _reachable(folder, sorted({*_tracked(folder), *untracked}))
    except GitError as error:
        raise VersionError(f"the working tree of {str(folder)!r}: {error.why}") from error


def content_hash(folder: Path, paths: Sequence[str]) -> str:
    """Return the SHA-256 over names, contents, links and executable bits, as 64 hex digits.

    Files that are not there count as deleted. Raises VersionError when one cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        kind = _kind(folder / path)
        if kind:
            digest.update(b"\0".join([os.fsencode(path), kind, _content(folder / path)]) + b"\0")
    return digest.hexdigest()


def copy_files(source: Path, paths: Sequence[str], target: Path) -> None:
    """Copy the files with their links, executable bits and times of change; OSError."""
    for path in paths:
        kind = _kind(source / path)
        if not kind:
            continue
        copy = target / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / path, copy, follow_symlinks=False)
        if kind != b"link":
            copy.chmod(0o755 if kind == b"program" else 0o644)


def _reachable(folder: Path, paths: Sequence[str]) -> list[str]:
    """Leave out what is reached through a link only: tracked once, it is deleted now.

    A copy must not follow such a link, as it would write where the link leads.
    """
    parents = {path: [str(one) for one in PurePosixPath(path).parents][:-1] for path in paths}
    links = {one for above in parents.values() for one in above if (folder / one).is_symlink()}
    return [path for path, above in parents.items() if links.isdisjoint(above)]


def _untracked(folder: Path, without: Sequence[Path]) -> list[str]:
    resolved = [path.resolve() for path in without]
    found: list[str] = []
    for path in git_items(folder, "ls-files", "-z", "--others", "--exclude-standard"):
        inner = folder / path
        if any(inner.is_relative_to(one) for one in resolved):
            continue
        found += _nested(inner, path) if path.endswith("/") else [path]
    return found


def _tracked(folder: Path) -> list[str]:
    found: list[str] = []
    for path in git_items(folder, "ls-files", "-z", "--cached"):
        inner = folder / path
        is_folder = inner.is_dir() and not inner.is_symlink()
        found += _nested(inner, path) if is_folder else [path]
    return found


def _nested(folder: Path, path: str) -> list[str]:
    """Return the files of a repository inside the working tree: a submodule, or a clone."""
    if not (folder / ".git").exists():
        return []
    inner = {*_tracked(folder), *_untracked(folder, ())}
    return [f"{path.rstrip('/')}/{name}" for name in inner]


def _kind(path: Path) -> bytes:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return b""
    if stat.S_ISLNK(mode):
        return b"link"
    if not stat.S_ISREG(mode):
        return b""
    return b"program" if mode & stat.S_IXUSR else b"file"


def _content(path: Path) -> bytes:
    try:
        if path.is_symlink():
            return os.fsencode(path.readlink())
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest().encode()
    except OSError as error:
        raise VersionError(f"{str(path)!r} cannot be read ({error.strerror})") from error
