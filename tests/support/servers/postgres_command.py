"""scripts/postgres: a PostgreSQL to try the examples with, and its psql."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import psycopg

from tests.support.servers.postgres import PROGRAMS, make_database
from tests.support.servers.processes import is_free
from tests.support.waiting import wait_until

PORT = 5432
USER = "postgres"
_READY_S = 60.0
_END_S = 30.0


class ListeningPostgres:
    """A PostgreSQL that listens on a port of 127.0.0.1, until `stop`.

    Args:
        port: Where it listens.
        data: Keeps its tables there; None: they go when it ends.
    """

    def __init__(self, port: int, data: Path | None = None) -> None:
        self.port = port
        self._kept = data is not None
        self._folder = data or Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # short: its socket is in it
        user = make_database(self._folder)
        arguments = [
            "-D",
            self._folder,
            "-h",
            "127.0.0.1",
            "-p",
            str(port),
            "-k",
            self._folder,
            "-c",
            "wal_level=logical",
        ]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [PROGRAMS / "postgres", *arguments],
                user=user,
                stdout=log,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for us: we end it in good order
            )
        try:
            wait_until(self._answers, "PostgreSQL", _READY_S, 0.1)
            with psycopg.connect(self.url, autocommit=True) as connection:
                connection.execute(f"ALTER ROLE {USER} PASSWORD '{USER}'")
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        """As libpq takes it."""
        return f"postgresql://{USER}:{USER}@127.0.0.1:{self.port}/postgres"

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    def wait(self) -> int:
        """Wait until it ends by itself; its exit code."""
        return self._process.wait()

    def stop(self) -> None:
        """End it, and delete what it wrote unless that is to be kept."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # without waiting for its clients
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_S)
            self._process.kill()
            self._process.wait()
        if not self._kept:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _answers(self) -> bool:
        if self._process.poll() is not None:
            said = (self._folder / "log").read_text(errors="replace").splitlines()
            raise click.ClickException("PostgreSQL did not start: " + " ".join(said[-3:]))
        try:
            psycopg.connect(self.url).close()
        except psycopg.OperationalError:
            return False
        return True


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--port", default=PORT, show_default=True, help="Listen here, on 127.0.0.1.")
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Keep the tables in this folder. [default: none]"
)
@click.pass_context
def cli(context: click.Context, port: int, data: Path | None) -> None:
    """Without a command: run a real PostgreSQL on this machine until Ctrl-C."""
    if context.invoked_subcommand is None:
        _serve(port, data)


@cli.command()
@click.argument("statements", required=False)
@click.option("--at", default=f"127.0.0.1:{PORT}", show_default=True, help="The server's address.")
def sql(statements: str | None, at: str) -> None:
    """Run statements by psql; those of the standard input without any."""
    host, _, port = at.rpartition(":")
    psql = PROGRAMS / "psql"
    given = ["-c", statements] if statements else ["-f", "-"]
    options = ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", host, "-p", port, "-U", USER, "-d", "postgres"]
    os.execve(psql, ["psql", *options, *given], os.environ | {"PGPASSWORD": USER})


def _serve(port: int, data: Path | None) -> None:
    if not is_free(port):
        raise click.ClickException(f"port {port} of 127.0.0.1 is taken; choose another with --port")
    # However it is asked to end, it ends the server in good order.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    server = ListeningPostgres(port, data.absolute() if data else None)
    where = "" if port == PORT else f" --at 127.0.0.1:{port}"
    click.echo(f"postgres: ready at {server.url}; Ctrl-C ends it. In another terminal:")
    click.echo(f'  scripts/postgres sql "CREATE TABLE words (word TEXT PRIMARY KEY, n BIGINT)"{where}')
    click.echo(f'  scripts/postgres sql "SELECT * FROM words"{where}')
    try:
        ended = server.wait()
        raise click.ClickException(f"PostgreSQL ended by itself with exit code {ended}")
    except KeyboardInterrupt:
        click.echo("postgres: ending", err=True)
    finally:
        server.stop()


def main(*arguments: Any) -> None:
    try:
        cli(*arguments, prog_name="scripts/postgres", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)


if __name__ == "__main__":
    main()
