"""What a verification finds."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """Something stored that is not as it should be.

    ``game`` is the id of a game, empty for the database as a whole. ``stored`` and ``found`` are
    what stands there and what should; both are empty where ``what`` says it all. The texts may
    hold anything that was stored.
    """

    game: str
    what: str
    stored: str = ""
    found: str = ""

    @property
    def text(self) -> str:
        """The finding in one line."""
        difference = f": stored {self.stored}, found {self.found}" if self.found else ""
        return f"{self.game or 'database'}: {self.what}{difference}"
