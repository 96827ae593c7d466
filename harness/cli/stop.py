"""``loa stop``: ask a run, started elsewhere, to finish its running games and end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import click

from harness.cli.locate import results_option, tournament_folder

_LOOK_SECONDS: Final = 0.1


@click.command("stop")
@click.argument("name")
@click.option("--wait", "is_waiting", is_flag=True, help="Come back when the run has ended.")
@results_option
def command(*, name: str, is_waiting: bool, results: Path) -> None:
    """Ask a run to finish its running games and end.

    For a run or a test that goes on in another shell. No further game is begun; the run ends with
    exit code 4 when games are left, and the same command goes on with them.
    """
    from harness.director.lock import holder_of
    from harness.director.stop_request import ask_to_stop
    from harness.errors import InputError

    folder = tournament_folder(name, results)
    holder = holder_of(folder)
    if holder is None:
        raise InputError(f"{folder} is not being run: there is nothing to stop")
    if not holder.token:
        raise InputError(f"{folder} is being run by {holder.words}, which cannot be asked")
    ask_to_stop(holder.folder, holder.token)
    click.echo(
        f"asked {holder.words} to stop: running games finish, then it ends; its command goes on "
        "where it stopped",
        err=True,
    )
    while is_waiting and (now := holder_of(folder)) is not None and now.token == holder.token:
        time.sleep(_LOOK_SECONDS)
    if is_waiting:
        click.echo(f"{folder} is not being run any more", err=True)
