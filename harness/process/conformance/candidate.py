"""One process of the bot under check, and what the runner never does: interrupt it and listen."""

from __future__ import annotations

import os
import select
import time
from typing import Final

from harness.play.bot_definition import BotDefinition
from harness.process.bot_process import MAX_REPLY_BYTES, BotProcess
from harness.process.conformance.patience import Patience
from harness.process.conformance.transcript import Transcript
from harness.process.farewell import dismiss
from harness.process.greeting import Greeting
from harness.process.pipes import CHUNK_BYTES, Withdrawn

_LOOK_MS: Final = 50
_MAX_HEARD_LINES: Final = 1_000


class Candidate:
    """A running bot whose lines all go into ``transcript``; BotFailure when it does not start.

    ``greeting`` is None until it was greeted.
    """

    def __init__(
        self,
        definition: BotDefinition,
        transcript: Transcript,
        control_fd: int | None,
        patience: Patience,
    ) -> None:
        self.process = BotProcess(definition, control_fd, transcript.trace)
        self.greeting: Greeting | None = None
        self.patience = patience
        self._transcript = transcript
        self._control_fd = control_fd

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self.process.pipes.has_ended()

    def tell(self, request: bytes) -> None:
        """Write lines without dropping what the bot wrote before, as the runner would."""
        for line in request.splitlines():
            self._transcript.add(">", line)
        self.process.pipes.write(request)

    def listen(self, limit_ms: float, until: bytes | None = None) -> list[bytes]:
        """Return the lines that the bot writes within the limit, not asked for anything.

        Ends early after a line whose first word is ``until``, at the end of its output, or
        when the bot is gone.
        """
        pipes = self.process.pipes
        poll = select.poll()
        for fd in (pipes.output_fd, pipes.errors_fd, self._control_fd):
            if fd is not None:
                poll.register(fd, select.POLLIN)
        lines: list[bytes] = []
        received = 0
        deadline_ns = time.monotonic_ns() + int(limit_ms * 1e6)
        while (left_ns := deadline_ns - time.monotonic_ns()) >= 0 and received < MAX_REPLY_BYTES:
            was_gone = self.has_ended
            ready = poll.poll(min(left_ns / 1e6, _LOOK_MS))
            for fd, _ in ready:
                if fd == self._control_fd:
                    raise Withdrawn
                if fd == pipes.errors_fd:
                    if not pipes.drain_errors():
                        poll.unregister(fd)
                    continue
                try:
                    chunk = os.read(fd, CHUNK_BYTES)
                except BlockingIOError:
                    continue
                if not chunk:
                    return lines
                received += len(chunk)
                found = pipes.splitter.feed(chunk)
                for line in found:
                    self._transcript.add("<", line)
                lines += found[: _MAX_HEARD_LINES - len(lines)]
                if until is not None and any(line.split()[:1] == [until] for line in found):
                    return lines
            if was_gone and not ready:
                break
        return lines

    def unfinished_line(self) -> bytes:
        """Take the text that came without its newline; empty when there is none."""
        (*_, text) = self.process.pipes.splitter.feed(b"\n") or [b""]
        if text:
            self._transcript.add("<", text, has_end=False)
        return text

    def close_input(self) -> None:
        """Let the bot see the end of its input, without a word."""
        # The descriptor stays taken, so that nothing else can be given its number.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.process.pipes.input_fd, inheritable=False)
        os.close(nowhere)

    def note_errors(self) -> None:
        """Write the end of what came on stderr since the last time into the transcript."""
        if not self.process.is_closed:
            self._transcript.add_errors(self.process.errors_text)
            self.process.pipes.errors.clear()

    def let_go(self) -> None:
        """End it politely."""
        self.note_errors()
        dismiss([self.process])

    def kill(self) -> None:
        """End it at once."""
        self.note_errors()
        self.process.kill()
