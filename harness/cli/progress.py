"""What a run shows while it runs: plain lines, or on a terminal a table that is redrawn."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import click

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
)
from harness.play.types import GameRecord, GameSpec
from harness.report.safe_text import printable
from harness.rules.types import Color
from harness.store.sqlite import Store

if TYPE_CHECKING:
    from rich.console import RenderableType

    from harness.director.sequential_watch import SequentialWatch

_REDRAW_SECONDS = 0.5
_SHOWN_NEWS = 5


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


class PlainProgress:
    """One line an event on stderr, for logs and programs that read along."""

    def __init__(self, watch: SequentialWatch | None = None) -> None:
        self._watch = watch
        self._pairs = 0

    def __enter__(self) -> PlainProgress:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            sys.stderr.flush()

    def tick(self) -> None:
        """Nothing changes without an event."""

    def notice(self, event: RunEvent) -> None:
        """Print the line of an event."""
        match event:
            case RunBegan(spec=spec, planned=planned, stored=stored, slots=slots):
                games = f"{planned - stored} of {planned} games" if stored else f"{planned} games"
                _say(f"{spec.name}: {games} to play, {slots} at a time")
            case BatchBegan(title=title, notes=notes, to_play=to_play):
                for note in notes:
                    _say(f"note: {printable(note)}")
                _say(f"{title}: {to_play} games")
            case GameStarted(game=game, planned=planned):
                _say(
                    f"Started game {game.schedule_index + 1} of {planned} "
                    f"({game.black.name} vs {game.white.name})"
                )
            case GameFinished(record=record):
                _say(finished_text(record))
                self._say_test()
            case GameVoided(number=number, why=why):
                _say(f"Void game {number}: {printable(why)}")
            case BotSetAside(bot=bot, why=why):
                _say(f"Set aside {bot}: {printable(why)}")
            case Notice(text=text):
                _say(f"note: {printable(text)}")
            case RunEnded():
                pass

    def _say_test(self) -> None:
        from harness.cli.sequential_text import progress_line

        if self._watch is not None and self._watch.match.pairs != self._pairs:
            self._pairs = self._watch.match.pairs
            _say(f"Test: {progress_line(self._watch.match.report())}")


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
        self._live.stop()

    def tick(self) -> None:
        """Redraw when the last time is long enough ago."""
        if time.monotonic() - self._drawn >= _REDRAW_SECONDS:
            self._draw()

    def notice(self, event: RunEvent) -> None:
        """Take an event into the picture."""
        match event:
            case RunBegan(spec=spec, planned=planned, stored=stored):
                self._names = tuple(bot.name for bot in spec.bots)
                self._planned, self._finished = planned, stored
                self._finished_before = stored
                self._begun = time.monotonic()
                self._live.start()
            case BatchBegan(title=title, notes=notes, planned=planned, stored=stored):
                self._planned, self._finished = planned, stored
                for note in notes:
                    self._console.print(f"note: {printable(note)}", markup=False)
                self._console.print(title, markup=False)
            case GameStarted(game=game, slot=slot):
                self._running[slot] = game
            case GameFinished(record=record, finished=finished):
                self._finished = finished
                names = record.spec.black.name, record.spec.white.name
                self._counts[(*names, record.outcome.winner)] += 1
                self._news.append(finished_text(record))
                self._running = {
                    slot: game for slot, game in self._running.items() if game != record.spec
                }
            case GameVoided(number=number, why=why):
                self._news.append(f"Void game {number}: {printable(why)}")
            case BotSetAside(bot=bot, why=why):
                self._running = {
                    slot: game
                    for slot, game in self._running.items()
                    if bot not in (game.black.name, game.white.name)
                }
                self._console.print(f"Set aside {bot}: {printable(why)}", markup=False)
            case Notice(text=text):
                self._console.print(f"note: {printable(text)}", markup=False)
            case RunEnded():
                self._draw()
        self._news = self._news[-_SHOWN_NEWS:]
        self.tick()

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
    store: Store, watch: SequentialWatch | None = None
) -> LiveProgress | PlainProgress:
    """Return the observer that suits stderr; a test that is given is shown as it goes on."""
    return LiveProgress(store, watch) if is_live_terminal() else PlainProgress(watch)


def _say(text: str) -> None:
    # Whoever read along may be gone; the games go on.
    with suppress(OSError):
        click.echo(text, err=True)
