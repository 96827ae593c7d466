"""``loa list``: which tournaments are stored."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.locate import results_option, stored_folders


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@results_option
def command(*, as_json: bool, results: Path) -> None:
    """List stored tournaments: games, when the last one began, and the bots.

    A damaged one is listed with what is wrong with it.
    """
    import json

    from harness.cli.plain_table import table_lines
    from harness.report.safe_text import printable

    entries = [_entry(folder) for folder in stored_folders(results)]
    if as_json:
        click.echo(json.dumps(entries, indent=2))
        return
    if not entries:
        click.echo(f"no tournament is stored in {printable(str(results))}", err=True)
        return
    for line in table_lines(["NAME", "GAMES", "LAST GAME", "BOTS"], map(_cells, entries), {1}):
        click.echo(line)


def _entry(folder: Path) -> dict[str, object]:
    from harness.errors import NoSuchTournamentError, StoreError
    from harness.store.sqlite import Store

    try:
        with Store.open_read_only(folder) as store:
            summary = store.summary()
    except NoSuchTournamentError:
        return {"name": folder.name, "games": 0, "last-game": None, "bots": []}
    except StoreError as error:
        return {"name": folder.name, "problem": error.why}
    return {
        "name": folder.name,
        "games": summary.games,
        "last-game": summary.last_started_at or None,
        "bots": list(summary.bots),
    }


def _cells(entry: dict[str, object]) -> list[str]:
    match entry:
        case {"name": str(name), "problem": str(problem)}:
            return [name, "-", "-", problem]
        case {"name": str(name), "games": int(games), "last-game": last, "bots": list(bots)}:
            when = last[:16].replace("T", " ") if isinstance(last, str) else "-"
            return [name, str(games), when, ", ".join(bots)]
        case _:
            raise TypeError(entry)
