"""All benchmarks, one after the other: ``make bench``.

    python -m tests.bench.everything [--only NAME] [--folder DIR]

Writes ``NAME.txt`` and ``NAME.json`` of each into ``results/bench/``, and ``table.txt``: what is
wanted and whether it is so, then everything that was printed. A benchmark that fails is said and
the others go on; the exit code is then 1. Peers are measured where their variables are set
(README.md beside this file), and take most of the time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.bench.figures import REPOSITORY, figure_line, machine_text, read_json

MOST_SECONDS: Final = 600
OUTPUT: Final = REPOSITORY / "results" / "bench"


@dataclass(frozen=True, slots=True)
class Bench:
    """A module of this folder, its arguments, and whether it writes JSON."""

    name: str
    arguments: tuple[str, ...] = ()
    has_json: bool = True

    def command(self, folder: Path, store: Path) -> list[str]:
        """Return the command; ``{store}`` in the arguments is the folder of large stores."""
        words = [word.replace("{store}", str(store)) for word in self.arguments]
        if self.has_json:
            words += ["--json", str(folder / f"{self.name}.json")]
        return [sys.executable, "-m", f"tests.bench.{self.name}", *words]


BENCHES: Final = (
    Bench("rules_speed"),
    Bench("start_up", ("--runs", "11")),
    Bench("overhead", ("--runs", "3", "--games", "400")),
    Bench("start_and_end", ("--runs", "3")),
    Bench("lateness"),
    Bench("sandbox", has_json=False),
    Bench("scale", ("--runs", "2", "--store", "{store}")),
    Bench("ratings", ("--runs", "1", "--refits", "30", "--store", "{store}"), has_json=False),
)


def run_bench(bench: Bench, folder: Path, store: Path) -> int:
    """Run one benchmark, show and keep what it prints; returns its exit code."""
    text = folder / f"{bench.name}.txt"
    (folder / f"{bench.name}.json").unlink(missing_ok=True)
    with (
        text.open("w", encoding="utf-8") as kept,
        subprocess.Popen(
            bench.command(folder, store), cwd=REPOSITORY, stdout=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            kept.write(line)
    return process.returncode


def wanted_lines(folder: Path, benches: Sequence[Bench]) -> list[str]:
    """Return a line for each figure of which something is wanted."""
    lines = []
    for bench in benches:
        file = folder / f"{bench.name}.json"
        if file.exists():
            wanted = [figure for figure in read_json(file) if figure.is_reached is not None]
            lines += [f"{bench.name:<14} {figure_line(figure)}" for figure in wanted]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", choices=[bench.name for bench in BENCHES])
    parser.add_argument("--folder", type=Path, default=OUTPUT, help="of results; %(default)s")
    arguments = parser.parse_args()
    folder: Path = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    benches = [
        bench
        for bench in BENCHES
        if (not arguments.only or bench.name in arguments.only)
        and (Path(__file__).parent / f"{bench.name}.py").exists()
    ]
    machine, begun, failed = machine_text(), time.monotonic(), []
    took = []
    with tempfile.TemporaryDirectory() as store:
        for bench in benches:
            print(f"\n== {bench.name}", flush=True)
            since = time.monotonic()
            if run_bench(bench, folder, Path(store)):
                failed.append(bench.name)
            took.append(f"{bench.name} {time.monotonic() - since:.0f}")
    seconds = time.monotonic() - begun
    summary = [
        machine,
        f"{seconds:.0f} s in all (wanted: at most {MOST_SECONDS}): {', '.join(took)}",
        *(f"FAILED: {name}" for name in failed),
        *wanted_lines(folder, benches),
    ]
    texts = [
        f"\n== {bench.name}\n{(folder / f'{bench.name}.txt').read_text(encoding='utf-8')}"
        for bench in benches
    ]
    (folder / "table.txt").write_text("\n".join([*summary, *texts]), encoding="utf-8")
    print("\n== wanted\n" + "\n".join(summary))
    print(f"written to {folder}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
