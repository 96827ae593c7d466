"""Which processors a run has for itself: names that the kernel takes back when the run ends."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterable
from types import TracebackType
from typing import Final

_NAME: Final = "\0loa-harness/processor-{}"


def claimed(processors: Iterable[int]) -> tuple[int, ...]:
    """Return those of the processors that a run has claimed, without claiming any."""
    return tuple(processor for processor in processors if _is_claimed(processor))


def _is_claimed(processor: int) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(_NAME.format(processor))
        except OSError:
            return False
        return True


class ProcessorClaims:
    """Claims processors, so that runs of all users on one machine do not choose the same.

    A claim is a name among the abstract ones of Unix sockets: it lies in no folder, and is gone
    with the process that bound it. It keeps nobody from using a processor.
    """

    def __init__(self) -> None:
        self._held: dict[int, socket.socket] = {}

    def __enter__(self) -> ProcessorClaims:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()

    def take(self, processors: Iterable[int]) -> tuple[int, ...]:
        """Claim processors; returns those of them that another run has claimed before."""
        return tuple(processor for processor in processors if not self._take(processor))

    def take_all(self, processors: Iterable[int]) -> bool:
        """Claim all of these or, when another run has claimed one, none."""
        mine = set(self._held)
        if not self.take(processors):
            return True
        self._release(set(self._held) - mine)
        return False

    def release(self) -> None:
        """Give all claims back; safe to call twice."""
        self._release(set(self._held))

    def _take(self, processor: int) -> bool:
        if processor in self._held:
            return True
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            name.bind(_NAME.format(processor))
        except OSError as error:
            name.close()
            # Where there are no such names nobody can claim anything.
            return error.errno != errno.EADDRINUSE
        self._held[processor] = name
        return True

    def _release(self, processors: Iterable[int]) -> None:
        for processor in processors:
            self._held.pop(processor).close()
