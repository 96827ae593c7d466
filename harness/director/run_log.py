"""One log of a run for all its processes, through multiprocessing-logging.

The receiving handler is built by hand in the parent and its queue is given to spawned workers:
``install_mp_handler`` would lose their lines. Bot traffic never goes through it.
"""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.errors import StoreError
from harness.execution.worker import LOGGER_NAME


@contextmanager
def run_log(path: Path) -> Iterator[multiprocessing.Queue[Any]]:
    """Write the log of this process and its workers to a file; gives the workers' queue."""
    from multiprocessing_logging import MultiProcessingHandler

    if multiprocessing.get_start_method(allow_none=True) is None:
        # The queue's locks belong to the default context and must suit spawned workers.
        multiprocessing.set_start_method("spawn")
    try:
        file_handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise StoreError(str(path), f"cannot be written ({error.strerror})") from error
    file_handler.setFormatter(
        logging.Formatter("%(asctime)s %(levelname)s %(processName)s %(message)s")
    )
    handler = MultiProcessingHandler("run", sub_handler=file_handler)
    logger = logging.getLogger(LOGGER_NAME)
    level_before, propagate_before = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield handler.queue
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level_before)
        logger.propagate = propagate_before
        handler.close()
