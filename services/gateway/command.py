"""``datastream-gateway``: its commands."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from datastream.errors import DataStreamError, ValidationError

from . import settings as about
from .settings import LAUNCHERS, PREFIX, GatewaySettings

_DEFAULTS = GatewaySettings()
_MISSING = "pip install 'spark-datastream[gateway]'"


def main() -> None:
    """Entry point of ``datastream-gateway`` and of ``python -m datastream.services.gateway``."""
    try:
        cli.main(prog_name="datastream-gateway", auto_envvar_prefix=PREFIX)
    except DataStreamError as error:
        click.secho("error: ", fg="red", bold=True, nl=False, err=True)
        click.echo(str(error), err=True)
        sys.exit(1)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("datastream"):
            raise
        click.echo(f"error: no package {error.name}: {_MISSING}", err=True)
        sys.exit(1)


def _parsed(parse: Callable[[str], Any]) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    def callback(context: click.Context, parameter: click.Parameter, value: str | None) -> Any:
        try:
            return None if value is None else parse(value)
        except ValidationError as error:
            raise click.BadParameter(str(error)) from error

    return callback


def _option(flag: str, *names: str, **about: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option that is an environment variable, too."""
    variable = f"{PREFIX}_{flag.removeprefix('--').replace('-', '_').upper()}"
    shown = about.get("default") is not None and "[default:" not in about["help"]
    return click.option(flag, *names, envvar=variable, show_default=shown, **about)


_DATA = _option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=_DEFAULTS.data,
    help="Folder of the database, artifacts, jobs and savepoints.  [default: ~/.local/share/datastream/gateway]",
)
_DATABASE = _option(
    "--database",
    metavar="URL",
    help="A database elsewhere, such as postgresql+psycopg://user@host/name.  [default: SQLite in --data]",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def cli() -> None:
    """Keep artifacts, run jobs from them, and show how they are: a REST service with a dashboard.

    Each option is also an environment variable: --port is DATASTREAM_GATEWAY_PORT.
    """


@cli.command()
@_option("--host", default=_DEFAULTS.host, help="Address to listen on.")
@_option("--port", type=click.IntRange(0, 65535), default=_DEFAULTS.port, help="Port to listen on; 0: a free one.")
@_DATA
@_DATABASE
@_option(
    "--without-auth", is_flag=True, help="No tokens: everybody on this machine may do everything. On loopback only."
)
@_option(
    "--launcher",
    "launchers",
    type=click.Choice(LAUNCHERS),
    multiple=True,
    default=_DEFAULTS.launcher,
    help="Where jobs run; may be repeated, the first is the default.",
)
@_option(
    "--pool",
    type=click.IntRange(0, 32),
    default=_DEFAULTS.pool,
    help="Drivers of the process launcher that are kept ready; each takes some 700 MB.",
)
@_option("--max-upload", default="256MiB", callback=_parsed(about.size), help="Size of an artifact.")
@_option("--max-unpacked", default="1GiB", callback=_parsed(about.size), help="Size of an archive's files.")
@_option(
    "--max-artifacts",
    metavar="SIZE",
    callback=_parsed(about.size),
    help="Size of all artifacts together.  [default: what the disk holds]",
)
@_option("--max-jobs", type=click.IntRange(min=1), default=_DEFAULTS.max_jobs, help="Jobs that may be active at once.")
@_option(
    "--max-writes",
    type=click.FloatRange(min=0.1),
    default=_DEFAULTS.writes_per_s,
    help="Changes a second that each client may ask for.",
)
@_option(
    "--max-connections",
    type=click.IntRange(min=16),
    default=_DEFAULTS.max_connections,
    help="Connections that are held at once.",
)
@_option(
    "--max-connections-per-address",
    type=click.IntRange(min=1),
    default=_DEFAULTS.max_connections_per_address,
    help="The same of one address; behind an ingress all clients have one.",
)
@_option(
    "--sql-sessions",
    type=click.IntRange(min=0),
    default=_DEFAULTS.sql_sessions,
    help="Sessions of SQL that may be open at once, each a process; 0: no SQL.",
)
@_option(
    "--sql-idle-timeout",
    default="10min",
    callback=_parsed(about.length_s),
    help="A session of SQL that is not used is closed after this time.",
)
@_option("--tls-certificate", type=click.Path(exists=True, dir_okay=False), help="PEM file: serve HTTPS.")
@_option("--tls-key", type=click.Path(exists=True, dir_okay=False), help="PEM file of the certificate's key.")
@_option(
    "--log-format",
    type=click.Choice(["console", "json"]),
    default="console",
    help="For people, or one JSON object a line.",
)
def serve(
    host: str,
    port: int,
    data: Path,
    database: str | None,
    without_auth: bool,
    launchers: tuple[str, ...],
    pool: int,
    max_upload: int,
    max_unpacked: int,
    max_artifacts: int | None,
    max_jobs: int,
    max_writes: float,
    max_connections: int,
    max_connections_per_address: int,
    sql_sessions: int,
    sql_idle_timeout: float,
    tls_certificate: str | None,
    tls_key: str | None,
    log_format: str,
) -> None:
    """Run the service.

    \b
    Exit code: 0 ended by a signal; jobs go on. 1 failed, 2 wrong options, 3 the port is taken.
    """
    from .serving import serve as run

    settings = GatewaySettings(
        host=host,
        port=port,
        data=data,
        database=database,
        authenticated=not without_auth,
        launcher=tuple(dict.fromkeys(launchers)),
        pool=pool,
        max_upload=max_upload,
        max_unpacked=max_unpacked,
        max_artifacts=max_artifacts,
        max_jobs=max_jobs,
        writes_per_s=max_writes,
        max_connections=max_connections,
        max_connections_per_address=max_connections_per_address,
        sql_sessions=sql_sessions,
        sql_idle_s=sql_idle_timeout,
    )
    sys.exit(run(settings, log_format, tls_certificate, tls_key))


@cli.group()
def token() -> None:
    """Make, list and revoke tokens. The gateway may be running."""


@token.command("create")
@_DATA
@_DATABASE
@click.option("--name", required=True, help="For people: whose it is, or what it is for.")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(["read", "write"]),
    multiple=True,
    default=("read",),
    show_default=True,
    help="What it allows; may be repeated. write includes read.",
)
@click.option("--expires", metavar="TIME", callback=_parsed(about.length_s), help="90s, 30min, 12h or 30d.")
@click.option("--save", is_flag=True, help="Let the `datastream` command of this user use it from now on.")
@click.option(
    "--url",
    help="With --save: of the gateway.  [default: of the one that runs with --data, else http://127.0.0.1:8081]",
)
def create(
    data: Path,
    database: str | None,
    name: str,
    scopes: tuple[str, ...],
    expires: float | None,
    save: bool,
    url: str | None,
) -> None:
    """Make a token and print it. It is shown this once; the database has its hash."""
    from .tokens import Tokens

    opened = _database(data, database)
    text = Tokens(opened).make(name, scopes, expires)
    opened.close()
    if save:
        from datastream.client.settings import DEFAULT_URL, save_settings

        from .data_lock import address

        url = url or address(data) or DEFAULT_URL
        click.echo(f"saved for the datastream command, with the gateway {url}: {save_settings(url, text)}", err=True)
    click.echo(text)


@token.command("list")
@_DATA
@_DATABASE
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each token.")
def list_tokens(data: Path, database: str | None, as_json: bool) -> None:
    """List the tokens, without what makes them secret."""
    from datastream.cli.table import write_table

    from .tokens import Tokens

    opened = _database(data, database)
    found = Tokens(opened).list()
    opened.close()
    if as_json:
        for one in found:
            click.echo(json.dumps({"id": one.id, "name": one.name, "scopes": one.scopes, "expires": one.expires_ms}))
    elif found:
        rows = [(one.id, one.name, ", ".join(one.scopes), _day(one.created_ms), _day(one.expires_ms)) for one in found]
        write_table(("id", "name", "scopes", "created", "expires"), rows)
    else:
        click.echo(
            "there are no tokens; make one with: datastream-gateway token create --name me --scope write", err=True
        )


@token.command("revoke")
@_DATA
@_DATABASE
@click.argument("token", metavar="ID|NAME")
def revoke(data: Path, database: str | None, token: str) -> None:
    """Revoke the tokens of an id or a name. A running gateway takes note within 5 s."""
    from .tokens import Tokens

    opened = _database(data, database)
    found = Tokens(opened).revoke(token)
    opened.close()
    if not found:
        raise ValidationError(f"there is no token {token!r}; `datastream-gateway token list` shows them")
    click.echo(f"revoked: {token}", err=True)


def _database(data: Path, url: str | None) -> Any:
    from .gateway import open_database

    return open_database(GatewaySettings(data=data, database=url))


def _day(ms: int | None) -> str:
    return "never" if ms is None else datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
