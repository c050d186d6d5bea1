"""scripts/kafka: a broker to try the examples with, and its topics."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from confluent_kafka import KafkaException

from tests.support.servers.kafka.broker import Broker, Record
from tests.support.servers.kafka.running import OwnBroker
from tests.support.servers.processes import is_free
from tests.support.servers.unavailable import UnavailableError

PORT = 9092
_PATIENCE_S = 5.0


def _at(command: Callable[..., None]) -> Callable[..., None]:
    return click.option("--at", default=f"127.0.0.1:{PORT}", show_default=True, help="The broker's address.")(command)


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--port", default=PORT, show_default=True, help="Listen here, on 127.0.0.1.")
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Keep the records in this folder. [default: none]"
)
@click.pass_context
def cli(context: click.Context, port: int, data: Path | None) -> None:
    """Without a command: run a real Kafka broker on this machine until Ctrl-C.

    Its jars come from Maven Central the first time, into the user's cache folder. The other commands are for
    its topics, from a second terminal.
    """
    if context.invoked_subcommand is None:
        _serve(port, data)


def _serve(port: int, data: Path | None) -> None:
    if not is_free(port):
        raise click.ClickException(f"port {port} of 127.0.0.1 is taken; choose another with --port")
    # However it is asked to end, it ends the broker in good order.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = data.absolute() if data else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    click.echo("kafka: starting (the first time its jars are fetched: 44 MB)", err=True)
    broker = OwnBroker(port, folder, quick=False)
    where = "" if port == PORT else f" --at {broker.bootstrap}"
    click.echo(f"kafka: ready at {broker.bootstrap}; Ctrl-C ends it. In another terminal:")
    click.echo(f"  scripts/kafka topic words --partitions 8{where}")
    click.echo(f"  echo hello | scripts/kafka write words{where}")
    click.echo(f"  scripts/kafka read words{where}")
    try:
        ended = broker.wait()
        raise click.ClickException(f"the broker ended by itself with exit code {ended}")
    except KeyboardInterrupt:
        click.echo("kafka: ending", err=True)
        broker.shut_down()
    finally:
        broker.stop()


@cli.command()
@click.argument("name")
@click.option("--partitions", default=1, show_default=True, type=click.IntRange(min=1))
@_at
def topic(name: str, partitions: int, at: str) -> None:
    """Make a topic."""
    _reach(at).create(name, partitions)
    click.echo(f"{name}: {partitions} partition{'s' if partitions > 1 else ''}")


@cli.command()
@_at
def topics(at: str) -> None:
    """List the topics, their partitions and how many records they have taken in."""
    broker = _reach(at)
    found = broker.admin().list_topics(timeout=_PATIENCE_S).topics
    for name in sorted(name for name in found if not name.startswith("__")):
        partitions = list(found[name].partitions)
        click.echo(f"{name}: partitions {len(partitions)}, end {sum(broker.ends(name).values())}")


@cli.command()
@click.argument("name")
@click.option("--follow", is_flag=True, help="Wait for more, until Ctrl-C.")
@click.option("--keys", is_flag=True, help="Print partition, offset and key before the value.")
@click.option("--uncommitted", is_flag=True, help="Also what belongs to open and aborted transactions.")
@_at
def read(name: str, follow: bool, keys: bool, uncommitted: bool, at: str) -> None:
    """Print the records of a topic, one a line."""
    broker = _reach(at)
    _known(broker, name)
    for record in broker.records(name, committed=not uncommitted, follow=follow):
        _print(record, keys)


@cli.command()
@click.argument("name")
@click.option("--separator", help="What is left of it in a line is the key.")
@_at
def write(name: str, separator: str | None, at: str) -> None:
    """Write each line of the standard input to a topic."""
    broker = _reach(at)
    _known(broker, name)
    lines = (line.rstrip(b"\n") for line in sys.stdin.buffer)
    broker.produce(name, (_split(line, separator) for line in lines) if separator else lines)


def _split(line: bytes, separator: str) -> tuple[bytes | None, bytes]:
    key, found, value = line.partition(separator.encode())
    return (key, value) if found else (None, line)


def _print(record: Record, keys: bool) -> None:
    value = b"" if record.value is None else record.value
    if keys:
        key = b"" if record.key is None else record.key
        value = b"\t".join([str(record.partition).encode(), str(record.offset).encode(), key, value])
    # Records are bytes: what is no text is passed on as it is.
    sys.stdout.buffer.write(value + b"\n")
    sys.stdout.buffer.flush()


def _reach(address: str) -> Broker:
    broker = Broker(address)
    try:
        broker.admin().list_topics(timeout=_PATIENCE_S)
    except KafkaException:
        raise click.ClickException(f"no Kafka broker answers at {address}; `scripts/kafka` starts one") from None
    return broker


def _known(broker: Broker, name: str) -> None:
    if name not in broker.admin().list_topics(timeout=_PATIENCE_S).topics:
        raise click.ClickException(f"there is no topic {name}; make one with `scripts/kafka topic {name}`")


def main(*arguments: Any) -> None:
    try:
        cli(*arguments, prog_name="scripts/kafka", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except UnavailableError as error:
        sys.exit(f"kafka: {error}")
    except KafkaException as error:
        sys.exit(f"kafka: {error.args[0].str()}")
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)


if __name__ == "__main__":
    main()
