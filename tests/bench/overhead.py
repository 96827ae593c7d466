"""What a ply costs: the harness beside a bare ping-pong of two processes, and beside its peers.

    python -m tests.bench.overhead [--runs N] [--games N] [--json FILE]
    CCHESS=... FASTCHESS=... CUTEGAMES=... CUTECHESS=... python -m tests.bench.overhead

Every runner plays games of a bot that answers at once against its copy, by its own command:
once a few games, once many. What a ply costs is a slope, a difference in time over the difference
in plies, so that starting and ending do not count; they stand beside it. The time is that from
the first request that a bot read to the last answer of a bot. ``wall`` is the slope of the whole
command's time instead: the same for a runner that ends at once, but one of them ends on a beat of
half a second. ``CPU`` is the slope of the processor time of everything, the steadiest on a busy
machine. All is done on one core and on all, one game and two games at once, everything in turn,
again and again: the figures of a line come from the same minutes as those of every other line,
and the ping-pong that it is compared with from the seconds before and after it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from tests.bench.arguments import even, positive
from tests.bench.figures import (
    Figure,
    figure_line,
    machine_text,
    number_text,
    spread_text,
    write_json,
)
from tests.bench.programs import FOLDER, compile_program, find_compiler, need_program
from tests.bench.runners import PLIES, Runner, Work, loa, peers
from tests.bench.running import Ran, kept_to, run

SHORT_GAMES: Final = 100
PING_PONG: Final = "ping-pong (C)"
HARNESS: Final = "loa run"
MOST_PING_PONGS_PINNED: Final = 3.5
LEAST_PING_PONGS: Final = 1.0
"""Nobody is quicker than the ping-pong: below it the machine was too busy to measure."""
LEAST_LEAD: Final = 1.0
SLOT_GAMES: Final = 20
_COLUMNS: Final = ("us a ply", "x ping-pong", "wall", "CPU", "start ms", "end ms", "game")


class Place(NamedTuple):
    """Where and how often at once: on these cores, so many games."""

    cores: frozenset[int]
    is_pinned: bool
    slots: int

    @property
    def text(self) -> str:
        where = "one core" if self.is_pinned else "all cores"
        return f"{where}, {self.slots} at once"


@dataclass(slots=True)
class Measured:
    """What one runner took at one place, an item a round; the ping-pong has no start or end.

    ``beside_us`` is the ping-pong just before and just after it, their mean.
    """

    ply_us: list[float] = field(default_factory=list)
    beside_us: list[float] = field(default_factory=list)
    wall_us: list[float] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)
    start_ms: list[float] = field(default_factory=list)
    end_ms: list[float] = field(default_factory=list)


Results = Mapping[Place, Mapping[str, Measured]]


def ping_pong_us(program: Path, trips: int, copies: int) -> float:
    """Return microseconds of one round trip, the mean of so many copies at once."""
    started = [
        subprocess.Popen([str(program), str(trips)], stdout=subprocess.PIPE, text=True)
        for _ in range(copies)
    ]
    outputs = [process.communicate()[0] for process in started]
    return statistics.mean(map(float, outputs)) / 1e3


def add_runs(measured: Measured, short: Ran, long: Ran, slots: int) -> None:
    """Add the slopes between two runs, a ply of one slot; CPU time is that of a ply anywhere."""
    plies = long.tally.answers - short.tally.answers
    measured.ply_us.append((long.playing_seconds - short.playing_seconds) * 1e6 * slots / plies)
    measured.wall_us.append((long.seconds - short.seconds) * 1e6 * slots / plies)
    measured.cpu_us.append((long.cpu_seconds - short.cpu_seconds) * 1e6 / plies)
    measured.start_ms.append(short.start_seconds * 1e3)
    measured.end_ms.append(short.end_seconds * 1e3)


def play(runner: Runner, bot: Path, games: int, slots: int, folder: Path) -> Ran:
    """Let a runner play; raises SystemExit when it did not play what it was told to."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        place = Path(name)
        ran = run(runner.command(Work(bot, games, slots, place)), place)
    if ran.tally.answers != games * PLIES:
        raise SystemExit(
            f"{runner.label} played {ran.tally.answers} plies, not {games * PLIES}:\n"
            f"{ran.output[-2000:]}"
        )
    return ran


def measure(
    places: Sequence[Place], runners: Sequence[Runner], runs: int, games: int, folder: Path
) -> Results:
    """Measure every runner at every place, round by round."""
    ping_pong, bot = need_program("ping_pong", folder), need_program("instant_bot", folder)
    results: dict[Place, defaultdict[str, Measured]] = {
        place: defaultdict(Measured) for place in places
    }
    for number in range(runs):
        for place in places:
            at_place = results[place]
            with kept_to(place.cores):
                trips = games * PLIES // place.slots
                before_us = ping_pong_us(ping_pong, trips, place.slots)
                at_place[PING_PONG].ply_us.append(before_us)
                turn = number % len(runners)
                for runner in (*runners[turn:], *runners[:turn]):
                    short = play(runner, bot, SHORT_GAMES, place.slots, folder)
                    long = play(runner, bot, SHORT_GAMES + games, place.slots, folder)
                    after_us = ping_pong_us(ping_pong, trips, place.slots)
                    add_runs(at_place[runner.label], short, long, place.slots)
                    at_place[runner.label].beside_us.append((before_us + after_us) / 2)
                    at_place[PING_PONG].ply_us.append(after_us)
                    before_us = after_us
        print(f"round {number + 1} of {runs}", file=sys.stderr)
    return results


def ratios(measured: Measured) -> list[float]:
    """Return how many ping-pongs a ply took, round by round."""
    return [one / other for one, other in zip(measured.ply_us, measured.beside_us, strict=True)]


def leads(at_place: Mapping[str, Measured]) -> list[float]:
    """Return, round by round, the quickest peer's ply over the harness's; empty without peers."""
    names = [name for name in at_place if name not in {PING_PONG, HARNESS}]
    if not names:
        return []
    rounds = zip(*(at_place[name].ply_us for name in names), strict=True)
    own = at_place[HARNESS].ply_us
    return [min(others) / mine for others, mine in zip(rounds, own, strict=True)]


def figures_of(results: Results) -> list[Figure]:
    """Return everything as figures, with what is wanted of the harness."""
    figures = []
    for place, at_place in results.items():
        for name, measured in at_place.items():
            label = f"{name}, {place.text}"
            figures.append(Figure(label, "us a ply", tuple(measured.ply_us)))
            if name == PING_PONG:
                continue
            at_most = MOST_PING_PONGS_PINNED if name == HARNESS and place.is_pinned else None
            times = tuple(ratios(measured))
            at_least = None if at_most is None else LEAST_PING_PONGS
            figures.append(Figure(label, "x ping-pong", times, at_most, at_least))
            figures.append(Figure(f"{label}: wall", "us a ply", tuple(measured.wall_us)))
            figures.append(Figure(f"{label}: CPU", "us a ply", tuple(measured.cpu_us)))
            figures.append(Figure(f"{label}: start", "ms", tuple(measured.start_ms)))
            figures.append(Figure(f"{label}: end", "ms", tuple(measured.end_ms)))
        lead = tuple(leads(at_place))
        if lead:
            name = f"quickest peer over {HARNESS}, {place.text}"
            at_least = None if place.is_pinned else LEAST_LEAD
            figures.append(Figure(name, "x", lead, at_least=at_least))
    return figures


def table_lines(results: Results, runners: Sequence[Runner]) -> list[str]:
    """Return the table: a line a runner, quickest first, a block a place."""
    games = {runner.label: runner.game for runner in runners}
    lines = []
    for place, at_place in results.items():
        lines.append(_row(place.text, *_COLUMNS))
        quickest_first = sorted(at_place, key=lambda name: statistics.median(at_place[name].ply_us))
        for name in quickest_first:
            measured = at_place[name]
            cells = [spread_text(measured.ply_us)]
            if name != PING_PONG:
                cells.append(spread_text(ratios(measured)))
                for values in (
                    measured.wall_us,
                    measured.cpu_us,
                    measured.start_ms,
                    measured.end_ms,
                ):
                    cells.append(number_text(statistics.median(values)))
                cells.append(games[name])
            lines.append(_row(f"  {name}", *cells))
    return lines


def _row(name: str, *cells: str) -> str:
    widths = (22, 22, 9, 7, 9, 8)
    padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=False)]
    return f"{name:<24} {' '.join([*padded, *cells[len(widths) :]])}"


def slot_figures(places: Sequence[Place], runs: int, extra: str | None) -> list[Figure]:
    """Return what a ply costs a session in this process, beside the ping-pong, one at a time."""
    from tests.bench.slot_only import bare_ns, slot_ns

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bots: dict[str, tuple[str, ...]] = {
            "script bot (Python)": (sys.executable, "-S", str(FOLDER / "instant_bot.py"))
        }
        ping_pong, instant = (compile_program(n, folder) for n in ("ping_pong", "instant_bot"))
        if instant is not None:
            bots["compiled bot (C)"] = (str(instant),)
        if extra:
            bots[extra] = tuple(shlex.split(extra))
        figures = []
        for place in (place for place in places if place.slots == 1):
            taken: defaultdict[str, list[float]] = defaultdict(list)
            with kept_to(place.cores):
                for _ in range(runs):
                    if ping_pong is not None:
                        trip_us = ping_pong_us(ping_pong, PLIES * SLOT_GAMES * 5, 1)
                        taken[PING_PONG].append(trip_us)
                    if instant is not None:
                        loop_ns = bare_ns((str(instant),), PLIES, SLOT_GAMES)
                        taken["bare loop (Python)"].append(loop_ns / 1e3)
                    for label, command in bots.items():
                        spent_ns = slot_ns(command, PLIES, SLOT_GAMES, folder)
                        taken[label].append(spent_ns / 1e3)
            for label, values in taken.items():
                title = f"slot only, {label}, {place.text}"
                figures.append(Figure(title, "us a ply", tuple(values)))
                if label != PING_PONG and PING_PONG in taken:
                    both = zip(values, taken[PING_PONG], strict=True)
                    times = tuple(one / other for one, other in both)
                    figures.append(Figure(title, "x ping-pong", times))
    return figures


def all_places() -> list[Place]:
    """Return one core and all cores, each with one and two games at once."""
    cores = frozenset(os.sched_getaffinity(0))
    one = frozenset({max(cores)})  # the first core has most of the interrupts
    return [
        Place(one, True, 1),
        Place(one, True, 2),
        Place(cores, False, 1),
        Place(cores, False, 2),
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=positive, default=5)
    parser.add_argument("--games", type=even, default=400, help="more in the long run")
    parser.add_argument("--bot", help="command of an instant bot, for the second table")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    others, missing = peers(os.environ)
    runners = [loa(), *others]
    print(machine_text())
    figures, notes = [], missing
    if find_compiler():
        with tempfile.TemporaryDirectory() as name:
            results = measure(all_places(), runners, arguments.runs, arguments.games, Path(name))
        figures = figures_of(results)
        print(
            f"us a ply, median [quartiles] of {arguments.runs} rounds; {PLIES} plies a game, "
            f"{SHORT_GAMES} games and {arguments.games} more"
        )
        print("\n".join(table_lines(results, runners)))
        for figure in figures:
            if figure.is_reached is not None:
                print(figure_line(figure))
    else:
        notes = [*missing, "without a C compiler only the slot is measured, with the script bot"]
    for note in notes:
        print(note)
    print("\nThe session alone, in this process: no command, no store, one game at a time")
    slots = slot_figures(all_places(), arguments.runs, arguments.bot)
    for figure in slots:
        print(figure_line(figure))
    if arguments.json:
        write_json(arguments.json, "overhead", [*figures, *slots], notes)


if __name__ == "__main__":
    main()
