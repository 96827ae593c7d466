from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import InputError
from harness.versions.cache import CacheEntry, default_cache

HASH = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"


@pytest.fixture
def entry(tmp_path: Path) -> CacheEntry:
    return CacheEntry.of(tmp_path, "mybot-0", HASH, "make")


def finish(entry: CacheEntry) -> None:
    entry.tree.mkdir(parents=True)
    entry.mark_ready()


def test_commit_build_and_repository_make_the_entry(tmp_path: Path) -> None:
    folders = {
        CacheEntry.of(tmp_path, repository, commit, build).folder
        for repository in ("mybot-0", "mybot-1")
        for commit in (HASH, HASH[::-1])
        for build in (None, "make", "make -j4")
    }
    assert len(folders) == 12


def test_only_a_finished_entry_is_ready(entry: CacheEntry) -> None:
    assert not entry.is_ready()
    entry.tree.mkdir(parents=True)
    entry.log.write_text("done\n")
    assert not entry.is_ready()
    entry.mark_ready()
    assert entry.is_ready()


@pytest.mark.parametrize("text", ["", "{", "{}", '{"commit": "x", "build": "make"}', "\xff"])
def test_a_marker_of_something_else_does_not_count(entry: CacheEntry, text: str) -> None:
    finish(entry)
    (entry.folder / "ready.json").write_bytes(text.encode("latin-1"))
    assert not entry.is_ready()


def test_an_entry_without_its_checkout_is_not_ready(entry: CacheEntry) -> None:
    finish(entry)
    entry.tree.rmdir()
    assert not entry.is_ready()


def test_clearing_removes_all_but_the_lock(entry: CacheEntry, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("")
    finish(entry)
    entry.log.write_text("half\n")
    sealed = entry.tree / "sealed" / "inner"
    sealed.mkdir(parents=True)
    (sealed / "file").write_text("")
    (entry.tree / "link").symlink_to(outside)
    sealed.chmod(0o500)
    sealed.parent.chmod(0o500)
    with entry.lock(pytest.fail):
        entry.clear()
        assert not entry.is_ready()
    assert [path.name for path in entry.folder.iterdir()] == ["lock"]
    assert (outside / "kept").exists()


def test_the_cache_is_where_caches_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/caches")
    assert default_cache() == Path("/var/caches/loa-harness/versions")
    for nothing in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", nothing)
        assert default_cache() == tmp_path / ".cache" / "loa-harness" / "versions"


def test_without_a_home_a_cache_must_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    with pytest.raises(InputError, match="--cache"):
        default_cache()
