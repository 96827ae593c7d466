"""What a bot used in a game, as entries of the game's provenance, and back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from harness.play.types import BotUsage

_NS_PER_MS = 1_000_000
_BYTES_PER_KIB = 1024


def usage_entries(side: str, usage: BotUsage) -> dict[str, int]:
    """Return the entries of one side, ``black`` or ``white``; what is 0 has none."""
    cpu_on_turn, cpu_off_turn, peak_memory = _keys(side)
    entries = {
        cpu_on_turn: round(usage.cpu_on_turn_ns / _NS_PER_MS),
        cpu_off_turn: round(usage.cpu_off_turn_ns / _NS_PER_MS),
        peak_memory: round(usage.peak_memory_bytes / _BYTES_PER_KIB),
    }
    return {key: value for key, value in entries.items() if value}


def usage_of(side: str, provenance: Mapping[str, object]) -> BotUsage:
    """Return what the entries of one side say; TypeError when one is no whole number."""
    values = [provenance.get(key, 0) for key in _keys(side)]
    cpu_on_turn_ms, cpu_off_turn_ms, peak_memory_kib = map(_whole, values)
    return BotUsage(
        cpu_on_turn_ns=cpu_on_turn_ms * _NS_PER_MS,
        cpu_off_turn_ns=cpu_off_turn_ms * _NS_PER_MS,
        peak_memory_bytes=peak_memory_kib * _BYTES_PER_KIB,
    )


@cache
def _keys(side: str) -> tuple[str, str, str]:
    return f"{side}-cpu-on-turn-ms", f"{side}-cpu-off-turn-ms", f"{side}-peak-memory-kib"


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r:.40} is no whole number of what a bot used")
    return value
