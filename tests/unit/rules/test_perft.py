from __future__ import annotations

from typing import Any

import pytest

from harness.rules.perft import PerftLeaves, perft, perft_leaves
from harness.rules.position import STANDARD_START

from .vectors import any_position, records

RECORDS = records("perft", "positions")
NAMES = [record["name"] for record in RECORDS]
CHEAP_LEAVES = 200_000


@pytest.mark.parametrize("record", RECORDS, ids=NAMES)
def test_nodes_to_depth_4(record: dict[str, Any]) -> None:
    position = any_position(record["position"])
    assert [perft(position, depth) for depth in range(1, 5)] == record["nodes"][:4]


@pytest.mark.slow
@pytest.mark.parametrize("record", RECORDS, ids=NAMES)
def test_nodes_at_depth_5(record: dict[str, Any]) -> None:
    assert perft(any_position(record["position"]), 5) == record["nodes"][4]


@pytest.mark.parametrize("record", RECORDS, ids=NAMES)
def test_leaves_where_they_are_cheap(record: dict[str, Any]) -> None:
    position = any_position(record["position"])
    compared = 0
    for depth, (nodes, leaves) in enumerate(
        zip(record["nodes"], record["leaves"], strict=False), 1
    ):
        if nodes <= CHEAP_LEAVES:
            assert perft_leaves(position, depth) == PerftLeaves(nodes=nodes, **leaves)
            compared += 1
    assert compared >= 3


@pytest.mark.slow
@pytest.mark.parametrize("record", RECORDS, ids=NAMES)
def test_leaves_at_depth_4(record: dict[str, Any]) -> None:
    leaves = PerftLeaves(nodes=record["nodes"][3], **record["leaves"][3])
    assert perft_leaves(any_position(record["position"]), 4) == leaves


def test_no_ply() -> None:
    assert perft(STANDARD_START, 0) == 1
    with pytest.raises(ValueError, match="at least one ply"):
        perft_leaves(STANDARD_START, 0)


def test_decided_boards_have_no_children() -> None:
    for text in ("8/8/8/8/8/8/ww6/6bb b", "8/8/8/8/8/8/w1w5/6bb b", "8/8/8/8/8/8/w1w5/6bb w"):
        assert perft(any_position(text), 1) == 0
        assert perft_leaves(any_position(text), 2) == PerftLeaves()
