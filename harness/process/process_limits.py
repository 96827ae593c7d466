"""How many processes a bot may have, and how many of them are not its own."""

from __future__ import annotations

from typing import Final

DEFAULT_PROCESSES: Final = 256
"""At once, unless the bot's definition says otherwise; threads do not count."""

SANDBOX_PROCESSES: Final = 2
"""Processes of the sandbox itself above the bot: bubblewrap, and the first one inside."""
