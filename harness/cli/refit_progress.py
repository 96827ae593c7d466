"""The progress bar of bootstrap refits, on stderr and only for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def refit_progress(refits: int) -> Iterator[Callable[[int], None]]:
    """Give a function to be told of finished refits; without refits or a terminal it is silent."""
    if not refits or not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=refits, label="Bootstrap", file=sys.stderr) as bar:
        yield bar.update
