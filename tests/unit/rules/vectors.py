"""The test vectors of tests/data, and what several tests make of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.rules.notation import parse_fen
from harness.rules.position import Position

_DATA = Path(__file__).parents[2] / "data"


def records(name: str, key: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((_DATA / f"{name}.json").read_text())[key]
    assert found
    return found


def any_position(text: str) -> Position:
    """A position that is not checked: the vectors also hold decided ones."""
    setup = parse_fen(text)
    return Position(setup.black, setup.white, setup.to_move)
