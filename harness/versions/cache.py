"""The cache of versions: one folder for a commit and build command, made once, locked, complete.

::

    mybot-5f3a9c21/                       the repository
        1a2b3c4d...-9f86d081/             the commit, and a hash of the build command
            tree/                         the checkout, with what was built; bots run here
            build.log                     what the build wrote, also when it failed
            ready.json                    only there when all is done
            lock                          held while it is made
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_IRWXU
from typing import Final

from harness.errors import InputError

_REMOVED: Final = "removed-"


def default_cache() -> Path:
    """Return the folder of versions under ``$XDG_CACHE_HOME`` or ``~/.cache``.

    Raises InputError when there is no home.
    """
    written = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(written) if written.startswith("/") else Path.home() / ".cache"
    except RuntimeError as error:
        why = "there is no home folder for versions in git: name one by --cache or LOA_CACHE"
        raise InputError(why) from error
    return base / "loa-harness" / "versions"


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """One version in the cache; ``folder`` is absolute."""

    folder: Path
    commit: str
    build: str | None

    @classmethod
    def of(cls, cache: Path, repository: str, commit: str, build: str | None) -> CacheEntry:
        """Return the entry of a version; nothing is made."""
        digits = "plain" if build is None else hashlib.sha256(build.encode()).hexdigest()[:8]
        return cls(cache.absolute() / repository / f"{commit}-{digits}", commit, build)

    @property
    def tree(self) -> Path:
        """The checkout."""
        return self.folder / "tree"

    @property
    def log(self) -> Path:
        """The log of the build."""
        return self.folder / "build.log"

    def is_ready(self) -> bool:
        """Whether the version was checked out and built to the end."""
        try:
            text = self._marker.read_text(encoding="utf-8")
            return bool(json.loads(text) == self._facts) and self.tree.is_dir()
        except (OSError, ValueError):
            return False

    @contextmanager
    def lock(self, when_waiting: Callable[[], None]) -> Iterator[None]:
        """Hold the entry; waits for another run that does, and tells. The kernel gives it back."""
        self.folder.mkdir(parents=True, exist_ok=True)
        fd = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                when_waiting()
                fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def clear(self) -> None:
        """Remove what an earlier attempt left; the caller holds the lock.

        The tree is first moved away: a process that still writes in it spoils no new one.
        """
        self._marker.unlink(missing_ok=True)
        self.log.unlink(missing_ok=True)
        if self.tree.exists():
            self.tree.rename(tempfile.mkdtemp(prefix=_REMOVED, dir=self.folder))
        for rest in self.folder.glob(f"{_REMOVED}*"):
            _remove(rest)

    def mark_ready(self) -> None:
        """Say that the version is complete, in one step; the caller holds the lock."""
        new = self.folder / "ready.new"
        with new.open("w", encoding="utf-8") as file:
            json.dump(self._facts, file)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._marker)

    @property
    def _marker(self) -> Path:
        return self.folder / "ready.json"

    @property
    def _facts(self) -> dict[str, str | None]:
        return {"commit": self.commit, "build": self.build}


def _remove(folder: Path) -> None:
    """Remove a folder, also one in which a build took away its own rights (as Go's cache does).

    What cannot be removed is out of the way; the next attempt tries again.
    """
    for parent, names, _ in os.walk(folder):
        for name in names:
            inner = Path(parent, name)
            if not inner.is_symlink():
                with suppress(OSError):
                    inner.chmod(S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)
