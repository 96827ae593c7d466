"""A thread that wakes whoever was stopped, also while the one who waits for them is held up."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Waker:
    """Calls ``wake`` every so many seconds from a thread of its own, until it is closed."""

    def __init__(self, wake: Callable[[], None], every_seconds: float) -> None:
        self._wake = wake
        self._every_seconds = every_seconds
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="waker", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread; safe to call twice."""
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_over.wait(self._every_seconds):
            self._wake()
