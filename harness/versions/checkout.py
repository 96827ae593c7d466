"""A commit as files in a folder of our own, so that the user's repository is only read.

The folder is a repository that borrows the objects of the user's (as ``git clone --shared``
does): no worktree, branch or lock appears in the user's, what is set up there (sparse
checkouts, filters, hooks) has no say, and once the files are there they stay, whatever becomes
of branches and objects.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from harness.versions.git import GitError, ask_git, git_items
from harness.versions.repository import COMMIT, Repository, VersionError

Notice = Callable[[str], None]

_SUBMODULE: Final = re.compile(r"160000 (?P<commit>[0-9a-f]+) 0\t(?P<path>.+)", re.DOTALL)
_SUBMODULE_PATH: Final = re.compile(r"submodule\.(?P<name>.+)\.path\n(?P<path>.+)", re.DOTALL)


def check_out(repository: Repository, commit: str, target: Path, notice: Notice) -> None:
    """Write the files of a commit, and of its submodules where their objects are at hand.

    ``target`` must not exist. Submodules that are not in the user's repository are left empty,
    and ``notice`` is told. Raises VersionError.
    """
    try:
        borrow(repository, commit, target)
        ask_git(target, "checkout", "--quiet", "--force", "--detach", commit)
        inner = None if repository.is_bare else repository.folder
        _add_submodules(repository.git_folder, inner, target, "", notice)
    except GitError as error:
        raise VersionError(f"{commit[:12]} cannot be checked out: {error.why}") from error


def borrow(repository: Repository, commit: str, target: Path) -> None:
    """Make a repository in ``target`` that has the objects of another; GitError, OSError."""
    _make(repository.objects, len(commit), target)
    shallow = repository.git_folder / "shallow"
    if shallow.is_file():
        shutil.copyfile(shallow, target / ".git" / "shallow")


def alternates_line(objects: Path) -> str:
    r"""Return a folder of objects as written into ``objects/info/alternates``.

    In the quoted form of git, which alone can hold any name.
    """
    text = str(objects).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{text}"\n'


def _make(objects: Path, hash_digits: int, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    form = "sha256" if hash_digits == 64 else "sha1"
    ask_git(target, "init", "--quiet", "--template=", f"--object-format={form}")
    info = target / ".git" / "objects" / "info"
    info.mkdir(parents=True, exist_ok=True)
    line = alternates_line(objects).encode("utf-8", "surrogateescape")
    (info / "alternates").write_bytes(line)


def _add_submodules(
    git_folder: Path, working_tree: Path | None, target: Path, above: str, notice: Notice
) -> None:
    """Check out the submodules of ``target``; ``working_tree`` is where they may be cloned."""
    entries = git_items(target, "ls-files", "-z", "--stage")
    submodules = [match for entry in entries if (match := _SUBMODULE.fullmatch(entry))]
    names = _submodule_names(target) if submodules else {}
    for match in submodules:
        commit, path = match["commit"], match["path"]
        places = []
        if path in names:
            places.append(git_folder / "modules" / names[path])
        if working_tree is not None:
            places.append(working_tree / path / ".git")
        place = next((one for one in places if _fill(one, commit, target / path)), None)
        if place is None:
            notice(
                f"submodule {above + path!r} is left empty: its commit {commit[:12]} is not in the "
                "repository; `git submodule update --init --recursive` there fetches it"
            )
            continue
        inner = None if working_tree is None else working_tree / path
        _add_submodules(place, inner, target / path, f"{above}{path}/", notice)


def _fill(git_folder: Path, commit: str, target: Path) -> bool:
    """Check a submodule out of a git folder; False when the commit is not in it."""
    objects = git_folder / "objects"
    if not objects.is_dir() or COMMIT.fullmatch(commit) is None:
        return False
    _make(objects, len(commit), target)
    try:
        ask_git(target, "cat-file", "-e", f"{commit}^{{commit}}")
    except GitError:
        shutil.rmtree(target / ".git")
        return False
    ask_git(target, "checkout", "--quiet", "--force", "--detach", commit)
    return True


def _submodule_names(target: Path) -> dict[str, str]:
    """Return the names of the submodules by path; those that could lead elsewhere are left out."""
    query = ("--blob", "HEAD:.gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$")
    try:
        entries = git_items(target, "config", *query)
    except GitError:
        return {}  # none are named
    matches = [match for entry in entries if (match := _SUBMODULE_PATH.fullmatch(entry))]
    return {match["path"]: match["name"] for match in matches if _is_safe(match["name"])}


def _is_safe(name: str) -> bool:
    return not name.startswith("/") and ".." not in name.split("/")
