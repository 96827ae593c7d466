"""What a sequential test says on the way and at its end: lines, a bar, sentences, JSON."""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Any

from harness.ratings.betting import Evidence
from harness.ratings.sequential_match import SequentialReport
from harness.ratings.stopped import Correction
from harness.ratings.verdict_text import question_text, verdict_text, verdict_word
from harness.ratings.wording import counted
from harness.report.safe_text import printable
from harness.report.sheet import PAGE_WIDTH

if TYPE_CHECKING:
    from harness.director.sequential_watch import SequentialWatch

_BAR_CELLS = 40
_EXHAUSTED = "all {cap} pairs are played; --max-pairs allows more, as far as there are openings"


def progress_line(report: SequentialReport, *, has_outlook: bool = True) -> str:
    """Return one line: pairs, log likelihood ratio and bounds, estimate, what is still expected."""
    lower, upper = report.test.bounds
    parts = [
        f"{counted(report.pairs, 'pair')} ({_counts(report)}): LLR {report.llr + 0.0:.2f}, "
        f"H0 at {lower:.2f}, H1 at {upper:.2f}"
    ]
    elo = _interval(report)
    if elo:
        parts.append(f"Elo {elo}")
    if report.expected_pairs is not None and has_outlook:
        parts.append(f"about {max(1, round(report.expected_pairs))} more pairs to a decision")
    return ", ".join(parts)


def panel_lines(watch: SequentialWatch) -> list[str]:
    """Return the picture of a running test: the question, where the ratio stands, the line."""
    report = watch.match.report()
    lower, upper = report.test.bounds
    place = round((report.llr - lower) / (upper - lower) * _BAR_CELLS)
    place = min(max(place, 0), _BAR_CELLS)
    bar = f"{'-' * place}|{'-' * (_BAR_CELLS - place)}"
    return [
        printable(question_text(report.test, watch.base, watch.tested)),
        f"H0 {bar} H1",
        progress_line(report),
        *_beside(report),
    ]


def end_text(watch: SequentialWatch) -> str:
    """Return the verdict and what it rests on, as lines."""
    report = watch.match.report()
    why = _EXHAUSTED.format(cap=watch.cap) if watch.is_exhausted else ""
    lines = [
        printable(verdict_text(report, watch.base, watch.tested, why)),
        f"The question: {printable(question_text(report.test, watch.base, watch.tested))}.",
        f"Counted in the order of the schedule: {progress_line(report, has_outlook=False)} "
        "(pairs by the score of the bot under test, 0-1/2-1-3/2-2).",
    ]
    estimate = report.estimate
    if estimate.elo is not None or estimate.elo_low is not None or estimate.elo_high is not None:
        how = (
            "median unbiased, corrected for the stop"
            if estimate.correction is Correction.SEQUENTIAL
            else "Clopper and Pearson, not corrected for the stop"
        )
        los = (
            "" if estimate.los is None else f"; likelihood of superiority {_percent(estimate.los)}"
        )
        nelo = "" if report.nelo is None else f"; nElo {report.nelo:.0f}, not corrected"
        lines.append(
            f"{printable(watch.tested)} against {printable(watch.base)}: Elo {_interval(report)} "
            f"(95 %, {how}; logistic scale, 0 is equal){nelo}{los}."
        )
    lines += _beside(report)
    if report.repeated:
        repeated = counted(report.repeated, "pair")
        lines.append(f"{repeated} repeated an opening or all moves of one before: not counted.")
    if report.later:
        lines.append(
            f"Finished after the verdict, or after a pair that is missing, and not counted: "
            f"{counted(report.later, 'pair')}. The Elo table counts every finished game."
        )
    return "\n".join(
        line for text in lines for line in textwrap.wrap(text, PAGE_WIDTH, subsequent_indent="  ")
    )


def document_text(watch: SequentialWatch, name: str) -> str:
    """Return everything as one JSON document; what is unknown is null."""
    report = watch.match.report()
    test, estimate, bet = report.test, report.estimate, report.bet
    document: dict[str, Any] = {
        "tournament": name,
        "base": watch.base,
        "test": watch.tested,
        "verdict": verdict_word(report.verdict),
        "is_exhausted": watch.is_exhausted,
        "elo0": test.elo0,
        "elo1": test.elo1,
        "alpha": test.alpha,
        "beta": test.beta,
        "model": test.model.value,
        "max_pairs": watch.cap,
        "llr": report.llr,
        "lower_bound": test.bounds.lower,
        "upper_bound": test.bounds.upper,
        "pairs": report.pairs,
        "pentanomial": list(report.pentanomial),
        "repeated_pairs": report.repeated,
        "later_pairs": report.later,
        "expected_pairs": report.expected_pairs,
        "nelo": report.nelo,
        "elo": estimate.elo,
        "elo_low": estimate.elo_low,
        "elo_high": estimate.elo_high,
        "los": estimate.los,
        "estimate": estimate.correction.value,
        "evidence": bet.evidence.value,
        "evidence_pairs": bet.pairs,
        "evidence_p_value": bet.p_value,
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _beside(report: SequentialReport) -> list[str]:
    """Say what the bets show: evidence that may be looked at any time."""
    bet = report.bet
    if bet.evidence is Evidence.NOTHING:
        return [
            f"Beside it, valid whenever one looks: no evidence of better or worse than equal yet "
            f"(p {bet.p_value:.2g})."
        ]
    return [
        f"Beside it, valid whenever one looks: {bet.evidence.value} than equal, shown after "
        f"{bet.pairs} pairs (5 % that it is wrong, whatever the bounds)."
    ]


def _counts(report: SequentialReport) -> str:
    return "-".join(map(str, report.pentanomial))


def _interval(report: SequentialReport) -> str:
    estimate = report.estimate
    if estimate.elo is None and estimate.elo_low is None and estimate.elo_high is None:
        return ""
    if estimate.elo_low is None:
        return f"at most {estimate.elo_high:.0f}" if estimate.elo_high is not None else ""
    if estimate.elo_high is None:
        return f"at least {estimate.elo_low:.0f}"
    elo = "" if estimate.elo is None else f"{estimate.elo + 0.0:.0f}, "
    return f"{elo}{estimate.elo_low:.0f} to {estimate.elo_high:.0f}"


def _percent(chance: float) -> str:
    return ">99.9 %" if chance > 0.999 else "<0.1 %" if chance < 0.001 else f"{100 * chance:.1f} %"
