"""Whether a folder lies on a network file system, where SQLite's locks cannot be relied on."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_NETWORK_TYPES: Final = frozenset(
    {"afs", "beegfs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "gfs2", "gpfs", "lustre"}
    | {"ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs"}
)


def network_file_system(folder: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str | None:
    """Return the type of the network file system of this folder, None for a local or unknown one.

    ``mounts`` is Linux's table of mounts; without it nothing is known.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    place = folder.absolute().resolve()
    best: tuple[int, str] | None = None
    for line in lines:
        left, _, right = line.partition(" - ")
        fields, kinds = left.split(" "), right.split(" ")
        if len(fields) < 5:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        depth = len(point.parts)
        if place.is_relative_to(point) and (best is None or depth >= best[0]):
            best = (depth, kinds[0])
    return best[1] if best is not None and best[1] in _NETWORK_TYPES else None
