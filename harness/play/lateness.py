"""How late the turns of one game were: time charged to bots that was nobody's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

_P50: Final = "late-p50-us"
_P99: Final = "late-p99-us"
_TURNS: Final = "late-turns"
_MOST: Final = 10**12


class GameLateness(NamedTuple):
    """By how much half of the turns that were measured were late, and 99 in 100, at most.

    With fewer than 100 ``turns`` the second is that of the latest one. It is kept as entries of a
    game's provenance, none where no turn was measured.
    """

    p50_us: int
    p99_us: int
    turns: int

    @classmethod
    def of_turns(cls, late_ns: Sequence[int]) -> GameLateness | None:
        """Sum up the turns of a game; None without any."""
        if not late_ns:
            return None
        in_order = sorted(late_ns)
        p50_us, p99_us = (
            round(in_order[(len(in_order) * percent - 1) // 100] / 1000) for percent in (50, 99)
        )
        return cls(p50_us, p99_us, len(in_order))

    @classmethod
    def of_provenance(cls, provenance: Mapping[str, object]) -> GameLateness | None:
        """Read the entries of a game; None where there are none, or others than we write."""
        values = [provenance.get(key) for key in (_P50, _P99, _TURNS)]
        p50_us, p99_us, turns = (value if type(value) is int else -1 for value in values)
        if not all(0 <= value <= _MOST for value in (p50_us, p99_us, turns)):
            return None
        return cls(p50_us, p99_us, turns)

    def entries(self) -> dict[str, int]:
        """Return the entries of the game's provenance."""
        return {_P50: self.p50_us, _P99: self.p99_us, _TURNS: self.turns}
