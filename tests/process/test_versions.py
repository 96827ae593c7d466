"""Versions in git: found, checked out beside the repository, built once, played."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import BuildError, InputError, SpecError
from harness.play.bot_definition import BotDefinition
from harness.store.sqlite import Store
from harness.versions.prepare import git_bot, prepare_versions, resolve_versions
from harness.versions.working_tree import copy_files
from tests.process.git_repository import ENVIRONMENT, GitRepository
from tests.process.run_command import Loa
from tests.process.support import Tag

pytestmark = pytest.mark.process

BOT = (Path(__file__).parent.parent.parent / "bots" / "plain_bot.py").read_text()


@pytest.fixture
def tag(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tag]:
    tag = Tag()
    monkeypatch.setenv("LOA_TEST_TAG", tag.value)
    yield tag
    tag.assert_nothing_left()


@pytest.fixture(autouse=True)
def configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"):
        monkeypatch.setenv(name, ENVIRONMENT[name])


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    return GitRepository(tmp_path / "mybot")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


class Versions:
    """Makes versions of one repository ready and keeps what was told."""

    def __init__(self, repository: GitRepository, cache: Path) -> None:
        self.repository = repository
        self.cache = cache
        self.told: list[str] = []

    def bot(
        self, rev: str, build: str | None = None, label: str | None = None, *, repo: str = ""
    ) -> BotDefinition:
        folder = self.repository.folder
        return git_bot(repo or folder, rev, build, "./mybot", label, folder=folder.parent)

    def __call__(
        self, *bots: BotDefinition, without: Sequence[Path] = ()
    ) -> tuple[BotDefinition, ...]:
        self.told.clear()
        return prepare_versions(bots, self.cache, self.told.append, without)

    def tree(self, rev: str, build: str | None = None) -> Path:
        return tree(self(self.bot(rev, build))[0])

    def problems(self, *bots: BotDefinition) -> list[str]:
        with pytest.raises(SpecError) as caught:
            self(*bots)
        return [str(problem) for problem in caught.value.problems]


@pytest.fixture
def versions(repository: GitRepository, cache: Path) -> Versions:
    return Versions(repository, cache)


def tree(bot: BotDefinition) -> Path:
    assert bot.checkout is not None
    return Path(bot.checkout.folder)


def commit(bot: BotDefinition) -> str:
    assert bot.checkout is not None
    return bot.checkout.commit


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# Which commit


def test_whatever_names_a_commit_leads_to_it(versions: Versions) -> None:
    repository = versions.repository
    first = repository.commit("mend the clock", bot_txt="one")
    repository.git("tag", "--annotate", "v1.2", "--message", "release")
    second = repository.commit("faster", bot_txt="two")
    repository.git("branch", "feature/quick")
    repository.git("update-ref", "refs/remotes/origin/main", first)
    names = {
        "main": (second, f"main-{second[:7]}"),
        "refs/heads/main": (second, f"main-{second[:7]}"),
        "HEAD": (second, second[:7]),
        "HEAD~1": (first, first[:7]),
        "v1.2": (first, f"v1.2-{first[:7]}"),
        "feature/quick": (second, f"feature-quick-{second[:7]}"),
        "origin/main": (first, f"origin-main-{first[:7]}"),
        first[:9]: (first, first[:7]),
        ":/mend the clock": (first, first[:7]),
        "WORKTREE": (second, second[:7]),
    }
    for rev, expected in names.items():
        (bot,) = versions(versions.bot(rev))
        assert (commit(bot), bot.name) == expected, rev
        assert (tree(bot) / "bot.txt").read_text() == ("one" if commit(bot) == first else "two")
    assert len({*versions.cache.glob("*/*/tree")}) == 2


def test_names_differ_and_written_ones_stay(versions: Versions) -> None:
    first = versions.repository.commit()
    label = f"main-{first[:7]}"
    bots = [versions.bot("main", label=name) for name in (None, None, label, "mine")]
    resolved = resolve_versions(bots, versions.cache)
    assert [bot.name for bot in resolved] == [f"{label}-2", f"{label}-3", label, "mine"]
    assert {commit(bot) for bot in resolved} == {first}
    assert not versions.cache.exists()


def test_a_branch_that_moved_is_another_version(versions: Versions) -> None:
    versions.repository.commit(bot_txt="one")
    (old,) = versions(versions.bot("main"))
    versions.repository.commit(bot_txt="two")
    (new,) = versions(versions.bot("main"))
    assert commit(old) != commit(new)
    assert [(tree(bot) / "bot.txt").read_text() for bot in (old, new)] == ["one", "two"]


def test_every_version_that_cannot_be_found_is_told(versions: Versions, tmp_path: Path) -> None:
    repository = versions.repository
    repository.commit(bot_txt="one")
    repository.git("tag", "both")
    repository.git("branch", "both", repository.commit(bot_txt="two"))
    (repository.folder / "inner").mkdir()
    GitRepository(tmp_path / "empty")
    (tmp_path / "plain").mkdir()
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "bare.git"))
    cases = {
        versions.bot("mian", label="a"): "did you mean 'main'?",
        versions.bot("both", label="b"): "both a branch and a tag",
        versions.bot("HEAD:bot.txt", label="c"): "'HEAD:bot.txt' is no commit",
        versions.bot("HEAD~1..HEAD", label="d"): "no branch, tag or commit",
        versions.bot("^HEAD", label="e"): "no single commit",
        versions.bot("main", label="f", repo="plain"): "is no git repository",
        versions.bot("main", label="g", repo="nowhere"): "is no folder",
        versions.bot("main", label="h", repo="mybot/inner"): f"top folder is '{repository.folder}'",
        versions.bot("HEAD", label="i", repo="empty"): "it has no commit yet",
        versions.bot("WORKTREE", label="j", repo="bare.git"): "has no working tree",
    }
    problems = versions.problems(*cases)
    for bot, words, problem in zip(cases, cases.values(), problems, strict=True):
        assert problem.startswith(f"{bot.name}: ")
        assert words in problem
    assert not versions.cache.exists()


def test_without_git_that_is_said(versions: Versions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(versions.repository.folder))
    with pytest.raises(InputError, match="git is not installed"):
        versions(versions.bot("main"))


def test_a_cache_that_cannot_be_written_is_said(versions: Versions) -> None:
    versions.repository.commit()
    versions.cache.write_text("a file")
    with pytest.raises(InputError, match=r"cannot be written.*--cache"):
        versions(versions.bot("main"))


# The user's repository


def test_the_repository_is_only_read(
    versions: Versions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = versions.repository
    mark = tmp_path / "hook-ran"
    repository.commit(mybot="#!/bin/sh\n", sub_txt="x")
    repository.git("config", "core.sparseCheckout", "true")
    repository.git("config", "core.fsmonitor", f"touch {mark}; true")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        path = repository.folder / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {mark}\n")
        path.chmod(0o755)
    (repository.folder / ".git" / "info").mkdir(exist_ok=True)
    (repository.folder / ".git" / "info" / "sparse-checkout").write_text("/mybot\n")
    before = repository.snapshot()
    # As when the harness is started by a hook of some other repository.
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nowhere"))
    found = versions.tree("main", 'touch built; test -z "$GIT_DIR" && git rev-parse HEAD')
    assert {path.name for path in found.iterdir()} == {".git", "mybot", "sub.txt", "built"}
    repository.write(new_txt="untracked")
    (repository.folder / "mybot").write_text("#!/bin/sh\n# changed\n")
    versions.tree("WORKTREE", "true")
    after = repository.snapshot()
    assert after.pop("new.txt") == b"untracked"
    assert after.pop("mybot") != before.pop("mybot")
    assert after == before
    assert not mark.exists()


def test_a_version_outlives_its_branch(versions: Versions) -> None:
    repository = versions.repository
    repository.commit(bot_txt="main")
    repository.git("checkout", "--quiet", "-b", "idea")
    idea = repository.commit(bot_txt="idea")
    versions.tree("idea")
    repository.git("checkout", "--quiet", "main")
    repository.git("branch", "--delete", "--force", "idea")
    repository.git("reflog", "expire", "--expire=now", "--all")
    repository.git("gc", "--quiet", "--prune=now")
    assert (versions.tree(idea) / "bot.txt").read_text() == "idea"
    (problem,) = versions.problems(versions.bot("idea"))
    assert "called 'idea'" in problem


@pytest.mark.parametrize("name", ["two words", 'quo"te\\d', "new\nline", "#hash", "ünï", "-x"])
def test_a_repository_may_have_any_name(name: str, tmp_path: Path, cache: Path) -> None:
    versions = Versions(GitRepository(tmp_path / name), cache)
    odd = "odd $(touch x)\n'name'"
    (versions.repository.folder / odd).write_text("x")
    first = versions.repository.commit(bot_txt="one")
    assert (versions.tree(first) / odd).read_text() == "x"
    versions.repository.write(bot_txt="two")
    found = versions.tree("WORKTREE")
    assert ((found / odd).read_text(), (found / "bot.txt").read_text()) == ("x", "two")


def test_submodules_come_from_what_is_at_hand(versions: Versions, tmp_path: Path) -> None:
    inner = GitRepository(tmp_path / "inner")
    inner.commit(inner_txt="inner")
    library = GitRepository(tmp_path / "library")
    allowed = ("-c", "protocol.file.allow=always")
    library.git(*allowed, "submodule", "--quiet", "add", str(inner.folder), "deep")
    library.commit(library_txt="one")
    repository = versions.repository
    repository.git(*allowed, "submodule", "--quiet", "add", str(library.folder), "lib")
    repository.git(*allowed, "submodule", "--quiet", "update", "--init", "--recursive")
    repository.commit("with lib", bot_txt="bot")
    found = versions.tree("main")
    assert (found / "lib" / "library.txt").read_text() == "one"
    assert (found / "lib" / "deep" / "inner.txt").read_text() == "inner"
    assert versions.told[-1].endswith("checked out")
    (repository.folder / "lib" / "library.txt").write_text("changed")
    found = versions.tree("WORKTREE")
    assert (found / "lib" / "library.txt").read_text() == "changed"
    assert (found / "lib" / "deep" / "inner.txt").read_text() == "inner"
    repository.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    (bot,) = versions(versions.bot("main", repo=str(tmp_path / "clone")))
    assert [path.name for path in (tree(bot) / "lib").iterdir()] == []
    assert re.search(r"submodule 'lib' is left empty.*submodule update --init", versions.told[0])


# Working trees


def test_a_working_tree_is_taken_as_it_is(versions: Versions) -> None:
    repository = versions.repository
    head = repository.commit(
        kept_txt="kept", changed_txt="old", deleted_txt="x", _gitignore="*.o\n"
    )
    repository.write(changed_txt="new", untracked_txt="more", built_o="binary")
    (repository.folder / "deleted.txt").unlink()
    (bot,) = versions(versions.bot("WORKTREE", "ls > listing"))
    assert bot.name == f"{head[:7]}-dirty"
    assert re.fullmatch(rf"{head}-dirty-[0-9a-f]{{16}}", commit(bot))
    assert (tree(bot) / "listing").read_text().split() == [
        "changed.txt", "kept.txt", "listing", "untracked.txt",
    ]  # fmt: skip
    assert (tree(bot) / "changed.txt").read_text() == "new"
    assert versions.told == [
        f"{head[:7]}-dirty: building with 'ls > listing' ...",
        versions.told[1],
    ]
    (same,) = versions(versions.bot("WORKTREE", "ls > listing"))
    assert (same, versions.told) == (bot, [f"{head[:7]}-dirty: cached"])
    repository.write(changed_txt="newer")
    (other,) = versions(versions.bot("WORKTREE"))
    assert commit(other) != commit(bot)
    assert other.name == bot.name


def test_what_the_harness_writes_is_no_change(versions: Versions) -> None:
    repository = versions.repository
    results = repository.folder / "results"
    results.mkdir()
    (results / "README").write_text("tracked")
    head = repository.commit()
    versions.cache = repository.folder / "cache"
    for number in range(2):
        (results / f"{number}.sqlite").write_text("games")
        (bot,) = versions(versions.bot("WORKTREE"), without=[results])
        assert commit(bot) == head
        repository.write(bot_txt="changed")
        (bot,) = versions(versions.bot("WORKTREE"), without=[results])
        assert {path.name for path in tree(bot).iterdir()} == {".git", "results", "bot.txt"}
        assert [path.name for path in (tree(bot) / "results").iterdir()] == ["README"]
        (repository.folder / "bot.txt").unlink()


def test_a_copy_follows_no_link_out_of_the_tree(versions: Versions, tmp_path: Path) -> None:
    repository = versions.repository
    folder = repository.folder / "data"
    folder.mkdir()
    (folder / "book").write_text("tracked")
    repository.commit()
    outside = tmp_path / "outside"
    folder.rename(outside)
    (outside / "book").chmod(0o600)
    folder.symlink_to(outside)
    found = versions.tree("WORKTREE")
    assert (found / "data").is_symlink()
    assert (outside / "book").stat().st_mode & 0o777 == 0o600


def test_a_working_tree_that_changes_meanwhile_is_no_version(
    versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions.repository.commit(bot_txt="one")
    versions.repository.write(bot_txt="two")

    def copy_late(source: Path, paths: Sequence[str], target: Path) -> None:
        versions.repository.write(bot_txt="three")
        copy_files(source, paths, target)

    monkeypatch.setattr("harness.versions.prepare.copy_files", copy_late)
    (problem,) = versions.problems(versions.bot("WORKTREE"))
    assert "changed while it was copied" in problem
    assert not list(versions.cache.glob("*/*/ready.json"))


# Builds


def test_a_version_is_built_once_for_a_commit_and_a_command(
    versions: Versions, tmp_path: Path, tag: Tag
) -> None:
    counter = tmp_path / "counter"
    build = f"cat; seq 1 100000; echo x >> {counter}; cp bot.txt built; sleep 60 & true"
    versions.repository.commit(bot_txt="one")
    old, again = versions(versions.bot("main", build), versions.bot("HEAD", build))
    assert tree(old) == tree(again)
    tag.assert_nothing_left()
    assert (tree(old) / "built").read_text() == "one"
    assert (tree(old).parent / "build.log").read_text().split() == [
        str(number) for number in range(1, 100_001)
    ]
    assert [re.sub(r"[\d.]+ s", "1 s", told.partition(": ")[2]) for told in versions.told] == [
        f"building with {build!r} ...",
        "built in 1 s",
    ]
    versions(versions.bot("HEAD", build))
    assert versions.told == [f"{commit(old)[:7]}: cached"]
    assert counter.read_text() == "x\n"
    versions(versions.bot("HEAD", f"{build} "))
    versions.repository.commit(bot_txt="two")
    versions(versions.bot("HEAD", build))
    assert counter.read_text() == "x\nx\nx\n"


def test_failed_builds_are_shown_and_tried_again(versions: Versions, tmp_path: Path) -> None:
    versions.repository.commit()
    mended = tmp_path / "mended"
    build = f"seq 1 50; printf 'no \\033[31mcompiler\\n' >&2; touch half; test -e {mended}"
    bots = (versions.bot("main", build, "one"), versions.bot("main", "kill -TERM $$", "two"))
    with pytest.raises(BuildError) as caught:
        versions(*bots)
    one, two = caught.value.failures
    assert (one.version.split()[0], one.how) == ("one", "exit code 1")
    assert one.last_lines[-2:] == ("50", "no \\x1b[31mcompiler")
    assert len(one.last_lines) == 20
    assert Path(one.log).read_text().startswith("1\n2\n")
    assert f"the whole log: {one.log}" in str(caught.value)
    assert (two.version.split()[0], two.how) == ("two", "ended by SIGTERM")
    mended.write_text("")
    (bot,) = versions(bots[0])
    assert (tree(bot) / "half").exists()


def test_a_build_has_a_time_limit(versions: Versions, tag: Tag) -> None:
    versions.repository.commit()
    bot = versions.bot("main", "sleep 60 & sleep 60")
    assert bot.git is not None
    with pytest.raises(BuildError, match="not done in 1 s"):
        versions(replace(bot, git=replace(bot.git, build_seconds=1)))
    tag.assert_nothing_left()


# Played


def spec_of(build: str, *revs: str) -> str:
    bots = "".join(
        f'[[bot]]\nname = "{name}"\ngit = {{ repo = "mybot", rev = "{rev}", build = "{build}" }}\n'
        'command = ["./mybot"]\n'
        for name, rev in zip(("old", "new"), revs, strict=True)
    )
    return f'[tournament]\nname = "t"\nrounds = 1\ntime-control = "nodes=1"\n{bots}'


@pytest.fixture
def loa(tmp_path: Path, tag: Tag, cache: Path) -> Loa:
    loa = Loa(tmp_path, tag)
    loa.environment["LOA_CACHE"] = str(cache)
    return loa


def test_two_versions_play_and_a_moved_branch_is_refused(
    loa: Loa, repository: GitRepository
) -> None:
    old = repository.commit(bot_py=BOT)
    repository.git("tag", "v1")
    new = repository.commit(bot_py=f"{BOT}# faster\n")
    (loa.folder / "t.toml").write_text(spec_of("cp bot.py mybot", "v1", "main"))
    output, _ = loa("run", "t.toml", "--dry-run")
    assert f"./mybot at v1, {old[:7]}" in output
    run = ("run", "t.toml", "--no-report")
    _, errors = loa(*run)
    assert f"old (v1, {old[:7]}): built in" in errors
    with Store.open_read_only(loa.folder / "results" / "t") as store:
        games = [store.game(game.game_id) for game in store.games()]
    commits = [
        {name: details.provenance[f"{color}-commit"] for color, name in seats}
        for details, seats in (
            (game.details, (("black", game.black.name), ("white", game.white.name)))
            for game in games
        )
        if details is not None
    ]
    assert commits == [{"old": old, "new": new}] * 2
    third = repository.commit(bot_py=f"{BOT}# faster still\n")
    _, errors = loa(*run, code=2)
    assert f"bot new.git.commit: stored {new}, now {third}" in errors
    assert f'rev = "{new}" goes on' in errors
    assert "its program or its files" not in errors
    (loa.folder / "t.toml").write_text(spec_of("cp bot.py mybot", "v1", new))
    _, errors = loa(*run)
    assert f"new ({new}, {new[:7]}): cached" in errors
    assert "nothing to play" in errors


def test_a_failed_build_is_exit_code_2(loa: Loa, repository: GitRepository) -> None:
    repository.commit()
    repository.commit()
    (loa.folder / "t.toml").write_text(spec_of("echo no compiler; exit 7", "HEAD~1", "HEAD"))
    output, errors = loa("run", "t.toml", code=2)
    assert output == ""
    assert errors.count("exit code 7\n    | no compiler\n    the whole log: /") == 2
    assert not (loa.folder / "results").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_build_ends_with_the_run_and_counts_for_nothing(
    number: signal.Signals, loa: Loa, repository: GitRepository, tag: Tag, cache: Path
) -> None:
    repository.commit()
    started, release = loa.folder / "started", loa.folder / "release"
    build = f"touch half {started}; while ! test -e {release}; do sleep 0.05; done; touch whole"
    (loa.folder / "t.toml").write_text(spec_of(build, "main", "main"))
    process = loa.start("run", "t.toml")
    wait_until(started.exists)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == (-number if number is signal.SIGKILL else 128 + number)
    assert ("nothing was played" in errors) is (number is signal.SIGINT)
    tag.assert_nothing_left()
    release.touch()
    folder = repository.folder
    (bot,) = prepare_versions([git_bot(folder, "main", build, "./b", folder=folder)], cache, print)
    assert {path.name for path in tree(bot).iterdir()} == {".git", "half", "whole"}


def test_two_runs_build_a_version_once(loa: Loa, repository: GitRepository) -> None:
    repository.commit(bot_py=BOT)
    counter, release = loa.folder / "counter", loa.folder / "release"
    build = f"echo x >> {counter}; while ! test -e {release}; do sleep 0.05; done; cp bot.py mybot"
    (loa.folder / "t.toml").write_text(spec_of(build, "main", "HEAD"))
    runs = [loa.start("run", "t.toml", "--no-report", "--name", name) for name in ("a", "b")]
    told = b""
    for process in runs:
        assert process.stderr is not None
        os.set_blocking(process.stderr.fileno(), False)

    def one_waits() -> bool:
        nonlocal told
        for process in runs:
            assert process.stderr is not None
            with suppress(BlockingIOError):
                told += os.read(process.stderr.fileno(), 10_000)
        return b"another run is building it, waiting" in told

    try:
        wait_until(one_waits)
    finally:
        release.touch()
        for process in runs:
            process.communicate(timeout=60)
    assert [process.returncode for process in runs] == [0, 0]
    assert counter.read_text() == "x\n"
    assert loa.stored("a") == loa.stored("b") == 2
