"""From results to numbers: cross tables and Elo."""

import os

_THREADS = "OPENBLAS_NUM_THREADS"

# Matrices of a few hundred bots gain nothing from threads. Where games are played on the same
# cores, OpenBLAS's threads wait for one another in loops, and a fit takes twenty times as long.
# The variable counts when numpy is imported first; bots that are started later never see it.
if _THREADS not in os.environ:
    os.environ[_THREADS] = "1"
    try:
        import numpy  # noqa: F401
    finally:
        del os.environ[_THREADS]
