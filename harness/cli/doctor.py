"""``loa doctor``: what this machine enforces and what it does not, tried out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from harness.cli.locate import results_option

if TYPE_CHECKING:
    from harness.cli.machine_checks import Check

NOTHING_CAN_BE_PLAYED: Final = 1

_WEAK: Final = "weak: it is there, but holds less than it could; games can be played."
_WIDTH: Final = 80
_STATE_WIDTH: Final = 5
_NAME_WIDTH: Final = 21


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@results_option
def command(*, as_json: bool, results: Path) -> None:
    """Try what this machine can do, and say what to install where it cannot.

    What keeps bots from outliving a run or from reaching the machine, limits, cores, placement
    on them, clock, lateness and the folder of results: each is tried, in a process of its own
    where that is needed. The exit code is 0, or 1 when nothing can be played.
    """
    import json

    from harness.cli.machine_checks import check_machine

    checks = check_machine(results)
    can_play = all(check.is_met for check in checks if check.is_needed)
    if as_json:
        document = {
            "can-play": can_play,
            "checks": [
                {
                    "name": check.name,
                    "state": check.state.value,
                    "text": check.text,
                    "advice": check.advice or None,
                }
                for check in checks
            ],
        }
        click.echo(json.dumps(document, indent=2))
    else:
        click.echo("\n".join(_lines(checks)))
    if not can_play:
        sys.stdout.flush()
        sys.exit(NOTHING_CAN_BE_PLAYED)


def _lines(checks: Sequence[Check]) -> Iterator[str]:
    """Yield a table of three columns in 80 characters, advice below what it is for."""
    import textwrap

    from harness.cli.machine_checks import State
    from harness.report.safe_text import printable

    indent = " " * (_STATE_WIDTH + _NAME_WIDTH)
    for check in checks:
        head = f"{check.state.value:<{_STATE_WIDTH}}{check.name:<{_NAME_WIDTH}}"
        yield from textwrap.wrap(
            printable(check.text), _WIDTH, initial_indent=head, subsequent_indent=indent
        )
        if check.advice:
            yield from textwrap.wrap(
                printable(check.advice),
                _WIDTH,
                initial_indent=f"{indent}-> ",
                subsequent_indent=f"{indent}   ",
            )
    if any(check.state is State.WEAK for check in checks):
        yield ""
        yield from textwrap.wrap(_WEAK, _WIDTH)
