"""Starting Python processes that import nothing from the folder that the run was started in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_VARIABLE: Final = "PYTHONSAFEPATH"


@contextmanager
def safe_import_path() -> Iterator[None]:
    """Have Python processes that are started inside leave the working folder out.

    It may hold a bot that nobody trusts, and a ``multiprocessing.py`` of it.
    """
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        restore_import_path(before)


def import_path_setting() -> str | None:
    """Return what the environment says for bots, to be restored in a process started so."""
    return os.environ.get(_VARIABLE)


def restore_import_path(setting: str | None) -> None:
    """Put the environment back as it was for those that are started next."""
    if setting is None:
        os.environ.pop(_VARIABLE, None)
    else:
        os.environ[_VARIABLE] = setting
