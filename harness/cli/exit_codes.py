"""Exit codes of commands that worked: what a program that started one can tell from them.

Errors carry their own (``harness.errors``), signals are 128 and their number.
"""

from __future__ import annotations

from typing import Final

INCOMPLETE: Final = 3
"""Done, with open games, a bot set aside, or less made than was wanted."""

STOPPED: Final = 4
"""Ended by ``loa stop`` with games left."""

FOUND_SOMETHING: Final = 5
"""A check or a verification found something."""
