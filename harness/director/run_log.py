"""One log of a run for all its processes, through multiprocessing-logging.

The receiving handler is built by hand in the parent and its queue is given to spawned workers:
``install_mp_handler`` would lose their lines. The run's own lines go straight into the file: a
worker that is killed can tear the queue. Bot traffic never goes through it.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from harness.director.log_file import LogFile
from harness.execution.safe_start import safe_import_path
from harness.execution.worker import LOGGER_NAME

_IGNORE_WARNINGS = "ignore"


class RunLog(NamedTuple):
    """The queue for the log lines of workers, and the file that all lines go to."""

    queue: multiprocessing.Queue[Any]
    file: LogFile


@contextmanager
def run_log(path: Path) -> Iterator[RunLog]:
    """Write the log of this process and its workers to a file. Raises StoreError."""
    from multiprocessing_logging import MultiProcessingHandler

    if multiprocessing.get_start_method(allow_none=True) is None:
        # The queue's locks belong to the default context and must suit spawned workers.
        multiprocessing.set_start_method("spawn")
    file = LogFile(path)
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(processName)s %(message)s"))
    _start_quiet_resource_tracker()
    receiver = MultiProcessingHandler("run", sub_handler=file)
    logger = logging.getLogger(LOGGER_NAME)
    level_before, propagate_before = logger.level, logger.propagate
    logger.addHandler(file)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield RunLog(receiver.queue, file)
    finally:
        logger.removeHandler(file)
        logger.setLevel(level_before)
        logger.propagate = propagate_before
        receiver.close()


def _start_quiet_resource_tracker() -> None:
    """Start the process that removes semaphores of the queue, so that it warns of nothing.

    When a run is killed the semaphores are left to it: that is its task, and no news for the
    person at the terminal. It takes over the filters of warnings that hold when it starts, and
    that SIGHUP is blocked: it must outlive the run at a hang-up too.
    """
    from multiprocessing import resource_tracker

    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    sys.warnoptions.append(_IGNORE_WARNINGS)
    try:
        with safe_import_path():
            resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(_IGNORE_WARNINGS)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
