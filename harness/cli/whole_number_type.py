"""A whole number as the value of an option, read strictly."""

from __future__ import annotations

from typing import Final

import click

from harness.whole_number import whole_number

_DIGITS: Final = 19
_LARGEST: Final = 2**63 - 1
"""What a database can hold."""


class WholeNumber(click.IntRange):
    """``click.IntRange`` for ASCII digits with a sign: no blanks, no ``1_000``, no other script.

    What has more than 64 bits is refused with or without bounds.
    """

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Return the number; click.BadParameter for anything else or out of range."""
        if isinstance(value, int):
            return super().convert(value, param, ctx)
        text = str(value)
        has_plus = text[:1] == "+" and text[1:2] != "-"
        number = whole_number(text[1:] if has_plus else text, _DIGITS)
        if number is None or abs(number) > _LARGEST:
            shown = text if len(text) <= 40 else f"{text[:40]}..."
            self.fail(f"{shown!r} is no whole number of at most 64 bits.", param, ctx)
        return super().convert(number, param, ctx)

    def _describe_range(self) -> str:
        has_bounds = self.min is not None or self.max is not None
        return super()._describe_range() if has_bounds else ""

    def __repr__(self) -> str:
        return f"WholeNumber({self._describe_range()})"
