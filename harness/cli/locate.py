"""Where tournaments are: the option ``--results`` and what NAME means on every command."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from harness.errors import NoSuchTournamentError
from harness.store.schema import FILE_NAME

DEFAULT_RESULTS: Final = "results"
_Function = TypeVar("_Function", bound=Callable[..., Any])


def results_option(function: _Function) -> _Function:
    """Add ``--results DIR`` to a command, which gets it as ``results: Path``."""
    return click.option(
        "--results",
        type=click.Path(file_okay=False, path_type=Path),
        envvar="LOA_RESULTS",
        default=DEFAULT_RESULTS,
        show_default=True,
        show_envvar=True,
        help="Folder of the tournaments.",
    )(function)


def tournament_folder(name: str, results: Path) -> Path:
    """Return the folder of a stored tournament.

    ``name`` is a folder in ``results``, or a path: one with a ``/`` in it, or one that exists.
    The path of the database file itself is understood too. Raises NoSuchTournamentError.
    """
    inside = results / name
    candidates = [Path(name)] if "/" in name else [inside, Path(name)]
    for candidate in candidates:
        folder = candidate.parent if candidate.name == FILE_NAME else candidate
        try:
            if (folder / FILE_NAME).exists():
                return folder
        except PermissionError:
            return folder  # opening it says what is wrong
        except OSError:
            continue  # too long for a path, say
    raise NoSuchTournamentError(str(candidates[0]))


def stored_folders(results: Path) -> list[Path]:
    """Return the folders in ``results`` that hold a database, by name."""
    if not results.is_dir():
        return []
    return sorted(folder for folder in results.iterdir() if _may_hold_games(folder))


def _may_hold_games(folder: Path) -> bool:
    try:
        return (folder / FILE_NAME).exists()
    except PermissionError:
        return True  # opening it says what is wrong
