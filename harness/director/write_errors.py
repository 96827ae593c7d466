"""Why a file of a run cannot be written, and what a person can do about it."""

from __future__ import annotations

import errno
from typing import Final

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_ALLOWED: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


def why_not_written(error: OSError) -> str:
    """Say in one line what is wrong and what to do."""
    reason = error.strerror or str(error)
    if error.errno in _NO_ROOM:
        return f"the disk is full ({reason}); make room, then run the same again"
    if error.errno in _NOT_ALLOWED:
        return f"it cannot be written ({reason}); look at its rights, or choose another --results"
    return f"it cannot be written ({reason}); mend that, or choose another --results"
