"""A tournament file of any bytes is a specification, or a SpecError with every fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.errors import SpecError
from harness.tournament.config import load_spec, spec_to_toml
from tests.property.fuzzing import FEW, MANY, mutated_files

BOTS = """
[[bot]]
name = "greedy"
module = "bots.greedy_bot"
options = { Dilution = 20, "A name" = "a value" }

[[bot]]
name = "mine"
command = ["./my_bot.py", "--fast"]
env = { PATH = "/bin" }
cwd = "."
threads = 2
time-control = "10+0.1"
start-ms = 5_000
"""
TEXTS = [
    f"""
[tournament]
name = "league"        # results/league/
format = 'round-robin'
rounds = 10
cycles = 2
time-control = "40/60+0.6,nodes=200"
margin-ms = 50
max-think-ms = 120_000
seed = 0x7fff_ffff
max-plies = 400
restart = "auto"
slots = 1
force = false
[rules]
simultaneous = "draw"
no-moves = "pass"
repetition = 3
[adjudication]
draw-score = 10
resign-score = 500
resign-both = true
[openings]
start = \"\"\"1bbbbbb1/w6w/w6w/w6w/w6w/w6w/w6w/1bbbbbb1 b\"\"\"
random-plies = 2
{BOTS}""",
    f"""tournament = {{ format = "swiss", swiss-rounds = 3, seed = 1 }}
[openings]
file = "openings.txt"
order = "random"
{BOTS}
git = {{ repo = ".", rev = "main", build = "make", build-seconds = 60 }}
[[bot]]
name = "third"
module = "bots.random_bot"
protocol = "uci"
restart = "always"
""",
    f"""{BOTS}
[test]
elo0 = 0
elo1 = 2.5e1
alpha = 0.05
model = "logistic"
""",
    f"""{BOTS}
[[encounter]]
bots = ["greedy", "mine"]
rounds = 2
label = "fast"
time-control = "nodes=9"
""",
]
IN_FOLDER = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)
FILES = mutated_files(TEXTS) | st.binary(max_size=200)


def check_spec(folder: Path, data: bytes) -> None:
    path = folder / "cup.toml"
    (folder / "openings.txt").write_text("b1-b3\n")
    path.write_bytes(data)
    try:
        spec = load_spec(path)
    except SpecError as error:
        check_error(error, path)
        return
    path.write_text(spec_to_toml(spec), encoding="utf-8", newline="\n")
    assert load_spec(path) == spec


def check_error(error: SpecError, path: Path) -> None:
    assert error.source == str(path)
    assert error.problems
    assert len(str(error)) < 200_000


@settings(max_examples=4 * FEW, suppress_health_check=IN_FOLDER)
@given(FILES)
@example(TEXTS[0].encode())
@example(TEXTS[0].replace("\n", "\r\n").encode("utf-8-sig"))
@example(b"")
@example(b"\0")
@example(b"a = " + b"9" * 5_000)
@example(b"[tournament]\nrounds = 0x" + b"f" * 5_000)
@example(b"[tournament]\nseed = -0o" + b"7" * 5_000)
@example(b"[test]\nelo0 = 1e999\nelo1 = nan\nalpha = -inf\nbeta = 0b" + b"1" * 5_000)
@example(b"a = " + b"[" * 100_000)
@example(b"a = " + b"[" * 400 + b"]" * 400)
@example(b"a = " + b"{a = " * 400 + b"1" + b"}" * 400)
@example(b"[" + b"a." * 400 + b"a]")
@example(b"a." * 400 + b"a = 1")
@example(b'"\\ud800" = 1')
@example(b'[[bot]]\nname = "\\u202e\\u001b[2J"\nmodule = "\\u0000"\n"\\u001b" = 1')
@example(b'[[bot]]\ncommand = ["a\\u0000"]\nenv = { "A=B" = "1", "" = "2" }\ncwd = "\\u0000"')
@example(b'[openings]\nfile = "/dev/zero"')
@example(b'[openings]\nfile = "\\u0000"')
@example(b'[openings]\nfile = "' + b"x" * 5_000 + b'"')
@example(b"[tournament]\nname = 1979-05-27T07:32:00Z\nrounds = 07:32:00")
@example(b"[[bot]]\noptions = { Seed = 1e999, a = [], b = 99999999999999999999999, c = 1e3 }")
@example(b"[[tournament]]\n[tournament]\n")
def test_no_file_breaks_the_reading_of_a_tournament(tmp_path: Path, data: bytes) -> None:
    check_spec(tmp_path, data)


@pytest.mark.parametrize(
    "line", ['cwd = "{}"', 'git = {{ repo = "{}", rev = "x" }}', 'cwd = "{}/x"', 'module = "{}"']
)
def test_a_path_too_long_for_the_system_is_a_problem(tmp_path: Path, line: str) -> None:
    text = f'[[bot]]\nname = "a"\ncommand = ["x"]\n{line.format("long" * 200)}\n'
    check_spec(tmp_path, text.encode())


@pytest.mark.slow
@settings(max_examples=MANY, suppress_health_check=IN_FOLDER)
@given(FILES)
def test_no_file_breaks_the_reading_of_a_tournament_at_length(tmp_path: Path, data: bytes) -> None:
    check_spec(tmp_path, data)
