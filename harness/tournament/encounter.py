"""Two bots that meet: who, over how many game pairs, and under which own settings."""

from __future__ import annotations

from typing import NamedTuple

from harness.play.clock import TimeControl


class Encounter(NamedTuple):
    """The game pairs of two bots in one batch.

    The names are in byte order; in leg a the first plays Black. ``rounds`` is the number of
    game pairs (of each cycle), ``first_pair`` the number of the first of them, from 1.
    ``label`` tells encounters of the same bots apart; ``time_control`` None means each bot's.
    """

    first: str
    second: str
    rounds: int
    first_pair: int = 1
    label: str = ""
    time_control: TimeControl | None = None

    @property
    def id(self) -> str:
        """``A~B``, or ``A~B.label``."""
        return encounter_id(self.first, self.second, self.label)

    @property
    def bots(self) -> tuple[str, str]:
        """The two names."""
        return self.first, self.second


def encounter_of(one: str, other: str, rounds: int, first_pair: int = 1) -> Encounter:
    """Return the encounter of two bots, given in any order."""
    first, second = sorted((one, other))
    return Encounter(first, second, rounds, first_pair)


def encounter_id(one: str, other: str, label: str = "") -> str:
    """Return the two names in byte order, joined by ``~``; a label follows after a dot.

    No name holds ``~`` and no label a dot. A label that makes the name of another bot (``B.label``)
    is refused with the spec, and an id once used in a store keeps its bots and label.
    """
    first, second = sorted((one, other))
    return f"{first}~{second}.{label}" if label else f"{first}~{second}"
