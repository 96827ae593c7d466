"""The reference tables of tests/data/ratings, read once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from harness.ratings.counts import PairingCount
from harness.ratings.results import GameResults

DATA = Path(__file__).parents[2] / "data" / "ratings"


def table_cases() -> dict[str, dict[str, Any]]:
    cases = json.loads((DATA / "tables.json").read_text())["cases"]
    return {case["id"][:3]: case for case in cases}


def tolerances() -> dict[str, float]:
    tolerance: dict[str, float] = json.loads((DATA / "tables.json").read_text())["tolerance"]
    return tolerance


def rows_of(case: dict[str, Any]) -> list[PairingCount]:
    players = case["players"]
    return [
        PairingCount(players[first], players[second], *results)
        for first, second, *results in case["encounters_first_second_W_D_L"]
    ]


def clustered() -> dict[str, Any]:
    """The document of tournaments game by game."""
    document: dict[str, Any] = json.loads((DATA / "clustered.json").read_text())
    return document


def results_of(case: dict[str, Any]) -> GameResults:
    first, second, result, opening, _, pair = np.array(case["games"], dtype=np.int64).T
    return GameResults(
        names=tuple(f"bot{number:02}" for number in range(case["players"])),
        openings=tuple(f"opening{number:03}" for number in range(opening.max() + 1)),
        first=first,
        second=second,
        opening=opening,
        half_points=(2 - result).astype(np.int8),
        pair=pair,
        moves=np.arange(len(first)),
    )


def games(*texts: str, names: str = "ab") -> GameResults:
    """Games written as ``ab1=o1``: first mover, second, result (1, = or 0) and opening.

    Every two games of a pairing on one opening are a pair.
    """
    openings = sorted({text[3:] for text in texts})
    first, second, opening, half_points, pair = [], [], [], [], []
    seen: dict[tuple[str, ...], int] = {}
    for text in texts:
        first.append(names.index(text[0]))
        second.append(names.index(text[1]))
        half_points.append({"1": 2, "=": 1, "0": 0}[text[2]])
        opening.append(openings.index(text[3:]))
        key = (*sorted(text[:2]), text[3:])
        seen[key] = seen.get(key, -1) + 1
        pair.append(1000 * opening[-1] + seen[key] // 2)
    return GameResults(
        tuple(names),
        tuple(openings),
        np.array(first, dtype=np.int64),
        np.array(second, dtype=np.int64),
        np.array(opening, dtype=np.int64),
        np.array(half_points, dtype=np.int8),
        np.array(pair, dtype=np.int64),
        np.arange(len(first)),
    )
