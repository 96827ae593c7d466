from __future__ import annotations

import pytest

from tests.cli.loa import Loa


@pytest.fixture
def loa(capsys: pytest.CaptureFixture[str]) -> Loa:
    return Loa(capsys)
