"""``loa openings``: make files of openings, and check them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from harness.cli.exit_codes import FOUND_SOMETHING, INCOMPLETE
from harness.cli.rule_options import rule_options, rules_of
from harness.cli.whole_number_type import WholeNumber
from harness.counted import counted

if TYPE_CHECKING:
    from harness.play.clock import TimeControl
    from harness.rules.types import RuleSet
    from harness.tournament.opening_check import OpeningCheck
    from harness.tournament.opening_maker import MadeOpenings

"""The exit code of a check that found something."""
"""The exit code of a file with fewer openings than were asked for."""

_START_HELP: Final = '"standard", "scrambled-eggs" or a position as FEN.'
_DEFAULT_DEPTH: Final = 4  # even: both sides have moved as often; a third of a second a position
_DEFAULT_BALANCE_CP: Final = 50  # keeps seven in ten of four random plies at that depth


@click.group("openings")
def command() -> None:
    """Make files of balanced openings, and check such files.

    `loa run ... --openings FILE` plays them.
    """


@command.command("make")
@click.option(
    "--count", type=WholeNumber(1, 100_000), default=100, show_default=True, help="How many."
)
@click.option(
    "--plies", type=WholeNumber(0, 60), default=4, show_default=True, help="Random plies."
)
@click.option(
    "--seed",
    type=WholeNumber(0, 2**63 - 1),
    default=1,
    show_default=True,
    help="Seed of the plies and of the judge.",
)
@click.option("--start", default="standard", show_default=True, help=_START_HELP)
@click.option(
    "--judge", default="alphabeta", show_default=True, metavar="BOT", help="Who scores them."
)
@click.option("--depth", type=WholeNumber(1, 1_000), help="How deep it looks.  [default: 4]")
@click.option("--tc", help='Its time control in place of a depth: "move=0.5", "nodes=2000".')
@click.option(
    "--balance",
    type=WholeNumber(0, 1_000_000),
    default=_DEFAULT_BALANCE_CP,
    show_default=True,
    metavar="CP",
    help="Keep those scored at most so far from even.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write this file, whole or not at all; default: standard output.",
)
@rule_options
def make(
    *,
    count: int,
    plies: int,
    seed: int,
    start: str,
    judge: str,
    depth: int | None,
    tc: str | None,
    balance: int,
    output: Path | None,
    **rule_flags: str | int,
) -> None:
    """Make openings by random plies and keep those that a judge finds balanced.

    They are distinct up to the symmetries of the board and the exchange of the colours,
    undecided and without a win in one. The judge is a BOT as for `loa run`; it must report
    scores. The same arguments give the same file when its judge is deterministic: at a depth or
    a number of nodes the shipped ones are.
    """
    from harness.cli.output_file import check_writable, write_whole
    from harness.errors import InputError
    from harness.process.judge import Judge
    from harness.report.safe_text import printable
    from harness.rules.notation import parse_start
    from harness.tournament.bot_argument import bot_of_argument
    from harness.tournament.opening_generator import GENERATOR_VERSION, OpeningGenerator
    from harness.tournament.opening_maker import MAX_CANDIDATES, MakingEnd, make_openings
    from harness.tournament.opening_table import start_name
    from harness.tournament.opening_text import made_openings_lines

    rules = rules_of(**rule_flags)  # type: ignore[arg-type]
    position = parse_start(start)
    definition, control = bot_of_argument(judge, Path.cwd()), _control(depth, tc)
    if rules.max_plies is not None and plies >= rules.max_plies:
        raise InputError(
            f"--plies {plies} reaches the end of the game, --max-plies {rules.max_plies}"
        )
    if output is not None:
        check_writable(output)
    generator = OpeningGenerator(position, plies, rules, seed, MAX_CANDIDATES)
    generator.first()
    with Judge(definition, rules, control, seed) as bot, _progress(count) as tell:
        made = make_openings(generator, bot.score, balance, count, tell)
    summary = f"{len(made.kept)} kept of {made.tried} tried"
    if made.end is MakingEnd.EXHAUSTED:
        summary += f", there are no more of {counted(plies, 'ply', 'plies')}"
    elif made.end is MakingEnd.FRUITLESS:
        summary += f", then none of many was within {balance} cp"
    if not made.kept:
        raise InputError(f"no opening was made: {summary}; allow more --balance or other --plies")
    head = (
        f"loa openings make: {summary}; random plies: {plies}, start: {start_name(position)}, "
        f"seed {seed}, generator version {GENERATOR_VERSION}; "
        f"judge {printable(' '.join(judge.split()))}, {control}, balance {balance} cp\n"
        f"rules: {_rules_text(rules)}; the scores are those of the side to move"
    )
    lines = made_openings_lines(made, head)
    if output is None:
        click.echo("".join(lines), nl=False)
    else:
        write_whole(output, lines)
    _say_end(made, count, summary)


@command.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--start", default="standard", show_default=True, help="Where moves begin.")
@click.option("--plies", type=WholeNumber(1, 10_000), help="Look at so many plies of each.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@rule_options
def check(
    *, file: Path, start: str, plies: int | None, as_json: bool, **rule_flags: str | int
) -> None:
    """Report what is wrong with the openings of a file, by line; exit code 5 when there is any.

    Unreadable, illegal and decided ones, wins in one for the side to move, and openings that
    repeat an earlier one: the same moves, the same position, turned or mirrored, or with the
    colours exchanged.
    """
    from harness.rules.notation import parse_start
    from harness.tournament.opening_check import examine_openings
    from harness.tournament.opening_file import read_opening_entries

    rules = rules_of(**rule_flags)  # type: ignore[arg-type]
    entries = read_opening_entries(file, parse_start(start), rules, plies)
    result = examine_openings(entries, rules)
    click.echo(_check_json(file, result) if as_json else _check_text(file, result))
    if result.findings or not result.openings:
        sys.stdout.flush()
        sys.exit(FOUND_SOMETHING)


def _control(depth: int | None, text: str | None) -> TimeControl:
    from harness.errors import InputError
    from harness.play.clock import TimeControl

    if text is None:
        return TimeControl(depth=depth or _DEFAULT_DEPTH)
    if depth is not None:
        raise InputError("give either --depth or --tc, not both")
    return TimeControl.parse(text)


def _rules_text(rules: RuleSet) -> str:
    return (
        f"simultaneous={rules.simultaneous.value} no-moves={rules.no_moves.value} "
        f"repetition={rules.repetition} max-plies={rules.max_plies or 0}"
    )


@contextmanager
def _progress(count: int) -> Iterator[Callable[[int, int], None]]:
    """Give a function to be told of numbers kept and tried; silent without a terminal."""
    if not sys.stderr.isatty():
        yield lambda kept, tried: None
        return

    def shown(tried: int | None) -> str | None:
        return None if tried is None else f"{tried} tried"

    with click.progressbar(
        length=count, label="Openings", item_show_func=shown, file=sys.stderr
    ) as bar:
        yield lambda kept, tried: bar.update(kept - bar.pos, tried)


def _say_end(made: MadeOpenings, count: int, summary: str) -> None:
    wanted = "" if len(made.kept) == count else f"; {count} were wanted"
    click.echo(f"{summary}{wanted}", err=True)
    if wanted:
        sys.stdout.flush()
        sys.exit(INCOMPLETE)


def _check_text(file: Path, result: OpeningCheck) -> str:
    from collections import Counter

    from harness.report.safe_text import printable

    lines = [printable(f"{finding.place}: {finding.message}") for finding in result.findings]
    lengths = ", ".join(
        f"{number} of {counted(plies, 'ply', 'plies')}" for plies, number in result.lengths
    )
    openings = counted(result.openings, "opening")
    lines.append(f"{printable(str(file))}: {openings}{f': {lengths}' if lengths else ''}")
    lines.append(f"to move: Black {result.black_to_move}, White {result.white_to_move}")
    kinds = Counter(finding.kind.value for finding in result.findings)
    found = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    if not result.openings:
        found = found or "no opening"
    lines.append(f"found: {found or 'nothing wrong'}")
    return "\n".join(lines)


def _check_json(file: Path, result: OpeningCheck) -> str:
    import json

    return json.dumps(
        {
            "file": str(file),
            "openings": result.openings,
            "lengths": {str(plies): number for plies, number in result.lengths},
            "to-move": {"black": result.black_to_move, "white": result.white_to_move},
            "findings": [
                {"place": one.place, "kind": one.kind.value, "message": one.message}
                for one in result.findings
            ],
        },
        indent=2,
    )
