"""Large things: ten million planned games, a million stored ones, two games at once.

    python -m tests.bench.scale [--store DIR] [--bots N] [--pairs N] [--runs N] [--json FILE]

A plan of ten million games is started, by ``--dry-run`` and really, until its first game is over.
On a store of a million made-up games (``--store`` keeps it, and shares it with ratings.py) the
commands that read it are timed whole, and ``loa run`` until it knows that nothing is left to
play, or has asked for a move of the first new game. Bots that compute show how much more two
slots play than one.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.bench.arguments import positive
from tests.bench.figures import Figure, figure_line, machine_text, write_json
from tests.bench.memory import peak_mb_of_tree
from tests.bench.programs import need_program
from tests.bench.running import LOA, Started, run
from tests.bench.stored_million import (
    make_own,
    make_store,
    run_command,
    stop_after_game,
    wait_for_answers,
    write_spec,
)

MANY_BOTS: Final = 5
MANY_ROUNDS: Final = 500_000
GAME_PLIES: Final = 10
MOST_START_SECONDS: Final = 2.0
MOST_START_MB: Final = 200.0
MOST_STANDINGS_SECONDS: Final = 3.0
MOST_LIST_SECONDS: Final = 1.0
MOST_RESUME_SECONDS: Final = 5.0
LEAST_SPEED_UP: Final = 1.7
THINKING_MS: Final = 3.0
THINKING_PLIES: Final = 40
NOTHING_LEFT: Final = "nothing to play"

Add = Callable[[Figure], None]


def measure_plan(bot: Path, runs: int, add: Add) -> None:
    """Measure the start of ten million games."""
    planned = MANY_BOTS * (MANY_BOTS - 1) * MANY_ROUNDS
    dry, starts, largest, together = [], [], [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            spec = write_spec(folder / "many.toml", bot, MANY_BOTS, MANY_ROUNDS)
            command = run_command(spec, "many", folder / "results")
            dry.append(run([*command, "--dry-run"], folder))
            assert f"{planned} planned" in dry[-1].output, dry[-1].output
            started = Started(command, folder)
            wait_for_answers(started, GAME_PLIES)
            one, every = peak_mb_of_tree(started.process.pid)
            starts.append(stop_after_game(started, GAME_PLIES).start_seconds)
            largest.append(one)
            together.append(every)
    title = f"{planned:,} games planned"
    seconds = tuple(ran.seconds for ran in dry)
    add(Figure(f"{title}, --dry-run", "s", seconds, MOST_START_SECONDS))
    add(Figure(f"{title}, --dry-run", "MB", tuple(ran.peak_mb for ran in dry), MOST_START_MB))
    add(Figure(f"{title}, first request", "s", tuple(starts), MOST_START_SECONDS))
    add(Figure(f"{title}, largest process", "MB", tuple(largest), MOST_START_MB))
    add(Figure(f"{title}, all processes", "MB", tuple(together)))


def measure_store(bot: Path, results: Path, bots: int, pairs: int, runs: int, add: Add) -> None:
    """Measure the commands that read a large store, and going on with it."""
    begun = time.monotonic()
    folder = make_store(results, bots, pairs)
    games = bots * (bots - 1) * pairs
    size_mb = (folder / "games.sqlite").stat().st_size / 1e6
    print(f"store of {games:,} games, {size_mb:,.0f} MB, made in {time.monotonic() - begun:.0f} s")
    for title, words, most in (
        ("loa standings", ["standings"], MOST_STANDINGS_SECONDS),
        ("loa games --limit 20", ["games", "--limit", "20"], MOST_LIST_SECONDS),
        *(
            (f"loa games {' '.join(terms)}", ["games", *terms], MOST_LIST_SECONDS)
            for terms in (
                ["--bot", "engine-007", "--limit", "20"],
                ["--bot", "engine-007", "--opponent", "engine-011"],
                ["--cause", "simultaneous-connection", "--limit", "20"],
                ["--order", "newest", "--winner", "engine-007", "--limit", "20"],
                ["--order", "longest", "--min-plies", "30", "--limit", "20"],
                ["--cause", "time"],
            )
        ),
    ):
        command = [*LOA, words[0], folder.name, "--results", str(results), *words[1:]]
        taken = _runs_of(command, runs)
        add(Figure(title, "s", tuple(seconds for seconds, _ in taken), most))
        if most == MOST_STANDINGS_SECONDS:
            add(Figure(title, "MB", tuple(peak_mb for _, peak_mb in taken)))
    measure_going_on(bot, folder, bots, pairs, runs, add)


def measure_going_on(bot: Path, folder: Path, bots: int, pairs: int, runs: int, add: Add) -> None:
    """Measure ``loa run`` on a copy of the store: with nothing left, and with a round more."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        scratch = Path(name)
        copy = scratch / "results" / folder.name
        copy.mkdir(parents=True)
        shutil.copyfile(folder / "games.sqlite", copy / "games.sqlite")
        spec = write_spec(scratch / "whole.toml", bot, bots, pairs)
        longer = write_spec(scratch / "longer.toml", bot, bots, pairs + 1)
        make_own(copy, spec, scratch)
        nothing_left, whole, first, peaks = [], [], [], []
        for number in range(runs + 1):
            started = Started(run_command(spec, folder.name, copy.parent), scratch)
            seconds = _wait_for_text(started, NOTHING_LEFT)
            ran = started.wait()
            if number:  # the first run fills the caches, and writes what it finds changed
                nothing_left.append(seconds)
                whole.append(ran.seconds)
        for _ in range(runs):
            started = Started(run_command(longer, folder.name, copy.parent), scratch)
            wait_for_answers(started, GAME_PLIES)
            peaks.append(peak_mb_of_tree(started.process.pid)[0])
            first.append(stop_after_game(started, GAME_PLIES).start_seconds)
    most = MOST_RESUME_SECONDS
    add(Figure("loa run, until nothing is left to play", "s", tuple(nothing_left), most))
    add(Figure("loa run with nothing left, whole, with standings", "s", tuple(whole)))
    add(Figure("loa run, until the first new game", "s", tuple(first), most))
    add(Figure("loa run, until the first new game", "MB", tuple(peaks)))


def measure_slots(bot: Path, runs: int, add: Add) -> None:
    """Measure how many more moves two slots play than one, with bots that compute."""
    rounds = _rounds_of_work(bot)
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(runs):
        for slots, taken in rates.items():
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                command = [
                    *(*LOA, "run", f"a={bot}", f"b={bot}", "--name", "work", "--rounds", "12"),
                    *("--results", str(folder / "results"), "--no-report", "--tc", "600+1"),
                    *("--random-plies", "0", "--repetition", "0"),
                    *("--max-plies", str(THINKING_PLIES), "--slots", str(slots), "--force"),
                ]
                ran = run(command, folder, {"BOT_WORK": str(rounds)})
                taken.append(ran.tally.answers / ran.playing_seconds)
    for slots, taken in rates.items():
        title = f"{slots} at once, bots that compute {THINKING_MS:g} ms"
        add(Figure(title, "plies/s", tuple(taken)))
    ratio = tuple(two / one for one, two in zip(rates[1], rates[2], strict=True))
    add(Figure("two at once over one at once", "x", ratio, at_least=LEAST_SPEED_UP))


def _rounds_of_work(bot: Path) -> int:
    """Return how many rounds of computing take the wanted time, at the machine's best."""
    probe = 10_000_000
    with tempfile.TemporaryDirectory() as name:
        seconds = []
        for _ in range(3):
            started = Started(
                ["sh", "-c", f"printf 'ugi\\nposition startpos\\ngo\\nquit\\n' | {bot}"],
                Path(name),
                {"BOT_WORK": str(probe)},
            )
            seconds.append(started.wait().playing_seconds)
    return round(probe * THINKING_MS / 1e3 / min(seconds))


def _runs_of(command: list[str], runs: int) -> list[tuple[float, float]]:
    """Return seconds and peak memory of each run; the one before them fills the caches."""
    with tempfile.TemporaryDirectory() as name:
        every = [run(command, Path(name)) for _ in range(runs + 1)]
    return [(ran.seconds, ran.peak_mb) for ran in every[1:]]


def _wait_for_text(started: Started, text: str) -> float:
    """Return seconds from the start of a command until it has written this text."""
    while started.process.poll() is None:
        if text in started.output.read_text(encoding="utf-8", errors="replace"):
            return (time.monotonic_ns() - started.begun_ns) / 1e9
        time.sleep(0.005)
    raise SystemExit(f"no {text!r}:\n{started.output.read_text()[-2000:]}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=positive, default=3)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=25, help="of every two bots; 20 or more")
    parser.add_argument("--store", type=Path, help="folder in which the store is kept")
    parser.add_argument("--only", choices=["plan", "store", "slots"], help="this part alone")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    figures: list[Figure] = []

    def add(figure: Figure) -> None:
        figures.append(figure)
        print(figure_line(figure), flush=True)

    print(machine_text())
    print(f"median [quartiles] of {arguments.runs} runs")
    with tempfile.TemporaryDirectory() as name:
        bot = need_program("instant_bot", Path(name))
        if arguments.only in {None, "plan"}:
            measure_plan(bot, arguments.runs, add)
        if arguments.only in {None, "store"}:
            results = (arguments.store or Path(name) / "stores").resolve()
            results.mkdir(parents=True, exist_ok=True)
            runs, pairs = arguments.runs, arguments.pairs
            measure_store(bot, results, arguments.bots, pairs, runs, add)
        if arguments.only in {None, "slots"}:
            measure_slots(bot, arguments.runs, add)
    if arguments.json:
        write_json(arguments.json, "scale", figures, [])


if __name__ == "__main__":
    main()
