"""Figures of the benchmarks: medians with quartiles, what is wanted of them, tables and JSON."""

from __future__ import annotations

import datetime
import json
import os
import platform
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

REPOSITORY: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Figure:
    """Something measured once or more often; ``at_most`` and ``at_least`` hold of the median."""

    name: str
    unit: str
    values: tuple[float, ...]
    at_most: float | None = None
    at_least: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def quartiles(self) -> tuple[float, float]:
        return quartiles(self.values)

    @property
    def is_reached(self) -> bool | None:
        """Whether it is as wanted; None when nothing is wanted of it."""
        if self.at_most is None and self.at_least is None:
            return None
        return (self.at_most is None or self.median <= self.at_most) and (
            self.at_least is None or self.median >= self.at_least
        )


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the lower and the upper quartile; of one value it is that value twice."""
    if len(values) < 2:
        return values[0], values[0]
    lower, _, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, upper


def spread_text(values: Sequence[float]) -> str:
    """Return ``median [lower quartile, upper quartile]`` in three digits or more."""
    lower, upper = quartiles(values)
    middle = statistics.median(values)
    return f"{number_text(middle)} [{number_text(lower)}, {number_text(upper)}]"


def number_text(value: float) -> str:
    """Return a number with three digits, or all of those before the point."""
    size = abs(value)
    digits = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:,.{digits}f}"


def figure_line(figure: Figure) -> str:
    """Return a line of a table: name, median and quartiles, unit, what is wanted."""
    shown = number_text(figure.median) if len(figure.values) == 1 else spread_text(figure.values)
    return f"{figure.name:<58} {shown:>24} {figure.unit:<14} {wanted_text(figure)}".rstrip()


def wanted_text(figure: Figure) -> str:
    """Return what is wanted of a figure, and whether it is so; empty when nothing is."""
    if figure.is_reached is None:
        return ""
    terms = []
    if figure.at_most is not None:
        terms.append(f"at most {figure.at_most:g}")
    if figure.at_least is not None:
        terms.append(f"at least {figure.at_least:g}")
    return f"wanted: {', '.join(terms)}: {'yes' if figure.is_reached else 'NO'}"


def machine_text() -> str:
    """Return date, commit, machine and load in one line, to stand above a table."""
    facts = machine_facts()
    return (
        f"{facts['date']}, commit {facts['commit']}, {facts['cores']} cores ({facts['processor']}),"
        f" Linux {facts['kernel']}, Python {facts['python']}, load {facts['load']:.1f}"
    )


def machine_facts() -> dict[str, Any]:
    """Return where and when a figure was measured."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M"),
        "commit": _commit(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
    }


def write_json(file: Path, bench: str, figures: Sequence[Figure], notes: Sequence[str]) -> None:
    """Write everything that was measured; the folder is made where it is missing."""
    file.parent.mkdir(parents=True, exist_ok=True)
    document = {
        "bench": bench,
        "machine": machine_facts(),
        "notes": list(notes),
        "figures": [_as_object(figure) for figure in figures],
    }
    file.write_text(json.dumps(document, indent=2) + "\n", encoding="ascii")


def read_json(file: Path) -> list[Figure]:
    """Return the figures that ``write_json`` wrote."""
    return [
        Figure(
            one["name"], one["unit"], tuple(one["values"]), one.get("at_most"), one.get("at_least")
        )
        for one in json.loads(file.read_text(encoding="ascii"))["figures"]
    ]


def _as_object(figure: Figure) -> dict[str, Any]:
    lower, upper = figure.quartiles
    return {
        "name": figure.name,
        "unit": figure.unit,
        "median": figure.median,
        "lower_quartile": lower,
        "upper_quartile": upper,
        "values": list(figure.values),
        "at_most": figure.at_most,
        "at_least": figure.at_least,
        "is_reached": figure.is_reached,
    }


def _commit() -> str:
    command = ["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty", "--exclude", "*"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "unknown"
    return found.stdout.strip() or "unknown"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
