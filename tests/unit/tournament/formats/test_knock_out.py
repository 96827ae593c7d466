from __future__ import annotations

import pytest

from harness.tournament.final_table import knock_out_ranking
from harness.tournament.formats.knock_out import Decision, bracket, bracket_seeds
from harness.tournament.pairing import next_batch
from harness.tournament.results import EncounterResult
from tests.unit.tournament.tables import batch_after, met, spec_of, won_by


@pytest.mark.parametrize(
    ("count", "seeds"),
    [(2, [0, 1]), (3, [0, 3, 1, 2]), (4, [0, 3, 1, 2]), (5, [0, 7, 3, 4, 1, 6, 2, 5])],
)
def test_bracket_places(count: int, seeds: list[int]) -> None:
    assert bracket_seeds(count) == seeds


def test_the_best_have_no_opponent_in_the_first_round() -> None:
    spec = spec_of("12345", "knock-out", rounds=2)
    first = batch_after(spec, [])
    assert met(first) == ["4~5"]
    assert first.title == "knock-out, quarter-finals"
    assert first.notes == tuple(f"{name} goes on without a game" for name in "123")
    second = batch_after(spec, [won_by(first, "5")])
    assert met(second) == ["1~5", "2~3"]
    assert (second.number, second.first_index, second.title) == (1, 4, "knock-out, semi-finals")
    results = [won_by(first, "5"), won_by(second, "5", "2")]
    final = batch_after(spec, results)
    assert met(final) == ["2~5"]
    assert final.title == "knock-out, final"
    results.append(won_by(final, "5"))
    assert next_batch(spec, results) is None
    ranking = knock_out_ranking(bracket(spec, results), "12345")
    assert ranking == [(1, 1, ["5"]), (2, 2, ["2"]), (3, 4, ["1", "3"]), (5, 5, ["4"])]


def test_a_tie_is_broken_by_one_extra_pair_after_another() -> None:
    spec = spec_of("1234", "knock-out", rounds=3, cycles=2, tie_break_pairs=2)
    first = batch_after(spec, [])
    assert met(first) == ["1~4", "2~3"]
    assert len(first) == 24
    results = [won_by(first, "1")]
    extra = batch_after(spec, results)
    assert [plan.game_id for plan in extra] == ["2~3.7a", "2~3.7b"]
    assert [plan.index for plan in extra] == [24, 25]
    assert [plan.opening_number for plan in extra] == [6, 6]
    assert extra.title == "knock-out, semi-finals, tie-break pair 1"
    results.append(won_by(extra))
    again = batch_after(spec, results)
    assert [plan.game_id for plan in again] == ["2~3.8a", "2~3.8b"]
    decided = batch_after(spec, [*results, won_by(again, "3")])
    assert met(decided) == ["1~3"]
    assert decided.notes == ()
    by_seed = batch_after(spec, [*results, won_by(again)])
    assert met(by_seed) == ["1~2"]
    assert by_seed.notes == ("2 goes on: better seed after 2 tie-break pairs",)
    _, duel = bracket(spec, [*results, won_by(again)]).rounds[0]
    assert (duel.winner, duel.half_points, duel.decision) == ("2", (16, 16), Decision.BETTER_SEED)


def test_without_tie_break_pairs_the_better_seed_goes_on_at_once() -> None:
    spec = spec_of("12", "knock-out", tie_break_pairs=0)
    first = batch_after(spec, [])
    assert next_batch(spec, [won_by(first)]) is None
    ((duel,),) = bracket(spec, [won_by(first)]).rounds
    assert (duel.winner, duel.reason) == ("1", "better seed")


def test_a_bot_that_is_not_there_does_not_go_on_though_it_led() -> None:
    spec = spec_of("1234", "knock-out")
    first = batch_after(spec, [])
    one, two = first.encounters
    result = (
        EncounterResult(one, (4, 0), frozenset("1")),
        EncounterResult(two, (0, 0), frozenset("23")),
    )
    final = batch_after(spec, [result])
    assert met(final) == ["2~4"]
    assert final.notes == ("4 goes on: opponent not there", "2 goes on: better seed")


def test_points_are_those_of_the_better_seed_first_whatever_the_names() -> None:
    spec = spec_of("21", "knock-out", rounds=2)
    results = [won_by(batch_after(spec, []), "1")]
    ((duel,),) = bracket(spec, results).rounds
    assert (duel.upper, duel.lower, duel.half_points, duel.winner) == ("2", "1", (0, 8), "1")
