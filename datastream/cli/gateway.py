"""What the commands for a gateway share: their options, the connection, and errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from datastream.driver.failures import CANCELLED, FAILED, INVALID
from datastream.errors import DataStreamError

if TYPE_CHECKING:
    from datastream.client import GatewayClient

F = TypeVar("F", bound=Callable[..., Any])

JSON = click.option("--json", "as_json", is_flag=True, help="As JSON.")


def gateway_options(command: F) -> F:
    """Options that say which gateway, and with which token."""
    token_file = click.option(
        "--token-file",
        metavar="FILE",
        type=click.Path(),
        help="A file with the token.  [default: DATASTREAM_GATEWAY_TOKEN, or the settings file]",
    )
    url = click.option(
        "--gateway",
        metavar="URL",
        help="The gateway.  [default: DATASTREAM_GATEWAY_URL, or the settings file, or http://127.0.0.1:8081]",
    )
    return url(token_file(command))


def fail(message: str, code: int = FAILED) -> None:
    """Write an error to stderr and end the command."""
    click.secho("error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(message, err=True)
    sys.exit(code)


@contextmanager
def connected(gateway: str | None, token_file: str | None) -> Iterator[GatewayClient]:
    """A client of the gateway. Errors of the block go to stderr and end the command.

    Exit code: 1 failed, 2 the settings are wrong, 130 Ctrl-C.
    """
    from datastream.client import GatewayClient, NotAllowed, SettingsError, find_settings

    try:
        found = find_settings(gateway, token_file)
        for warning in found.warnings:
            click.echo(f"warning: {warning}", err=True)
        with GatewayClient(found.url, found.token) as client:
            try:
                yield client
            except NotAllowed as error:
                fail(f"{error}\nThe token: {found.token_from}")
    except SettingsError as error:
        fail(str(error), INVALID)
    except DataStreamError as error:
        fail(str(error))
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            click.echo(err=True)  # after the terminal's ^C
        sys.exit(CANCELLED)


def tell_if_it_goes_on(client: GatewayClient, jid: str) -> None:
    """Say so if a job that was asked to end has not: its driver is started again by others."""
    if not client.job(jid).ended:
        click.echo(
            "the job goes on: its driver is not one that the gateway starts, and what starts it has started it again; "
            "end it there (in a chart: jobs.NAME.enabled=false)",
            err=True,
        )
