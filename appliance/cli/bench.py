"""``tresen bench``: one measurement per command, each in ``appliance/bench``."""

from __future__ import annotations

import importlib

import click

MEASUREMENTS = {
    "llm": "The language model: choices, tokens, constraints, prefix.",
    "normalisers": "Dates and times on other people's phrases.",
    "readers": "Each reader and the cascade on sentences that none learned from.",
    "stt": "Recognition: word error rate and time against the full window.",
    "tts": "Voices: first sound, real-time factor, cache, spoken forms.",
    "turn": "Whole turns in real time: end of speech to first sound, with the parts.",
}


class LazyBench(click.Group):
    """Imports ``appliance.bench.<name>`` when the measurement is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(MEASUREMENTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MEASUREMENTS:
            return None
        command: click.Command = importlib.import_module(f"appliance.bench.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Measurements"):
            formatter.write_dl(sorted(MEASUREMENTS.items()))


@click.group(cls=LazyBench)
def command() -> None:
    """Measure this machine."""
