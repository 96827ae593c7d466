"""Whether the database file that was opened is still the one at its path."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_OPEN_PATH: Final[int | None] = getattr(os, "O_PATH", None)
"""Linux alone has it: a handle that does not open the file. To open and close the file itself
would take away all locks that SQLite holds on it in this process."""

_DELETED: Final = " (deleted)"


class FileWatch:
    """Remembers a file and tells what became of it. Cheap: one look at the path."""

    def __init__(self, file: Path) -> None:
        """Remember the file that is at this path now; OSError when there is none."""
        self.file = file.absolute()
        self._handle: int | None = None
        if _OPEN_PATH is not None:
            self._handle = os.open(self.file, _OPEN_PATH | os.O_CLOEXEC)
        status = self.file.stat() if self._handle is None else os.fstat(self._handle)
        self._identity = (status.st_dev, status.st_ino)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Forget the file; safe to call twice."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    @property
    def is_in_place(self) -> bool:
        """Whether the file is at its path; also when a right is missing to look there."""
        try:
            status = self.file.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True
        return (status.st_dev, status.st_ino) == self._identity

    @property
    def is_deleted(self) -> bool:
        """Whether a file that is not in place has no name any more; True where unknown."""
        return self._handle is None or os.fstat(self._handle).st_nlink == 0

    @property
    def new_place(self) -> Path | None:
        """Where a file that was moved is now, as far as the system tells."""
        with suppress(OSError):
            place = Path(f"/proc/self/fd/{self._handle}").readlink()
            if not place.name.endswith(_DELETED):
                return place
        return None
