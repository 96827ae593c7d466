"""Which processor each slot plays on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from harness.errors import InputError
from harness.execution import placement as module
from harness.execution import processor_claims
from harness.execution.placement import placement
from harness.execution.processor_claims import ProcessorClaims, claimed
from harness.execution.slots import usable_processors
from harness.play.bot_definition import BotDefinition

ONE = [BotDefinition("a"), BotDefinition("b")]
TWO = [BotDefinition("a"), BotDefinition("b", threads=2)]


@pytest.fixture(autouse=True)
def _names_of_this_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs on this machine must not be in the way."""
    monkeypatch.setattr(processor_claims, "_NAME", f"\0loa-harness/test-{os.getpid()}-{{}}")


@pytest.fixture
def claims() -> Iterator[ProcessorClaims]:
    with ProcessorClaims() as claims:
        yield claims


@pytest.fixture
def others() -> Iterator[ProcessorClaims]:
    """What another run has claimed."""
    with ProcessorClaims() as claims:
        yield claims


@pytest.fixture
def _siblings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight processors on four cores: n and n + 4 share one."""
    monkeypatch.setattr(module, "core_of", lambda cpu: ("0", str(cpu % 4)))


@pytest.mark.usefixtures("_siblings")
@pytest.mark.parametrize(
    ("setting", "slots", "bots", "wanted"),
    [
        ("auto", 1, ONE, ((3,),)),
        ("auto", 3, ONE, ((1,), (2,), (3,))),
        ("auto", 4, ONE, ((0,), (1,), (2,), (3,))),
        ("off", 1, ONE, ()),
        ("5", 1, ONE, ((5,),)),
        ("5-7,0", 2, TWO, ((5, 6), (7, 0))),
        (" 1, 2 ", 2, ONE, ((1,), (2,))),
    ],
)
def test_each_slot_has_a_core_of_its_own_or_none_has(
    setting: str,
    slots: int,
    bots: list[BotDefinition],
    wanted: tuple[tuple[int, ...], ...],
    claims: ProcessorClaims,
) -> None:
    assert placement(setting, slots, bots, range(8), claims) == (wanted, None)


@pytest.mark.usefixtures("_siblings")
@pytest.mark.parametrize(
    ("slots", "bots", "words"),
    [
        # Two slots on one core would play against each other's clocks.
        (5, ONE, "4 cores for 5 slots: no slot has one of its own, the system places"),
        (1, TWO, "bots have up to 2 threads: the system places"),
    ],
)
def test_where_nothing_is_bound_it_is_said(
    slots: int, bots: list[BotDefinition], words: str, claims: ProcessorClaims
) -> None:
    processors, notice = placement("auto", slots, bots, range(8), claims)
    assert processors == ()
    assert notice is not None
    assert notice.startswith(words)
    assert claimed(range(8)) == ()


@pytest.mark.parametrize(
    ("setting", "slots", "bots", "words"),
    [
        ("0-3", 2, ONE, "--affinity 0-3: processors 2-3 are not used, 2 slots need 2 of them"),
        ("4-6", 1, TWO, "--affinity 4-6: processor 6 is not used, 1 slot needs 2 of them"),
    ],
)
def test_what_is_named_in_vain_is_said(
    setting: str, slots: int, bots: list[BotDefinition], words: str, claims: ProcessorClaims
) -> None:
    assert placement(setting, slots, bots, range(8), claims).notice == words
    unused = range(2, 4) if slots == 2 else [6]
    assert claimed(unused) == ()


@pytest.mark.usefixtures("_siblings")
@pytest.mark.parametrize(
    ("setting", "slots", "words"),
    [
        ("8", 1, "no processor 8 here, only 0-7"),
        ("1,2", 3, "2 processors for 3 slots"),
        ("0", 2, "1 processor for 2 slots; each slot needs one of its own"),
        ("1,1", 2, "named twice"),
        ("0-2,2", 2, "named twice"),
        ("", 1, "expected auto, off or a list"),
        ("a", 1, "expected auto, off or a list"),
        ("3-1", 1, "expected auto, off or a list"),
        ("-1", 1, "expected auto, off or a list"),
        ("٣", 1, "expected auto, off or a list"),
    ],
)
def test_a_list_that_cannot_be_is_refused(
    setting: str, slots: int, words: str, claims: ProcessorClaims
) -> None:
    with pytest.raises(InputError, match=words):
        placement(setting, slots, ONE, range(8), claims)


@pytest.mark.parametrize(
    ("setting", "slots", "words"),
    [
        ("0", 1, "1 processor for 1 slot of bots with 2 threads; each slot needs 2 of its own"),
        ("0-2", 2, "3 processors for 2 slots of bots with 2 threads"),
    ],
)
def test_each_thread_of_a_slot_needs_a_processor(
    setting: str, slots: int, words: str, claims: ProcessorClaims
) -> None:
    with pytest.raises(InputError, match=words):
        placement(setting, slots, TWO, range(8), claims)
    assert claimed(range(8)) == ()


def test_a_slot_is_bound_to_all_its_processors() -> None:
    usable = sorted(usable_processors())
    program = (
        "import sys; from harness.execution.placement import stay_on; "
        "print(stay_on([int(word) for word in sys.argv[1:]]))"
    )
    for wanted in (usable[:1], usable[:2], []):
        words = [sys.executable, "-c", program, *map(str, wanted)]
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert said == f"{','.join(map(str, wanted)) or 'off'}\n"


# Two runs at once


@pytest.mark.usefixtures("_siblings")
def test_runs_at_once_have_cores_of_their_own(
    claims: ProcessorClaims, others: ProcessorClaims
) -> None:
    assert placement("auto", 1, ONE, range(8), others) == (((3,),), None)
    assert placement("auto", 2, ONE, range(8), claims) == (((1,), (2,)), None)
    others.release()
    with ProcessorClaims() as third:
        assert placement("auto", 1, ONE, range(8), third) == (((3,),), None)


@pytest.mark.usefixtures("_siblings")
def test_a_core_is_taken_when_one_of_its_processors_is(
    claims: ProcessorClaims, others: ProcessorClaims
) -> None:
    assert placement("7", 1, ONE, range(8), others) == (((7,),), None)
    assert placement("auto", 1, ONE, range(8), claims) == (((2,),), None)
    with ProcessorClaims() as third:
        assert third.take([3]) == ()  # what was tried in vain is not kept


@pytest.mark.usefixtures("_siblings")
@pytest.mark.parametrize(
    ("taken", "words"),
    [("0,1,2", "of 4 cores only 1 free, 2 slots need 2"), ("0-3", "of 4 cores none free")],
)
def test_with_too_few_free_cores_nothing_is_bound_or_claimed(
    taken: str, words: str, claims: ProcessorClaims, others: ProcessorClaims
) -> None:
    placement(taken, 3, ONE, range(8), others)
    if taken == "0-3":
        others.take([3])
    processors, notice = placement("auto", 2, ONE, range(8), claims)
    assert processors == ()
    assert notice is not None
    assert words in notice
    with ProcessorClaims() as third:
        assert third.take(range(4, 8)) == ()


@pytest.mark.usefixtures("_siblings")
def test_a_list_is_taken_as_it_is(claims: ProcessorClaims, others: ProcessorClaims) -> None:
    placement("2,3", 2, ONE, range(8), others)
    processors, notice = placement("1-3", 3, ONE, range(8), claims)
    assert processors == ((1,), (2,), (3,))
    assert notice is not None
    assert notice.startswith("--affinity 1-3: another run plays on processors 2-3")


def test_claims_are_seen_without_claiming(others: ProcessorClaims) -> None:
    others.take([2, 5])
    assert claimed(range(8)) == (2, 5)
    assert claimed(range(8)) == (2, 5)
    others.release()
    assert claimed(range(8)) == ()


def test_claims_end_with_their_process_and_reach_no_other(claims: ProcessorClaims) -> None:
    program = (
        "import sys, time; from harness.execution import processor_claims as c; "
        "c._NAME = chr(0) + sys.argv[1]; claims = c.ProcessorClaims(); print(claims.take([1])); "
        "sys.stdout.flush(); sys.stdin.read()"
    )
    words = [sys.executable, "-c", program, processor_claims._NAME[1:]]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"()\n"
        assert claims.take([0, 1]) == (1,)
        other.kill()
    assert claims.take([0, 1]) == ()
