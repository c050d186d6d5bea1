"""``datastream warm``: prepare this machine for fast starts."""

from __future__ import annotations

import sys

import click

from datastream.errors import DataStreamError


@click.command("warm")
def command() -> None:
    """Prepare this machine for fast starts: once after each installation or change of Java."""
    from datastream.spark import warm

    try:
        click.echo(warm())
    except DataStreamError as error:
        from datastream.driver.failures import exit_code, report

        report(error, "console", verbose=False)
        sys.exit(exit_code(error))
