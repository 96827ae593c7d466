"""What every test with processes has: a tag that proves that none is left, and the command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process.run_command import Loa
from tests.process.support import Tag


@pytest.fixture
def tag() -> Iterator[Tag]:
    tag = Tag()
    yield tag
    tag.assert_nothing_left()


@pytest.fixture
def loa(tmp_path: Path, tag: Tag) -> Loa:
    return Loa(tmp_path, tag)
