from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.play.score import read_score
from harness.protocol.codec import decode_message, decode_request
from harness.protocol.messages import Go, Info, OptionOffer
from harness.whole_number import reported_number, whole_number

NO_NUMBERS = [
    *("", "-", "+", "--1", "+-1", "-+1", "1_0", " 5", "5 ", "5\n", "1e3", "1.0", "0x10", "0b1"),
    *("\u0665", "\uff15", "\u00b2", "\u2212" + "5", "5\u0000", "inf", "nan", "True", "9" * 19),
]
NUMBERS = [("0", 0), ("-5", -5), ("007", 7), ("-0", 0), ("9" * 18, 10**18 - 1)]


@pytest.mark.parametrize("text", [*NO_NUMBERS, "+5", "9" * 5000, "-" + "9" * 19])
def test_what_only_python_takes_for_a_number_is_none(text: str) -> None:
    assert whole_number(text) is None


@pytest.mark.parametrize(("text", "number"), NUMBERS)
def test_digits_with_a_sign_are_a_number(text: str, number: int) -> None:
    assert whole_number(text) == reported_number(text) == number


def test_a_reported_number_may_have_a_plus_sign() -> None:
    assert reported_number("+35") == 35
    assert all(reported_number(text) is None for text in NO_NUMBERS)


def test_more_digits_are_taken_where_they_are_asked_for() -> None:
    assert whole_number("9" * 40, 40) == 10**40 - 1
    assert whole_number("9" * 41, 40) is None


@given(st.text(max_size=20))
def test_what_is_read_is_what_it_says(text: str) -> None:
    number = whole_number(text)
    assert number is None or number == int(text)


@pytest.mark.parametrize("text", [text for text in NO_NUMBERS if text.split() == [text]])
def test_every_reading_of_a_line_is_as_strict(text: str) -> None:
    assert decode_message(f"info depth {text} score cp {text}") == Info()
    assert decode_request(f"go nodes {text} p1time {text}") == Go()
    assert read_score(f"info score cp {text}".encode()) is None
    offer = decode_message(f"option name Depth type spin default 1 min {text} max {text}")
    assert isinstance(offer, OptionOffer)
    assert (offer.minimum, offer.maximum) == (None, None)
