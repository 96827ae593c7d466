"""How much memory a process and its children had at most, while they run."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path


def peak_mb_of_tree(process_id: int) -> tuple[float, float]:
    """Return megabytes at most: of the largest process, and of all of them added up.

    Pages that processes share count in each; processes that have ended count in none.
    """
    children: defaultdict[int, list[int]] = defaultdict(list)
    peaks: dict[int, float] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            status = read_status(folder / "status")
            children[int(status.get("PPid", "0"))].append(int(folder.name))
            peaks[int(folder.name)] = int(status.get("VmHWM", "0 kB").split()[0]) * 1024 / 1e6
    tree = [process_id]
    for one in tree:  # grows while it is read
        tree += children[one]
    found = [peaks.get(one, 0.0) for one in tree]
    return max(found), sum(found)


def read_status(file: Path) -> dict[str, str]:
    """Return the entries of ``/proc/PID/status``; none when the process is gone."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
