"""Games played by scripts before the referee, with every way of ending."""

from __future__ import annotations

from collections.abc import Sequence

from harness.play.adjudication import Adjudication, DrawRule, ResignRule
from harness.play.clock import TimeControl
from harness.play.plies import Plies
from harness.play.referee import Referee
from harness.play.types import (
    Answer,
    Ask,
    BotRun,
    Exited,
    GameRecord,
    GameSpec,
    Opening,
    Outcome,
    Overflowed,
    PlayerSpec,
    Reply,
    TimedOut,
)
from harness.rules.notation import parse_move, parse_start, wire_text
from harness.rules.position import STANDARD_START
from harness.rules.types import RuleSet
from harness.tournament.encounter import encounter_id

MS = 1_000_000
FEW = parse_start("5w1w/8/8/8/8/8/8/b1b5 b")
"""c1-b2 connects Black, f8-g7 White; c1-c2 and f8-f7 do neither."""
BOTH = parse_start("7w/7w/8/8/1b6/8/1w6/b7 b")
"""b4xb2 connects both."""
QUIET = ("c1-c2", "f8-f7", "c2-c1", "f7-f8")
SCORES = Adjudication(DrawRule(10, 2, 4), ResignRule(500, 2))


def played(
    game_id: str = "ann~bob.1a",
    moves: Sequence[str] = ("b1-b3", "a2-c2"),
    end: Reply | None = None,
    *,
    opening: Opening | None = None,
    infos: Sequence[bytes | None] = (),
    words: bytes = b"",
    adjudication: Adjudication | None = None,
    rules: RuleSet | None = None,
    time_controls: tuple[str, str] = ("5+0.05", "5+0.05"),
    duration_ns: int = 20_000 * MS,
) -> GameRecord:
    """Play these moves after the opening, then receive ``end``, until the referee is done.

    The names come from the id: encounter, pair and leg. ``words`` follow the last move.
    """
    encounter, _, number = game_id.rpartition(".")
    first, second = encounter.split(".")[0].split("~")
    black, white = (first, second) if number.endswith("a") else (second, first)
    assert encounter_id(black, white, encounter.partition(".")[2]) == encounter
    spec = GameSpec(
        game_id=game_id,
        encounter=encounter,
        pair=int(number[:-1]),
        leg=number[-1],
        batch=0,
        schedule_index=0,
        black=PlayerSpec(black, TimeControl.parse(time_controls[0])),
        white=PlayerSpec(white, TimeControl.parse(time_controls[1])),
        opening=opening if opening is not None else Opening(STANDARD_START),
        rules=rules if rules is not None else RuleSet(max_plies=400),
        adjudication=adjudication if adjudication is not None else Adjudication(),
        seed=7,
    )
    referee = Referee(spec, (True, True))
    for place, text in enumerate(moves):
        assert isinstance(referee.next(), Ask), f"the game is over before {text}"
        line = b"bestmove " + wire_text(parse_move(text)).encode()
        line += words if place == len(moves) - 1 else b""
        info = infos[place] if place < len(infos) else None
        referee.receive(Answer(line, (place + 1) * MS, info))
    outcome = referee.next()
    if end is not None:
        assert isinstance(outcome, Ask)
        referee.receive(end)
        outcome = referee.next()
    assert isinstance(outcome, Outcome), "the game is not over"
    assert len(referee.plies) == len(moves)
    names = {"ann": "1" * 64, "bob": "2" * 64}
    return GameRecord(
        spec=spec,
        outcome=outcome,
        plies=Plies.of(referee.plies),
        black=BotRun(names.get(black, "3" * 64)),
        white=BotRun(names.get(white, "3" * 64)),
        started_at="2026-01-02T03:04:05+00:00",
        duration_ns=duration_ns,
        final_reply=referee.final_reply,
        provenance={"slot": 0},
    )


def answer(line: bytes, elapsed_ns: int = MS) -> Answer:
    return Answer(line, elapsed_ns, None)


def every_ending() -> list[GameRecord]:
    """One game of every cause that short scripts can reach, by the cause's name."""
    few = Opening(FEW)
    level, lost = b"info score cp 3", b"info score cp -600"
    won = b"info score win 4"
    return [
        played("ann~bob.1a", ["c1-b2"], opening=few),
        played("ann~bob.1b", ["c1-c2", "f8-g7"], opening=few),
        played("ann~bob.2a", ["b4-b2"], opening=Opening(BOTH)),
        played("ann~bob.2b", [*QUIET, *QUIET], opening=few),
        played("ann~bob.3a", QUIET[:2], opening=few, rules=RuleSet(max_plies=2)),
        played("ann~bob.3b", QUIET[:1], TimedOut(5_050 * MS), opening=few),
        played("ann~bob.4a", QUIET[:2], answer(b"bestmove c1c2", 6_000 * MS), opening=few),
        played("ann~bob.4b", [], answer(b"bestmove c1c3"), opening=few),
        played("ann~bob.5a", [], answer(b"bestmove pass"), opening=few),
        played("ann~bob.5b", QUIET[:1], answer(b"bestmove"), opening=few),
        played("ann~bob.6a", [], answer(b"bestmove \xff\0 x"), opening=few),
        played("ann~bob.6b", [], Overflowed(17_000_000, 5), opening=few),
        played("ann~bob.7a", QUIET[:3], Exited("killed by signal 9", 5), opening=few),
        played("ann~bob.7b", QUIET[:1], answer(b"bestmove resign"), opening=few),
        played("ann~bob.8a", QUIET[:1], answer(b"bestmove draw"), words=b" draw", opening=few),
        played("ann~bob.8b", QUIET, infos=[level] * 4, adjudication=SCORES, opening=few),
        played("ann~bob.9a", QUIET, infos=[lost, won, lost, won], adjudication=SCORES, opening=few),
        played("ann~bob.fast.9b", QUIET[:1], Exited("", 5), opening=few),
        played(
            "ann~bob.10a",
            QUIET[2:],
            Exited("", 5),
            opening=Opening(FEW, tuple(map(parse_move, QUIET[:2]))),
            time_controls=("40/60+0.6", "move=0.5,nodes=200"),
        ),
        played(
            "ann~bob.10b",
            QUIET[1:],
            answer(b"bestmove c1c2", 121_000 * MS),
            opening=Opening(FEW, tuple(map(parse_move, QUIET[:1]))),
            time_controls=("depth=3", "depth=3"),
            duration_ns=130_000 * MS,
        ),
    ]
