"""How long the check itself waits where no limit of the bot says it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
    """Waits in milliseconds.

    ``effort_ms``: for a move that is limited by nodes or depth alone, at least. ``late_ms``: for
    an answer after its time. ``dialect_ms``: for the greeting in the other dialect.
    ``think_ms``: how long a search runs before it is interrupted; ``ready_ms`` and ``stop_ms``:
    for what it answers then. ``unasked_ms``: listening after an answer; ``idle_ms``: measuring
    the processor time after one.
    """

    effort_ms: int = 10_000
    late_ms: int = 1_500
    dialect_ms: int = 500
    think_ms: int = 300
    ready_ms: int = 1_000
    stop_ms: int = 2_000
    unasked_ms: int = 400
    idle_ms: int = 500
