"""The reference tables of tests/data/ratings, read once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.ratings.counts import PairingCount

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
