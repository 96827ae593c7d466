"""Standings, cross tables and all else that was reckoned, for other programs: CSV and JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.ratings.analysis import Analysis, PoolReport
from harness.ratings.crosstable import CrossTable
from harness.ratings.diagnostics import Diagnostics
from harness.ratings.observations import EndingCount
from harness.ratings.types import FRAME_COLUMNS, RatingTable
from harness.report.safe_text import csv_text
from harness.report.standings_table import fields_of, sorted_rows

if TYPE_CHECKING:
    import pandas as pd


def standings_csv(
    tables: Sequence[RatingTable], columns: Sequence[str] | None = None, *, sort: str = "rank"
) -> str:
    """Return all tables as one CSV, told apart by the column ``table``.

    ``elo`` is empty where only a bound is known, which then stands in ``low`` or ``high``.
    ``columns`` are those of the standings; None: everything.
    """
    import pandas as pd

    frames = []
    for number, table in enumerate(tables, 1):
        in_order = dataclasses.replace(table, rows=sorted_rows(table.rows, sort))
        frame = in_order.frame().assign(table=number)
        frames.append(frame)
    chosen = ["table", *(FRAME_COLUMNS if columns is None else fields_of(columns))]
    if not frames:
        return _csv(pd.DataFrame(columns=chosen), [])
    return _csv(pd.concat(frames)[chosen], ["name"])


def cross_csv(cross: CrossTable) -> str:
    """Return the cross table as CSV, one row for every bot and opponent that met."""
    return _csv(cross.frame(), ["bot", "opponent"])


def los_csv(tables: Sequence[RatingTable]) -> str:
    """Return the likelihoods of superiority as CSV, one row for every two rated bots."""
    import pandas as pd

    rows = [
        (number, bot, other, round(float(table.los[row, column]), 6), table.differ[row, column])
        for number, table in enumerate(tables, 1)
        for row, bot in enumerate(table.rated)
        for column, other in enumerate(table.rated)
        if row != column
    ]
    frame = pd.DataFrame(rows, columns=["table", "bot", "opponent", "los", "differ"])
    return _csv(frame, ["bot", "opponent"])


def endings_csv(endings: Sequence[EndingCount]) -> str:
    """Return the endings as CSV, one row for two bots on their sides, a cause and a winner."""
    import pandas as pd

    return _csv(pd.DataFrame(endings, columns=EndingCount._fields), ["first", "second", "winner"])


def json_text(tournaments: Sequence[str], analysis: Analysis) -> str:
    """Return everything as one JSON document; what is unknown is null."""
    document = {
        "tournaments": list(tournaments),
        "tables": [_table_document(table) for table in analysis.tables],
        "pools": [_pool_document(pool) for pool in analysis.pools],
        "cross_table": analysis.cross.rows(),
        "endings": [ending._asdict() for ending in analysis.endings],
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _csv(frame: pd.DataFrame, text_columns: Sequence[str]) -> str:
    for column in text_columns:
        if column in frame:
            frame[column] = frame[column].map(csv_text, na_action="ignore")
    return frame.to_csv(index=False, lineterminator="\n")


def _table_document(table: RatingTable) -> dict[str, Any]:
    first_move = table.first_move
    return {
        "games": table.games,
        "zero": table.zero,
        "scale": table.scale,
        "notices": list(table.notices),
        "first_move": None if first_move is None else dataclasses.asdict(first_move),
        "draw_rate": table.draw_rate,
        "independent_unit": table.unit.value,
        "rows": [row.values() for row in table.rows],
        "rated": list(table.rated),
        "covariance": table.covariance.tolist(),
        "los": table.los.tolist(),
        "differ": table.differ.tolist(),
    }


def _pool_document(pool: PoolReport) -> dict[str, Any]:
    return {
        "bots": list(pool.bots),
        "match": None if pool.match is None else _plain(pool.match),
        "diagnostics": None
        if pool.diagnostics is None
        else _diagnostics_document(pool.diagnostics),
        "efforts": [effort._asdict() for effort in pool.efforts],
    }


def _diagnostics_document(found: Diagnostics) -> dict[str, Any]:
    document: dict[str, Any] = _plain(found)
    del document["openings"]
    openings = found.openings
    return {
        **document,
        "replayed_games": found.replayed_games,
        "one_sided_openings": [
            openings.openings[place] for place in found.one_sided_openings().tolist()
        ],
        "openings": [
            {"opening": name, "games": games, "first_mover_score": score, "expected": expected}
            for name, games, score, expected in zip(
                openings.openings,
                openings.games.tolist(),
                openings.score.tolist(),
                openings.expected.tolist(),
                strict=True,
            )
        ],
    }


def _plain(value: Any) -> Any:  # noqa: ANN401  whatever the values hold
    """Return a value as JSON knows it: objects by field, words of enums, lists."""
    if dataclasses.is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: _plain(one) for name, one in value._asdict().items()}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
