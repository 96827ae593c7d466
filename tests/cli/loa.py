"""Calling the command line inside the test's process."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from harness.cli.main import main


@dataclass(frozen=True)
class Ended:
    code: int
    output: str
    errors: str


@dataclass(frozen=True)
class Loa:
    capture: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str) -> Ended:
        """Run ``loa`` with these arguments; a traceback would come out as an exception."""
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        captured = self.capture.readouterr()
        code = ended.value.code
        return Ended(code if isinstance(code, int) else 0, captured.out, captured.err)
