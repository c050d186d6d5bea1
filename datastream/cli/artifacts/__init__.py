"""``datastream artifacts``: scripts and archives of a gateway."""

from __future__ import annotations

from importlib import import_module

import click

_COMMANDS = ("ls", "upload", "plan", "download", "rm")


@click.group("artifacts")
def command() -> None:
    """Scripts and archives that were uploaded to a gateway.

    ARTIFACT is an artifact's id, the beginning of its id, or its name; of several with one name it is the newest.

    \b
    Exit code: 0, 1 failed, 2 wrong usage.
    """


for _name in _COMMANDS:
    command.add_command(import_module(f".{_name}", __name__).command)
