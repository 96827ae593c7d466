"""The store is taken away from a run, and what a run has stored is verified."""

from __future__ import annotations

import shutil
import sys

import pytest

from tests.process.run_command import Loa, faulty
from tests.process.support import FAULTY_BOT

pytestmark = pytest.mark.process

TALKING_BOT = FAULTY_BOT.with_name("talking_bot.py")
SHORT = ("--tc", "move=2", "--rounds", "1", "--random-plies", "0", "--no-report")
LONG = ("run", "random", "again=random", "--tc", "nodes=1", "--rounds", "10", "--name", "t")


@pytest.mark.parametrize(
    ("loss", "place"),
    [("file", "--serial"), ("folder", "--slots=1"), ("moved", "--slots=1")],
)
def test_a_run_whose_file_goes_away_loses_nothing(loa: Loa, loss: str, place: str) -> None:
    folder = loa.folder / "results" / "t"
    run = (*LONG, "--no-report", place)
    process = loa.start(*run)
    loa.wait_until_stored(3)
    match loss:
        case "file":
            (folder / "games.sqlite").unlink()
        case "folder":
            shutil.rmtree(folder)
        case _:
            (folder / "games.sqlite").rename(loa.folder / "away.sqlite")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1, errors
    assert "Traceback" not in errors
    message = errors.splitlines()[-1]
    assert message.startswith("loa: ")
    if loss == "moved":
        assert f"it was moved; it is now {loa.folder / 'away.sqlite'} and holds" in message
        (loa.folder / "away.sqlite").rename(folder / "games.sqlite")
    else:
        assert "it was deleted; every game was written anew in its place" in message
    announced = errors.count("Finished game")
    assert 3 <= announced <= loa.stored() < 20
    loa(*run)
    assert loa.stored() == 20
    assert loa("verify", "t")[0] == "20 games of t verified: nothing was found\n"


def test_what_a_run_stores_is_as_the_referee_finds_it(loa: Loa) -> None:
    bots = [faulty(mode, mode, 3) for mode in ("illegal", "malformed", "exit", "silent")]
    loa("run", "random", *bots, "--tc", "0.2", "--rounds", "1", "--name", "f",
        "--no-report", "--random-plies", "0")  # fmt: skip
    output, _ = loa("verify", "f")
    assert output == "20 games of f verified: nothing was found\n"
    ended = {line.split()[4] for line in loa("games", "f")[0].splitlines()[1:]}
    assert {"illegal-move", "malformed-reply", "crash", "time"} <= ended


def test_concessions_and_scores_that_decide_are_taken_again(loa: Loa) -> None:
    bot = f"{sys.executable} -S {TALKING_BOT}"
    bots = (f"sad={bot} 'score=cp -700'", f"glad={bot} 'score=cp 700'")
    loa("run", *bots, *SHORT, "--name", "s", "--resign-score", "600", "--resign-count", "1")
    assert loa.export("s").count('"cause":"score-resign"') == 2
    peaceful = (f"one={bot} offers offer=2 accept", f"two={bot} offers offer=2 accept")
    loa("run", *peaceful, *SHORT, "--name", "a")
    assert loa.export("a").count('"cause":"agreement"') == 2
    tired = (f"one={bot} resign=3", f"two={bot}")
    loa("run", *tired, *SHORT, "--name", "r")
    assert loa.export("r").count('"cause":"resignation"') == 2
    output, _ = loa("verify", "s", "a", "r")
    assert output == "6 games of 3 tournaments verified: nothing was found\n"
