from __future__ import annotations

from pathlib import Path

import pytest

from harness.store.filesystem import network_file_system

MOUNTS = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:50 / /home rw shared:2 - nfs4 server:/home rw
41 40 0:51 / /home/me/local rw - tmpfs tmpfs rw
42 22 0:52 / /my\040share rw - cifs //host/share rw
broken line
"""


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("/somewhere/else", None),
        ("/home", "nfs4"),
        ("/home/me/results", "nfs4"),
        ("/homestead", None),
        ("/home/me/local/results", None),
        ("/my share/results", "cifs"),
    ],
)
def test_the_innermost_mount_decides(tmp_path: Path, folder: str, expected: str | None) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert network_file_system(Path(folder), mounts) == expected


def test_without_a_table_of_mounts_nothing_is_known(tmp_path: Path) -> None:
    assert network_file_system(tmp_path, tmp_path / "missing") is None
