"""What a run shows while it runs: plain lines, or on a terminal a table that is redrawn."""

from __future__ import annotations

import os
import shlex
import sys
import textwrap
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.locate import DEFAULT_RESULTS
from harness.director.events import (
    BatchBegan,
    BotSetAside,
    GameFinished,
    GameStarted,
    GameVoided,
    Notice,
    RunBegan,
    RunEnded,
    RunEvent,
    TestState,
)
from harness.director.forfeits import forfeit_of
from harness.play.types import GameRecord, GameSpec
from harness.report.safe_text import printable
from harness.rules.types import Color
from harness.store.sqlite import Store
from harness.tournament.spec import TournamentSpec

if TYPE_CHECKING:
    from rich.console import RenderableType

    from harness.director.sequential_watch import SequentialWatch

_REDRAW_SECONDS = 0.5
_SHOWN_NEWS = 5
_LEAST_WIDTH = 40
_SHOW_CURSOR = b"\r\x1b[?25h\n"


def is_live_terminal() -> bool:
    """Whether stderr is a terminal that can be redrawn."""
    return sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "")


def finished_text(record: GameRecord) -> str:
    """Return ``Finished game n (A vs B): 1-0 {reason}``; the first-named played Black."""
    spec = record.spec
    outcome = record.outcome
    reason = outcome.cause.value
    if outcome.detail:
        reason = f"{reason}, {printable(outcome.detail)}"
    return (
        f"Finished game {spec.schedule_index + 1} ({spec.black.name} vs {spec.white.name}): "
        f"{outcome.score_text} {{{reason}}}"
    )


def forfeit_text(record: GameRecord, tournament: str) -> str | None:
    """Return what else is to be said of a forfeit, and where to read on; None for other endings.

    ``tournament`` is what `loa game` takes as its NAME.
    """
    forfeit = forfeit_of(record)
    if forfeit is None:
        return None
    words = f"; its last words: {printable(forfeit.last_words)}" if forfeit.last_words else ""
    return (
        f"Forfeit of {forfeit.bot} in game {record.spec.schedule_index + 1} by "
        f"{forfeit.cause.value}: {printable(forfeit.why)}{words}; "
        f"see: loa game {shlex.quote(tournament)} {record.spec.game_id} --log"
    )


def typed_name(spec: TournamentSpec, folder: str) -> str:
    """Return what a person types for a tournament: its name where that is found, else a path."""
    path = Path(folder)
    return spec.name if path == Path(DEFAULT_RESULTS) / spec.name else str(path)


class PlainProgress:
    """One line an event on stderr, for logs and programs that read along."""

    def __init__(self, watch: SequentialWatch | None = None) -> None:
        self._watch = watch
        self._pairs = 0
        self._tournament = ""
        self._held: list[str] | None = None

    def __enter__(self) -> PlainProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        with suppress(OSError):
            sys.stderr.flush()

    def abandon(self) -> None:
        """Nothing is to be given back."""

    def tick(self) -> None:
        """Nothing changes without an event."""

    def hold(self) -> None:
        """Keep the lines that follow."""
        if self._held is None:
            self._held = []

    def release(self) -> None:
        """Print the lines that were kept, in one piece."""
        held, self._held = self._held, None
        if held:
            say(*held)

    def _say(self, text: str) -> None:
        if self._held is None:
            say(text)
        else:
            self._held.append(text)

    def notice(self, event: RunEvent) -> None:
        """Print the line of an event."""
        match event:
            case RunBegan(spec=spec, planned=planned, stored=stored, slots=slots):
                self._tournament = typed_name(spec, event.folder)
                games = f"{planned - stored} of {planned} games" if stored else f"{planned} games"
                self._say(f"{spec.name}: {games} to play, {slots} at a time")
            case BatchBegan(title=title, notes=notes, to_play=to_play):
                for note in notes:
                    self._say(f"note: {printable(note)}")
                self._say(f"{title}: {to_play} games")
            case GameStarted(game=game, planned=planned):
                self._say(
                    f"Started game {game.schedule_index + 1} of {planned} "
                    f"({game.black.name} vs {game.white.name})"
                )
            case GameFinished(record=record):
                self._say(finished_text(record))
                forfeit = forfeit_text(record, self._tournament)
                if forfeit is not None:
                    self._say(forfeit)
            case GameVoided():
                self._say(_void_text(event))
            case BotSetAside(bot=bot, why=why):
                self._say(f"Set aside {bot}: {printable(why)}")
            case Notice(text=text):
                self._say(f"note: {printable(text)}")
            case TestState(pairs=pairs):
                self._say_test(pairs)
            case RunEnded():
                pass

    def _say_test(self, pairs: int) -> None:
        from harness.cli.sequential_text import progress_line

        if self._watch is not None and pairs != self._pairs:
            self._pairs = pairs
            self._say(f"Test: {progress_line(self._watch.match.report())}")


class LiveProgress:
    """Progress, standings and the latest news on a terminal, redrawn twice a second at most."""

    def __init__(self, store: Store, watch: SequentialWatch | None = None) -> None:
        from rich.console import Console
        from rich.live import Live

        self._store = store
        self._watch = watch
        self._console = Console(stderr=True)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._counts: Counter[tuple[str, str, Color | None]] = Counter()
        self._names: tuple[str, ...] = ()
        self._running: dict[int, GameSpec] = {}
        self._news: list[str] = []
        self._set_aside: set[str] = set()
        self._tournament = ""
        self._planned = 0
        self._finished = 0
        self._finished_before = 0
        self._begun = time.monotonic()
        self._drawn = 0.0

    def __enter__(self) -> LiveProgress:
        from harness.ratings.threads import keep_arithmetic_to_one_thread

        keep_arithmetic_to_one_thread()
        # What the table needs is imported now: during a game it would take time from the bots.
        import scipy.optimize
        import scipy.sparse.csgraph
        import scipy.special  # noqa: F401

        for row in self._store.pairing_counts():
            self._counts[row.black, row.white, Color.BLACK] += row.wins
            self._counts[row.black, row.white, None] += row.draws
            self._counts[row.black, row.white, Color.WHITE] += row.losses
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._live.stop()

    def abandon(self) -> None:
        """Give the terminal its cursor back, and a line of its own to what follows."""
        with suppress(OSError):
            os.write(sys.stderr.fileno(), _SHOW_CURSOR)

    def tick(self) -> None:
        """Redraw when the last time is long enough ago."""
        if time.monotonic() - self._drawn >= _REDRAW_SECONDS:
            with suppress(OSError):  # the terminal may be gone; the games go on
                self._draw()

    def notice(self, event: RunEvent) -> None:
        """Take an event into the picture."""
        with suppress(OSError):
            self._take(event)
        self._news = self._news[-_SHOWN_NEWS:]
        self.tick()

    def _take(self, event: RunEvent) -> None:
        match event:
            case RunBegan(spec=spec, planned=planned, stored=stored):
                self._names = tuple(bot.name for bot in spec.bots)
                self._planned, self._finished = planned, stored
                self._finished_before = stored
                self._tournament = typed_name(spec, event.folder)
                self._begun = time.monotonic()
                self._live.start()
            case BatchBegan(title=title, notes=notes, planned=planned, stored=stored):
                self._planned, self._finished = planned, stored
                for note in notes:
                    self._console.print(f"note: {printable(note)}", markup=False)
                self._console.print(title, markup=False)
            case GameStarted(game=game, slot=slot):
                if not self._set_aside & {game.black.name, game.white.name}:
                    self._running[slot] = game
            case GameFinished(record=record, finished=finished):
                self._finished = finished
                names = record.spec.black.name, record.spec.white.name
                self._counts[(*names, record.outcome.winner)] += 1
                forfeit = forfeit_text(record, self._tournament)
                self._news.append(finished_text(record) if forfeit is None else forfeit)
                self._running = {
                    slot: game for slot, game in self._running.items() if game != record.spec
                }
            case GameVoided():
                self._news.append(_void_text(event))
            case BotSetAside(bot=bot, why=why):
                self._set_aside.add(bot)
                self._running = {
                    slot: game
                    for slot, game in self._running.items()
                    if bot not in (game.black.name, game.white.name)
                }
                self._console.print(f"Set aside {bot}: {printable(why)}", markup=False)
            case Notice(text=text):
                self._console.print(f"note: {printable(text)}", markup=False)
            case TestState():
                pass
            case RunEnded():
                self._draw()

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        if self._live.is_started:
            self._live.update(self._picture(), refresh=True)

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        from harness.ratings.counts import PairingCount
        from harness.ratings.table import RatingOptions, rate
        from harness.report.standings_table import standings_renderable

        pairs = {(black, white) for black, white, _ in self._counts}
        rows = [
            PairingCount(
                black,
                white,
                self._counts[black, white, Color.BLACK],
                self._counts[black, white, None],
                self._counts[black, white, Color.WHITE],
            )
            for black, white in sorted(pairs)
        ]
        bar = Table.grid(padding=(0, 1))
        bar.add_row(
            ProgressBar(total=max(self._planned, 1), completed=self._finished, width=30),
            f"{self._finished} of {self._planned} games{self._left_text()}",
        )
        running = [
            f"Playing game {game.schedule_index + 1} ({game.black.name} vs {game.white.name})"
            for _, game in sorted(self._running.items())
        ]
        lines = [*self._news, *running]
        # The progress comes first: what does not fit the screen is cut off below.
        return Group(
            bar,
            Text("\n".join(lines), style="dim", no_wrap=True, overflow="ellipsis"),
            *self._test_panel(),
            *(
                standings_renderable(table, self._console.width)
                for table in rate(rows, names=self._names, options=RatingOptions(is_quick=True))
            ),
        )

    def _test_panel(self) -> list[RenderableType]:
        if self._watch is None:
            return []
        from rich.text import Text

        from harness.cli.sequential_text import panel_lines

        return [Text("\n".join(panel_lines(self._watch)))]

    def _left_text(self) -> str:
        if self._watch is not None:  # the schedule is a cap: most tests end long before
            return ""
        played = self._finished - self._finished_before
        if not played:
            return ""
        seconds = (time.monotonic() - self._begun) / played * (self._planned - self._finished)
        minutes, seconds = divmod(int(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f", about {hours}:{minutes:02}:{seconds:02} left"


def progress_observer(
    store: Store, watch: SequentialWatch | None = None, *, is_plain: bool = False
) -> LiveProgress | PlainProgress:
    """Return the observer that suits stderr; a test that is given is shown as it goes on."""
    is_live = is_live_terminal() and not is_plain
    return LiveProgress(store, watch) if is_live else PlainProgress(watch)


def say(*lines: str) -> None:
    """Print lines on stderr, broken at words where a terminal would break them anywhere.

    Whoever read along may be gone; the games go on.
    """
    with suppress(OSError):
        if sys.stderr.isatty():
            width = os.get_terminal_size(sys.stderr.fileno()).columns
            lines = tuple(_filled(line, max(width, _LEAST_WIDTH)) for line in lines)
        click.echo("\n".join(lines), err=True)


def _filled(line: str, width: int) -> str:
    return textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False)


def _void_text(event: GameVoided) -> str:
    return f"Void game {event.game.schedule_index + 1}: {printable(event.text)}"
