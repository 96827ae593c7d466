"""Repositories made in a test: fixed author and date, no configuration but their own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

ENVIRONMENT: Final = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2026-01-02T03:04:05Z",
    "GIT_COMMITTER_NAME": "C",
    "GIT_COMMITTER_EMAIL": "c@example.org",
    "GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z",
}


class GitRepository:
    """A repository in a folder, on the branch ``main``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        return subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**os.environ, **ENVIRONMENT},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()

    def write(self, **files: str) -> None:
        """Write files by name; ``_`` in a name is a dot, a text with ``#!`` is executable."""
        for name, text in files.items():
            path = self.folder / name.replace("_", ".")
            path.write_text(text)
            path.chmod(0o755 if text.startswith("#!") else 0o644)

    def commit(self, message: str = "change", **files: str) -> str:
        """Commit the files and return the hash."""
        self.write(**files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def snapshot(self) -> dict[str, bytes]:
        """Return every file of the folder, git's own included."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file()
        }
