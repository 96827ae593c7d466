"""What the revisions of bots are: a commit or a working tree, and their place in the cache."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import Problem, SpecError
from harness.play.bot_definition import BotDefinition
from harness.play.git_source import WORKING_TREE, Checkout, GitSource, dirty_commit
from harness.versions.cache import CacheEntry
from harness.versions.repository import (
    COMMIT,
    Repository,
    VersionError,
    open_repository,
    resolve,
)
from harness.versions.working_tree import changed_files, content_hash


@dataclass(frozen=True, slots=True)
class Version:
    """What a revision turned out to be, and its place in the cache.

    ``head`` is the commit, ``reference`` the branch or tag that named it. ``files`` are those of
    a working tree with changes, whose hash is ``content``; None for a commit.
    """

    repository: Repository
    head: str
    reference: str
    entry: CacheEntry
    files: tuple[str, ...] | None = None
    content: str = ""

    @property
    def checkout(self) -> Checkout:
        """The commit and the folder, as a bot's definition has them."""
        return Checkout(self.entry.commit, str(self.entry.tree))


def find_versions(
    bots: Sequence[BotDefinition], cache: Path, without: Iterable[Path]
) -> list[Version | None]:
    """Return the version of every bot, None for one that is none.

    Untracked files in the folders ``without``, and in the cache, are no part of a working tree.
    SpecError names every version that cannot be found, InputError says that there is no git.
    """
    kept_out = [cache.absolute(), *(path.absolute() for path in without)]
    problems: list[Problem] = []
    versions: list[Version | None] = []
    for place, bot in enumerate(bots):
        version = None
        if bot.git is not None:
            try:
                version = _find(bot.git, Path(bot.folder), cache, kept_out)
            except VersionError as error:
                problems.append(Problem(bot.name or f"bot {place + 1}", str(error)))
        versions.append(version)
    if problems:
        raise SpecError("versions in git", problems)
    return versions


def _find(source: GitSource, folder: Path, cache: Path, without: Sequence[Path]) -> Version:
    repository = open_repository(folder / source.repo)

    def entry(commit: str) -> CacheEntry:
        return CacheEntry.of(cache, f"{repository.name}-{repository.key}", commit, source.build)

    if source.rev != WORKING_TREE:
        if COMMIT.fullmatch(source.rev) and entry(source.rev).is_ready():
            # It may be gone from the repository, where no branch led to it any more.
            return Version(repository, source.rev, "", entry(source.rev))
        commit, reference = resolve(repository, source.rev)
        return Version(repository, commit, reference, entry(commit))
    if repository.is_bare:
        raise VersionError(f"{str(repository.folder)!r} has no working tree")
    head = resolve(repository, "HEAD").commit
    files = changed_files(repository, without)
    if files is None:
        return Version(repository, head, "", entry(head))
    content = content_hash(repository.folder, files)
    commit = dirty_commit(head, content)
    return Version(repository, head, "", entry(commit), tuple(files), content)
