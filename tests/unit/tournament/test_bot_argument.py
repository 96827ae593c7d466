from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.errors import SpecError
from harness.tournament.bot_argument import (
    BOT_NAME,
    BotArgument,
    default_labels,
    parse_bot_argument,
    shipped_bots,
)

HERE = Path("/")


def parse(text: str) -> BotArgument:
    return parse_bot_argument(text, HERE)


def test_shipped_bots_are_listed_without_being_imported() -> None:
    before = set(sys.modules)
    bots = shipped_bots()
    assert {"alphabeta", "greedy", "mcts", "plain", "random"} <= bots.keys()
    assert bots["greedy"] == "bots.greedy_bot"
    assert list(bots) == sorted(bots)
    assert not {name for name in set(sys.modules) - before if name.startswith("bots.")}


@pytest.mark.parametrize(
    ("text", "label", "module", "options"),
    [
        ("greedy", None, "bots.greedy_bot", ()),
        ("deep=alphabeta:Depth=4", "deep", "bots.alphabeta_bot", (("Depth", "4"),)),
        (
            "alphabeta: Seed = 3 ,Depth=4",
            None,
            "bots.alphabeta_bot",
            (("Depth", "4"), ("Seed", "3")),
        ),
        ("alphabeta:Book=a/b c,X=", None, "bots.alphabeta_bot", (("Book", "a/b c"), ("X", ""))),
        ("alphabeta:A=b=c", None, "bots.alphabeta_bot", (("A", "b=c"),)),
    ],
)
def test_a_shipped_bot(
    text: str, label: str | None, module: str, options: tuple[tuple[str, str], ...]
) -> None:
    argument = parse(text)
    assert (argument.label, argument.module, argument.command) == (label, module, None)
    assert argument.options == options


@pytest.mark.parametrize(
    ("text", "label", "command"),
    [
        ("./mybot", None, ("./mybot",)),
        ("x=./mybot --a=1", "x", ("./mybot", "--a=1")),
        ("./mybot --a=1", None, ("./mybot", "--a=1")),
        ("mybot --a=1", None, ("mybot", "--a=1")),
        ("python3 'my bot.py' \"\"", None, ("python3", "my bot.py", "")),
        ("random --fast", None, ("random", "--fast")),
        ("a-b=mybot '$HOME' | x", "a-b", ("mybot", "$HOME", "|", "x")),
    ],
)
def test_a_command(text: str, label: str | None, command: tuple[str, ...]) -> None:
    argument = parse(text)
    assert (argument.label, argument.module, argument.command) == (label, None, command)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("greddy", ['did you mean "greedy"', "alphabeta", "random"]),
        ("greedy_bot", ['did you mean "greedy"']),
        ("bots.greedy_bot", ["no shipped bot"]),
        ("", ["names no bot"]),
        ("x=", ["names no bot"]),
        ("ä=greedy", ["no label"]),
        ("=greedy", ["no label"]),
        ("x" * 65 + "=greedy", ["no label"]),
        ("greedy:", ["no option"]),
        ("greedy:Dilution", ["'Dilution' is no option"]),
        ("greedy:=3,A=1,A=2", ["'=3' is no option", "A is given twice"]),
        ("greedy:Depth=1,depth=1", ["the option depth is given twice, as Depth too"]),
        ("./x 'y", ["no closing quotation"]),
        ("'' /x", ["command is empty"]),
        ("~=greddy", ["no label", "no shipped bot"]),
        ("\udcff/x", ["UTF-8"]),
    ],
)
def test_what_is_wrong_is_said(text: str, words: list[str]) -> None:
    with pytest.raises(SpecError) as caught:
        parse(text)
    for word in words:
        assert word in str(caught.value)
    str(caught.value).encode()


def test_a_program_in_the_folder_is_pointed_out(tmp_path: Path) -> None:
    (tmp_path / "mybot").touch()
    with pytest.raises(SpecError, match=r"write \./mybot"):
        parse_bot_argument("mybot", tmp_path)


def test_labels_are_the_argument_made_to_fit() -> None:
    texts = [
        "greedy",
        "alphabeta:Depth=4",
        "greedy",
        "greedy-2=random",
        "./my/bot.py --fast  -x",
        "python3 ./my/bot.py",
        "greedy",
        "./ä",
        "x=random",
        "x=random",
        "./" + "long" * 40,
        "./" + "long" * 40,
    ]
    labels = default_labels([parse(text) for text in texts])
    assert labels == [
        "greedy",
        "alphabeta-Depth-4",
        "greedy-3",
        "greedy-2",
        "bot.py-fast-x",
        "python3-bot.py",
        "greedy-4",
        "bot",
        "x",
        "x",
        "long" * 16,
        ("long" * 16)[:62] + "-2",
    ]
    assert all(BOT_NAME.fullmatch(label) for label in labels)
