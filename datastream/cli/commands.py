"""The command group. A command's module is imported when the command is called."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SECTIONS = {
    "Run a job here": {
        "run": "Run a job.",
        "sql": "Run SQL statements from a prompt or a file.",
        "shell": "Start Python with an environment that is ready to use.",
        "plan": "Show a job's plan; nothing runs.",
        "replay": "Run an epoch of a checkpoint again, in a debugger if you like; nothing is written.",
    },
    "Jobs of this machine": {
        "list": "List the jobs that run on this machine.",
        "status": "Show how a running job is.",
        "cancel": "Cancel a running job.",
        "stop": "Stop a running job with a savepoint.",
        "savepoint": "Write a job's state to a folder of its own.",
        "state": "Show what a job keeps in a checkpoint or savepoint.",
    },
    "Jobs of a gateway": {
        "submit": "Upload a job to a gateway and run it there.",
        "jobs": "List, show, cancel and stop jobs; their logs.",
        "artifacts": "Upload, list and delete scripts and archives.",
    },
    "Tools": {
        "warm": "Prepare this machine for fast starts.",
        "doctor": "Show what a job would find on this machine.",
        "completion": "Print the completion script of a shell.",
    },
}
COMMANDS = {name: about for section in SECTIONS.values() for name, about in section.items()}


class Commands(click.Group):
    """A group that knows its commands by name before it loads them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f".{cmd_name}", __package__).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(f"{name:<{width}}", about) for name, about in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The commands' names, without loading them all."""
        from click.shell_completion import CompletionItem

        names = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from datastream import __version__

    click.echo(f"datastream {__version__}")
    ctx.exit()


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
def cli() -> None:
    """The Flink DataStream API for Python, run by Spark Structured Streaming."""
