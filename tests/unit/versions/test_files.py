"""Working trees as files, the log of a build, names written for git: all without git."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.versions.build import last_lines
from harness.versions.checkout import alternates_line
from harness.versions.working_tree import content_hash, copy_files

PATHS = ("bot.py", "deep/er/book.txt", "link", "gone")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "bot.py").write_text("#!/bin/sh\n")
    (folder / "bot.py").chmod(0o755)
    (folder / "deep" / "er" / "book.txt").write_text("b1b3\n")
    (folder / "link").symlink_to("/nowhere/at/all")
    (folder / "not-listed").write_text("x")
    return folder


def test_a_copy_is_the_same_files(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy_files(tree, PATHS, copy)
    assert content_hash(copy, PATHS) == content_hash(tree, PATHS)
    assert {str(path.relative_to(copy)) for path in copy.rglob("*") if not path.is_dir()} == {
        "bot.py",
        "deep/er/book.txt",
        "link",
    }
    assert (copy / "bot.py").stat().st_mode & 0o777 == 0o755
    assert str((copy / "link").readlink()) == "/nowhere/at/all"


def test_every_change_changes_the_hash(tree: Path) -> None:
    hashes = [content_hash(tree, PATHS)]
    (tree / "bot.py").chmod(0o644)
    hashes.append(content_hash(tree, PATHS))
    (tree / "bot.py").write_text("#!/bin/sh\n\n")
    hashes.append(content_hash(tree, PATHS))
    (tree / "link").unlink()
    (tree / "link").symlink_to("/nowhere/else")
    hashes.append(content_hash(tree, PATHS))
    (tree / "link").unlink()
    (tree / "link").write_text("/nowhere/else")
    hashes.append(content_hash(tree, PATHS))
    (tree / "gone").write_text("")
    hashes.append(content_hash(tree, PATHS))
    (tree / "deep" / "er" / "book.txt").unlink()
    hashes.append(content_hash(tree, PATHS))
    assert len(set(hashes)) == len(hashes)
    (tree / "not-listed").write_text("y")
    assert content_hash(tree, PATHS) == hashes[-1]


def test_the_end_of_a_log_is_shown_and_steers_no_terminal(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    log.write_bytes(b"".join(b"line %d\n" % n for n in range(100_000)) + b"\x1b[31mred\xff\tx")
    assert list(last_lines(log, 2)) == [
        "line 99999",
        "\\x1b[31mred\N{REPLACEMENT CHARACTER}" + 7 * " " + "x",
    ]
    log.write_bytes(b"x" * 1_000_000)
    assert len("".join(last_lines(log, 20))) < 20_000
    log.write_bytes(b"")
    assert list(last_lines(log, 20)) == []


@pytest.mark.parametrize(
    ("folder", "line"),
    [
        ("/a b/objects", '"/a b/objects"\n'),
        ('/#"x"\\/objects', '"/#\\"x\\"\\\\/objects"\n'),
        ("/two\nlines", '"/two\\nlines"\n'),
    ],
)
def test_any_folder_can_be_borrowed_from(folder: str, line: str) -> None:
    assert alternates_line(Path(folder)) == line
