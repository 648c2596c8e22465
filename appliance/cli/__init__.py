"""The command line. Each command lives in a module of its own, imported only when it is called."""

from __future__ import annotations

import importlib
import sys
from typing import NoReturn

import click

from appliance import __version__
from appliance.errors import TresenError

COMMANDS = {
    "bench": "Measure this machine: turn, stt, llm, tts.",
    "chat": "Talk to the assistant in text.",
    "check": "Check a tenant's knowledge files.",
    "demo": "A recorded caller books a table with the real models.",
    "hear": "Recordings to text, with the recogniser alone.",
    "models": "List, fetch, verify and choose models.",
    "say": "Text to speech, with the voice alone.",
    "train": "Train the readers from the sentence files.",
    "understand": "One sentence to commands.",
}


class LazyGroup(click.Group):
    """Imports ``appliance.cli.<name>`` when the command is asked for, so that start-up stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"appliance.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="tresen")
def root() -> None:
    """Tresen, the front desk that stays in the house."""


def main() -> NoReturn:
    """Run the command line; every error of ours ends in one clear sentence and its exit code."""
    try:
        code = root.main(prog_name="tresen", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(1)
    except TresenError as error:
        click.echo(f"tresen: {error.message}", err=True)
        sys.exit(error.exit_code)
    sys.exit(code if isinstance(code, int) else 0)
