"""What is stored of a game, to the byte: hashes and texts must be those of earlier versions."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from harness.play.types import BotUsage, Cause, GameRecord
from harness.rules.notation import format_fen, format_move, parse_start
from harness.rules.types import Color
from harness.store.sqlite import Store
from tests.unit.store.builders import MOVES, opening, record

MS = 1_000_000
WHITE_FIRST = parse_start("1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 w")
USAGE = (BotUsage(3 * MS, MS // 2, 5 << 20), BotUsage())
GAMES = {
    "plain": record(),
    "no plies": record(moves=(), cause=Cause.CRASH, winner=Color.WHITE),
    "opening": record(start=opening(MOVES[:1]), moves=MOVES[1:], winner=None),
    "white first": record(start=opening((), WHITE_FIRST), moves=("a2-c2", "b1-b3", "c2xc1")),
    "pass": record(moves=("b1-b3", "pass", "b3xh3", "pass")),
    "lines": record(infos=[b"info score cp 3", None, b"", b'info \xff "\\ \x01 \xc3\xa9']),
    "long lines": record(infos=[b"info string " + bytes([97 + n]) * 9000 for n in range(4)]),
    "names": record('x"\\.1a', black="ann\u00e9", white='b"ob', detail="\ud800\0 said \u2028"),
    "usage": record(usage=USAGE, provenance={"slot": 1, "machine": "h\u00f6st"}),
}


def json_text(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def hash_of(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode("ascii")).digest()[:6], "big")


def written(game: GameRecord) -> list[str]:
    """The moves as text, each from the position it was played in."""
    position, texts = game.spec.opening.start, []
    for move in game.moves:
        texts.append(format_move(position, move))
        position = position.after(move)
    return texts


@pytest.mark.parametrize("name", GAMES)
def test_every_stored_byte(name: str, tmp_path: Path) -> None:
    game = GAMES[name]
    with Store.create_or_open(tmp_path) as store:
        store.add([game])
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as connection:
        connection.row_factory = sqlite3.Row
        one = "SELECT * FROM games g JOIN details d ON d.game = g.number"
        row: dict[str, Any] = dict(connection.execute(one).fetchone())
        start = dict(connection.execute("SELECT * FROM openings").fetchone())
    spec, moves = game.spec, written(game)
    opening_moves = moves[: len(spec.opening.moves)]
    first, second = game.plies[::2], game.plies[1::2]
    if spec.opening.first_asked is Color.WHITE:
        first, second = second, first
    opening_id = hashlib.sha256(
        " ".join([format_fen(spec.opening.start), *opening_moves]).encode()
    ).hexdigest()[:16]
    winner = None if game.outcome.winner is None else game.outcome.winner.word
    usage = {
        key: value
        for key, value in (
            ("black-cpu-on-turn-ms", round(game.black.usage.cpu_on_turn_ns / MS)),
            ("black-peak-memory-kib", game.black.usage.peak_memory_bytes >> 10),
        )
        if value
    }
    assert start["content_id"] == opening_id
    assert (start["start"], start["moves"]) == (
        format_fen(spec.opening.start),
        " ".join(opening_moves),
    )
    assert row["moves"] == " ".join(moves)
    assert row["moves_hash"] == hash_of(" ".join(moves))
    assert row["result_hash"] == hash_of(
        json_text(
            {
                "black": [spec.black.name, game.black.identity],
                "cause": game.outcome.cause.value,
                "id": spec.game_id,
                "moves": " ".join(moves),
                "opening": opening_id,
                "white": [spec.white.name, game.white.identity],
                "winner": winner,
            }
        )
    )
    assert (row["black_moves"], row["white_moves"]) == (len(first), len(second))
    assert (row["black_time_ns"], row["white_time_ns"]) == (
        sum(ply.elapsed_ns for ply in first),
        sum(ply.elapsed_ns for ply in second),
    )
    assert (row["cause"], row["winner"]) == (game.outcome.cause.value, winner)
    assert row["outcome_detail"] == game.outcome.detail.replace("\ud800", "\ufffd").replace(
        "\0", "\ufffd"
    )
    assert row["provenance"] == json_text({**game.provenance, **usage})
    assert (row["started_at"], row["duration_ns"]) == (game.started_at, game.duration_ns)
    assert [row[f"{side}_announced"] for side in ("black", "white")] == ["Ann 1", "Bob 2"]
    assert [row[f"{side}_process_id"] for side in ("black", "white")] == [101, 102]


@pytest.mark.parametrize("name", GAMES)
def test_the_text_of_the_plies(name: str, tmp_path: Path) -> None:
    game = GAMES[name]
    with Store.create_or_open(tmp_path) as store:
        store.add([game])
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as connection:
        ((packed,),) = connection.execute("SELECT plies FROM details")
        ((plies,),) = connection.execute("SELECT plies FROM games")
    assert plies == len(game.moves)
    assert zlib.decompress(packed).decode("ascii") == json_text(
        {
            "elapsed_ns": [ply.elapsed_ns for ply in game.plies],
            "info": [
                None if ply.info is None else ply.info.decode("utf-8", "replace")
                for ply in game.plies
            ],
        }
    )
