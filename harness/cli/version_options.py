"""Versions in git, for every command that plays: ``--cache``, and making them ready."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from harness.tournament.spec import TournamentSpec

Command = TypeVar("Command", bound=Callable[..., Any])


def cache_option(command: Command) -> Command:
    """Add ``--cache DIR`` to a command, which gets it as ``cache: Path | None``."""
    return click.option(
        "--cache",
        type=click.Path(file_okay=False, path_type=Path),
        envvar="LOA_CACHE",
        show_envvar=True,
        help="Where versions in git are built.  [default: ~/.cache/loa-harness/versions]",
    )(command)


def with_versions(
    spec: TournamentSpec, cache: Path | None, results: Path, *, is_dry_run: bool = False
) -> TournamentSpec:
    """Return the specification with every version resolved, checked out and built.

    What is done is told on stderr, a line a version. A dry run resolves only.
    """
    if all(bot.git is None for bot in spec.bots):
        return spec
    from harness.report.safe_text import printable
    from harness.versions.cache import default_cache
    from harness.versions.prepare import prepare_versions, resolve_versions

    folder = cache or default_cache()
    if is_dry_run:
        return replace(spec, bots=resolve_versions(spec.bots, folder, [results]))

    def tell(text: str) -> None:
        click.echo(printable(text), err=True)

    try:
        return replace(spec, bots=prepare_versions(spec.bots, folder, tell, [results]))
    except KeyboardInterrupt:
        tell("stopped while versions were made ready; nothing was played")
        raise
