"""Trying something in a child of its own, of which nothing stays in this process."""

from __future__ import annotations

import os
from collections.abc import Callable


def said_in_child(attempt: Callable[[], str]) -> str:
    """Return what an attempt says in a child, or the words of the OSError that it raised.

    Must be called where no other thread runs.
    """
    read_fd, write_fd = os.pipe()
    child = os.fork()
    if child == 0:
        words = "it failed"
        try:
            words = attempt()
        except OSError as error:
            words = error.strerror or str(error)
        finally:
            os.write(write_fd, words.encode())
            os._exit(0)
    os.close(write_fd)
    with os.fdopen(read_fd, "rb") as answer:
        words = answer.read().decode()
    os.waitpid(child, 0)
    return words
