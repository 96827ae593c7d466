"""Bots that are versions in git: named, resolved to commits, checked out and built."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from harness.errors import BuildError, FailedBuild, InputError, Problem, SpecError
from harness.play.bot_definition import BotDefinition
from harness.play.git_source import GitSource, build_problem, revision_problem
from harness.tournament.bot_argument import MAX_NAME_LENGTH, free_name
from harness.versions.build import last_lines, run_build
from harness.versions.checkout import borrow, check_out
from harness.versions.find import Version, find_versions
from harness.versions.git import GitError, ask_git
from harness.versions.repository import VersionError
from harness.versions.working_tree import content_hash, copy_files

Notice = Callable[[str], None]

_SHOWN_LINES: Final = 20


def git_bot(
    repo: str | Path,
    rev: str,
    build: str | None,
    command: str | Sequence[str],
    label: str | None = None,
    *,
    folder: Path,
) -> BotDefinition:
    """Return a bot that is a version in git, still to be prepared.

    ``repo`` is relative to ``folder``; ``command``, words or a text that is split as a shell
    would, begins in the checkout. Without ``label`` it is called after its commit, once that is
    known. SpecError names everything that is wrong.
    """
    problems = [Problem("revision", why) for why in [revision_problem(rev)] if why]
    if build is not None:
        problems += [Problem("build", why) for why in [build_problem(build)] if why]
    words: tuple[str, ...] = ()
    try:
        words = tuple(shlex.split(command) if isinstance(command, str) else command)
    except ValueError as error:
        problems.append(Problem("bot", f"cannot be split into words: {str(error).lower()}"))
    else:
        if not words or not words[0]:
            problems.append(Problem("bot", "the command is empty"))
    if problems:
        raise SpecError(f"the version {rev!r}", problems)
    return BotDefinition(
        name=label or "",
        command=words,
        folder=str(folder.absolute()),
        git=GitSource(str(repo), rev, build),
    )


def resolve_versions(
    bots: Sequence[BotDefinition], cache: Path, without: Iterable[Path] = ()
) -> tuple[BotDefinition, ...]:
    """Return the bots with commits and names, as they will play; nothing is checked out.

    Takes and raises what ``prepare_versions`` does, but for builds.
    """
    return _named(bots, find_versions(bots, cache, without))


def prepare_versions(
    bots: Sequence[BotDefinition], cache: Path, notice: Notice, without: Iterable[Path] = ()
) -> tuple[BotDefinition, ...]:
    """Return the bots with every version resolved, checked out and built: ready to be launched.

    ``cache`` is the folder of versions; what is complete there is used as it is, and two runs do
    not make the same at once. ``notice`` is told what is done, a line at a time. ``without`` are
    folders whose untracked files are no part of a working tree: where the harness itself writes.
    Bots that are no versions come back as they are. Must be called from the main thread.

    Raises SpecError with every version that cannot be found, BuildError with every one that
    cannot be built, InputError when there is no git or the cache cannot be written.
    """
    versions = find_versions(bots, cache, without)
    named = _named(bots, versions)
    done: set[Path] = set()
    problems: list[Problem] = []
    failures: list[FailedBuild] = []
    for bot, version in zip(named, versions, strict=True):
        if bot.git is None or version is None or version.entry.folder in done:
            continue
        done.add(version.entry.folder)
        title = _title(bot)
        try:
            failure = _make_ready(bot.git, version, title, notice)
        except VersionError as error:
            problems.append(Problem(title, str(error)))
            continue
        except OSError as error:
            raise InputError(
                f"the cache of versions {cache} cannot be written ({error.strerror or error}); "
                "--cache or LOA_CACHE names another folder"
            ) from error
        if failure is not None:
            failures.append(failure)
    if problems:
        raise SpecError("versions in git", problems)
    if failures:
        raise BuildError(failures)
    return named


def default_label(reference: str, short: str) -> str:
    """Return ``main-1a2b3c4``: the branch or tag made to fit, and the short hash.

    The hash alone when nothing is left of the branch, or too much.
    """
    prefix = re.sub(r"[^A-Za-z0-9._+-]+", "-", reference).strip("-")
    label = f"{prefix}-{short}"
    return label if prefix and len(label) <= MAX_NAME_LENGTH else short


def _named(
    bots: Sequence[BotDefinition], versions: Sequence[Version | None]
) -> tuple[BotDefinition, ...]:
    taken: set[str | None] = {bot.name for bot in bots}
    named = []
    for bot, version in zip(bots, versions, strict=True):
        if version is None:
            named.append(bot)
            continue
        checkout = version.checkout
        name = bot.name or free_name(default_label(version.reference, checkout.short), taken)
        taken.add(name)
        named.append(replace(bot, name=name, checkout=checkout))
    return tuple(named)


def _title(bot: BotDefinition) -> str:
    """Return the bot's name with what it stands for, where the name does not say it."""
    assert bot.git is not None
    assert bot.checkout is not None
    short = bot.checkout.short
    return bot.name if short in bot.name else f"{bot.name} ({bot.git.rev}, {short})"


def _make_ready(
    source: GitSource, version: Version, title: str, notice: Notice
) -> FailedBuild | None:
    """Check a version out and build it, unless that is done; returns a build that failed."""
    entry = version.entry
    if entry.is_ready():
        notice(f"{title}: cached")
        return None
    with entry.lock(lambda: notice(f"{title}: another run is building it, waiting")):
        if entry.is_ready():
            notice(f"{title}: cached")
            return None
        entry.clear()
        _check_out(version, title, notice)
        if source.build is None:
            entry.mark_ready()
            notice(f"{title}: checked out")
            return None
        notice(f"{title}: building with {source.build!r} ...")
        built = run_build(source.build, entry.tree, entry.log, source.build_seconds)
        if built.failure is None:
            entry.mark_ready()
            notice(f"{title}: built in {built.seconds:.1f} s")
            return None
        notice(f"{title}: not built, {built.failure}")
        lines = tuple(last_lines(entry.log, _SHOWN_LINES))
        return FailedBuild(title, source.build, built.failure, lines, str(entry.log))


def _check_out(version: Version, title: str, notice: Notice) -> None:
    tree = version.entry.tree
    if version.files is None:
        check_out(version.repository, version.head, tree, lambda text: notice(f"{title}: {text}"))
        return
    try:
        borrow(version.repository, version.head, tree)
        ask_git(tree, "update-ref", "--no-deref", "HEAD", version.head)
        copy_files(version.repository.folder, version.files, tree)
        ask_git(tree, "reset", "--quiet")
    except GitError as error:
        raise VersionError(f"the working tree cannot be copied: {error.why}") from error
    if content_hash(tree, version.files) != version.content:
        raise VersionError("the working tree changed while it was copied; try again")
