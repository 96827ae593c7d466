"""In which order the openings of a file are played."""

from __future__ import annotations

from random import Random

from harness.tournament.spec import OpeningOrder


def playing_order(size: int, order: OpeningOrder, seed: int, first: int) -> list[int]:
    """Return the places, from 0, of a file's openings as they are played: each exactly once.

    ``random`` sorts them by chance from ``seed``; openings that are added at the end of the file
    leave those before them in the same order. ``first`` counts from 1 in that order: what stands
    before it is played last.
    """
    places = list(range(size))
    if order is OpeningOrder.RANDOM:
        # random() is the one method whose values are promised for all versions of Python.
        source = Random(f"loa-harness opening order {seed}")  # noqa: S311
        chances = [source.random() for _ in places]
        places.sort(key=chances.__getitem__)
    begin = (first - 1) % max(size, 1)
    return places[begin:] + places[:begin]


def order_text(order: OpeningOrder, seed: int, first: int) -> str:
    """Return what a list's identity says of its order: nothing when it is that of the file."""
    by_chance = f", in random order by seed {seed}" if order is OpeningOrder.RANDOM else ""
    return by_chance + (f", from opening {first}" if first > 1 else "")
