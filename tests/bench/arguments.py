"""Numbers on the command lines of the benchmarks."""

from __future__ import annotations

import argparse


def positive(text: str) -> int:
    """Read a whole number above 0."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return number


def even(text: str) -> int:
    """Read an even number above 0: games come in pairs."""
    number = positive(text)
    if number % 2:
        raise argparse.ArgumentTypeError(f"{text} is odd: games come in pairs")
    return number
