"""The steps of a check as lines for people and as a JSON document."""

from __future__ import annotations

import json
import sys
import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Final

import click

from harness.counted import counted
from harness.process.conformance.report import Line, Status, StepReport
from harness.report.safe_text import printable

_WIDTH: Final = 80
_INDENT: Final = " " * 12
_NAME_WIDTH: Final = 30
_NEXT_WIDTH: Final = 50
_SHOWN_LINES: Final = 8
_WORDS: Final = {
    Status.PASS: "pass",
    Status.FAIL: "FAIL",
    Status.WARNING: "warning",
    Status.SKIPPED: "skipped",
}


class StepPrinter:
    """Prints each step as it is done, then a summary.

    ``steps`` are the names of all steps: on a terminal the one that is being tried is shown.
    ``shows_all``: the lines of every step.
    """

    def __init__(self, bot: str, steps: Sequence[str], *, shows_all: bool = False) -> None:
        self._shows_all = shows_all
        self._steps = steps
        self._is_terminal = sys.stdout.isatty()
        self._counts: Counter[Status] = Counter()
        self._elapsed_ns = 0
        self._skipped: list[StepReport] = []
        self._hints: dict[str, int] = {}
        self._is_showing_next = False
        click.echo(f"{printable(bot)}: {len(steps)} steps")
        self._show_next(0)

    def step(self, report: StepReport) -> None:
        """Print one step; of skipped ones with one reason, the first and the last."""
        self._counts[report.status] += 1
        self._elapsed_ns += report.elapsed_ns
        is_skipped = report.status is Status.SKIPPED
        if self._skipped and not (is_skipped and report.finding == self._skipped[0].finding):
            self._print_skipped()
        if is_skipped:
            self._skipped.append(report)
            self._show_next(report.number)
            return
        known_at = self._hints.setdefault(report.finding.hint, report.number)
        before = known_at if known_at != report.number else None
        self._print(step_lines(report, before, shows_all=self._shows_all))
        self._show_next(report.number)

    def end(self) -> None:
        """Print how many steps ended how."""
        self._print_skipped()
        counts = self._counts
        parts = [f"{counts[Status.PASS]} passed", f"{counts[Status.FAIL]} failed"]
        if counts[Status.WARNING]:
            parts.append(counted(counts[Status.WARNING], "warning"))
        if counts[Status.SKIPPED]:
            parts.append(f"{counts[Status.SKIPPED]} skipped")
        self._print([f"{', '.join(parts)} in {self._elapsed_ns / 1e9:.1f} s"])

    def abandon(self) -> None:
        """Leave the step that was being tried on a line of its own, without an end."""
        if self._is_terminal and self._is_showing_next:
            click.echo()

    def _print_skipped(self) -> None:
        if not self._skipped:
            return
        first, last = self._skipped[0], self._skipped[-1]
        lines = step_lines(first, shows_all=False)
        if last is not first:
            lines.append(f"{_INDENT}and so up to step {last.number}")
        self._print(lines)
        self._skipped.clear()

    def _print(self, lines: Sequence[str]) -> None:
        """Print lines, the first one over the step that was being tried."""
        first, *others = lines
        if self._is_terminal:
            first = first.ljust(_NEXT_WIDTH)
        for line in (first, *others):
            click.echo(line)

    def _show_next(self, done: int) -> None:
        self._is_showing_next = done < len(self._steps)
        if self._is_terminal and self._is_showing_next:
            text = f"{done + 1:2} ...      {self._steps[done]}"
            click.echo(f"{text:<{_NEXT_WIDTH}}\r", nl=False)


def step_lines(report: StepReport, known_at: int | None = None, *, shows_all: bool) -> list[str]:
    """Return one step as lines of at most 80 characters.

    ``known_at`` is the number of a step whose hint was the same: it stands for the hint and for
    the lines that went to and fro.
    """
    is_bad = report.status in (Status.FAIL, Status.WARNING)
    elapsed = "" if report.status is Status.SKIPPED else _time_text(report.elapsed_ns)
    head = (
        f"{report.number:2} {_WORDS[report.status]:<8} {report.name:<{_NAME_WIDTH}} {elapsed:>7}  "
    )
    finding = printable(report.finding.text)
    if not is_bad and len(head) + len(finding) <= _WIDTH:
        lines = [(head + finding).rstrip()]
    else:
        lines = [head.rstrip(), *_wrapped(finding)]
    if shows_all:
        lines += _traffic(report, report.lines)
    elif is_bad and known_at is None:
        lines += _traffic(report, _last_exchange(report.lines))
    if report.finding.hint:
        hint = report.finding.hint if known_at is None else f"as at step {known_at}"
        lines += _wrapped(f"-> {printable(hint)}", "   ")
    return lines


def _last_exchange(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the lines since the last position was set, the last few of them."""
    places = [at for at, line in enumerate(lines) if line.text.startswith("position ")]
    return lines[places[-1] if places else 0 :][-_SHOWN_LINES:]


def _traffic(report: StepReport, shown: Sequence[Line]) -> list[str]:
    hidden = report.left_out + len(report.lines) - len(shown)
    before = [f"{_INDENT}... {counted(hidden, 'line')} before"] if hidden else []
    return before + [_line_text(line) for line in shown]


def bot_document(bot: str, reports: Sequence[StepReport]) -> dict[str, object]:
    """Return what was found of one bot as values for JSON."""
    return {
        "bot": bot,
        "passed": all(report.status is not Status.FAIL for report in reports),
        "steps": [
            {
                "number": report.number,
                "name": report.name,
                "status": report.status.value,
                "finding": report.finding.text,
                "hint": report.finding.hint,
                "elapsed-ms": round(report.elapsed_ns / 1e6, 3),
                "sent": report.texts(">"),
                "received": report.texts("<"),
                "stderr": report.texts("!"),
                "lines-left-out": report.left_out,
            }
            for report in reports
        ],
    }


def document_text(documents: Sequence[dict[str, object]], *, is_spec: bool) -> str:
    """Return one JSON document: that of the bot, or of a spec ``bots`` and whether all passed."""
    if not is_spec:
        return json.dumps(documents[0], indent=2)
    passed = all(document["passed"] for document in documents)
    return json.dumps({"passed": passed, "bots": list(documents)}, indent=2)


def _line_text(line: Line) -> str:
    missing = "" if line.has_end else " [no newline]"
    text = f"{_INDENT}{line.direction} {printable(line.text)}"
    return _cut(text, _WIDTH - len(missing)) + missing


def _wrapped(text: str, hanging: str = "") -> list[str]:
    if not text:
        return []
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=_INDENT,
        subsequent_indent=_INDENT + hanging,
        break_on_hyphens=False,
    )


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _time_text(elapsed_ns: int) -> str:
    elapsed_ms = elapsed_ns / 1e6
    return f"{elapsed_ms:.0f} ms" if elapsed_ms < 1000 else f"{elapsed_ms / 1000:.1f} s"
