"""What is typed behind ``loa run``: a BOT or a flag of any text is understood or a SpecError."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.errors import SpecError
from harness.play.git_source import build_problem, revision_problem
from harness.tournament.bot_argument import BOT_NAME, default_labels, parse_bot_argument
from harness.tournament.config import spec_from_flags
from tests.property.fuzzing import FEW, MANY, mutated

BOTS = [
    "greedy",
    "first=greedy:Dilution=60,Seed=1",
    "alphabeta:Depth=4",
    "mine=./my_bot --fast 'two words'",
    "python3 ./my/bot.py",
    "/usr/bin/env",
    "label=../x/y.py -O",
]
FLAGS = {
    "tc": ["5+0.05", "40/60+0.6,depth=3", "nodes=200"],
    "name": ["cup", "a.b_c+d-1"],
    "openings": ["openings.txt"],
    "start": ["standard", "1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b"],
    "simultaneous": ["draw", "mover"],
    "format": ["swiss", "knock-out"],
}
REVISIONS = ["main", "v1.2", "HEAD~3", "WORKTREE", "1a2b3c4", "refs/heads/x"]
IN_FOLDER = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)
NUMBERS = st.none() | st.integers() | st.sampled_from([2**63, -1, 10**5000])


def check_bots(folder: Path, bots: list[str], flags: dict[str, Any]) -> None:
    arguments = []
    for text in bots:
        with suppress(SpecError):
            arguments.append(parse_bot_argument(text, folder))
    labels = default_labels(arguments)
    for argument, label in zip(arguments, labels, strict=True):
        assert BOT_NAME.fullmatch(label)
        assert (argument.module is None) != (argument.command is None)
    try:
        spec = spec_from_flags(bots, folder=folder, **flags)
    except SpecError:
        return
    assert len(spec.bots) == len(bots)
    assert BOT_NAME.fullmatch(spec.name)


def check_revision(text: str) -> None:
    """What git is asked for begins with no dash, and has no line end and no NUL."""
    if revision_problem(text) is None:
        assert text.strip()
        assert not text.startswith("-")
        assert text.isprintable()
    if build_problem(text) is None:
        assert text.strip()
        assert "\0" not in text


@settings(max_examples=2 * FEW, suppress_health_check=IN_FOLDER)
@given(
    st.lists(mutated(BOTS).filter(lambda text: len(text) < 200), min_size=1, max_size=3),
    st.fixed_dictionaries(
        {}, optional={flag: mutated(texts) for flag, texts in FLAGS.items()} | {"rounds": NUMBERS}
    ),
)
@example(["=", "a=", "=a", ":", "greedy:", "./", "'", '"', "a b'"], {})
@example(["\ud800", "x=\udcff ./y", "\0", "a\0/b"], {"name": "\0", "start": "/" * 5_000})
@example(["greedy:" + "a," * 50] * 3, {})
@example(["greedy"] * 70, {"rounds": -(10**5000)})
def test_no_argument_breaks_the_reading_of_bots(
    tmp_path: Path, bots: list[str], flags: dict[str, Any]
) -> None:
    check_bots(tmp_path, bots, flags)


@settings(max_examples=FEW)
@given(mutated(REVISIONS))
@example("--upload-pack=x")
@example("-")
@example(" -x")
@example("a\nb")
def test_no_revision_reaches_git_as_something_else(text: str) -> None:
    check_revision(text)


@pytest.mark.parametrize("text", ["long" * 200, "long" * 200 + ".py", "./" + "long" * 200])
def test_a_bot_too_long_for_a_path_is_a_problem_at_most(tmp_path: Path, text: str) -> None:
    check_bots(tmp_path, [text], {})


@pytest.mark.slow
@settings(max_examples=MANY, suppress_health_check=IN_FOLDER)
@given(
    st.lists(mutated(BOTS).filter(lambda text: len(text) < 200), min_size=1, max_size=3),
    mutated(REVISIONS),
)
def test_no_argument_breaks_the_reading_of_bots_at_length(
    tmp_path: Path, bots: list[str], revision: str
) -> None:
    check_bots(tmp_path, bots, {})
    check_revision(revision)
