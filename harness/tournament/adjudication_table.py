"""The table ``[adjudication]`` as a setting, and a setting as the values of its keys."""

from __future__ import annotations

from typing import Final

from harness.play.adjudication import Adjudication, DrawRule, ResignRule
from harness.tournament.toml_table import TomlTable

MAX_SCORE_CP: Final = 1_000_000
MAX_COUNT: Final = 1_000
MAX_PLY: Final = 10_000
DEFAULT_DRAW_COUNT: Final = 8
DEFAULT_RESIGN_COUNT: Final = 4

ADJUDICATION_KEYS: Final = (
    "draw-score",
    "draw-count",
    "draw-ply",
    "resign-score",
    "resign-count",
    "resign-both",
)


def read_adjudication(table: TomlTable) -> Adjudication:
    """Read the table; a rule is off without its score and with a score of 0.

    Noted beside wrong values: a key of a rule whose score is not given, as it would do nothing,
    and a score of a draw that is not below that of a resignation.
    """
    draw_score_cp = table.integer("draw-score", 0, MAX_SCORE_CP)
    draw_count = table.integer("draw-count", 1, MAX_COUNT)
    draw_ply = table.integer("draw-ply", 0, MAX_PLY)
    resign_score_cp = table.integer("resign-score", 0, MAX_SCORE_CP)
    resign_count = table.integer("resign-count", 1, MAX_COUNT)
    resign_both = table.boolean("resign-both")
    table.finish()
    for score, key, value in (
        ("draw-score", "draw-count", draw_count),
        ("draw-score", "draw-ply", draw_ply),
        ("resign-score", "resign-count", resign_count),
        ("resign-score", "resign-both", resign_both),
    ):
        if value is not None and not table.has(score):
            table.note(key, f"does nothing without {score}")
    if draw_score_cp and resign_score_cp and draw_score_cp >= resign_score_cp:
        why = f"the score of a draw is below resign-score, {resign_score_cp}, not {draw_score_cp}"
        table.note("draw-score", why)
        return Adjudication()
    draw = resign = None
    if draw_score_cp:
        draw = DrawRule(draw_score_cp, draw_count or DEFAULT_DRAW_COUNT, draw_ply or 0)
    if resign_score_cp:
        resign_count = resign_count or DEFAULT_RESIGN_COUNT
        resign = ResignRule(resign_score_cp, resign_count, resign_both is not False)
    return Adjudication(draw, resign)


def adjudication_values(setting: Adjudication) -> dict[str, int | bool]:
    """Return the values of the keys of the rules that are on; empty when none is."""
    values: dict[str, int | bool] = {}
    if setting.draw is not None:
        values["draw-score"] = setting.draw.score_cp
        values["draw-count"] = setting.draw.count
        values["draw-ply"] = setting.draw.ply
    if setting.resign is not None:
        values["resign-score"] = setting.resign.score_cp
        values["resign-count"] = setting.resign.count
        values["resign-both"] = setting.resign.needs_both
    return values
