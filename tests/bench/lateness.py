"""How late the harness's clock is: the charged time less the time that the bot knows of itself.

    python -m tests.bench.lateness [--moves N] [--sleep-ms MS] [--json FILE]

Bots sleep a known time a move and write in an ``info`` line how long it was from reading the
request to writing the answer, on their own monotonic clock. The store has that line beside the
time that was charged; what lies between them is the harness's and the machine's: waking the bot,
waking the harness, reading. One, two and four games at once; more games than cores must be late.

Beside it stands what the games recorded of themselves (``late-p50-us`` and ``late-p99-us`` of their
provenance, the median of all games): the time in which bot or slot waited for a processor. The two
are near each other and not the same: reading and writing is in the first only, waking the bot
from its sleep in the second only.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from harness.play.lateness import GameLateness
from tests.bench.arguments import positive
from tests.bench.figures import Figure, figure_line, machine_text, write_json
from tests.bench.programs import need_program
from tests.bench.running import LOA, run

PLIES: Final = 50
SLOTS: Final = (1, 2, 4)
_OWN: Final = re.compile(r"info string own-ns ([0-9]+)\s*")


def own_ns(info: str | None) -> int:
    """Return the time that a bot says it took; raises ValueError for another line."""
    found = _OWN.fullmatch(info or "")
    if found is None:
        raise ValueError(f"no time of the bot's own in {info!r}")
    return int(found[1])


def lateness_us(plies: Iterable[tuple[int, str | None]]) -> list[float]:
    """Return charged time less own time in microseconds of (charged ns, info line)."""
    return [(charged - own_ns(info)) / 1e3 for charged, info in plies]


def percentile(values: list[float], percent: int) -> float:
    """Return the value that so many percent of the values do not exceed."""
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


class Played(NamedTuple):
    """How late each move was by the bots' own time, in us, and what each game recorded."""

    late_us: list[float]
    recorded: list[GameLateness]


def play(bot: Path, moves: int, slots: int, sleep_us: int) -> Played:
    """Let bots sleep for so many moves in each slot."""
    from harness.store.sqlite import Store

    pairs = max(1, round(moves / PLIES / 2)) * slots
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = [
            *(*LOA, "run", f"a={bot}", f"b={bot}", "--name", "late", "--rounds", str(pairs)),
            *("--results", str(folder / "results"), "--no-report", "--tc", "600+1"),
            *("--random-plies", "0", "--repetition", "0", "--max-plies", str(PLIES)),
            *("--slots", str(slots), "--force"),
        ]
        run(command, folder, {"BOT_SLEEP_US": str(sleep_us)})
        with Store.open_read_only(folder / "results" / "late") as store:
            games = list(store.games(details=True))
    plies = [ply for game in games if game.details for ply in game.details.plies]
    assert len(plies) == pairs * 2 * PLIES, len(plies)
    recorded = [
        late
        for game in games
        if game.details and (late := GameLateness.of_provenance(game.details.provenance))
    ]
    return Played(lateness_us((ply.elapsed_ns, ply.info) for ply in plies), recorded)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--moves", type=positive, default=1000, help="of each slot")
    parser.add_argument("--sleep-ms", type=float, default=5.0)
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    figures = []
    print(machine_text())
    print(f"us that the charged time is above the bot's own; it sleeps {arguments.sleep_ms:g} ms")
    with tempfile.TemporaryDirectory() as name:
        bot = need_program("instant_bot", Path(name))
        for slots in SLOTS:
            late, recorded = play(bot, arguments.moves, slots, round(arguments.sleep_ms * 1000))
            label = f"lateness, {slots} at once"
            values = [
                ("p50", percentile(late, 50)),
                ("p99", percentile(late, 99)),
                ("worst", max(late)),
            ]
            if recorded:  # the system counts it
                values += [
                    ("p50 as recorded", statistics.median(game.p50_us for game in recorded)),
                    ("p99 as recorded", statistics.median(game.p99_us for game in recorded)),
                ]
            for title, value in values:
                figures.append(Figure(f"{label}, {title}", "us", (value,)))
                print(figure_line(figures[-1]), flush=True)
    if arguments.json:
        write_json(arguments.json, "lateness", figures, [f"{arguments.moves} moves of each slot"])


if __name__ == "__main__":
    main()
