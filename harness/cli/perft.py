"""``loa perft``: counts of move sequences, to check a rules core against others."""

from __future__ import annotations

import time

import click

from harness.cli.whole_number_type import WholeNumber


@click.command("perft")
@click.argument("depth", type=WholeNumber(1, 10))
@click.option(
    "--start",
    default="standard",
    show_default=True,
    help='"standard", "scrambled-eggs" or a position as FEN.',
)
@click.option("--divide", is_flag=True, help="Count below each first move.")
def command(*, depth: int, start: str, divide: bool) -> None:
    """Count the move sequences of exactly DEPTH plies.

    Connected boards have no children, a blocked side has one (the pass), repetition is ignored.
    """
    from harness.rules.notation import format_move, parse_start
    from harness.rules.perft import perft

    position = parse_start(start)
    begun = time.perf_counter()
    if divide:
        for move in sorted(position.legal_moves(), key=lambda move: format_move(position, move)):
            after = position.after(move)
            count = 1 if depth == 1 else perft(after, depth - 1)
            click.echo(f"{format_move(position, move)}: {count}")
    count = perft(position, depth)
    elapsed = time.perf_counter() - begun
    click.echo(f"perft {depth}: {count}")
    rate = count / elapsed if elapsed > 0 else 0
    click.echo(f"{elapsed:.2f} s, {rate:,.0f} sequences/s", err=True)
