"""From the committer's process to the job's driver: what each epoch did. Nothing depends on it but people.

And to the planner's process, which is another one, in a file of the run's folder: how many records the last epoch
held, and when the next timer is due.
"""

from __future__ import annotations

import json
import os
import queue
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Client, Connection
from typing import Any

from datastream.job.socket_server import SocketServer
from datastream.runtime.program import JobSpec

_connections: dict[str, Connection] = {}


@dataclass(frozen=True)
class Exhausted:
    """The sources have ended and all epochs are committed.

    Attributes:
        ran: Epochs ran since the start, so that the report of the last one comes too, perhaps after this word:
            it is another process that sends it.
    """

    ran: bool


@dataclass(frozen=True)
class EpochBegun:
    """An epoch has been planned and runs now."""


@dataclass(frozen=True)
class Backlog:
    """What waits to be read.

    Attributes:
        records: Source's uid -> its part -> records.
    """

    records: dict[str, Mapping[str, int]]


@dataclass(frozen=True)
class Idle:
    """The planner has looked: there is nothing to read, or the next epoch is put off as was set."""


@dataclass(frozen=True)
class Held:
    """All planned epochs are committed, and no other begins, as was ordered."""


@dataclass(frozen=True)
class Asked:
    """Something that the driver is to do, on a connection of its own, before it answers with None or what it raised.

    Attributes:
        value: What a committer has given.
    """

    value: Any


def hold_file(spec: JobSpec) -> str | None:
    """Where the driver leaves orders for the planner.

    ``stop``: no further epoch, but one if there has been none, for a savepoint; ``end``: no further epoch; ``drain``:
    all sources end now.
    """
    return None if spec.report is None else f"{spec.report[0]}.hold"


def held(spec: JobSpec) -> str | None:
    """The driver's order, if there is one."""
    file = hold_file(spec)
    if file is None:
        return None
    try:
        with open(file) as order:
            return order.read()
    except OSError:
        return None


def report(spec: JobSpec, message: Any) -> None:
    """Send an `EpochReport` or one of the messages above. A driver that has gone is no error."""
    if spec.report is None:
        return
    address, authkey = spec.report
    try:
        connection = _connections.get(spec.run_id)
        if connection is None:
            _connections.clear()
            connection = _connections[spec.run_id] = Client(address, authkey=authkey)
        connection.send(message)
    except (OSError, EOFError):
        _connections.pop(spec.run_id, None)


def ask(spec: JobSpec, value: Any) -> None:
    """Have the driver do something, and wait for it.

    Raises:
        ConnectionError: The driver has gone, or ends the run.
        WorkerFailure: It could not be done.
    """
    assert spec.report is not None
    address, authkey = spec.report
    with Client(address, authkey=authkey) as connection:
        connection.send(Asked(value))
        try:
            failure = connection.recv()
        except EOFError as error:
            raise ConnectionError("the driver has ended before it was done with the epoch") from error
    if failure is not None:
        raise failure


def _planner_file(spec: JobSpec) -> str | None:
    return None if spec.report is None else f"{spec.report[0]}.committed"


def report_to_planner(spec: JobSpec, records: int, due: int | None) -> None:
    """Leave word for the planner: records of the epoch that is being committed, when the next timer is due in ms."""
    file = _planner_file(spec)
    if file is not None:
        with suppress(OSError):  # the driver, whose folder it is, has gone
            temporary = f"{file}.new"
            with open(temporary, "w") as out:
                json.dump({"records": records, "due": due}, out)
            os.replace(temporary, file)


def _committed(spec: JobSpec) -> dict[str, Any] | None:
    file = _planner_file(spec)
    if file is None:
        return None
    try:
        with open(file) as committed:
            return json.load(committed)  # type: ignore[no-any-return]
    except OSError:
        return None


def next_timer(spec: JobSpec) -> int | None:
    """When the next timer of processing time is due, in ms; 0 as long as this run has committed nothing."""
    if spec.report is None:
        return None
    committed = _committed(spec)
    return 0 if committed is None else committed["due"]


def last_records(spec: JobSpec) -> int | None:
    """How many records the last epoch held; None: not known."""
    committed = _committed(spec)
    return None if committed is None else committed["records"]


class Reports:
    """The driver's end: a queue of what the job's processes report.

    Args:
        folder: Where the socket is made.
        name: Of the run.
        authkey: Who connects must know it.
        do: Does what a committer asks for.
    """

    def __init__(self, folder: str, name: str, authkey: bytes, do: Callable[[Any], None]) -> None:
        self._do = do
        self.address = os.path.join(folder, f"reports-{name[:12]}")
        self.queue: queue.Queue[Any] = queue.Queue()
        self._server = SocketServer(self.address, self._read, "datastream-reports", authkey)

    def close(self) -> None:
        self._server.close()

    def _read(self, connection: Connection) -> None:
        while True:
            try:
                message = connection.recv()
                if isinstance(message, Asked):
                    connection.send(self._done(message.value))
                else:
                    self.queue.put(message)
            except (EOFError, OSError):
                return
            except Exception as error:  # a record whose class cannot be loaded here, say
                self.queue.put(error)
                return

    def _done(self, value: Any) -> Exception | None:
        """Do something; what it has raised."""
        try:
            self._do(value)
        except Exception as error:
            return error
        return None
