from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from harness.play.clock import TimeControl

TIMES = st.integers(1_000_000, 10**16)
COUNTS = st.integers(1, 1_000)


def optional(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


@st.composite
def time_controls(draw: st.DrawFn) -> TimeControl:
    base = draw(optional(TIMES))
    values = {
        "base_ns": base,
        "increment_ns": draw(optional(TIMES)) if base else None,
        "moves_per_period": draw(optional(COUNTS)) if base else None,
        "move_time_ns": draw(optional(TIMES)),
        "nodes": draw(optional(st.integers(1, 10**15))),
        "depth": draw(optional(COUNTS)),
    }
    if all(value is None for value in values.values()):
        values["depth"] = draw(COUNTS)
    return TimeControl(**values)
