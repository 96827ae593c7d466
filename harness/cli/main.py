"""``loa``: finds the command, and turns every error into one message and one exit code."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import click

from harness.cli.ctrl_c import EXIT_CODE, ctrl_c_raises
from harness.errors import HarnessError
from harness.version import VERSION

_COMMANDS: Final = {
    "run": "Play a tournament, or go on with it.",
    "compare": "Is one bot or version better than another? A sequential test.",
    "stop": "Ask a run to finish its running games and end.",
    "standings": "Elo table and cross table of stored tournaments.",
    "report": "Write tables and plots of stored tournaments as files.",
    "list": "List stored tournaments.",
    "bots": "List shipped bots and their options.",
    "check": "Does a bot speak the protocol? Step by step.",
    "games": "List the games of a tournament.",
    "game": "Show one game: board, moves, times.",
    "verify": "Put every stored game before the referee again.",
    "export": "Write games as JSONL, SGF or CSV.",
    "openings": "Make files of balanced openings, and check them.",
    "doctor": "What can this machine enforce? Tried out.",
    "perft": "Count move sequences: a check of the rules core.",
}


class _LazyGroup(click.Group):
    """A group whose commands are imported when they are called, not when they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"harness.cli.{cmd_name}")
        command = module.command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], _COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"there is no command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="loa")
def cli() -> None:
    """Bot-against-bot competitions in Lines of Action.

    Start with `loa run random greedy --name first`, then `loa standings first`;
    `loa COMMAND --help` tells more.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: the one place where errors become messages and codes."""
    _open_closed_streams()
    try:
        with ctrl_c_raises():
            code = _run(arguments)
    except KeyboardInterrupt:  # while an error was reported
        code = EXIT_CODE
    sys.exit(code)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = cli.main(
            args=list(arguments) if arguments is not None else None,
            prog_name="loa",
            standalone_mode=False,
        )
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        with suppress(OSError):
            click.echo(_inert(shown.getvalue()), err=True)
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        code = EXIT_CODE
    except HarnessError as error:
        with suppress(OSError):
            click.echo(f"loa: {_inert(str(error))}", err=True)
        code = error.exit_code
    except BrokenPipeError:
        # The reader went away (`loa games x | head`): nothing is wrong, and nothing more to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        with suppress(OSError):
            click.echo(_inert(f"loa: {_what_failed(error)}"), err=True)
        code = 1
    return code if isinstance(code, int) else 0


def _what_failed(error: OSError) -> str:
    """Return which file the system refused, or that of the output; else its words alone."""
    words = error.strerror or str(error)
    if error.filename is not None:
        return f"{error.filename}: {words}"
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    # What writes to stdout and stderr: click, rich, and this module when it flushes them.
    writer = "" if trace is None else str(trace.tb_frame.f_globals.get("__name__", ""))
    is_output = writer == __name__ or writer.startswith(("click.", "rich."))
    return f"the output cannot be written: {words}" if is_output else words


def _inert(text: str) -> str:
    """Return a message as a terminal may get it: it quotes arguments, files and bots."""
    from harness.report.safe_text import printable_lines

    return "\n".join(printable_lines(text))


def _open_closed_streams() -> None:
    """Give a program that was started with closed streams (`>&-`) others that swallow all.

    Otherwise the next file or pipe would get their numbers, and be written to in their place.
    """
    for fd in (0, 1, 2):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, that is this one
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)
