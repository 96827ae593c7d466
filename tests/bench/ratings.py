"""From a stored million games to standings: wall time and memory, and Ordo beside it.

    python tests/bench/ratings.py [--runs N] [--refits N] [--store DIR] [--bots N] [--pairs N]
    ORDO=/path/to/ordo python tests/bench/ratings.py [--simulations N]

The games are made up by Davidson's law, in a temporary folder unless ``--store`` says where the
store is to be kept between calls. Everything is done in processes of their own, whose CPU time
and peak memory the kernel tells; runs are interleaved, medians are printed. Beside them stand the
sqlite3 module summing up the results' index of the same file, and numpy counting the same arrays.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

# The kernel hands peak memory on from parent to child: nothing heavy is imported up here.
if TYPE_CHECKING:
    from harness.ratings.results import GameResults

SPREAD_ELO: Final = 500.0
FIRST_MOVE_ELO: Final = 25.0
OPENING_BIAS_ELO: Final = 60.0
NU: Final = 0.08
PLIES: Final = 40
OPENING_PLIES: Final = 4
SEED: Final = 1
PROVENANCE: Final = (
    '{"attempt":1,"containment":"parent-death","forced":0,"harness":"0.1.0","kept-bots":2,'
    '"machine":"vm","python":"3.11.7","slot":0,"slots":1}'
)
COLUMNS: Final = "rank,bot,elo,error,games,score,los,group,ranks"
SCAN: Final = """
    SELECT count(*), sum(length(winner)), sum(pair), sum(moves_hash)
    FROM games GROUP BY black, white
"""
WANTED_SECONDS: Final = {"standings": 3.0, "tables": 1.0, "refits": 60.0}
WANTED_MB: Final = 500
REFITS: Final = 1000


class Run(NamedTuple):
    """One run of a process: wall and CPU time, peak memory, and what it printed."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    output: bytes


# The store


def make_store(folder: Path, bots: int, pairs: int) -> None:
    """Write a round robin of this size in the order of its schedule, as a run would have."""
    from harness.store.queries import (
        INSERT_DETAILS,
        INSERT_GAME,
        INSERTED_OF_DETAILS,
        INSERTED_OF_GAME,
    )
    from harness.store.sqlite import Store

    names = [f"engine-{number:03d}" for number in range(bots)]
    identities = {name: f"{random.Random(name).getrandbits(256):064x}" for name in names}
    with Store.create_or_open(folder) as store:
        store.begin(folder.name, "", {}, identities, {name: {} for name in names})
    connection = sqlite3.connect(folder / "games.sqlite", isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA cache_size = -500000")
    connection.execute("BEGIN")
    chance = random.Random(SEED)
    openings = [_moves(chance, OPENING_PLIES) for _ in range(pairs)]
    connection.executemany(
        "INSERT INTO openings (content_id, start, moves) VALUES (?, ?, ?)",
        [
            (f"{chance.getrandbits(64):016x}", "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b", moves)
            for moves in openings
        ],
    )
    rules = '{"max-plies":400,"no-moves":"pass","repetition":3,"simultaneous":"draw"}'
    connection.execute(
        "INSERT INTO settings VALUES (1, ?, '10+0.1', '10+0.1', 50000000, 120000000000, 1)", [rules]
    )
    games = _games(names, openings, chance)
    connection.executemany(INSERT_GAME, map(itemgetter(*INSERTED_OF_GAME), games))
    details = _details(bots * (bots - 1) * pairs, chance)
    connection.executemany(INSERT_DETAILS, map(itemgetter(*INSERTED_OF_DETAILS), details))
    connection.execute("COMMIT")
    connection.close()


def _games(
    names: Sequence[str], openings: Sequence[str], chance: random.Random
) -> Iterator[dict[str, str | int | None]]:
    """Yield the rows of the table games."""
    import numpy as np

    from harness.tournament.formats.round_robin import round_robin_encounters

    numbers = {name: number for number, name in enumerate(names, 1)}
    strengths = np.linspace(-SPREAD_ELO, SPREAD_ELO, len(names))
    draws = np.random.default_rng(SEED)
    draws.shuffle(strengths)
    elo = dict(zip(names, strengths.tolist(), strict=True))
    biases = draws.normal(FIRST_MOVE_ELO, OPENING_BIAS_ELO, len(openings))
    biases += FIRST_MOVE_ELO - biases.mean()
    ends = [_moves(chance, PLIES - OPENING_PLIES) for _ in range(5000)]
    encounters = round_robin_encounters(names)
    index = 0
    for pair, (opening, bias) in enumerate(zip(openings, biases.tolist(), strict=True), 1):
        for first, second in encounters:
            encounter = f"{first}~{second}"
            for leg, black, white in (("a", first, second), ("b", second, first)):
                winner = _winner(elo[black] - elo[white] + bias, chance)
                plies = PLIES - chance.randrange(20)
                asked = (plies - OPENING_PLIES) // 2
                black_ns, white_ns = chance.randrange(10**10), chance.randrange(10**10)
                yield {
                    "id": f"{encounter}.{pair}{leg}",
                    "schedule_index": index,
                    "batch": 0,
                    "encounter": encounter,
                    "pair": pair,
                    "leg": leg,
                    "black": numbers[black],
                    "white": numbers[white],
                    "opening": pair,
                    "settings": 1,
                    "cause": "simultaneous-connection" if winner is None else "connection",
                    "winner": winner,
                    "plies": plies,
                    "moves": f"{opening} {ends[chance.randrange(len(ends))]}"[: 6 * plies - 1],
                    "started_at": "2026-11-30T07:55:25.556+00:00",
                    "duration_ns": black_ns + white_ns,
                    "outcome_detail": "",
                    "moves_hash": chance.getrandbits(48),
                    "black_moves": plies - OPENING_PLIES - asked,
                    "white_moves": asked,
                    "black_time_ns": black_ns,
                    "white_time_ns": white_ns,
                    "result_hash": chance.getrandbits(48),
                }
                index += 1


def _winner(lead_elo: float, chance: random.Random) -> str | None:
    half = 10 ** (lead_elo / 800)
    drawn = chance.random() * (half + NU + 1 / half)
    return "black" if drawn < half else "white" if drawn < half + 1 / half else None


def _moves(chance: random.Random, plies: int) -> str:
    def square() -> str:
        return chance.choice("abcdefgh") + chance.choice("12345678")

    return " ".join(f"{square()}-{square()}" for _ in range(plies))


def _details(games: int, chance: random.Random) -> Iterator[dict[str, str | int | bytes]]:
    """Yield the rows of the table details; a few hundred games lend all others their times."""
    asked = PLIES - OPENING_PLIES
    packed = []
    for _ in range(500):
        times = [chance.randrange(10**9) for _ in range(asked)]
        text = json.dumps({"elapsed_ns": times, "info": ["depth 4 score 12"] * asked})
        packed.append(zlib.compress(text.encode("ascii")))
    for game in range(1, games + 1):
        yield {
            "game": game,
            "plies": packed[game % len(packed)],
            "final_reply": "",
            "black_announced": "Engine 1",
            "white_announced": "Engine 2",
            "black_stderr": "",
            "white_stderr": "",
            "black_process_id": 8512,
            "white_process_id": 8513,
            "provenance": PROVENANCE,
        }


# What the child processes do; each prints one JSON object of seconds


def scan(folder: Path) -> dict[str, float]:
    with sqlite3.connect(f"{(folder / 'games.sqlite').as_uri()}?mode=ro", uri=True) as connection:
        connection.execute(SCAN).fetchall()
    return {}


def standings(folder: Path) -> dict[str, float]:
    clock = _Clock()
    _keep_to_one_thread()
    for module in ("ratings.analysis", "report.standings_table", "store.sqlite", "cli.evidence"):
        importlib.import_module(f"harness.{module}")
    from harness.cli.evidence import analyse_evidence, read_evidence
    from harness.report.standings_table import standings_text

    clock.stop("imports")
    evidence = read_evidence([folder])
    clock.stop("reading the store")
    analysis = analyse_evidence(evidence)
    clock.stop("rating and diagnostics")
    text = standings_text(analysis.tables)
    clock.stop("text")
    assert text
    return clock.seconds


def tables(folder: Path) -> dict[str, float]:
    _keep_to_one_thread()
    from harness.ratings.table import rate_games

    results = _results(folder)
    clock = _Clock()
    rate_games(results)
    clock.stop("the first time")
    rate_games(results)
    clock.stop("again")
    _count_with_numpy(results)
    clock.stop("numpy")
    return clock.seconds


def refits(folder: Path, number: int) -> dict[str, float]:
    _keep_to_one_thread()
    from harness.ratings.bootstrap import refit
    from harness.ratings.davidson import fit
    from harness.ratings.robust import choose_clusters

    results = _results(folder)
    counts, rows = results.counts(), results.opening_rows()
    fitted, clusters = fit(counts), choose_clusters(rows)
    assert fitted is not None
    assert clusters is not None
    clock = _Clock()
    refit(fitted, counts, rows, clusters, refits=number, seed=SEED)
    clock.stop("refits")
    return clock.seconds


def games_as_pgn(folder: Path, file: Path) -> dict[str, float]:
    """Write results as bare PGN tags; PGN's White is who moves first, here Black."""
    results = _results(folder)
    texts = {2: "1-0", 1: "1/2-1/2", 0: "0-1"}
    columns = (results.first.tolist(), results.second.tolist(), results.half_points.tolist())
    with file.open("w", encoding="ascii") as out:
        for first, second, half_points in zip(*columns, strict=True):
            result = texts[half_points]
            out.write(
                f'[White "{results.names[first]}"]\n[Black "{results.names[second]}"]\n'
                f'[Result "{result}"]\n\n{result}\n\n'
            )
    return {}


def _keep_to_one_thread() -> None:
    """Do as the commands do before numpy is imported."""
    from harness.ratings.threads import keep_arithmetic_to_one_thread

    keep_arithmetic_to_one_thread()


def _results(folder: Path) -> GameResults:
    from harness.cli.evidence import read_evidence

    return read_evidence([folder]).results


def _count_with_numpy(results: GameResults) -> None:
    import numpy as np

    np.unique(results.first * len(results.names) + results.second, return_counts=True)


class _Clock:
    """Seconds between stops, by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begun = time.perf_counter()

    def stop(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] = now - self._begun
        self._begun = now


# Measuring


def run(command: Sequence[str]) -> Run:
    """Run a process and ask the kernel for its CPU time and peak memory."""
    # Bytecode is written as on a person's machine, whatever this shell says.
    environment = {
        key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"
    }
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    elapsed = time.perf_counter() - begun
    process.stdout.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    kilobyte = 1 if sys.platform == "darwin" else 1024
    return Run(elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * kilobyte / 1e6, output)


def part(name: str, *arguments: object) -> Run:
    """Run a part of this file in a process of its own."""
    return run([sys.executable, __file__, "--part", name, *map(str, arguments)])


class Figures:
    """Seconds by name, and CPU time and peak memory of whole processes."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.cpu_seconds: defaultdict[str, list[float]] = defaultdict(list)
        self.peak_mb: defaultdict[str, list[float]] = defaultdict(list)

    def add(self, name: str, one: Run) -> None:
        self.seconds[name].append(one.seconds)
        self.cpu_seconds[name].append(one.cpu_seconds)
        self.peak_mb[name].append(one.peak_mb)
        if one.output.startswith(b"{"):
            for inside, seconds in json.loads(one.output).items():
                self.seconds[f"{name}: {inside}"].append(seconds)

    def show(self, name: str, label: str, beside: str = "", wanted: str = "") -> None:
        values = self.seconds[name]
        if not values:
            return
        middle = statistics.median(values)
        text = f"{label:<38} {middle:7.3f} [{min(values):.3f}, {max(values):.3f}]"
        if self.peak_mb[name]:
            cpu_seconds = statistics.median(self.cpu_seconds[name])
            text += f", CPU {cpu_seconds:.2f}, {statistics.median(self.peak_mb[name]):.0f} MB"
        if beside:
            ratio = middle / statistics.median(self.seconds[beside])
            text += f", {ratio:.1f} x {beside.rpartition(': ')[2]}"
        print(text + (f" (wanted: at most {wanted})" if wanted else ""), flush=True)


def measure(folder: Path, runs: int, refit_count: int) -> None:
    figures = Figures()
    loa = [sys.executable, "-m", "harness", "standings", folder.name]
    loa += ["--results", str(folder.parent), "--columns", COLUMNS]
    for number in range(runs + 1):
        for name, measured in _interleaved(folder, loa).items():
            one = measured()
            if number:  # the first run fills the caches
                figures.add(name, one)
    figures.add("refits", part("refits", folder, refit_count))
    print(f"seconds of wall time, median of {runs} runs [lowest, highest]; CPU time, peak memory")
    figures.show("scan", "scan of the results' index")
    wanted = f"{WANTED_SECONDS['standings']:g} s, {WANTED_MB} MB"
    figures.show("standings", "store to table, whole process", "scan", wanted)
    for inside in ("imports", "reading the store", "rating and diagnostics", "text"):
        figures.show(f"standings: {inside}", f"  {inside}")
    figures.show("loa", "loa standings, whole command", "scan")
    figures.show("tables: numpy", "counting the results with numpy")
    wanted = f"{WANTED_SECONDS['tables']:g} s"
    figures.show("tables: the first time", "results to tables, the first time", "tables: numpy")
    figures.show("tables: again", "results to tables", "tables: numpy", wanted)
    figures.show("refits: refits", f"{refit_count} bootstrap refits")
    scaled = figures.seconds["refits: refits"][0] * REFITS / refit_count
    wanted = f"{WANTED_SECONDS['refits']:g} s"
    print(f"  that is {scaled:.1f} s for {REFITS:,} (wanted: at most {wanted})")


def _interleaved(folder: Path, loa: Sequence[str]) -> Mapping[str, Callable[[], Run]]:
    return {
        "scan": lambda: part("scan", folder),
        "standings": lambda: part("standings", folder),
        "loa": lambda: run(loa),
        "tables": lambda: part("tables", folder),
    }


def measure_ordo(ordo: str, folder: Path, simulations: int) -> None:
    """Run Ordo on the same games: ratings alone, and with simulations for its errors."""
    figures = Figures()
    with tempfile.TemporaryDirectory() as name:
        games, output = Path(name) / "games.pgn", Path(name) / "ratings.txt"
        part("pgn", folder, games)
        command = [ordo, "-q", "-p", str(games), "-o", str(output), "-W", "-D"]
        figures.add("Ordo", run(command))
        figures.add("simulated", run([*command, "-s", str(simulations), "-n", "1"]))
    figures.show("Ordo", "Ordo -W -D, ratings alone")
    figures.show("simulated", f"Ordo, with {simulations} simulations, one core")
    alone, simulated = figures.seconds["Ordo"][0], figures.seconds["simulated"][0]
    scaled = alone + (simulated - alone) * REFITS / simulations
    print(f"  that is {scaled:.0f} s with {REFITS:,}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=25, help="of every two bots; 20 or more")
    parser.add_argument("--refits", type=int, default=100, help=f"{REFITS}: nothing is scaled")
    parser.add_argument("--simulations", type=int, default=20, help="Ordo's")
    parser.add_argument("--store", type=Path, help="folder in which the store is kept")
    parser.add_argument("--part", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        print(json.dumps(run_part(*arguments.part)))
        return
    ordo = os.environ.get("ORDO")
    if ordo and shutil.which(ordo) is None:
        parser.error(f"ORDO={ordo} is no program")
    with tempfile.TemporaryDirectory() as temporary:
        folder = (arguments.store or Path(temporary)).resolve()
        folder /= f"made-up-{arguments.bots}-{arguments.pairs}"
        if not folder.exists():
            seconds = part("make", folder, arguments.bots, arguments.pairs).seconds
            print(f"store made in {seconds:.0f} s")
        games = arguments.bots * (arguments.bots - 1) * arguments.pairs
        size_mb = (folder / "games.sqlite").stat().st_size / 1e6
        print(
            f"{arguments.bots} bots, {arguments.pairs} game pairs of every two: "
            f"{games:,} games, {size_mb:,.0f} MB; "
            f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        )
        measure(folder, arguments.runs, arguments.refits)
        if ordo:
            measure_ordo(ordo, folder, arguments.simulations)
        else:
            print("Ordo is not measured: the environment variable ORDO names its program")


def run_part(name: str, folder: str, *rest: str) -> dict[str, float]:
    place = Path(folder)
    match name, rest:
        case "make", (bots, pairs):
            make_store(place, int(bots), int(pairs))
        case "scan", ():
            return scan(place)
        case "standings", ():
            return standings(place)
        case "tables", ():
            return tables(place)
        case "refits", (number,):
            return refits(place, int(number))
        case "pgn", (file,):
            return games_as_pgn(place, Path(file))
        case _:
            raise ValueError(name)
    return {}


if __name__ == "__main__":
    main()
