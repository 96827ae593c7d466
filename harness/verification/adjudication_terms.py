"""The rules of adjudication by score, read back from stored conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.play.adjudication import Adjudication, DrawRule, ResignRule


def adjudication_of(conditions: Mapping[str, Any]) -> Adjudication:
    """Return the rules that ``adjudication_values`` wrote among the conditions of a tournament.

    Raises ValueError, TypeError or KeyError when it did not.
    """
    draw = resign = None
    if "draw-score" in conditions:
        draw = DrawRule(conditions["draw-score"], conditions["draw-count"], conditions["draw-ply"])
    if "resign-score" in conditions:
        resign = ResignRule(
            conditions["resign-score"], conditions["resign-count"], conditions["resign-both"]
        )
    return Adjudication(draw, resign)
