"""How many threads arithmetic may take."""

from __future__ import annotations

import os
from typing import Final

_THREADS: Final = "OPENBLAS_NUM_THREADS"


def keep_arithmetic_to_one_thread() -> None:
    """Have numpy's matrices worked out by one thread; call it before anything imports numpy.

    Matrices of a few hundred bots gain nothing from threads, and where games are played on the
    same cores OpenBLAS's threads wait for one another: a fit takes ten times as long. A number
    that the user has set stays. Programs that are started later never see the variable.
    """
    if _THREADS in os.environ:
        return
    os.environ[_THREADS] = "1"
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ[_THREADS]
