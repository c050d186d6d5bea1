"""``datastream jobs``: jobs of a gateway."""

from __future__ import annotations

from importlib import import_module

import click

_COMMANDS = ("ls", "show", "logs", "exceptions", "savepoint", "stop", "cancel", "rm")


@click.group("jobs")
def command() -> None:
    """Jobs of a gateway.

    JOB is a job's name, its id or the beginning of its id. Of several jobs with one name it is the active one, or the
    last.

    \b
    Exit code: 0, 1 failed, 2 wrong usage.
    """


for _name in _COMMANDS:
    command.add_command(import_module(f".{_name}", __name__).command)
