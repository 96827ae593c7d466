"""``loa bots``: the shipped bots with their options, as they announce them."""

from __future__ import annotations

import json

import click


@click.command("bots")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, as_json: bool) -> None:
    """List shipped bots and their options.

    Every bot is started and asked, so what is listed is what it takes.
    """
    from harness.play.bot_definition import BotDefinition
    from harness.process.bot_process import BotFailure, BotProcess
    from harness.process.farewell import dismiss
    from harness.process.greeting import greet
    from harness.tournament.bot_argument import shipped_bots

    entries = []
    for name, module in shipped_bots().items():
        entry: dict[str, object] = {"name": name, "module": module}
        try:
            bot = BotProcess(BotDefinition(name=name, module=module))
        except BotFailure as failure:
            entry["problem"] = failure.why
            entries.append(entry)
            continue
        try:
            greeting = greet(bot)
            entry["announces"] = greeting.name
            entry["options"] = [
                {
                    "name": option.name,
                    "type": option.type.value,
                    "default": option.default,
                    **({"min": option.minimum} if option.minimum is not None else {}),
                    **({"max": option.maximum} if option.maximum is not None else {}),
                    **({"choices": list(option.choices)} if option.choices else {}),
                }
                for option in greeting.options.values()
            ]
        except BotFailure as failure:
            entry["problem"] = failure.why
        finally:
            dismiss([bot])
        entries.append(entry)
    click.echo(json.dumps(entries, indent=2) if as_json else _text(entries))


def _text(entries: list[dict[str, object]]) -> str:
    lines = []
    for entry in entries:
        lines.append(f"{entry['name']:<12} {entry.get('announces') or entry.get('problem')}")
        options = entry.get("options")
        if isinstance(options, list):
            lines += [f"    {_option_text(option)}" for option in options]
    lines.append("")
    lines.append("Use as NAME or NAME:Option=Value, for example: loa run random greedy:Dilution=50")
    return "\n".join(lines)


def _option_text(option: dict[str, object]) -> str:
    values = ""
    if "min" in option or "max" in option:
        values = f" {option.get('min', '')}..{option.get('max', '')}"
    choices = option.get("choices")
    if isinstance(choices, list):
        values = " " + "|".join(choices)
    return f"{option['name']} ({option['type']}{values}, default {option['default'] or 'none'})"
