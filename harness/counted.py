"""Numbers of things in words."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return ``1 game``, ``2 games``; ``many`` is the word for more where no ``s`` makes it."""
    if number == 1:
        return f"1 {one}"
    return f"{number} {many or f'{one}s'}"
