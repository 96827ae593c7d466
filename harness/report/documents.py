"""Standings and cross tables for other programs: CSV and JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from harness.ratings.crosstable import CrossTable
from harness.ratings.types import Bound, RatingRow, RatingTable

if TYPE_CHECKING:
    import pandas as pd

_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\t", "\r")


def standings_csv(tables: Sequence[RatingTable]) -> str:
    """Return all tables as one CSV, told apart by the column ``table``.

    ``elo`` is empty where only a bound is known, which then stands in ``low`` or ``high``.
    """
    import pandas as pd

    frames = [
        table.frame().assign(table=number)[["table", *table.frame().columns]]
        for number, table in enumerate(tables, 1)
    ]
    return _csv(pd.concat(frames) if frames else pd.DataFrame(), ["name"])


def cross_csv(cross: CrossTable) -> str:
    """Return the cross table as CSV, one row for every bot and opponent that met."""
    return _csv(cross.frame(), ["bot", "opponent"])


def json_text(tournaments: Sequence[str], tables: Sequence[RatingTable], cross: CrossTable) -> str:
    """Return everything as one JSON document; what is unknown is null."""
    document = {
        "tournaments": list(tournaments),
        "tables": [_table_document(table) for table in tables],
        "cross_table": cross.rows(),
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _csv(frame: pd.DataFrame, text_columns: Sequence[str]) -> str:
    for column in text_columns:
        if column in frame:
            frame[column] = [_inert(text) for text in frame[column]]
    return frame.to_csv(index=False, lineterminator="\n")


def _inert(text: str) -> str:
    """Return a text that a spreadsheet does not take for a formula."""
    return f"'{text}" if text.startswith(_FORMULA_SIGNS) else text


def _table_document(table: RatingTable) -> dict[str, Any]:
    first_move = table.first_move
    return {
        "games": table.games,
        "zero": table.zero,
        "scale": table.scale,
        "notices": list(table.notices),
        "first_move": None if first_move is None else dataclasses.asdict(first_move),
        "draw_rate": table.draw_rate,
        "rows": [_row_document(row) for row in table.rows],
    }


def _row_document(row: RatingRow) -> dict[str, Any]:
    return {
        **dataclasses.asdict(row),
        "elo": row.elo if row.bound is Bound.EXACT else None,
        "low": row.low,
        "high": row.high,
        "bound": row.bound.value,
    }
