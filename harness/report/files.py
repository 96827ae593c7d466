"""The report of a tournament as files in one folder."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from harness.errors import InputError
from harness.ratings.crosstable import CrossTable
from harness.ratings.types import RatingTable

_DOTS_PER_INCH: Final = 150
_TALLEST_PIXELS: Final = 60_000


def write_report(
    folder: Path, tables: Sequence[RatingTable], cross: CrossTable, *, title: str = ""
) -> list[Path]:
    """Write tables and plots into the folder and return the paths; same data, same bytes.

    standings.csv, crosstable.csv, standings.md, elo.png and elo.svg. Each file is replaced as a
    whole. Raises InputError when the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write(folder / name, data) for name, data in _files(tables, cross, title)]
    except OSError as error:
        raise InputError(f"the report cannot be written to {folder}: {error.strerror}") from error


def _files(
    tables: Sequence[RatingTable], cross: CrossTable, title: str
) -> Iterator[tuple[str, bytes]]:
    from harness.report.documents import cross_csv, standings_csv
    from harness.report.tables import markdown

    yield "standings.csv", standings_csv(tables).encode()
    yield "crosstable.csv", cross_csv(cross).encode()
    yield "standings.md", markdown(tables, cross, title=title).encode()
    yield from _pictures(tables)


def _pictures(tables: Sequence[RatingTable]) -> Iterator[tuple[str, bytes]]:
    import matplotlib as mpl

    from harness.report.plots import elo_figure

    figure = elo_figure(tables)
    dots = min(_DOTS_PER_INCH, _TALLEST_PIXELS / figure.get_figheight())
    png, svg = io.BytesIO(), io.BytesIO()
    figure.savefig(png, format="png", dpi=dots, metadata={"Software": None})
    with mpl.rc_context({"svg.hashsalt": "loa"}):
        figure.savefig(svg, format="svg", metadata={"Date": None})
    yield "elo.png", png.getvalue()
    yield "elo.svg", svg.getvalue()


def _write(path: Path, data: bytes) -> Path:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path
