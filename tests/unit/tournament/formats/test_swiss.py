"""Pairings by hand: 1 is the first of the file, so names are in the order of the seeds."""

from __future__ import annotations

import pytest

from harness.tournament.final_table import swiss_ranking
from harness.tournament.formats.swiss import swiss_round_count, swiss_scores
from harness.tournament.pairing import next_batch
from harness.tournament.results import BatchResult, EncounterResult
from tests.unit.tournament.tables import batch_after, met, play_all, spec_of, won_by


def test_the_upper_half_meets_the_lower_half() -> None:
    batch = batch_after(spec_of("12345678", "swiss"), [])
    assert met(batch) == ["1~5", "2~6", "3~7", "4~8"]
    assert batch.title == "Swiss round 1 of 3"


def test_score_groups_meet_among_themselves() -> None:
    spec = spec_of("12345678", "swiss")
    first = won_by(batch_after(spec, []), "1", "2", "3", "4")
    second = batch_after(spec, [first])
    assert met(second) == ["1~3", "2~4", "5~7", "6~8"]
    results = [first, won_by(second, "1", "4", "5", "6")]
    third = batch_after(spec, results)
    # 1 and 4 have two points; 2, 3, 5, 6 have one; 7 and 8 none.
    assert met(third) == ["1~4", "2~5", "3~6", "7~8"]
    assert next_batch(spec, [*results, won_by(third)]) is None


def test_a_tie_gives_both_half_a_point() -> None:
    spec = spec_of("1234", "swiss")
    first = won_by(batch_after(spec, []), "1")  # 1-3 is won, 2-4 is tied
    assert met(batch_after(spec, [first])) == ["1~2", "3~4"]
    scores = swiss_scores("1234", [first])
    assert [score.half_points for score in scores.values()] == [2, 1, 0, 1]
    assert [score.game_half_points for score in scores.values()] == [4, 2, 0, 2]


def test_bots_that_have_met_do_not_meet_again_though_their_scores_agree() -> None:
    spec = spec_of("1234", "swiss", swiss_rounds=3)
    results: list[BatchResult] = []
    seen: list[str] = []
    for winners in ("12", "12", "12"):
        batch = batch_after(spec, results)
        seen += met(batch)
        results.append(won_by(batch, *winners))
    assert sorted(seen) == ["1~2", "1~3", "1~4", "2~3", "2~4", "3~4"]


def test_the_last_sits_out_and_nobody_twice_before_all_had() -> None:
    spec = spec_of("12345", "swiss", swiss_rounds=5)
    batches, results, _ = play_all(spec, lambda plan: 2 if plan.black < plan.white else 0)
    assert batches[0].notes == ("5 sits out",)
    resting = [
        set("12345") - {name for one in batch.encounters for name in one.bots} for batch in batches
    ]
    assert sorted("".join(names) for names in resting) == list("12345")
    byes = swiss_scores("12345", results)
    assert [score.byes for score in byes.values()] == [1] * 5


def test_bots_meet_again_only_when_all_have_met_and_pair_numbers_go_on() -> None:
    spec = spec_of("12", "swiss", rounds=2, cycles=2, swiss_rounds=2)
    batches, _, settled = play_all(spec, lambda _: 1)
    assert [met(batch) for batch in batches] == [["1~2"], ["1~2"]]
    assert [plan.pair for plan in batches[1]][::2] == [5, 6, 7, 8]
    assert [plan.index for plan in batches[1]] == list(range(8, 16))
    assert len(settled.stored) == 16


def test_the_opponent_of_an_absent_bot_gets_the_point() -> None:
    spec = spec_of("1234", "swiss")
    first = batch_after(spec, [])
    one, two = first.encounters
    result = (
        EncounterResult(one, (2, 0), frozenset("1")),
        EncounterResult(two, (0, 0), frozenset("24")),
    )
    assert [score.half_points for score in swiss_scores("1234", [result]).values()] == [0, 0, 2, 0]
    assert met(batch_after(spec, [result])) == ["2~3", "1~4"]


@pytest.mark.parametrize(
    ("bots", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (64, 6)]
)
def test_as_many_rounds_as_find_one_winner(bots: int, rounds: int) -> None:
    assert swiss_round_count(spec_of([f"b{n}" for n in range(bots)], "swiss")) == rounds


def test_equal_points_are_ranked_by_those_of_the_opponents() -> None:
    spec = spec_of("1234", "swiss")
    first = won_by(batch_after(spec, []), "1", "2")  # 1-3, 2-4
    second = won_by(batch_after(spec, [first]), "2", "4")  # 1-2, 3-4
    # Points 1, 2, 0, 1; opponents of 1: 3 and 2 (2 points), of 4: 2 and 3 (2 points).
    ranking = swiss_ranking(spec, [first, second])
    assert ranking == [(1, "2", 4, 4), (2, "1", 2, 4), (2, "4", 2, 4), (4, "3", 0, 4)]


def test_a_bye_has_no_opponent_whose_points_count() -> None:
    spec = spec_of("123", "swiss")
    first = won_by(batch_after(spec, []), "1")  # 1-2, 3 sits out
    assert swiss_ranking(spec, [first]) == [(1, "1", 2, 0), (1, "3", 2, 0), (3, "2", 0, 2)]
